r"""What a report of one record of an interval tells: pure privacy of trees (see `trees`).

The interval is cut at stated records into places: its cuts and ends, and the open intervals between them. At a place
the ends of all pieces keep their order, so they cut the outputs y into *cells*, in each of which the density is one
polynomial D(x). A cell is given by an interval that contains all of its y, for all records of the place, and by bounds
of D. Cells without any piece have density 0.

**Theorem.** If :math:`D_A \le e^\varepsilon D_B` for the bounds of any two cells A, B of any two places whose intervals
of outputs meet, and the same for the probabilities of every single output, then the program is ε-private.

*Proof.* Let x and x' be records. All but finitely many y are no end of a piece at x or at x'. Such a y lies in one cell
A at the place of x and in one cell B at the place of x', so their (open) intervals meet, and the density at x is at
most :math:`e^\varepsilon` times that at x'. Finitely many y have no mass but that of single outputs, whose
probabilities are compared on their own. The law of the output is the sum of both parts, for each label. ∎
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.local.trees import Law, Line, Piece, Place, law_at
from dpwitness.proofs.kernel.spaces import read_ends, read_inputs, show_inputs
from dpwitness.proofs.kernel.statements import loss, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

MAX_CUTS = 60


@dataclass(frozen=True)
class Cell:
    """Outputs between two numbers (None: no end), and bounds of the density there."""

    low: Number | None
    high: Number | None
    least: Number
    most: Number

    def meets(self, other: Cell) -> bool:
        """Whether the two intervals of outputs have points in common, as far as is seen."""
        for one, two in ((self, other), (other, self)):
            if one.high is not None and two.low is not None and (two.low - one.high).sign() >= 0:
                return False
        return True


def cells(pieces: list[Piece], place: Place, opened: bool) -> list[Cell]:
    """The cells of one label at a place."""

    def order(one: Line, two: Line) -> int:
        return place.sign(one - two)

    ends: list[Line] = []
    every = [line for piece in pieces for line in (piece.low, piece.high)]
    for line in sorted(every, key=cmp_to_key(order)):
        if not ends or place.sign(line - ends[-1]):
            ends.append(line)
    nothing = Number.of(0, opened)
    if not ends:
        return [Cell(None, None, nothing, nothing)]
    spans = [place.range(line) for line in ends]
    found = [Cell(None, spans[0][1], nothing, nothing), Cell(spans[-1][0], None, nothing, nothing)]
    for k, (low, high) in enumerate(pairwise(ends)):
        density = Line((), opened)
        for piece in pieces:
            tick()
            if place.sign(low - piece.low) >= 0 and place.sign(piece.high - high) >= 0:
                density = density + piece.density
        found.append(Cell(spans[k][0], spans[k + 1][1], *place.range(density)))
    return found


def places(ends: object, cuts: object, opened: bool) -> list[Place]:
    """The ends of an interval, its cuts in rising order, and what lies between them."""
    if not isinstance(cuts, list) or len(cuts) > MAX_CUTS:
        raise Rejected(f"at most {MAX_CUTS} cuts")
    low, high = read_ends(ends)
    points = [Number.of(low, opened), *(Number.read(cut, opened) for cut in cuts), Number.of(high, opened)]
    return between(points)


def between(points: list[Number]) -> list[Place]:
    """The records of a rising list, and the open intervals between them."""
    if any((b - a).sign() <= 0 for a, b in pairwise(points)):
        raise Rejected("the cuts do not rise from one end of the interval to the other")
    intervals = [Place(a, b) for a, b in pairwise(points)]
    return [*(Place(a, a) for a in points), *intervals]


def verify(tree: object, where: list[Place], factor: Number) -> None:
    """Raise where the program is not seen to tell records of these places apart by at most the factor e^ε."""
    opened = factor.opened
    laws = [(place, law_at(tree, place, opened)) for place in where]
    for label in dict.fromkeys(label for _, law in laws for label in law.pieces):
        every = [cell for place, law in laws for cell in cells(law.pieces.get(label, []), place, opened)]
        distinct = list(dict.fromkeys(every))
        for one in distinct:
            for two in distinct:
                tick()
                if (one.most - factor * two.least).sign() > 0 and one.meets(two):
                    raise Rejected("an output is more than e^epsilon times as dense for one record as for another")
    outcomes: list[tuple[str, Number | None]] = []
    for _, law in laws:
        for label, value, _ in law.atoms:
            if not any(_same((label, value), known) for known in outcomes):
                outcomes.append((label, value))
    for outcome in outcomes:
        ranges = []
        for place, law in laws:
            total = Line((), opened)
            for label, value, chance in law.atoms:
                total = total + chance if _same((label, value), outcome) else total
            ranges.append(place.range(total))
        if any((most - factor * least).sign() > 0 for _, most in ranges for least, _ in ranges):
            raise Rejected("a single output is more than e^epsilon times as likely for one record as for another")


def _same(one: tuple[str, Number | None], two: tuple[str, Number | None]) -> bool:
    (label, a), (name, b) = one, two
    return label == name and ((a is None and b is None) or (a is not None and b is not None and not (a - b).sign()))


def _unit(unit: object) -> bool:
    if unit not in ("1", "eps"):
        raise Rejected("the unit is 1, or eps where eps is left open")
    return unit == "eps"


def check_report(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "local-report", "records", "tree", "unit", "cuts", "epsilon"}``.

    ``records`` is the interval [low, high]; with the unit ``eps`` the loss is `epsilon` times eps, for every eps > 0.
    """
    ends, tree, unit, cuts, epsilon = fields(
        certificate, "type", "records", "tree", "unit", "cuts", "epsilon", optional=("about",)
    )[1:]
    opened, eps = _unit(unit), number(epsilon)
    if eps < 0:
        raise Rejected("epsilon must not be negative")
    verify(tree, places(ends, cuts, opened), Number.exp(eps, opened))
    low, high = read_ends(ends)
    guarantee, free = loss(eps, "eps" if opened else "1")
    shown = f"{text(eps)}·eps, for every eps > 0" if opened else text(eps)
    said = f"1 record in [{text(low)}, {text(high)}], replaced: a report by choices and uniform draws: "
    inside = {"inputs": "records", "relation": "substitute", "low": text(low), "high": text(high)}
    model = subject(certificate, "tree", "unit")
    return Theorem("local-report", f"{said}epsilon = {shown}", model, False, guarantee, inside, (1,), free)


def event_mass(law: Law, x: Number, label: str, ends: tuple[Fraction, Fraction] | None, *, most: bool) -> Number:
    """The probability of an event at a record x, from below, or from above where `most`.

    The event is a number between `ends` with a label, or else the output that is the label. A single output that is
    given by a number may be any output: it counts in full from above, and not at all from below.
    """
    total = Number.of(0, x.opened)
    for name, value, chance in law.atoms:
        if (most and (value is not None or ends is not None)) or (ends is None and value is None and name == label):
            total = total + chance.at(x)
    for piece in law.pieces.get(label, []) if ends is not None else []:
        start, end = piece.low.at(x), piece.high.at(x)
        low, high = (Number.of(bound, x.opened) for bound in ends or ())
        start = low if (low - start).sign() > 0 else start
        end = high if (high - end).sign() < 0 else end
        if (end - start).sign() > 0:
            total = total + piece.density.at(x) * (end - start)
    return total


def check_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "local-report-violation", "inputs", "tree", "label", "between", "epsilon"}``.

    An output with this label and a number between two numbers, or (``null``) the output that is the label, is more than
    e^ε times as likely on the left record as on the right one.
    """
    inputs, tree, label, between, epsilon = fields(
        certificate, "type", "inputs", "tree", "label", "between", "epsilon", optional=("about",)
    )[1:]
    sides, ends, eps = read_inputs(inputs), None if between is None else read_ends(between), number(epsilon)
    if any(len(side) != 1 for side in sides) or eps < 0 or not isinstance(label, str):
        raise Rejected("two records, a label and an epsilon that is not negative are needed")
    found = []
    for side, most in zip(sides, (False, True), strict=True):
        x = Number.of(number(side[0]), False)
        found.append(event_mass(law_at(tree, Place(x, x), False), x, label, ends, most=most))
    if (found[0] - Number.exp(eps, False) * found[1]).sign() <= 0:
        raise Rejected("the event does not violate the claim")
    names = [[text(number(side[0]))] for side in sides]
    event = f"the output {label}" if ends is None else f"outputs between {text(ends[0])} and {text(ends[1])}"
    return Theorem(
        "local-report-violation",
        f"{show_inputs(names)}: {event[:200]} violates epsilon = {text(eps)}",
        subject(certificate, "tree", "inputs"),
        True,
        loss(eps, "1")[0],
        *two_inputs(*names),
    )


CHECKERS = {"local-report": check_report, "local-report-violation": check_violation}
