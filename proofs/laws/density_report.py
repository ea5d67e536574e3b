"""What `dpwitness noise` says of a density, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from dpwitness.proofs.kernel.laws.density import Change
from dpwitness.proofs.laws.privacy_curves.curves import Enclosure

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Admissible:
    """How far a density may be changed: the largest change lies in `largest`; None where no change is allowed.

    `refuted` says why no change at all keeps the guarantee; `open` says what could not be decided. `certificate` proves
    the lower end of `largest`.
    """

    change: Change
    largest: Enclosure | None
    refuted: str = ""
    open: str = ""
    certificate: dict[str, str] | None = None


@dataclass(frozen=True)
class DensityReport:
    """What is known of a noise density at (ε,δ).

    `unit_loss` and `unit_curve` are the pure loss and δ(ε) of a slide by 1. `frontier` lists pairs (α, β) for which the
    pure losses of the slide and of the dilation add up to ε.
    """

    formula: str
    eps: Fraction
    delta: Fraction
    normaliser: Enclosure
    slope: Enclosure | None
    stretch: Enclosure | None
    slide: Admissible
    dilate: Admissible
    guarantee: tuple[Fraction, Fraction] | None
    frontier: tuple[tuple[Fraction, Fraction], ...] = ()
    unit_loss: Enclosure | None = None
    unit_curve: tuple[tuple[Fraction, Enclosure], ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def lines(self) -> list[str]:
        """The report in words."""
        low, high = self.normaliser
        out = [f"h(z) proportional to {self.formula}", f"integral {float(low):.12g} (width {float(high - low):.1g})"]
        for name, value in (("sup |(ln h)'|", self.slope), ("sup |1 + z (ln h)'|", self.stretch)):
            out.append(f"{name} = {'infinite or not bounded' if value is None else f'{float(value[1]):.9g}'}")
        if self.unit_loss is not None:
            out.append(f"slide by 1: log-ratio at most {float(self.unit_loss[1]):.9g}")
        if self.unit_curve:
            points = ", ".join(f"δ({float(e):.4g}) = {_digits(value)}" for e, value in self.unit_curve)
            out.append(f"slide by 1: {points}")
        half = f"(ε, δ) = ({float(self.eps / 2):.6g}, {float(self.delta / 2):.3g})"
        for name, item in (("slide", self.slide), ("dilation", self.dilate)):
            if item.largest is not None:
                out.append(f"largest {name} at {half}: {float(item.largest[0]):.9g}")
            else:
                why = f"refuted: {item.refuted}" if item.refuted else f"open: {item.open}"
                out.append(f"{name} at {half}: {why}")
        if self.guarantee is not None and self.slide.largest and self.dilate.largest:
            e, d = self.guarantee
            out.append(f"f(x) + S(x)/alpha · Z is (ε, δ) = ({float(e):.6g}, {float(d):.6g})-private for beta-smooth S")
        if self.frontier:
            pairs = ", ".join(f"({float(a):.4g}, {float(b):.4g})" for a, b in self.frontier)
            out.append(f"pure ε = {float(self.eps):.6g} also for these (alpha, beta): {pairs}")
        return out


def _digits(value: Enclosure) -> str:
    """The digits on which both ends agree, or the two ends."""
    low, high = (f"{float(end):.6g}" for end in value)
    return low if low == high else f"{low} to {high}"
