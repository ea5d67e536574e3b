"""The exact law of a program that makes finite choices only.

The program is re-run once for every sequence of outcomes. Probabilities are exact: rationals, or quotients of sums of
rational multiples of exponentials, since the exponential mechanism and randomized response have weights such as e^ε.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from time import monotonic
from typing import Any

from dpwitness.core import laws
from dpwitness.core.errors import BadInput, ImpureProgram, OutsideFragment, ProgramTimeout
from dpwitness.core.forms import Form
from dpwitness.core.functions import Irrational
from dpwitness.core.laws import Law
from dpwitness.core.noise import Noise
from dpwitness.core.numbers import exact
from dpwitness.core.readers.door import require, through_door
from dpwitness.core.readers.outputs import Skeleton, put_together, take_apart
from dpwitness.core.readers.scalar import check_number
from dpwitness.core.readers.selecting import first_largest

MAX_RUNS = 200_000
MAX_CHOICES = 2_000  # of one run


@dataclass(frozen=True)
class ExpSum:
    r"""A number :math:`\sum_r q_r e^r` with rational q and r.

    Distinct powers of e with rational exponents are linearly independent over the rationals (Lindemann–Weierstrass),
    so two such sums are equal exactly when their coefficients are.

    >>> ExpSum.exp(1) * ExpSum.exp(-1) == ExpSum.of(1)
    True
    """

    terms: tuple[tuple[Fraction, Fraction], ...]  # (exponent, coefficient), sorted, no zero coefficient

    @staticmethod
    def collect(terms: dict[Fraction, Fraction]) -> ExpSum:
        """From exponents to coefficients."""
        return ExpSum(tuple(sorted((r, q) for r, q in terms.items() if q)))

    @staticmethod
    def of(value: Fraction | int) -> ExpSum:
        """A rational number."""
        return ExpSum.collect({Fraction(0): Fraction(value)})

    @staticmethod
    def exp(exponent: Fraction | int) -> ExpSum:
        """e to a rational power."""
        return ExpSum.collect({Fraction(exponent): Fraction(1)})

    def __add__(self, other: ExpSum) -> ExpSum:
        total = dict(self.terms)
        for r, q in other.terms:
            total[r] = total.get(r, Fraction(0)) + q
        return ExpSum.collect(total)

    def __mul__(self, other: ExpSum) -> ExpSum:
        total: dict[Fraction, Fraction] = {}
        for r, q in self.terms:
            for s, p in other.terms:
                total[r + s] = total.get(r + s, Fraction(0)) + q * p
        return ExpSum.collect(total)

    def __float__(self) -> float:
        from math import exp

        return float(sum(float(q) * exp(r) for r, q in self.terms))

    def __str__(self) -> str:
        parts = [str(q) if r == 0 else f"{'' if q == 1 else f'{q}·'}e^({r})" for r, q in self.terms]
        return " + ".join(parts) or "0"


class Probability:
    """A quotient of two `ExpSum`s.

    The denominator is kept in factors: outcomes of the same choices share it, so that their probabilities add up
    without expanding a product.
    """

    __slots__ = ("factors", "top")

    def __init__(self, top: ExpSum, *factors: ExpSum) -> None:
        self.top = top
        self.factors: Counter[ExpSum] = Counter(f for f in factors if f != _ONE)

    @staticmethod
    def of(value: Fraction | int) -> Probability:
        """A rational number."""
        return Probability(ExpSum.of(value))

    @property
    def bottom(self) -> ExpSum:
        """The denominator, multiplied out."""
        return _product(self.factors)

    def __mul__(self, other: Probability) -> Probability:
        return Probability(self.top * other.top, *(self.factors + other.factors).elements())

    def __add__(self, other: Probability) -> Probability:
        common = self.factors | other.factors
        top = self.top * _product(common - self.factors) + other.top * _product(common - other.factors)
        return Probability(top, *common.elements())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Probability):
            return False
        common = self.factors | other.factors
        return self.top * _product(common - self.factors) == other.top * _product(common - other.factors)

    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        result = float(self.top)
        for factor, power in self.factors.items():
            result /= float(factor) ** power
        return result

    def __str__(self) -> str:
        """The quotient, as one number where both of its parts are plain numbers.

        >>> print(Probability(ExpSum.of(1), ExpSum.of(6)), Probability(ExpSum.of(1), ExpSum.exp(1)))
        1/6 (1)/(e^(1))
        """
        top, bottom = self.top, self.bottom
        if all(exponent == 0 for part in (top, bottom) for exponent, _ in part.terms):
            return str(sum((q for _, q in top.terms), Fraction(0)) / sum(q for _, q in bottom.terms))
        return f"({top})/({bottom})" if self.factors else str(top)

    __repr__ = __str__


_ONE = ExpSum.of(1)


def _product(factors: Counter[ExpSum]) -> ExpSum:
    result = _ONE
    for factor in factors.elements():
        result = result * factor
    return result


class Outcomes(Noise):
    """One run with a prescribed sequence of outcomes; further choices take their first outcome."""

    def __init__(self, prefix: Sequence[int]) -> None:
        require()
        self.prefix = prefix
        self.taken: list[int] = []
        self.widths: list[int] = []
        self.weight = Probability.of(1)

    def draw(self, law: Law) -> Any:
        values, weights = finite_weights(law)
        k = len(self.taken)
        if k >= MAX_CHOICES:
            raise OutsideFragment(f"more than {MAX_CHOICES} choices in one run: does its loop end?")
        pick = self.prefix[k] if k < len(self.prefix) else 0
        if pick >= len(weights):
            raise ImpureProgram(f"on replay choice {k} had {len(weights)} outcomes instead of more than {pick}")
        self.taken.append(pick)
        self.widths.append(len(weights))
        self.weight = self.weight * weights[pick]
        return values[pick]

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        return check_number(name, value, above, below, closed)

    def argmax(self, values: Sequence[Any]) -> Any:
        return first_largest(values)

    def max(self, values: Sequence[Any]) -> Any:
        return values[first_largest(values)]


def _rational(value: Any, name: str) -> Fraction:
    if isinstance(value, Irrational):
        raise OutsideFragment(f"{name} is the irrational number {value.form}; log-odds and log-weights stay exact")
    return exact(value, name)


def quotient(value: Any, name: str) -> Probability:
    """A number as a quotient of exponential sums; refused where its formula holds anything else.

    >>> from dpwitness.core.functions import exp
    >>> print(quotient(exp(Fraction(2)) / (1 + exp(Fraction(2))), "p"))
    (e^(2))/(1 + e^(2))
    """
    return _quotient(value.form, name) if isinstance(value, Irrational) else Probability.of(exact(value, name))


def _quotient(form: Form, name: str) -> Probability:
    total = Probability.of(0)
    for powers, coefficient in form.terms.items():
        term = Probability.of(coefficient)
        for symbol, power in powers:
            inner = symbol.of.value() if symbol.of is not None and symbol.name == "exp" else None
            if inner is not None:
                term = term * Probability(ExpSum.exp(inner * power))
            elif symbol.of is not None and symbol.name == "inverse":
                base = _quotient(symbol.of, name)
                for _ in range(abs(power)):
                    term = term * (_inverted(base, name) if power > 0 else base)
            else:
                raise OutsideFragment(f"{name} is the irrational number {form}, which is no quotient of powers of e")
        total = total + term
    return total


def _inverted(value: Probability, name: str) -> Probability:
    if not value.top.terms:
        raise OutsideFragment(f"{name} is divided by 0")
    top, bottom = _product(value.factors), value.top
    if float(bottom) < 0:  # denominators are positive
        top, bottom = top * ExpSum.of(-1), bottom * ExpSum.of(-1)
    return Probability(top, bottom)


def finite_weights(law: Law) -> tuple[list[Any], list[Probability]]:
    """Outcomes and exact probabilities of a finite law."""
    match law:
        case laws.Bernoulli(p):
            q = quotient(p, "p")
            return [True, False], [q, Probability.of(1) + Probability.of(-1) * q]
        case laws.Logit(log_odds):
            top, bottom = ExpSum.exp(_rational(log_odds, "log_odds")), ExpSum.of(1)
            return [True, False], [Probability(top, top + bottom), Probability(bottom, top + bottom)]
        case laws.Choice(weights):
            shares = [quotient(w, "weights") for w in weights]
            total = sum(shares[1:], shares[0])
            if not total.top.terms:
                raise BadInput("weights are all zero")
            return list(range(len(weights))), [share * _inverted(total, "weights") for share in shares]
        case laws.LogChoice(log_weights):
            exponents = [_rational(w, "log_weights") for w in log_weights]
            tops = [ExpSum.exp(w) for w in exponents]
            total_sum = ExpSum.collect({})
            for top in tops:
                total_sum = total_sum + top
            return list(range(len(tops))), [Probability(top, total_sum) for top in tops]
    raise OutsideFragment(f"{law.name} noise does not have finitely many outcomes")


@dataclass(frozen=True)
class FiniteLaw:
    """Exact probabilities of every output."""

    table: tuple[tuple[Skeleton, Probability], ...]

    def outputs(self) -> list[Any]:
        """The possible outputs."""
        return [put_together(skeleton, iter(())) for skeleton, _ in self.table]

    def __getitem__(self, output: Any) -> Probability:
        skeleton, _ = take_apart(output, lambda _: False)
        return dict(self.table).get(skeleton, Probability.of(0))


@through_door
def finite_law(program: Callable[[Noise], Any], *, max_runs: int = MAX_RUNS, end: float | None = None) -> FiniteLaw:
    """The exact law of a program's output; `end` is the moment of the monotonic clock at which the search is over.

    >>> law = finite_law(lambda noise: 1 if noise.bernoulli(p=Fraction(3, 4)) else 0)
    >>> print(law[1], law[0])
    3/4 1/4
    """
    table: dict[Skeleton, Probability] = {}
    todo: list[list[int]] = [[]]
    runs = 0
    while todo:
        prefix = todo.pop()
        runs += 1
        if end is not None and monotonic() > end:
            raise ProgramTimeout(f"the program's sequences of outcomes were not found in time: {runs - 1} so far")
        noise = Outcomes(prefix)
        output = program(noise)
        # the first run shows how wide the tree is; a hopeless one is not begun
        if runs > max_runs or (runs == 1 and prod(noise.widths) > 100 * max_runs):
            raise OutsideFragment(f"the program has more than {max_runs} sequences of outcomes")
        if len(noise.taken) < len(prefix):
            raise ImpureProgram(f"on replay the program made {len(noise.taken)} choices instead of {len(prefix)}")
        for k in range(len(prefix), len(noise.taken)):
            todo += [[*noise.taken[:k], other] for other in range(1, noise.widths[k])]
        skeleton, _ = take_apart(output, lambda _: False)
        old = table.get(skeleton)
        table[skeleton] = noise.weight if old is None else old + noise.weight
    return FiniteLaw(tuple(sorted(table.items(), key=lambda item: repr(item[0]))))
