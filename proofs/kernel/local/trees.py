r"""Programs of one record x as trees, and the law of their output at a place of records.

========================================== =========================================================================
``{"coin": p, "then": [tree, tree]}``       the first way with the chance p, a form in x, else the second
``{"choose": [w…], "then": [tree…]}``      one of several ways, with chances proportional to forms in x
``{"uniform": [low, high], "then": tree}`` a draw v0, v1, … (in order) between two forms in x
``{"test": f, "strict": b, "then": […]}``  f > 0 (or ≥ 0) and then the first tree, else the second one
``{"output": label, "values": [f]}``       the output: constants and structure as a label, and one number or none
========================================== =========================================================================

A form is a map from ``1``, ``x``, ``v0``, ``x v0`` … to numbers. A tree is complete by its format: nothing is left out.

**The law.** Take a way to an output and a record x. Each draw on it is independent and uniform between its ends, and
each test on it that looks at a draw v says v > b(x) or v < b(x), up to one value of v, which has probability 0. So v
lies between l, the greatest of the lower bounds, and h, the least of the upper ones. The way has the probability of its
choices times :math:`(h-l)/(high-low)` for each draw. Where the number at its end is :math:`A v + B` with A ≠ 0 and does
not depend on other draws, it has the density chances :math:`/ (|A| (high-low))` between Al+B and Ah+B.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.local.lines import Line, Place

MAX_DRAWS, MAX_BRANCHES = 8, 64


@dataclass(frozen=True)
class Form:
    """rest + Σ parts[k]·v_k, with forms in the record as coefficients."""

    rest: Line
    parts: Mapping[int, Line]

    @staticmethod
    def read(value: object, drawn: int, opened: bool) -> Form:
        """A form in x and the draws so far."""
        if not isinstance(value, Mapping):
            raise Rejected("a form is a map from 1, x, v0, x v0 … to numbers")
        found: dict[str, list[Number]] = {}
        nothing = Number.of(0, opened)
        for name, number in value.items():
            names = name.split(" ") if isinstance(name, str) else []
            power = 1 if names[:1] == ["x"] else 0
            draw = "".join(names[power:]) if names != ["1"] else ""
            if " ".join([*["x"] * power, *([draw] if draw else [])] or ["1"]) != name:
                raise Rejected(f"{str(name)[:20]!r} is not 1, x, v0, x v0 …")
            if draw and draw not in [f"v{k}" for k in range(drawn)]:
                raise Rejected(f"there is no draw {draw[:20]} here")
            found.setdefault(draw, [nothing, nothing])[power] = Number.read(number, opened)
        lines = {draw: Line.of(parts, opened) for draw, parts in found.items()}
        rest = lines.pop("", Line((), opened))
        return Form(rest, {int(draw[1:]): line for draw, line in lines.items() if line.parts})


@dataclass(frozen=True)
class Draw:
    """A uniform draw between `low` and `high`, of which tests have told that it lies between bounds."""

    low: Line
    high: Line
    above: tuple[Line, ...]
    below: tuple[Line, ...]

    def inside(self, place: Place) -> tuple[Line, Line] | None:
        """The greatest lower and the least upper bound; None where there is nothing between them."""
        low, high = self.above[0], self.below[0]
        for line in self.above[1:]:
            low = line if place.sign(line - low) > 0 else low
        for line in self.below[1:]:
            high = line if place.sign(line - high) < 0 else high
        return (low, high) if place.sign(high - low) > 0 else None


@dataclass(frozen=True)
class Piece:
    """A constant density in y between two forms in the record."""

    low: Line
    high: Line
    density: Line


@dataclass
class Law:
    """The law of the output at a place: densities and probabilities of single outputs, by label."""

    pieces: dict[str, list[Piece]] = field(default_factory=dict)
    atoms: list[tuple[str, Number | None, Line]] = field(default_factory=list)


class Reader:
    """The law of a tree at one place."""

    def __init__(self, place: Place, opened: bool) -> None:
        self.place, self.opened, self.law = place, opened, Law()

    def walk(self, node: Any, chance: Line, draws: tuple[Draw, ...]) -> None:
        """Follow all ways that have a positive probability at the place."""
        tick(8)
        if not isinstance(node, Mapping):
            raise Rejected("a tree is an object")
        if "coin" in node:
            p = self._public(fields(node, "coin", "then")[0])
            self._choose([p, Line.constant(1, self.opened) - p], node["then"], chance, draws)
        elif "choose" in node:
            listed, trees = fields(node, "choose", "then")
            if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_BRANCHES:
                raise Rejected(f"a choice between 1 to {MAX_BRANCHES} ways")
            self._choose([self._public(weight) for weight in listed], trees, chance, draws)
        elif "uniform" in node:
            (low, high), then = fields(node, "uniform", "then")
            if len(draws) >= MAX_DRAWS:
                raise Rejected(f"more than {MAX_DRAWS} draws on one way")
            start, end = self._public(low), self._public(high)
            if self.place.sign(end - start) <= 0:
                raise Rejected("a uniform draw between ends in the wrong order")
            self.walk(then, chance, (*draws, Draw(start, end, (start,), (end,))))
        elif "test" in node:
            self._test(node, chance, draws)
        else:
            self._output(node, chance, draws)

    def _public(self, value: object) -> Line:
        return Form.read(value, 0, self.opened).rest

    def _choose(self, weights: list[Line], trees: object, chance: Line, draws: tuple[Draw, ...]) -> None:
        total = Line((), self.opened)
        if not isinstance(trees, list) or len(trees) != len(weights):
            raise Rejected("a choice has as many ways as chances")
        for weight in weights:
            total = total + weight
        if self.place.sign(total) <= 0:
            raise Rejected("a choice between ways that all have the chance 0")
        for weight, tree in zip(weights, trees, strict=True):
            sign = self.place.sign(weight)
            if sign < 0:
                raise Rejected("a chance is negative, or above 1, for some record")
            if sign:
                self.walk(tree, (chance * weight).over(total), draws)

    def _test(self, node: Mapping[str, Any], chance: Line, draws: tuple[Draw, ...]) -> None:
        value, strict, trees = fields(node, "test", "strict", "then")
        form = Form.read(value, len(draws), self.opened)
        if not isinstance(strict, bool) or not isinstance(trees, list) or len(trees) != 2:
            raise Rejected("a test is strict or not, and has two ways")
        asked = {k: sign for k, part in form.parts.items() if (sign := self.place.sign(part))}
        if not asked:
            sign = self.place.sign(form.rest)
            self.walk(trees[0 if sign > 0 or (sign == 0 and not strict) else 1], chance, draws)
            return
        if len(asked) > 1:
            raise Rejected("a test that looks at two draws")
        ((k, sign),) = asked.items()
        bound, old = (-form.rest).over(form.parts[k]), draws[k]
        above, below = replace(old, above=(*old.above, bound)), replace(old, below=(*old.below, bound))
        for tree, draw in zip(trees, (above, below) if sign > 0 else (below, above), strict=True):
            if draw.inside(self.place) is not None:
                self.walk(tree, chance, (*draws[:k], draw, *draws[k + 1 :]))

    def _output(self, node: Mapping[str, Any], chance: Line, draws: tuple[Draw, ...]) -> None:
        label, values = fields(node, "output", "values")
        if not isinstance(label, list) or not isinstance(values, list) or len(values) > 1:
            raise Rejected("an output is a label with one number or none")
        name = json.dumps(label)
        form = Form.read(values[0], len(draws), self.opened) if values else None
        used = {} if form is None else {k: s for k, part in form.parts.items() if (s := self.place.sign(part))}
        if len(used) > 1:
            raise Rejected("an output with two draws in it")
        for k, draw in enumerate(draws):
            ends = draw.inside(self.place)
            if ends is None:
                return
            if k not in used:
                chance = (chance * (ends[1] - ends[0])).over(draw.high - draw.low)
        if form is None or not used:
            self.law.atoms.append((name, None if form is None else self._fixed(form.rest), chance))
            return
        ((k, sign),) = used.items()
        slope, draw = form.parts[k], draws[k]
        ends = draw.inside(self.place)
        assert ends is not None
        low, high = (slope * end + form.rest for end in (ends if sign > 0 else ends[::-1]))
        density = chance.over(slope * (draw.high - draw.low))
        piece = Piece(low, high, density if sign > 0 else -density)
        if len(low.parts) > 2 or len(high.parts) > 2:
            raise Rejected("the end of a piece is not affine in the record")
        self.law.pieces.setdefault(name, []).append(piece)

    def _fixed(self, line: Line) -> Number:
        if len(line.parts) > 1 and not self.place.point:
            raise Rejected("an output shows the record itself: a number without noise")
        return line.at(self.place.low)


def law_at(tree: object, place: Place, opened: bool) -> Law:
    """The law of a tree at a place."""
    reader = Reader(place, opened)
    reader.walk(tree, Line.constant(1, opened), ())
    return reader.law


__all__ = ["Draw", "Form", "Law", "Line", "Piece", "Place", "Reader", "law_at"]
