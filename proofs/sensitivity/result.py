"""What is known of the sensitivity of a function: cases by the number of records, each with a bound and a witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.arith import lower, precision, upper
from dpwitness.proofs.kernel.sensitivity.families import read_family
from dpwitness.proofs.kernel.sensitivity.language import parse_function
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes
from dpwitness.proofs.kernel.sensitivity.values import enclosed, value_at

Pair = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


@dataclass(frozen=True)
class SensitivityCase:
    """The sensitivity for some numbers of records.

    Attributes
    ----------
    sizes
        For which n it holds.
    upper
        A formula in n that the function never moves further than.
    lower
        The same formula where it is attained for every such n, or a number that is reached at the pair, or None.
    witness
        As it stands in the certificate.
    """

    sizes: Sizes
    upper: str
    lower: str | None
    witness: Any

    @property
    def sharp(self) -> bool:
        """Whether the bound is the sensitivity for every one of these n: a pair at one n does not show that."""
        everywhere = not isinstance(self.witness, Mapping) or "left" not in self.witness or not self.sizes.step
        return self.lower == self.upper and everywhere

    def describe(self) -> str:
        """One line."""
        if self.sharp:
            return f"{self.sizes.describe()}: {self.upper}"
        if self.lower is None:
            return f"{self.sizes.describe()}: at most {self.upper}"
        low = self.lower if len(self.lower) < 12 else f"{float(Fraction(self.lower)):.6g}"
        if self.sizes.step:
            return f"{self.sizes.describe()}: at most {self.upper}, and at least {low} at n = {self.sizes.first}"
        return f"{self.sizes.describe()}: between {low} and {self.upper}"


@dataclass(frozen=True)
class Sensitivity:
    """sup \\|f(x) − f(x')\\| over neighbours, as cases that together hold all numbers of records that were asked for.

    >>> from dpwitness.proofs.sensitivity import sensitivity
    >>> found = sensitivity("mean(x)")
    >>> found.cases[0].describe(), found.at(4)
    ('every n >= 1: 1/n', (Fraction(1, 4), Fraction(1, 4)))
    """

    function: tuple[str, ...]
    norm: str
    relation: str
    setting: Setting = field(repr=False)
    cases: tuple[SensitivityCase, ...]
    certificate: Mapping[str, Any] = field(repr=False)
    statement: str = field(repr=False, default="")

    def __str__(self) -> str:
        return "\n".join(self.lines())

    @property
    def sharp(self) -> bool:
        """Whether every case is exact."""
        return all(case.sharp for case in self.cases)

    def case(self, n: int) -> SensitivityCase:
        """The case of so many records."""
        for case in self.cases:
            if n in case.sizes:
                return case
        raise BadInput(f"n={n} is in no case: {'; '.join(c.sizes.describe() for c in self.cases)}")

    def at(self, n: int) -> tuple[Fraction, Fraction]:
        """Rational lower and upper bounds of the sensitivity for n records; equal where it is rational and exact."""
        case = self.case(n)
        if self.setting.params:
            raise BadInput("the bound is a formula in public parameters: give them values, as params={'mu': 1}")
        there = case.lower is not None and (case.sharp or n == case.sizes.first)
        low = number(case.lower or "0", n)[0] if there else Fraction(0)
        return low, number(case.upper, n)[1]

    def pair(self, n: int) -> Pair | None:
        """Two neighbouring datasets of n records that attain the lower bound; None where none is known."""
        case = self.case(n)
        return witness_pair(self.setting, case, n)

    def lines(self) -> list[str]:
        """The report."""
        shown = self.function[0] if len(self.function) == 1 else "(" + ", ".join(self.function) + ")"
        how = "one record replaced" if self.relation == "substitute" else "one record added or removed"
        low, high = self.setting.ends
        found = [f"f(x) = {shown}", f"records in [{low}, {high}], {how}, norm {self.norm}"]
        for case in self.cases:
            found.append("  " + case.describe())
            n = case.sizes.first
            if not self.setting.params:
                n = next((k for k in range(max(n, 3), n + 200) if k in case.sizes), n)
                pair = self.pair(n)
                if pair is not None:
                    one, two = (", ".join(map(str, side)) for side in pair)
                    found.append(f"    attained at n = {n}: ({one}) and ({two})" if case.sharp else
                                 f"    reached at ({one}) and ({two})")  # fmt: skip
        return found


def number(source: str, n: int) -> tuple[Fraction, Fraction]:
    """An enclosure of a formula in n."""
    found = value_at(parse_function(source), [Fraction(0)] * n, {})
    if found.op == "num":
        return found.value, found.value
    with precision(128):
        value = enclosed(found)
        return lower(value.lo), upper(value.hi)


def witness_pair(setting: Setting, case: SensitivityCase, n: int) -> Pair | None:
    """The pair of a case at n."""
    witness = case.witness
    if isinstance(witness, Mapping) and "others" in witness:
        one, two = read_family(witness, setting, case.sizes).datasets(n, setting.relation)
        return tuple(one), tuple(two)
    if isinstance(witness, Mapping):
        one, two = ([Fraction(v) for v in witness[side]] for side in ("left", "right"))
        return (tuple(one), tuple(two)) if min(len(one), len(two)) == n else None
    if witness == "order":
        from dpwitness.proofs.kernel.sensitivity.orders import weights_at

        weights = weights_at(setting.outputs[0], n)
        rank = max(weights, key=lambda r: abs(weights[r]))
        low, high = setting.ends
        rest = [low] * rank + [high] * (n - 1 - rank)
        return (*rest, low), (*rest, high)
    return None


__all__ = ["Sensitivity", "SensitivityCase", "number", "witness_pair"]
