"""The smallest bound on a loss as a formula, with a certificate: proposed from limits and slopes, proved by search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpwitness.proofs.derivations.lines import (
    Candidate,
    candidates,
    far_value,
    first_cuts,
    hidden_root,
    rationalised,
    refined,
)
from dpwitness.proofs.derivations.quotients import points, roots, show, value
from dpwitness.proofs.derivations.search import Search, Tree
from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.derivations.functions import Unseen, derivative, put
from dpwitness.proofs.kernel.derivations.losses import CHANGES, Pieces, Question, reached
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases, ranges
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, variable

BUDGET, DEPTH = 500, 4


@dataclass(frozen=True)
class Bound:
    """The smallest bound on a loss under some conditions: a formula, or None where there is no finite one.

    `place` says where it is reached, or where the loss grows beyond all bounds; `critical` where its slope vanishes;
    `extra` lists the conditions of this case beside those that were given.
    """

    change: str
    where: tuple[str, ...]
    formula: str | None
    certificate: dict[str, Any]
    place: str
    critical: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


def back(names: Sequence[str], where: Sequence[str], changes: Sequence[str] = ()) -> dict[str, str]:
    """The positive variable of each parameter as text in the parameters."""
    found = {}
    for name, low, high, *_ in ranges(names, where, changes=changes):
        start = None if low is None else f"({low})"
        if high is None:
            found[name] = name if start == "(0)" else f"({name} - {start})"
        elif start is None:
            found[name] = f"(({high}) - {name})"
        else:
            found[name] = f"(({name} - {start})/(({high}) - {name}))"
    return found


def derive(source: str, where: Sequence[str], change: str, simplify: Any = None) -> list[Bound]:
    """The smallest bound for a density and a change, in cases where its form depends on the parameters.

    >>> derive("exp(-Abs(z)/b)", ["b > 0"], "slide")[0].formula
    'Delta*b**(-1)'
    """
    found = _cases(source, tuple(where), change, simplify, 0)
    return [replace(b, extra=tuple(c for c in b.where if c not in where)) for b in found]


def _cases(source: str, where: tuple[str, ...], change: str, simplify: Any, depth: int) -> list[Bound]:
    expr = parse(source)
    names = sorted(expr.variables() - {"z"})
    regions = [{**values, **{n: variable(n) for n in CHANGES[change]}} for values in cases(names, where)]
    to_text = back(names, where)
    try:
        return [_derived(source, expr, where, change, regions, to_text, simplify)]
    except Unseen as error:
        if depth >= 2:
            raise
        for name in sorted(error.of.variables & set(names)):
            for root in roots(error.of, name)[:1]:
                if root.variables & set(CHANGES[change]):
                    continue
                at = show(put(regions[0][name], {name: root}), to_text)
                if at.startswith("(") and at[1:-1].isdigit():
                    at = at[1:-1]
                parts = [_cases(source, (*where, f"{name} < {at}"), change, simplify, depth + 1)]
                middle = str(parse(source).substitute({name: parse(at)}))
                left = [c for c in where if name not in parse_names(c)]
                equal = _cases(middle, tuple(left), change, simplify, depth + 1)
                parts.append([replace(b, where=(*b.where, f"{name} = {at}")) for b in equal])
                above = tuple(c for c in where)
                parts.append(_cases(source, (*above, f"{name} > {at}"), change, simplify, depth + 1))
                return [b for part in parts for b in part]
        raise


def parse_names(condition: str) -> frozenset[str]:
    """The names in a condition."""
    from dpwitness.proofs.kernel.derivations.region import comparison

    low, high, _ = comparison(condition)
    return low.variables() | high.variables()


def _derived(
    source: str,
    expr: Expr,
    where: tuple[str, ...],
    change: str,
    regions: Sequence[Values],
    to_text: Mapping[str, str],
    simplify: Any,
) -> Bound:
    question = Question(expr, change, None)
    cert: dict[str, Any] = {"type": "derived-loss", "density": source, "where": list(where), "change": change}
    values = regions[0]
    try:
        build = Build(question)
        proof = build.cases(regions)
        if change in ("slide", "dilate"):
            return Bound(change, where, None, {**cert, "bound": None, "proof": proof}, build.said(to_text, simplify))
    except Unseen:
        if change in ("slide", "dilate"):
            raise
    except Undecided:
        pass
    pieces = Pieces(first_cuts(question, values))
    root = hidden_root(question, values, pieces)
    old: Quotient | None = None
    if root is not None:
        name, new, old = root
        values = {n: put(v, {name: new}) for n, v in values.items()}
        pieces = Pieces(first_cuts(question, values))
    say = Says(pieces, to_text, {} if root is None or old is None else {root[0]: old}, simplify)
    found = candidates(question, values, pieces)
    if any(one.infinite for one in found):
        one = next(one for one in found if one.infinite)
        raise Undecided(f"the {change} is unbounded {say.end(one)}")
    best = _largest(found)
    texts = list(dict.fromkeys(_text(c, say) for c in best))
    formula = texts[0]
    for other in texts[1:]:
        formula = f"Max({formula}, {other})"
    proof = Build(Question(expr, change, parse(formula))).cases(regions)
    critical = tuple(dict.fromkeys(say.end(c) for c in found if isinstance(c.at, Quotient)))
    return Bound(change, where, formula, {**cert, "bound": formula, "proof": proof}, say.end(best[0]), critical)


def _text(candidate: Candidate, say: Says) -> str:
    assert isinstance(candidate.value, Quotient)
    size = candidate.value
    return say.text(size if _mostly(size) >= 0 else -size)


def _mostly(x: Quotient) -> int:
    if x.sign is not None:
        return x.sign
    signs = []
    for at in points(x.variables):
        try:
            signs.append(1 if value(x, at) > 0 else -1)
        except (OverflowError, ValueError, ZeroDivisionError):
            continue
    return 1 if sum(signs) >= 0 else -1


def _largest(found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that are the largest in size somewhere, as floats see it."""
    names = frozenset().union(*(c.value.variables for c in found if isinstance(c.value, Quotient)))
    winners: dict[Quotient, Candidate] = {}
    for at in points(names, 40):
        sizes = []
        for c in found:
            assert isinstance(c.value, Quotient)
            try:
                sizes.append((abs(value(c.value, at)), c))
            except (OverflowError, ValueError, ZeroDivisionError):
                break
        else:
            top = max(s for s, _ in sizes)
            equal = [c for s, c in sizes if s >= top * (1 - 1e-9)]
            if not any(c.value in winners or (isinstance(c.value, Quotient) and -c.value in winners) for c in equal):
                winners[equal[0].value] = equal[0]  # type: ignore[index]
    if not winners:
        raise Undecided("no largest value was found")
    return list(winners.values())


@dataclass(frozen=True)
class Says:
    """Places and values in the parameters' own words: `old` undoes a change of variables."""

    pieces: Pieces
    to_text: Mapping[str, str]
    old: Mapping[str, Quotient]
    simplify: Any = None

    def text(self, x: Quotient) -> str:
        """A quotient as text."""
        plain = show(put(x, self.old) if self.old else x, self.to_text)
        return self.simplify(plain) if self.simplify is not None else plain

    def end(self, one: Candidate) -> str:
        """Where a value is reached."""
        if isinstance(one.at, Quotient):
            return f"at z = {self.text(put(self.pieces.z[one.piece], {'t': one.at}))}"
        last = len(self.pieces.cuts)
        if one.at == "stop" and one.piece in (0, last):
            return "as z → −∞" if one.piece == 0 else "as z → ∞"
        below = one.at == "stop" or one.piece == 0
        cut = self.pieces.cuts[one.piece if below else one.piece - 1]
        return f"as z → {self.text(cut)} from {'below' if below else 'above'}"

    def piece(self, i: int) -> str:
        """Where a piece lies."""
        cuts = [self.text(c) for c in self.pieces.cuts]
        if i == 0:
            return f"for z < {cuts[0]}"
        return f"for z > {cuts[-1]}" if i == len(cuts) else f"for {cuts[i - 1]} < z < {cuts[i]}"


class Build:
    """Finds the proof of one bound, in cases where that is needed."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.last: tuple[Pieces, Candidate | int] | None = None

    def said(self, to_text: Mapping[str, str], simplify: Any = None) -> str:
        """Where the loss was seen to be unbounded."""
        if self.last is None:
            return ""
        pieces, where = self.last
        say = Says(pieces, to_text, {}, simplify)
        return f"one density is zero {say.piece(where)}" if isinstance(where, int) else say.end(where)

    def cases(self, regions: Sequence[Values]) -> Tree | list[Tree]:
        """The proof for a region: one for each of its cases, where there are several."""
        found = [self.case(values, 0) for values in regions]
        return found if len(found) > 1 else found[0]

    def case(self, values: Values, depth: int) -> Tree:
        """The proof for one case; raises `Undecided` where none is found."""
        try:
            return self.leaf(values)
        except Unseen as error:
            problem: Undecided = error
            if depth < DEPTH:
                for name in sorted(error.of.variables - {"t"}):
                    for root in roots(error.of, name)[:2]:
                        return self.split(values, name, root, depth)
        except NeedsRoot as error:
            problem = error
            if depth < DEPTH:
                name, new = error.name, error.new
                then = self.case({n: put(v, {name: new}) for n, v in values.items()}, depth + 1)
                return {"by": "put", "variable": name, "as": show(new), "then": then}
        raise problem

    def split(self, values: Values, name: str, at: Quotient, depth: int) -> Tree:
        """Three cases of one parameter."""
        v = variable(name)
        images = (at / (ONE + v), at, at + v)
        below, equal, above = (self.case({n: put(x, {name: i}) for n, x in values.items()}, depth + 1) for i in images)
        return {"by": "split", "variable": name, "at": show(at), "below": below, "equal": equal, "above": above}

    def unbounded(self, values: Values) -> Tree:
        """A piece where one density is zero, or an end at which the loss has no finite limit."""
        cuts = first_cuts(self.question, values)
        pieces, places = Pieces(cuts), [show(c) for c in cuts]
        if self.question.change in ("slope", "stretch"):
            raise Undecided("only slides and dilations are shown to be unbounded")
        for i, z in enumerate(pieces.z):
            h, other = self.question.densities(values, z)
            if other is not None and sorted((h.sign or 0, other.sign or 0)) == [0, 1] and not (h and other):
                self.last = pieces, i
                return {"by": "support", "cuts": places, "piece": i}
        for i, z in enumerate(pieces.z):
            if self.question.empty(values, z):
                continue
            for at in ("stop", "start"):
                one = Candidate(far_value(self.question, values, z, self.question.function(values, z), at), i, at)
                if one.infinite:
                    self.last = pieces, one
                    return {"by": "infinite", "cuts": places, "piece": i, "at": at}
        raise Undecided("no place was found where the loss is unbounded")

    def leaf(self, values: Values) -> Tree:
        """Cuts, two trees for each piece, and where the bound is reached."""
        if self.question.bound is None:
            return self.unbounded(values)
        first = first_cuts(self.question, values)
        root = hidden_root(self.question, values, Pieces(first)) or rationalised(read(self.question.bound, values))
        if root is not None:
            raise NeedsRoot(root[0], root[1])
        cuts = refined(self.question, values, first)
        try:
            return self.pieces(values, cuts if self.question.change in ("slide", "dilate") else first)
        except Unseen:
            raise
        except Undecided:
            if cuts == first:
                raise
            return self.pieces(values, first if self.question.change in ("slide", "dilate") else cuts)

    def pieces(self, values: Values, cuts: list[Quotient]) -> Tree:
        """The proof on given pieces."""
        assert self.question.bound is not None
        bound, pieces = read(self.question.bound, values), Pieces(cuts)
        trees: list[Tree | None] = []
        sharp = None
        for i, z in enumerate(pieces.z):
            if self.question.empty(values, z):
                trees.append(None)
                continue
            f = self.question.function(values, z)
            pair = {}
            for side, gap in (("upper", bound - f), ("lower", bound + f)):
                found = Search(BUDGET).prove(gap)
                if found is None:
                    sign = "-" if side == "upper" else "+"
                    raise Undecided(f"B {sign} f ≥ 0 was not proved on piece {i}: {show(gap)[:200]}")
                pair[side] = found
                sharp = sharp or _reached(gap, f, i, side)
            trees.append(pair)
        return {"by": "pieces", "cuts": [show(c) for c in cuts], "bounds": trees, "sharp": sharp}


class NeedsRoot(Undecided):
    """A square root stands in the way; a parameter in another form removes it."""

    def __init__(self, name: str, new: Quotient) -> None:
        super().__init__(f"a square root in {name} stands in the way")
        self.name, self.new = name, new


def _reached(gap: Quotient, f: Quotient, piece: int, side: str) -> dict[str, Any] | None:
    """Where a gap vanishes."""
    for at in ("start", "stop"):
        try:
            if reached(gap, at) == ZERO:
                return {"piece": piece, "side": side, "at": at}
        except (Undecided, Rejected):
            continue
    for root in (*roots(gap, "t"), *roots(derivative(f, "t"), "t")):
        if put(gap, {"t": root}) == ZERO:
            return {"piece": piece, "side": side, "at": show(root)}
    return None
