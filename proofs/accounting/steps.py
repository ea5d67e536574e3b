r"""The steps people compose, as values of one kind.

Noise and sensitivity are exact numbers (text, whole numbers, fractions). A step's guarantee depends on their quotient
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import brief, exact
from dpwitness.proofs.accounting.composition import Composition, whole
from dpwitness.proofs.kernel.accounts.compositions import step_from_json
from dpwitness.proofs.kernel.arith import Rejected

SMALLEST, LARGEST = Fraction(1, 10**100), Fraction(10**100)  # of a step's numbers: hints are searched for in doubles


class NoProvedPair(BadInput):
    """No pair of laws is proved to stand for this step; the text says why."""


def _number(value: object, name: str) -> Fraction:
    found = Fraction(exact(value, name))
    if found <= 0:
        raise BadInput(f"{name}={brief(value)} must be above 0")
    if not SMALLEST <= found <= LARGEST:
        raise BadInput(f"{name}={brief(value)} must lie between 1e-100 and 1e100")
    return found


def _one(kind: str, *parameters: Any, relation: str | None = None) -> Composition:
    """A step that the kernel reads: what it refuses is refused when the step is written, and not when it is used."""
    found = Composition((((kind, *parameters), 1),), relation)
    try:
        step_from_json(relation or "add-remove", found._json()[0])
    except Rejected as error:
        raise BadInput(f"a step of kind {kind} cannot be accounted for: {error}") from None
    return found


def gaussian(sigma: object, sensitivity: object = 1) -> Composition:
    """Normal noise of deviation σ on a vector that moves by at most `sensitivity` in length.

    >>> print(gaussian(1).epsilon("1e-5"))
    4.377178095680..2
    """
    return _one("gaussian", (_number(sensitivity, "sensitivity") / _number(sigma, "sigma")) ** 2)


def laplace(scale: object, sensitivity: object = 1) -> Composition:
    """Laplace noise on a number that moves by at most `sensitivity`.

    >>> print(laplace(2).delta(0))
    0.22119916..22
    """
    return _one("laplace", _number(sensitivity, "sensitivity") / _number(scale, "scale"))


def geometric(scale: object, sensitivity: int = 1) -> Composition:
    """Two-sided geometric noise, mass ∝ e^(−|k|/scale), on a whole number that moves by at most `sensitivity`."""
    shift = _number(sensitivity, "sensitivity")
    if shift.denominator != 1:
        raise BadInput(f"sensitivity={brief(sensitivity)} of integer noise must be a whole number")
    return _one("geometric", _number(scale, "scale"), shift)


def discrete_gaussian(sigma: object, sensitivity: int = 1) -> Composition:
    """Integer Gaussian noise, mass ∝ e^(−k²/2σ²), on a whole number that moves by at most `sensitivity`."""
    shift = _number(sensitivity, "sensitivity")
    if shift.denominator != 1:
        raise BadInput(f"sensitivity={brief(sensitivity)} of integer noise must be a whole number")
    return _one("discrete-gaussian", _number(sigma, "sigma") ** 2, shift)


def response(eps: object, k: int = 2) -> Composition:
    """Randomized response among k answers: the true one is e^ε times as likely as any other."""
    loss = _number(eps, "eps")
    if whole(k) is None or k < 2:
        raise BadInput(f"k={brief(k)} must be a whole number of at least 2")
    return _one("response", loss) if k == 2 else _one("responses", loss, Fraction(k))


def staircase(eps: object, share: object = "1/2") -> Composition:
    """Staircase noise at ε on a number that moves by at most one step; `share` is the part of a step that is high.

    >>> print(staircase(1).delta(0), response(1).delta(0))
    0.46211715726000975850231848..9 0.46211715726000975850231848..9
    """
    high = _number(share, "share")
    if high >= 1:
        raise BadInput(f"share={brief(share)} must lie strictly between 0 and 1")
    return _one("staircase", _number(eps, "eps"), high)


def pure(eps: object) -> Composition:
    """Any step that is ε-DP; the lower end of a bracket speaks of the worst of them."""
    return _one("pure", _number(eps, "eps"))


def approximate(eps: object, delta: object) -> Composition:
    """Any step that is (ε, δ)-DP; the lower end of a bracket speaks of the worst of them."""
    size = _number(delta, "delta")
    if size >= 1:
        raise BadInput(f"delta={brief(delta)} must be below 1")
    return _one("approximate", _number(eps, "eps"), size)


def exponential(eps: object) -> Composition:
    """The exponential mechanism at ε, as any ε-DP step: the upper end is right, the lower end speaks of all ε-DP
    steps."""
    return pure(eps)


def tree(sigma: object, leaves: int, sensitivity: object = 1) -> Composition:
    """Tree aggregation of a stream of `leaves` numbers: each sum over a complete subtree gets normal noise.

    A record moves one leaf, which lies in at most ⌊log₂ leaves⌋ + 1 complete subtrees.

    >>> tree(4, 8) == tree(4, 15) == gaussian(4) * 4
    True
    """
    size = whole(leaves)
    if size is None or size < 1:
        raise BadInput(f"leaves={brief(leaves)} must be a positive whole number")
    return gaussian(sigma, sensitivity) * size.bit_length()


def from_table(p: Sequence[object], q: Sequence[object]) -> Composition:
    """A mechanism with finitely many outcomes: its law on one neighbour and on the other, in one order.

    >>> print(from_table(["3/4", "1/4"], ["1/4", "3/4"]).delta(0))
    0.49999998..50000001
    """
    laws = [tuple(Fraction(exact(x, "probability")) for x in law) for law in (p, q)]
    if len(laws[0]) != len(laws[1]) or any(min(law, default=Fraction(-1)) < 0 or sum(law) != 1 for law in laws):
        raise BadInput("from_table needs two lists of probabilities of the same outcomes, each with the sum 1")
    return _one("table", *laws)


def _rate(value: object, name: str) -> Fraction:
    rate = _number(value, name)
    if rate > 1:
        raise BadInput(f"{name}={brief(value)} must lie in (0, 1]")
    return rate


def poisson(step: Composition, rate: object) -> Composition:
    """A step on a sample that takes each record with probability `rate`; neighbours: one record added or removed.

    The step's sensitivity is that of adding or removing one record. ``poisson(gaussian(2) * 4, q)`` releases four times
    from one sample; ``poisson(gaussian(2), q) * 4`` draws a fresh sample each time.
    """
    kind, parameters = _single(step, "poisson")
    q = _rate(rate, "rate")
    if step.relation == "replace":
        raise BadInput("a step about replaced records cannot be sampled with Poisson rates, which are about added ones")
    if q == 1:
        return Composition(step.steps, "add-remove")
    if kind.startswith("poisson-"):
        raise NoProvedPair("a sample of a sample is one sample: multiply the rates")
    return _one(f"poisson-{kind}", q, *parameters, relation="add-remove")


def sample(step: Composition, m: int, n: int) -> Composition:
    """A step on m of n records drawn without replacement; neighbours: one record replaced by another.

    The step's sensitivity is that of replacing one record. The upper end of a bracket is that of a curve that no such
    step need have, the lower end that of steps in which only the replaced record counts: for several steps they differ.
    """
    kind, parameters = _single(step, "sample")
    part, of = whole(m), whole(n)
    if part is None or of is None or not 1 <= part <= of:
        raise BadInput(f"m={brief(m)} and n={brief(n)} must be whole numbers with 1 ≤ m ≤ n")
    if step.relation == "add-remove":
        raise BadInput("a step about added records cannot be sampled without replacement, which is about replaced ones")
    if part == of:
        return Composition(step.steps, "replace")
    if kind == "table" or kind.startswith("sample-"):
        raise NoProvedPair(f"no pair is proved here for sampling without replacement before a step of kind {kind}")
    return _one(f"sample-{kind}", Fraction(part, of), *parameters, relation="replace")


def _single(step: Composition, name: str) -> tuple[str, tuple[Any, ...]]:
    if not isinstance(step, Composition) or len(step.steps) != 1 or step.steps[0][1] != 1:
        raise NoProvedPair(f"{name}(…) takes one step: the sample of one step is not that of the next")
    (kind, *parameters), _ = step.steps[0]
    return kind, tuple(parameters)
