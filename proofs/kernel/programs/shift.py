r"""Shift certificates: how a translation of the noise proves a program private, checked in rationals.

For a leaf with rows :math:`a\cdot\eta + b\cdot q + c \ge 0` and real outputs :math:`F\eta + Gq + h`, a shift x(d) with

.. math:: a\cdot x(d) + b\cdot d \ge 0, \qquad F x(d) + G d = 0

maps the draws that give an output on q to draws that give the same output on q + d. A translation has Jacobian 1 and
lowers the log-density by at most :math:`\varepsilon\sum_k |x_k|/s_k` for Laplace and one-sided exponential noise of
scale :math:`s_k/\varepsilon`. So the largest cost over all leaves and all moves bounds the privacy loss, for all
real answers and for every ε at once. Neither the constants c nor ε enter.

Leaves of equal output may be merged where their union is, up to null sets, one polyhedron P: every leaf of the union
satisfies the rows of P, and P meets no other leaf of the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import ONE, Row, parse
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.moves import Moves, Part, read_neighbours
from dpwitness.proofs.kernel.programs.folding import check_fold
from dpwitness.proofs.kernel.programs.lower import check_lower
from dpwitness.proofs.kernel.programs.merging import check_merge
from dpwitness.proofs.kernel.programs.trees import LAWS, Draw, Leaf, read_tree
from dpwitness.proofs.kernel.statements import loss, subject
from dpwitness.proofs.kernel.theorem import Theorem

ZERO = Fraction(0)
MAX_ANSWERS = 10  # at most 2^10 vertices are visited
Affine = tuple[Fraction, dict[int, Fraction]]  # constant and slopes in the moves
Shift = dict[str, Affine]


def affine(value: object) -> Affine:
    """Read ``"1-q2"`` as the function 1 − d_2 of the move d."""
    form = parse(value)
    if any(name != ONE and name[0] != "q" for name in form):
        raise Rejected("a shift depends on the move of the answers alone")
    return form.get(ONE, ZERO), {int(name[1:]): v for name, v in form.items() if name != ONE}


def read_shift(value: object) -> Shift:
    """Read ``{"n0": "1", "n3": "2-q2"}``."""
    if not isinstance(value, Mapping):
        raise Rejected("a shift is a map from draws to functions of the move")
    return {name: affine(entry) for name, entry in value.items()}


def image(form: Mapping[str, Fraction], shift: Shift) -> Affine:
    """By how much a form changes: a·x(d) + b·d, as a function of d."""
    constant = ZERO
    slope: dict[int, Fraction] = {}
    for name, value in form.items():
        if name[:1] == "q":
            i = int(name[1:])
            slope[i] = slope.get(i, ZERO) + value
        elif name[:1] == "n" and name in shift:
            base, slopes = shift[name]
            constant += value * base
            for i, v in slopes.items():
                slope[i] = slope.get(i, ZERO) + value * v
    return constant, {i: v for i, v in slope.items() if v}


def cost(shift: Shift, draws: Sequence[Draw], part: Part, limit: Fraction) -> Fraction:
    """max over d of Σ |x_k(d)|/s_k, or an upper bound of it that is within `limit` or needs fewer vertices.

    The function is convex, so its maximum is at a vertex; over a box, draws that depend on different answers are
    maximised apart.
    """
    scaled: list[Affine] = []
    for name, (constant, slope) in shift.items():
        if name[:1] != "n" or int(name[1:]) >= len(draws):
            raise Rejected(f"{name} is not a draw of the class")
        scale = draws[int(name[1:])].scale
        scaled.append((constant / scale, {i: v / scale for i, v in slope.items()}))
    if part.cross:
        return _largest(scaled, part)
    apart = sum((_largest([entry], part) for entry in scaled), ZERO)
    if apart <= limit:
        return apart
    return sum((_largest(group, part) for group in _groups(scaled)), ZERO)


def _groups(entries: Sequence[Affine]) -> list[list[Affine]]:
    """Functions that share no answer with those of another group."""
    groups: list[tuple[set[int], list[Affine]]] = []
    for entry in entries:
        touched = [g for g in groups if g[0] & set(entry[1])]
        groups = [g for g in groups if not g[0] & set(entry[1])]
        groups.append((set(entry[1]).union(*(g[0] for g in touched)), [entry, *(e for g in touched for e in g[1])]))
    return [group for _, group in groups]


def _largest(entries: Sequence[Affine], part: Part) -> Fraction:
    """max over the part of Σ |c + Σ v_i d_i|, at the vertices in the answers that occur."""
    names = sorted({i for _, slope in entries for i in slope})
    if not names:
        return sum((abs(constant) for constant, _ in entries), ZERO)
    if not part.cross and len(names) > MAX_ANSWERS:
        return (
            sum((_largest([entry], part) for entry in entries), ZERO) if len(entries) > 1 else _ends(entries[0], part)
        )
    small = Part(part.name, len(names), part.centre, part.half, part.cross)
    tick()
    corners = list(small.vertices())
    if part.cross and len(names) < part.queries:
        corners.append((ZERO,) * len(names))  # the move may be in another answer
    places = [(constant, [(names.index(i), v) for i, v in slope.items()]) for constant, slope in entries]
    return max(
        sum((abs(constant + sum((v * corner[j] for j, v in line), ZERO)) for constant, line in places), ZERO)
        for corner in corners
    )


def _ends(entry: Affine, part: Part) -> Fraction:
    """max |c + Σ v_i d_i| over a box."""
    constant, slope = entry
    return max(-part.least(constant, slope), -part.least(-constant, {i: -v for i, v in slope.items()}))


def check_shift(rows: Sequence[Row], leaf: Leaf, shift: object, moves: Moves, limit: Fraction) -> Fraction:
    """The certified cost of a shift for the event `rows` with the draws and real outputs of `leaf`.

    A shift is one map; or ``{"parts": [map, ...]}``, one for each part of the relation; or ``{"vertices": [...]}``,
    one for each vertex of every part in order. Between vertices the convex combination of their shifts serves.
    """
    parts, discrete = moves.parts(), any(not LAWS[d.law] for d in leaf.draws)
    if isinstance(shift, Mapping) and set(shift) == {"vertices"}:
        if discrete:
            raise Rejected("integer-valued noise needs one integral shift for all moves")
        return _at_vertices([*rows, *leaf.supports()], leaf, shift["vertices"], parts)
    single = not (isinstance(shift, Mapping) and set(shift) == {"parts"})
    maps = [read_shift(shift)] * len(parts) if single else [read_shift(s) for s in shift["parts"]]  # type: ignore[index]
    return max(check_part(rows, leaf, one, part, limit) for part, one in zip(parts, maps, strict=True))


def check_part(rows: Sequence[Row], leaf: Leaf, shift: Shift, part: Part, limit: Fraction) -> Fraction:
    """The certified cost of one shift over one convex part of the relation."""
    slopes = [value for _, slope in shift.values() for value in slope.values()]
    if any(i >= part.queries for _, slope in shift.values() for i in slope):
        raise Rejected("a shift depends on an answer that is not there")
    if any(not LAWS[d.law] for d in leaf.draws) and any(
        v.denominator != 1 for v in (*slopes, *(c for c, _ in shift.values()))
    ):
        raise Rejected("integer-valued noise needs an integral shift")
    for row in (*rows, *leaf.supports()):
        tick()
        if part.least(*image(row.form, shift)) < 0:
            raise Rejected(f"the shift leaves the row {row}")
    for value in leaf.values:
        constant, slope = image(value, shift)
        if constant != 0 or slope:
            raise Rejected("the shift changes a real output")
    return cost(shift, leaf.draws, part, limit)


def _at_vertices(rows: Sequence[Row], leaf: Leaf, shifts: Any, parts: Sequence[Part]) -> Fraction:
    vertices = [vertex for part in parts for vertex in part.vertices()]
    worst = ZERO
    for vertex, value in zip(vertices, shifts, strict=True):
        tick()
        one: Shift = {}
        for name, (constant, slope) in read_shift(value).items():
            if name[:1] != "n" or int(name[1:]) >= len(leaf.draws):
                raise Rejected(f"{name} is not a draw of the class")
            one[name] = (constant + sum((v * vertex[i] for i, v in slope.items()), ZERO), {})
        if any(_moved(row.form, one, vertex) < 0 for row in rows):
            raise Rejected(f"the shift for the move {tuple(map(str, vertex))} leaves a row")
        if any(_moved(output, one, vertex) != 0 for output in leaf.values):
            raise Rejected("the shift changes a real output")
        total = sum((abs(c) / leaf.draws[int(name[1:])].scale for name, (c, _) in one.items()), ZERO)
        worst = max(worst, total)
    return worst


def _moved(form: Mapping[str, Fraction], shift: Shift, move: Sequence[Fraction]) -> Fraction:
    """a·x + b·d for one move d."""
    constant, slope = image(form, shift)
    return constant + sum((v * move[i] for i, v in slope.items()), ZERO)


def shifted(shift: Any) -> set[str]:
    """The draws that a shift of any shape moves, and the answers whose moves it follows."""
    maps = shift["vertices"] if set(shift) == {"vertices"} else shift["parts"] if set(shift) == {"parts"} else [shift]
    read = [read_shift(one) for one in maps]
    return {name for one in read for name in one} | {f"q{i}" for one in read for _, s in one.values() for i in s}


def check_bound(certificate: Mapping[str, Any]) -> Theorem:
    """Check a certificate of type ``program-bound``: the program is (bound · unit)-private, and perhaps no better."""
    _, tree_json, adjacency, bound, shifts, use, merged = fields(
        certificate, "type", "tree", "adjacency", "bound", "shifts", "use", "merged",
        optional=("lower", "program", "target", "folded"),
    )  # fmt: skip
    tree = read_tree(tree_json)
    moves, relation = read_neighbours(adjacency, tree.queries, whole=tree.discrete)
    limit, polyhedra = number(bound), []
    done: set[int] = set()
    if tree.discrete and moves.by.denominator != 1:
        raise Rejected("integer-valued noise needs integer moves")
    for item in merged:
        rows, leaf = check_merge(tree, {k: v for k, v in item.items() if k != "shift"})
        if check_shift(rows, leaf, item["shift"], moves, limit) > limit:
            raise Rejected(f"a merged class costs more than {limit}")
        if done & set(item["leaves"]):
            raise Rejected("a leaf is used twice")
        done |= set(item["leaves"])
        polyhedra.append((frozenset(item["leaves"]), rows, leaf))
    for item in certificate.get("folded", []):
        rows, leaf, wider, stay = check_fold(tree, {k: v for k, v in item.items() if k != "shift"}, moves)
        if stay & shifted(item["shift"]):
            raise Rejected("a draw of the maximum is shifted, or a shift follows an answer inside it")
        if check_shift(rows, leaf, item["shift"], wider, limit) > limit:
            raise Rejected(f"a folded class costs more than {limit}")
        if done & set(item["leaves"]):
            raise Rejected("a leaf is used twice")
        done |= set(item["leaves"])
    for leaf in tree.leaves:
        if leaf.number in done:
            continue
        place = use[str(leaf.number)]
        if type(place) is not int or not 0 <= place < len(shifts):
            raise Rejected(f"{str(place)[:20]!r} is not the number of a shift")
        given = shifts[place]
        if check_shift(leaf.rows, leaf, given, moves, limit) > limit:
            raise Rejected(f"the shift of leaf {leaf.number} costs more than {limit}")
    unit = "·eps, for every eps > 0" if tree.unit == "eps" else ""
    inputs = f"{'integer' if tree.discrete else 'real'} answers, {moves.relation} <= {moves.by}"
    if relation["inputs"] == "records":
        inputs = f"records in [{relation['low']}, {relation['high']}], one of them replaced"
    words = f"{tree.queries} {inputs}: epsilon <= {text(limit)}{unit}"
    if "lower" in certificate and relation["inputs"] == "records":
        raise Rejected("a lower bound goes along lines of inputs that leave an interval")
    if "lower" in certificate:
        value = check_lower(certificate["lower"], tree, moves, polyhedra)
        if value is None or value != limit:
            raise Rejected(f"the lower bound is {value}, not {limit}")
        words += ", and no smaller number will do"
    guarantee, left_open = loss(limit, tree.unit)
    model = subject(certificate, "tree")
    return Theorem("program-bound", words, model, False, guarantee, relation, (tree.queries,), left_open)


CHECKERS = {"program-bound": check_bound}
