r"""A noise law with symbols: what slides and dilations cost, as formulas, with a derivation that the kernel checks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.limits import time_limit
from dpwitness.core.text import line
from dpwitness.proofs.derivations.bounds import Bound, derive
from dpwitness.proofs.derivations.bridge import from_sympy, simplified
from dpwitness.proofs.derivations.conditions import check_density, conditions
from dpwitness.proofs.derivations.model import Derivation, Step
from dpwitness.proofs.derivations.normaliser import antiderivative, curve_step, normaliser_step
from dpwitness.proofs.derivations.solving import implicit_step, largest_step, theorem_step
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import check

CHECKING = 20.0  # processor seconds that the check of one step may take
_SAID = {
    "slope": "the largest slope of ln h, and so the smallest bound of a slide's loss for each unit of Δ",
    "stretch": "the largest size of 1 + z (ln h)', and so the smallest bound of a dilation's loss for each unit of λ",
    "slide": "the largest log-ratio of h and its slide by Δ > 0",
    "dilate": "the largest log-ratio of h and its dilation by e^λ, λ > 0",
}
_NONE = {"slide": "no slide has a finite pure loss", "dilate": "no dilation has a finite pure loss"}
_OF = {"slope": "slide", "stretch": "dilate", "slide": "slide", "dilate": "dilate"}


@dataclass(frozen=True)
class NoiseLaw:
    """What is known of a density with symbols.

    Attributes
    ----------
    formula, where
        The density (up to a factor that does not depend on z) and the conditions on its parameters.
    slope, slide, stretch, dilate
        The smallest bounds as formulas, in cases where their form depends on the parameters: see `Bound`. A `slide`
        speaks of ``Delta`` > 0, a `dilate` of ``lam`` > 0.
    derivation
        The steps, each with its certificate.
    open
        What could not be derived, and at which step.
    """

    formula: str
    where: tuple[str, ...]
    slope: tuple[Bound, ...]
    slide: tuple[Bound, ...]
    stretch: tuple[Bound, ...]
    dilate: tuple[Bound, ...]
    derivation: Derivation
    open: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def lines(self) -> list[str]:
        """The formulas in words, one line for each."""
        out = [f"h(z) proportional to {self.formula}, for every {', '.join(self.where)}"]
        for step in self.derivation.steps:
            where = f"  [{', '.join(step.conditions)}]" if step.conditions else ""
            shown = f" = {step.formula}" if step.formula else ""
            out.append(f"{step.statement}{shown}{where}" + ("" if step.certified else f"  ({step.standing})"))
        return [*out, *(f"open: {text}" for text in self.open)]

    def certificates(self) -> list[dict[str, Any]]:
        """What `dpwitness check` accepts."""
        return self.derivation.certificates()

    def latex(self) -> str:
        """The derivation in LaTeX."""
        return self.derivation.latex()

    def _repr_latex_(self) -> str:
        return self.derivation._repr_latex_()

    def __str__(self) -> str:
        return "\n".join(self.lines())


def noise_law(expression: Any, where: str | Sequence[str] = (), *, seconds: float = 60.0) -> NoiseLaw:
    """Derive the losses of a noise density whose parameters are symbols.

    Parameters
    ----------
    expression
        The density in z, up to a factor: text such as ``"exp(-Abs(z)/b)"``, or a sympy expression.
    where
        Conditions on the other names: ``"b > 0"``, ``"0 < p < 1, a > 0"`` or a list of such.
    seconds
        What is not derived by then is reported as open.

    >>> law = noise_law("exp(-Abs(z)/b)/(2*b)", "b > 0")
    >>> law.slide[0].formula, law.slide[0].place
    ('Delta/b', 'as z → -Delta from below')
    >>> all(check(c) for c in law.certificates())
    True
    """
    started = time.monotonic()
    source = expression if isinstance(expression, str) else from_sympy(expression)
    region = conditions(where)
    try:
        check_density(source, region)
    except (Rejected, Undecided) as error:
        raise BadInput(f"{line(source, 80)!r}: {error}") from None
    steps: list[Step] = []
    open_: list[str] = []
    known = antiderivative(source, region)
    total = normaliser_step(source, region, known)
    steps += [total] if total is not None else []
    found: dict[str, tuple[Bound, ...]] = {}
    for change in ("slope", "slide", "stretch", "dilate"):
        left = seconds - (time.monotonic() - started)
        found[change], why = _bounds(source, region, change, left)
        if why and change not in ("slope", "stretch"):
            open_.append(f"{_SAID[change]}: {why}")
    for bounds in found.values():
        steps += [_step(bound) for bound in bounds]
    curve = curve_step(source, region, known, found["slide"])
    steps += [curve] if curve is not None else []
    steps += largest_step(source, region, found)
    steps += implicit_step(source, region, curve)
    steps += theorem_step(region, found, steps)
    derivation = Derivation(source, region, tuple(steps))
    return NoiseLaw(
        source, region, found["slope"], found["slide"], found["stretch"], found["dilate"], derivation, tuple(open_),
        time.monotonic() - started,
    )  # fmt: skip


def _bounds(source: str, region: tuple[str, ...], change: str, seconds: float) -> tuple[tuple[Bound, ...], str]:
    """The bounds that the kernel accepts, or why there are none."""
    if seconds <= 0:
        return (), "there was no time left"
    try:
        with time_limit(min(seconds, 20.0), f"the derivation of the {change}"):
            bounds = tuple(derive(source, region, change, simplified))
            for bound in bounds:
                check(bound.certificate, seconds=CHECKING)
            return bounds, ""
    except ProgramTimeout as error:
        return (), str(error)
    except (Rejected, Undecided) as error:
        return (), line(error, 300)
    except (ArithmeticError, ValueError, RecursionError) as error:  # numbers too long, formulas too deep
        return (), f"the search failed ({line(error, 120)})"


def _step(bound: Bound) -> Step:
    if bound.formula is None:
        rule = f"the log-ratio has no finite bound: {bound.place}" if bound.place.startswith("as") else bound.place
        return Step(_NONE[_OF[bound.change]], rule, "", bound.extra, bound.certificate)
    rule = f"monotone on pieces, and reached {bound.place}"
    if bound.critical:
        rule += f"; the slope vanishes {', '.join(bound.critical)}"
    return Step(_SAID[bound.change], rule, bound.formula, bound.extra, bound.certificate)


__all__ = ["NoiseLaw", "noise_law"]
