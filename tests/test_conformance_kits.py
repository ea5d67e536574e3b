"""The conformance kits accept what is right and name what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

from dpwitness import Answers, PureDP, mechanism
from dpwitness.auditors.learners.plans import Plans
from dpwitness.auditors.route import SequentialAuditor
from dpwitness.core import laws
from dpwitness.core.evidence import Scope, UpperBound
from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.testing import check_auditor, check_law, check_learner, check_mechanism, check_prover

KNOWN = [
    (laws.Laplace(2), stats.laplace(scale=2).cdf),
    (laws.Gaussian(Fraction(1, 2)), stats.norm(scale=0.5).cdf),
    (laws.Gumbel(3), stats.gumbel_r(scale=3).cdf),
    (laws.StudentT(3, 2), stats.t(3, scale=2).cdf),
    (laws.Poisson(Fraction(7, 2)), stats.poisson(3.5).cdf),
    (laws.NegativeBinomial(Fraction(1, 3), Fraction(1, 2)), stats.nbinom(1 / 3, 0.5).cdf),
    (laws.TruncatedLaplace(1, 2), lambda x: 0.5 + np.sign(x) * (1 - np.exp(-np.abs(x))) / (2 * (1 - np.exp(-2)))),
    (laws.Exponential(1), stats.expon().cdf),
    (laws.Uniform(0, 3), stats.uniform(0, 3).cdf),
    (laws.Gamma(2, 3), stats.gamma(2, scale=3).cdf),
]


@pytest.mark.parametrize(("law", "cdf"), KNOWN, ids=[str(law) for law, _ in KNOWN])
def test_laws_of_the_package_pass_and_a_wrong_scale_does_not(law: Law, cdf: Any) -> None:
    check_law(law, cdf=cdf)
    wrong = (lambda x: cdf(x - 1)) if law.support == "integers" else (lambda x: cdf(1.2 * x))
    with pytest.raises(AssertionError, match="do not follow"):
        check_law(law, cdf=wrong)


@pytest.mark.parametrize(
    "law",
    [laws.DiscreteLaplace(2), laws.DiscreteGaussian(2), laws.Admissible(3), laws.Staircase(1, 1, Fraction(1, 2)),
     laws.Bernoulli(Fraction(1, 3)), laws.Logit(1), laws.Choice((1, 2)), laws.LogChoice((0, 1))], ids=str,
)  # fmt: skip
def test_every_other_law_passes(law: Law) -> None:
    check_law(law)


@dataclass(frozen=True)
class Odd(Law):
    scale: Any
    name: ClassVar[str] = "odd"
    support: ClassVar[Support] = "nonnegative"
    domains: ClassVar[dict[str, Domain]] = {"scale": POSITIVE}

    def sample(self, rng: Any, size: int) -> Any:
        return rng.normal(0, 1, size)

    def spread(self) -> float:
        return float(self.scale)


def test_what_is_wrong_with_a_law_is_named() -> None:
    with pytest.raises(AssertionError, match="negative"):
        check_law(Odd(1))

    class Unseeded(Odd):
        support = "real"

        def sample(self, rng: Any, size: int) -> Any:
            return np.random.default_rng().normal(0, 1, size)

    with pytest.raises(AssertionError, match="same generator"):
        check_law(Unseeded(1))

    class Unnamed(Odd):
        domains: ClassVar[dict[str, Domain]] = {}

    with pytest.raises(AssertionError, match="domains"):
        check_law(Unnamed(1))


@mechanism(data=Answers("all", 1, size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / eps)


@mechanism(data=Answers("all", 1, size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def too_little_noise(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / (3 * eps))


def test_mechanisms() -> None:
    check_mechanism(noisy)
    with pytest.raises(AssertionError, match=r"too-little-noise .* is REFUTED"):
        check_mechanism(too_little_noise)


def test_provers() -> None:
    right = noisy.claims()
    wrong = too_little_noise.claims()
    assert wrong[0].expected_to_hold  # a lie, which the kit must notice
    with pytest.raises(AssertionError, match="says REFUTED"):
        check_prover(AdditiveProver(), [*right, *wrong])
    wrong = [replace(claim, expected_to_hold=False) for claim in wrong]
    check_prover(AdditiveProver(), [*right, *wrong])

    class Believer:
        def supports(self, claim: Any) -> None:
            return None

        def run(self, claim: Any, budget: Any) -> UpperBound:
            return UpperBound(claim.guarantee, Scope())

    with pytest.raises(AssertionError, match="without a certificate"):
        check_prover(Believer(), right)

    class Silent:
        def supports(self, claim: Any) -> str:
            return " "

    with pytest.raises(AssertionError, match="say why"):
        check_prover(Silent(), right)


def test_auditors() -> None:
    private, broken = noisy.claims()[0], too_little_noise.claims()[0]
    check_auditor(SequentialAuditor(), private, broken, seeds=3, max_pairs=2_000)
    with pytest.raises(AssertionError, match="was refuted at 0 of 3 seeds"):
        check_auditor(SequentialAuditor(), private, private, seeds=3, max_pairs=2_000)
    with pytest.raises(AssertionError, match="is private and was refuted"):
        check_auditor(SequentialAuditor(), broken, broken, seeds=3, max_pairs=2_000)


def test_learners() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.laplace(0, 1, 300), rng.laplace(1, 1, 300)
    check_learner(Plans(), left, right, fresh=[1.0, None, "x"])

    class Sure(Plans):
        def choose(self, a: Any, b: Any) -> Any:
            plan = super().choose(a, b)

            class Certain:
                kind, shares, next_fit = plan.kind, plan.shares, plan.next_fit

                def fit(self, *given: Any, **options: Any) -> Any:
                    (made, *rest) = plan.fit(*given, **options)
                    made.pi[:] = 1.0
                    return [made, *rest]

            return Certain()

    with pytest.raises(AssertionError, match="lose everything"):
        check_learner(Sure(), left, right, fresh=[1.0])
