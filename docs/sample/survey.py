"""A small survey service: three mechanisms keep their promise, a variant and a piece of foreign code do not."""

from dpwitness import Answers, ApproxDP, BlackBox, PureDP, Records, log, mechanism, real, sqrt


@mechanism(data=Answers(moves="all", by=1), claim=lambda eps: PureDP(eps), typical={"eps": 1, "threshold": 0})
def first_above(noise, queries, *, eps, threshold):
    """Index of the first answer above a noisy threshold (sparse vector)."""
    noisy_threshold = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= noisy_threshold:
            return i
    return None


@first_above.twin("exact-threshold")
def _(noise, queries, *, eps, threshold):
    """The threshold is compared as it is, and every answer gets a little more noise instead."""
    for i, q in enumerate(queries):
        if q + noise.laplace(3 / eps) >= threshold:
            return i
    return None


@mechanism(data=Records([0, 1], 5, "add-remove"), claim=lambda eps: PureDP(eps), typical={"eps": "1/2"})
def count(noise, records, *, eps):
    """How many people said yes, with Laplace noise."""
    return sum(records) + noise.laplace(1 / eps)


@mechanism(
    data=Answers(moves="one", by=1, size=1),
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/2", "delta": "1e-5"},
    domains={"eps": real(above=0, below=1)},  # from 1 on the classical formula is not enough
)
def score(noise, answers, *, eps, delta):
    """A score with the classical Gaussian noise, of deviation √(2 ln(5/4δ))/ε."""
    return answers[0] + noise.gaussian(sqrt(2 * log(5 / (4 * delta))) / eps)


def _mean(data, size, rng):
    """Somebody else's code: the mean of five values between 0 and 1, with noise for ten of them."""
    return float(sum(data)) / 5 + rng.laplace(0, 1 / 10, size)


mean = BlackBox("mean", _mean, Answers(moves="one", by=1, size=5, low=0, high=1), PureDP(1))
