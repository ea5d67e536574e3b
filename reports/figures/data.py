"""What a picture of a claim is drawn from: plain numbers and words, computed elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpwitness.reports.model import line

Numbers = tuple[float, ...]

_SURE = 0.05  # a sampled loss with a larger standard error is drawn, but not spoken of


@dataclass(frozen=True)
class OutputLaws:
    """Laws of the output on two neighbouring inputs.

    Parameters
    ----------
    outputs
        Labels of finitely many outputs, or the middles of cells of a line.
    left, right
        Probabilities of the labels, or densities in the cells.
    inside
        Which of them belong to the event.
    words
        The event in words.
    inputs
        The two inputs in words.
    epsilon
        The claimed ε: how far the logarithm of the ratio may go.
    samples
        How many runs a side the numbers rest on; 0 where they are exact.
    errors
        Standard errors of the logarithm of the ratio, where the numbers rest on samples.
    name
        Which part of the output is shown, such as ``output[3]``.
    """

    outputs: tuple[str, ...] | Numbers
    left: Numbers
    right: Numbers
    inside: tuple[bool, ...]
    words: str
    inputs: tuple[str, str]
    epsilon: float | None
    samples: int = 0
    errors: Numbers = ()
    name: str = "output"

    @property
    def labelled(self) -> bool:
        """Whether the outputs are finitely many, each with a name."""
        return bool(self.outputs) and isinstance(self.outputs[0], str)

    @property
    def losses(self) -> Numbers:
        """ln(p/q) of every output: infinite where one of the two is impossible, nan where both are."""
        return tuple(_log_ratio(p, q) for p, q in zip(self.left, self.right, strict=True))

    @property
    def source(self) -> str:
        """Where the numbers come from."""
        return f"{self.samples} runs on each input" if self.samples else "exact"

    def alt(self) -> str:
        """The picture in words."""
        kind = (
            f"Probabilities of {len(self.outputs)} outputs" if self.labelled else f"Densities of {line(self.name, 40)}"
        )
        inputs = " and ".join(line(text, 100) for text in self.inputs)
        return f"{kind} on {inputs} ({self.source}); shaded: {line(self.words, 200)}."

    def loss_alt(self) -> str:
        """The picture of the losses in words."""
        sure = [e <= _SURE for e in self.errors] or [True] * len(self.losses)
        known = [abs(x) for x, ok in zip(self.losses, sure, strict=True) if ok and not math.isnan(x)]
        far = max(known, default=0.0)
        reach = "infinite" if math.isinf(far) else f"about {far:.2g}" if self.samples else f"{far:.3g}"
        allowed = "" if self.epsilon is None else f"; the claim allows {self.epsilon:.3g}"
        return f"Privacy loss of every output ({self.source}): up to {reach}{allowed}."


@dataclass(frozen=True)
class CurvePicture:
    """The curve δ(ε) with the claim, what was proved, and what was found from below.

    Parameters
    ----------
    epsilons, deltas
        The curve itself, exact.
    proved
        At the same `epsilons`: the δ that the proved guarantee leaves room for.
    claim, found
        Points (ε, δ): what is claimed, and the lower bound of an audit or a counterexample at that δ.
    by
        Which of the two found it.
    about
        Of which inputs the curve speaks.
    """

    epsilons: Numbers
    deltas: Numbers
    claim: tuple[float, float] | None
    proved: Numbers = ()
    found: tuple[float, float] | None = None
    by: str = "audit"
    about: str = ""

    def alt(self) -> str:
        """The picture in words."""
        said = "" if self.claim is None else f"; the claim is δ ≤ {self.claim[1]:.3g} at ε = {self.claim[0]:.3g}"
        found = "" if self.found is None else f"; the {line(self.by, 40)} shows ε ≥ {self.found[0]:.3g}"
        return f"Privacy curve δ(ε) {line(self.about, 200)}{said}{found}."

    def trade_off(self, levels: Sequence[float]) -> Numbers:
        r"""Smallest type-II error at each type-I error a, by duality with the curve.

        :math:`f(a) = \max_\varepsilon \max(0,\ 1-\delta(\varepsilon)-e^{\varepsilon}a,\
        e^{-\varepsilon}(1-\delta(\varepsilon)-a))`, over the points of the curve.

        >>> CurvePicture((0.0, 1.0), (0.0, 0.0), None).trade_off([0.25])
        (0.75,)
        """
        return tuple(
            max(0.0, *(max(1 - d - math.exp(e) * a, math.exp(-e) * (1 - d - a)) for e, d in self._points()))
            for a in levels
        )

    def _points(self) -> list[tuple[float, float]]:
        return list(zip(self.epsilons, self.deltas, strict=True))

    def trade_off_alt(self) -> str:
        """The picture of the trade-off in words."""
        about = line(self.about, 200)
        return f"Trade-off between the two errors of telling the inputs apart {about}, from the exact curve."


@dataclass(frozen=True)
class LossPicture:
    """Exact loss of a program as a function of its parameter ε, against what it claims."""

    epsilons: Numbers
    losses: Numbers
    claimed: Numbers
    about: str = ""

    def alt(self) -> str:
        """The picture in words."""
        broken = [
            e for e, true, said in zip(self.epsilons, self.losses, self.claimed, strict=True) if true > said + 1e-9
        ]
        end = f"the claim is broken from ε = {broken[0]:.3g} on" if broken else "the claim holds on these inputs"
        return f"Exact loss {line(self.about, 200)} as a function of ε; {end}."


@dataclass(frozen=True)
class WealthPicture:
    """How the wealth of a sequential audit grew, and the limit 1/α at which the claim falls."""

    pairs: Numbers
    log_wealth: Numbers
    alpha: float

    def alt(self) -> str:
        """The picture in words."""
        limit = -math.log(self.alpha)
        at = next((p for p, w in zip(self.pairs, self.log_wealth, strict=True) if w >= limit - 1e-9), None)
        goal = f"the limit 1/α = {1 / self.alpha:,.0f}"
        end = f"it reaches {goal} after {at:.0f} pairs" if at is not None else f"it does not reach {goal}"
        return f"Wealth of the audit over {self.pairs[-1]:.0f} pairs of samples; {end}."


Picture = OutputLaws | CurvePicture | LossPicture | WealthPicture


def _log_ratio(p: float, q: float) -> float:
    if p <= 0 or q <= 0:
        return math.nan if p <= 0 and q <= 0 else math.inf if p > 0 else -math.inf
    return math.log(p / q)
