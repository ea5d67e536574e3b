"""A density's line cut into pieces, and what its loss may be at most: values at ends and where the slope vanishes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpwitness.proofs.derivations.quotients import discriminants, roots
from dpwitness.proofs.kernel.algebra.expr import Expr, num, rebuild
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.derivations.functions import Unseen, derivative, exp, log, power, put
from dpwitness.proofs.kernel.derivations.growth import INFINITY, limit, ratio_limit
from dpwitness.proofs.kernel.derivations.losses import Pieces, Question, T
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, Sum, number, variable
from dpwitness.proofs.kernel.derivations.trees import far

KINKED = ("Abs", "sign", "Min", "Max")


@dataclass(frozen=True)
class Candidate:
    """A value that the loss comes to: in the limit at an end of a piece, or at a place on it."""

    value: Quotient | str
    piece: int
    at: str | Quotient

    @property
    def infinite(self) -> bool:
        """Whether the loss is unbounded there."""
        return isinstance(self.value, str)


def kinks(expr: Expr) -> list[Expr]:
    """Where an Abs, sign, Min or Max of formulas that are linear in z between kinks bends or jumps."""
    found: list[Expr] = []
    for a in expr.args:
        found += [k for k in kinks(a) if k not in found]
    if expr.op in KINKED and "z" in expr.variables():
        inner = expr.args[0] if len(expr.args) == 1 else expr.args[0] - expr.args[1]
        for flat in _flattened(inner):
            slope = flat.derivative("z")
            if "z" in slope.variables() or slope == num(0):
                raise Undecided(f"the kinks of {str(expr)[:80]} are not at formulas that are seen")
            root = -(flat.substitute({"z": num(0)}) / slope)
            if root not in found:
                found.append(root)
    return found


def _flattened(expr: Expr) -> list[Expr]:
    """The formula with each kinked part replaced by either of its branches."""
    if not expr.args or "z" not in expr.variables():
        return [expr]
    choices: list[list[Expr]] = [[]]
    for a in expr.args:
        choices = [[*c, b] for c in choices for b in _flattened(a)]
    made: list[Expr] = []
    for args in choices:
        if expr.op == "Abs":
            made += [args[0], -args[0]]
        elif expr.op in ("Min", "Max"):
            made += args
        elif expr.op == "sign":
            made += [num(1), num(-1)]
        else:
            made.append(rebuild(expr, tuple(args)))
    return list(dict.fromkeys(made))


def ordered(cuts: list[Quotient]) -> list[Quotient]:
    """The cuts in increasing order, each once; raises `Unseen` where the order depends on the parameters."""
    made: list[Quotient] = []
    for cut in cuts:
        place = len(made)
        for i, other in enumerate(made):
            sign = (other - cut).sign
            if sign is None:
                raise Unseen(other - cut)
            if sign >= 0:
                place = -1 if sign == 0 else i
                break
        if place >= 0:
            made.insert(place, cut)
    return made


def first_cuts(question: Question, values: Values) -> list[Quotient]:
    """The kinks of the two densities."""
    places = [read(k, values) for k in kinks(question.density)] or [ZERO]
    if question.change in ("stretch", "dilate"):
        places.append(ZERO)
    if question.change == "slide":
        places += [p - values["Delta"] for p in places]
    if question.change == "dilate":
        places += [p / exp(values["lam"]) for p in places]
    return ordered(list(dict.fromkeys(places)))


def refined(question: Question, values: Values, cuts: list[Quotient]) -> list[Quotient]:
    """Cut also where the slope of the loss vanishes, and at 0 where that keeps the order."""
    pieces = Pieces(cuts)
    extra: list[Quotient] = []
    for z in pieces.z:
        try:
            if question.empty(values, z):
                continue
            f = question.function(values, z)
            places = roots(derivative(f, "t"), "t")
        except (Undecided, Rejected):
            continue
        extra += [put(z, {"t": r}) for r in places[:2]]
    kept = cuts if kinks(question.density) or not extra else []
    try:
        return ordered([*kept, *dict.fromkeys(extra)])
    except Unseen:
        return cuts


def candidates(question: Question, values: Values, pieces: Pieces) -> list[Candidate]:
    """All limits of the loss at ends of pieces."""
    found: list[Candidate] = []
    for i, z in enumerate(pieces.z):
        if question.empty(values, z):
            continue
        f = question.function(values, z)
        for at in ("start", "stop"):
            end = far_value(question, values, z, f, at)
            found.append(Candidate(end, i, at))
        try:
            for root in roots(derivative(f, "t"), "t")[:2]:
                found.append(Candidate(put(f, {"t": root}), i, root))
        except (Undecided, Rejected):
            continue
    return found


def far_value(question: Question, values: Values, z: Quotient, f: Quotient, at: str) -> Quotient | str:
    """The limit of the loss at an end; of logarithms by the limit of the quotient of the densities."""
    h, other = question.densities(values, z)
    if other is None:
        return limit(f, "t", at_zero=at == "start")
    try:
        ratio = ratio_limit(h, other, "t", at_zero=at == "start")
    except Unseen:
        raise
    except Undecided:
        return far(f, "t", at_zero=at == "start")
    if ratio in (INFINITY, ZERO):
        return INFINITY
    assert isinstance(ratio, Quotient)
    return log(ratio)


def rationalised(f: Quotient) -> tuple[str, Quotient, Quotient] | None:
    """A variable v, a formula for it in a new variable, and the way back, so that a root √(a + b·v²) disappears."""
    for base in _bases(f):
        for name in sorted(base.variables - {"t"}):
            rows: dict[Fraction | None, Quotient] = {}
            good = True
            for term, c in base.terms.items():
                e = next((e for a, e in term if a.kind == "var" and a.name == name), ZERO)
                rest = tuple((a, k) for a, k in term if not (a.kind == "var" and a.name == name))
                good &= e.constant in (Fraction(0), Fraction(2)) and not any(name in a.variables for a, _ in rest)
                rows[e.constant] = rows.get(e.constant, ZERO) + Quotient(Sum({rest: c}))
            if good and set(rows) == {Fraction(0), Fraction(2)}:
                half = number(Fraction(1, 2))
                size = power(rows[Fraction(0)] / rows[Fraction(2)], half)
                v = variable(name)
                new = size * half * (ONE + v - ONE / (ONE + v))
                x = v / size
                back = x + power(ONE + x * x, half) - ONE
                return name, new, back
    return None


def hidden_root(question: Question, values: Values, pieces: Pieces) -> tuple[str, Quotient, Quotient] | None:
    """What removes the square root from the places where the slope of the loss vanishes, as in `rationalised`."""
    for z in pieces.z:
        if question.empty(values, z):
            continue
        try:
            change = derivative(question.function(values, z), "t")
        except (Undecided, Rejected):
            continue
        for gap in discriminants(change, "t"):
            try:
                found = rationalised(power(gap, number(Fraction(1, 2))))
            except (Undecided, Rejected):
                continue
            if found is not None:
                return found
    return None


def _bases(f: Quotient) -> list[Sum]:
    """Sums under a square root."""
    found: list[Sum] = []
    for one in (f.top, *(s for s, _ in f.bottom)):
        for term in one.terms:
            for atom, e in term:
                c = e.constant
                if atom.kind == "power" and atom.of is not None and c is not None and c.denominator == 2:
                    found.append(atom.of)
                elif atom.of is not None:
                    found += _bases(Quotient(atom.of))
    return found


__all__ = ["Candidate", "T", "candidates", "first_cuts", "kinks", "rationalised", "refined"]
