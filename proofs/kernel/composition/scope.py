"""What is defined at one place of a transcript: private atoms, draws and public numbers; and how far forms move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly, private
from dpwitness.proofs.kernel.arith import Rejected, lower, precision, upper
from dpwitness.proofs.kernel.composition.costs import BITS, rounded
from dpwitness.proofs.kernel.composition.inputs import Inputs, Move
from dpwitness.proofs.kernel.composition.knowledge import Knowledge
from dpwitness.proofs.kernel.composition.spans import (
    NOUGHT,
    Span,
    joined,
    largest,
    minus,
    plus,
    read_expr,
    read_form,
    scaled,
    span,
)

Shift = Mapping[Move, Span]  # by move; moves that are not listed change nothing


@dataclass(frozen=True)
class Atom:
    """A private number, by how far it moves.

    Attributes
    ----------
    shift
        How far, by move.
    values
        Its values on the cells, where it is a sum over records.
    whole
        Whether it is a whole number on every input.
    sample
        The sample that it sees; empty for all records.
    vector
        The clipped vector of which it sums a coordinate: its name, the coordinate, the norm, the bound by move.
    """

    shift: Shift
    values: Mapping[int, Span] = field(default_factory=dict)
    whole: bool = False
    sample: str = ""
    vector: tuple[str, int, int, Mapping[Move, Poly]] | None = None


@dataclass
class Draw:
    """A draw: its law and scale; a coin has its chance, a form with at most one atom, and perhaps what it may tell."""

    law: str
    scale: Poly | None = None
    chance: Poly | None = None
    fresh: bool = True
    loss: Poly | None = None


class Scope:
    """Everything that a step may refer to."""

    def __init__(self, inputs: Inputs, known: Knowledge) -> None:
        self.inputs, self.known = inputs, known
        self.atoms: dict[str, Atom] = {}
        self.draws: dict[str, Draw] = {}
        self.outcomes: dict[str, int] = {}
        self.samples: dict[str, Fraction] = {}
        self.sampled: set[str] = set()  # names of samples, those that were drawn outside of a branch among them
        self.texts: set[str] = set()  # results of any kind: they can be handed on and returned
        self.width = 0 if inputs.cells is None else max(map(len, inputs.cells), default=0)
        if inputs.cells is None:
            for i in range(inputs.size):
                self.atoms[f"%q{i}"] = Atom(_answer(inputs, i), whole=inputs.whole)
        elif inputs.replaced:
            known.define("#n", (Fraction(1), float("inf")))

    def inner(self, *, draws: bool = True) -> Scope:
        """The scope of a branch; without draws for a body that is repeated."""
        made = Scope.__new__(Scope)
        made.inputs, made.known, made.width = self.inputs, self.known.copy(), self.width
        made.atoms, made.outcomes, made.texts = dict(self.atoms), dict(self.outcomes), set(self.texts)
        made.samples, made.sampled = {}, set(self.sampled)  # a sample is seen where it was drawn
        made.draws = {n: replace(d) for n, d in self.draws.items()} if draws else {}
        return made

    def new(self, symbol: Any, mark: str) -> str:
        """A name that nothing has yet."""
        if not isinstance(symbol, str) or not symbol.startswith(mark) or not symbol[1:].isalnum():
            raise Rejected(f"{str(symbol)[:40]!r} is no name here")
        taken = self.known.ranges if mark == "$" else self.atoms if mark == "%" else self.draws
        if symbol in taken or symbol in self.texts:
            raise Rejected(f"{symbol} is defined twice")
        return symbol

    # forms

    def public(self, data: Any) -> Poly:
        """A form without atoms and draws, all of whose symbols are defined."""
        form = self.form(data)
        if form.private:
            raise Rejected(f"{form} is not public")
        return form

    def form(self, data: Any) -> Poly:
        """A form, linear in atoms and draws, all of whose symbols are defined."""
        form = read_form(data)
        for symbol in form.symbols():
            if private(symbol):
                if symbol not in self.atoms and symbol not in self.draws:
                    raise Rejected(f"{symbol} is not defined here")
            else:
                self.known.of(symbol)
        return form

    def parts(self, form: Poly) -> tuple[dict[str, Poly], dict[str, Poly]]:
        """Public coefficients of the atoms, and of the draws, in a form."""
        linear = form.linear()
        atoms = {s: c for s, c in linear.items() if s in self.atoms}
        return atoms, {s: c for s, c in linear.items() if s not in self.atoms}

    # atoms

    def sum_atom(self, table: Any, sample: Any) -> Atom:
        """Σ over the records of a function that is known on each cell; 0 on cells that are not listed."""
        cells = self.inputs.cells
        if cells is None or (sample is not None and (sample not in self.samples or self.inputs.replaced)):
            raise Rejected("a sum over something that is not there")
        values: dict[int, Span] = {}
        exprs: dict[int, Any] = {}
        whole = True
        for places, data in table:
            expr = read_expr(data, self.width)
            for k in range(len(cells)) if places == "*" else places:
                if type(k) is not int or not 0 <= k < len(cells) or k in values:
                    raise Rejected("a cell that does not exist, or that is listed twice")
                values[k], exprs[k] = span(expr, cells[k], self.known), expr
                whole = whole and is_whole(expr, cells[k])
        shift = {move: self._moved(values, move) for move in self.inputs.touching(list(values))}
        return Atom(shift, values, whole, sample or "", self._vector(exprs))

    def _moved(self, values: Mapping[int, Span], move: Move) -> Span:
        if isinstance(move, tuple):
            return plus(values.get(move[1], NOUGHT), minus(values.get(move[0], NOUGHT)))
        return values.get(move, NOUGHT)

    def _vector(self, exprs: Mapping[int, Any]) -> tuple[str, int, int, Mapping[Move, Poly]] | None:
        """The vector of which an atom sums one coordinate on every cell that it is not 0 on."""
        parts = [e for e in exprs.values() if not (isinstance(e, Poly) and not e.terms)]
        if not parts or any(isinstance(e, Poly) or e[0] != "clip" for e in parts):
            return None
        if len({(e[1], e[4]) for e in parts}) != 1:
            return None
        clips = {k: e for k, e in exprs.items() if not isinstance(e, Poly)}
        name = repr(sorted((k, e[1:4]) for k, e in clips.items()))
        bounds: dict[Move, Poly] = {}
        for move in self.inputs.touching(list(clips)):
            ends = [clips[k][3] for k in (move if isinstance(move, tuple) else (move,)) if k in clips]
            bounds[move] = sum(ends[1:], ends[0])
        return name, parts[0][4], parts[0][1], bounds

    def extreme(self, forms: Sequence[Poly], smallest_of: bool) -> Atom:
        """The largest or smallest of private numbers: it moves between their least and their greatest move."""
        shifts = [self.shift(form) for form in forms]
        moves = list(dict.fromkeys(move for shift in shifts for move in shift))
        found = {move: joined([s.get(move, NOUGHT) for s in shifts], self.known) for move in moves}
        samples = {self.atoms[s].sample for form in forms for s in self.parts(form)[0]}
        if len(samples) > 1:
            raise Rejected("a maximum over different samples")
        return Atom(found, whole=all(map(self.is_whole, forms)), sample=next(iter(samples), ""))

    def is_whole(self, form: Poly) -> bool:
        """Whether a form without draws is a whole number on every input."""
        atoms, draws = self.parts(form)
        rest = form - sum((Poly.symbol(s) * c for s, c in atoms.items()), Poly())
        numbers = [c.value() for c in (*atoms.values(), rest)]
        whole = all(n is not None and n.denominator == 1 for n in numbers)
        return whole and not draws and all(self.atoms[s].whole for s in atoms)

    def shift(self, form: Poly, factor: Poly | None = None) -> dict[Move, Span]:
        """How far the private part of a form moves, times a public factor."""
        atoms, _ = self.parts(form)
        found: dict[Move, Span] = {}
        for symbol, c in atoms.items():
            times = c if factor is None else c * factor
            memo: dict[Span, Span] = {}
            for move, moved in self.atoms[symbol].shift.items():
                part = memo.get(moved)
                if part is None:
                    part = memo[moved] = scaled(moved, times, self.known)
                found[move] = plus(found[move], part) if move in found else part
        return found

    def sample_of(self, forms: Iterable[Poly]) -> str:
        """The one sample that all atoms of some forms see; empty for all records."""
        samples = {self.atoms[s].sample for form in forms for s in self.parts(form)[0]}
        if len(samples) > 1:
            raise Rejected("one release of two samples, or of a sample and the rest")
        return next(iter(samples), "")

    def chance(self, value: Span, factor: Poly, rest: Poly) -> tuple[Poly, Poly]:
        """The ends of rest + factor · value."""
        found = plus(Span.of(rest), scaled(value, factor, self.known))
        if found.low is None or found.high is None:
            raise Rejected("a chance without bounds")
        return found.low, found.high

    def numbers_of(self, low: Poly, high: Poly) -> tuple[Fraction, Fraction]:
        """The ends as numbers, rounded outward."""
        return self._number(low, lower), self._number(high, upper)

    def _number(self, form: Poly, end: Callable[[Any], Fraction]) -> Fraction:
        value = form.value()
        if value is not None:
            return value
        with precision(BITS):
            return end(self.known.enclose(form))

    # sizes

    def size(self, moved: Span) -> Poly:
        """A closed form that no |shift| exceeds."""
        if moved.low is None or moved.high is None:
            raise Rejected("there is no bound on how far a release moves")
        top = largest([moved, minus(moved)], self.known).high
        if top is None:
            ends = [e if self.known.nonnegative(e) else -e for e in (moved.low, moved.high)]
            if not all(self.known.nonnegative(e) for e in ends):
                raise Rejected("the sign of a shift is not known")
            top = ends[0] + ends[1]
        found = self.known.without_released(self.known.reduce(top))
        if found is None:
            raise Rejected(f"there is no bound on how far a release moves: {top}")
        return found

    def amount(self, form: Poly) -> Poly:
        """A form in open parameters that is no smaller than a closed one, with coefficients that are not negative."""
        form = self.known.reduce(form)
        if all(s in self.known.params for s in form.symbols()):
            if any(c < 0 for c in form.terms.values()):
                raise Rejected(f"the sign of {form} is not plain")
            return form
        with precision(BITS):
            return Poly.constant(rounded(upper(self.known.enclose(form))))


def _answer(inputs: Inputs, i: int) -> Shift:
    by = Poly.constant(inputs.by)
    one_way = inputs.moves in ("up", "down")
    return {i if inputs.moves in ("one", "l1") else 0: Span(Poly() if one_way else -by, by)}


def is_whole(expr: Any, cell: Any) -> bool:
    """Whether an expression is a whole number on a cell."""
    if isinstance(expr, Poly):
        value = expr.value()
        return value is not None and value.denominator == 1
    head, *rest = expr
    if head == "x":
        low, high = cell[rest[0]]
        return bool(low == high and low.denominator == 1)
    if head in ("+", "*", "max", "min", "abs", "square"):
        return all(is_whole(part, cell) for part in rest)
    return bool(head == "if" and is_whole(rest[1], cell) and is_whole(rest[2], cell))


__all__ = ["Atom", "Draw", "Scope"]
