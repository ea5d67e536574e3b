"""Searching for a proof: targets of the moves by branch and bound, then rounding to rationals and exact multipliers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpwitness.proofs.anyn.farkas import Proof, Question, solve
from dpwitness.proofs.anyn.linear import DENOMINATORS, nearest
from dpwitness.proofs.anyn.phases import Move, Phase, phases
from dpwitness.proofs.anyn.shifts import Key, Program, Shape
from dpwitness.proofs.kernel.algebra.laurent import Monomial, Poly, total

MAX_PROGRAMS = 40
_SLACK = 1e-7
Affine = dict[str, Poly]


@dataclass
class Found:
    """A proof of one direction with exact numbers."""

    shape: Shape
    multiples: tuple[Fraction, ...]
    targets: dict[Key, Phase | None]
    delta: dict[str, dict[str, Affine]]
    potential: dict[str, Poly]
    shift: dict[Key, dict[str, Affine]]
    pays: dict[Key, list[Proof]]
    floors: dict[str, Proof]

    @property
    def bound(self) -> Poly:
        """What was proved of the privacy loss."""
        return total(part * e for part, e in zip(self.shape.budget.parts, self.multiples, strict=True))

    @property
    def price(self) -> Fraction:
        """The bound as it is compared with the budget's goal."""
        return sum((e * p for e, p in zip(self.multiples, self.shape.budget.prices, strict=True)), Fraction(0))


def best_targets(shape: Shape) -> tuple[float, dict[Key, Phase]] | None:
    """The targets of the moves with the smallest price, at most the budget's goal being good enough."""
    goal = float(shape.budget.goal)
    open_moves = [m for m in shape.moves if len(m.targets) > 1]
    open_moves.sort(key=lambda m: (m.phase is None or m.phase.seen is not None, m.key))
    best: tuple[float, dict[Key, Phase]] | None = None
    tried = 0

    def descend(k: int, targets: dict[Key, Phase]) -> None:
        nonlocal best, tried
        if tried >= MAX_PROGRAMS:
            return
        tried += 1
        found = Program(shape, targets).problem.minimise(shape.budget.objective)
        if found is None or (best is not None and found[0] > best[0] - _SLACK):
            return
        if k == len(open_moves):
            best = (found[0], dict(targets))
            return
        move = open_moves[k]
        for target in move.targets:
            if best is not None and best[0] <= goal + _SLACK:
                return
            descend(k + 1, {**targets, move.key: target})

    descend(0, {})
    return best


def prove(shape: Shape) -> Found | None:
    """An exact proof with the smallest multiple that was found."""
    best = best_targets(shape)
    if best is None:
        return None
    least, chosen = best
    targets = {m.key: m.targets[0] if len(m.targets) == 1 else chosen.get(m.key) for m in shape.moves}
    start = Program(shape, chosen).problem.minimise(shape.budget.objective)
    if start is None:
        return None
    for denominator in DENOMINATORS:
        multiples = tuple(nearest(start[1][name], denominator) for name in shape.budget.objective)
        price = sum(e * p for e, p in zip(multiples, shape.budget.prices, strict=True))
        if abs(float(price) - least) > 1e-4:
            continue
        program = Program(shape, chosen, multiples)
        solution = program.problem.minimise(dict.fromkeys(program.sizes, 1))
        if solution is None:
            continue
        for rounding in DENOMINATORS[2:]:
            found = _rounded(shape, multiples, targets, solution[1], rounding)
            if found is not None:
                return found
    return None


def _rounded(
    shape: Shape,
    multiples: tuple[Fraction, ...],
    targets: dict[Key, Phase | None],
    values: dict[Any, float],
    denominator: int,
) -> Found | None:
    """The solution with bounded denominators, where exact multipliers for it exist."""
    exact = {name: nearest(v, denominator) for name, v in values.items() if name is not None}
    delta: dict[str, dict[str, Affine]] = {}
    potential: dict[str, Poly] = {}
    for phase in phases(shape.model, shape.setting):
        name = phase.name
        potential[name] = Poly({m: exact.get(("phi", name, m), Fraction(0)) for m in shape.features(phase.node)})
        delta[name] = {
            s: _affine(exact, ("delta", name, s), ["1", *shape.setting.memory()], shape.weights)
            for s in shape.model.nodes[phase.node].private
        }
    shift: dict[Key, dict[str, Affine]] = {}
    for move in shape.moves:
        t = shape.model.transitions[move.on]
        over = ["1", *shape.setting.unknowns(t)]
        shift[move.key] = {
            d.symbol: _affine(exact, ("shift", *move.key, d.symbol), over, shape.weights) for d in t.draws
        }
    found = Found(shape, multiples, targets, delta, potential, shift, {}, {})
    questions: list[tuple[Key | str, Question]] = [
        (move.key, q) for move in shape.moves for q in _payments(found, move)
    ]
    for phase in phases(shape.model, shape.setting):
        questions.append((phase.name, Question(potential[phase.name], shape.floors[phase.node])))
    answers = solve([q for _, q in questions])
    for (key, _), answer in zip(questions, answers, strict=True):
        if answer is None:
            return None
        if isinstance(key, str):
            found.floors[key] = answer
        else:
            found.pays.setdefault(key, []).append(answer)
    return found


def _affine(exact: dict[Any, Fraction], prefix: tuple[Any, ...], over: list[str], weights: list[Monomial]) -> Affine:
    found = {u: Poly({w: exact.get((*prefix, u, w), Fraction(0)) for w in weights}) for u in over}
    return {u: p for u, p in found.items() if p}


def _payments(found: Found, move: Move) -> list[Question]:
    """What must be shown nonnegative for a move, at every vertex."""
    shape = found.shape
    t = shape.model.transitions[move.on]
    before = found.bound if move.phase is None else found.potential[move.phase.name]
    target = found.targets[move.key]
    after = Poly() if target is None else found.potential[target.name].substitute(t.updates)
    asked = []
    for corner in shape.setting.corners(t):
        cost = Poly()
        for draw in t.draws:
            amount = value_at(found.shift[move.key][draw.symbol], corner)
            cost = cost + draw.rate * Poly({m: abs(c) for m, c in amount.terms.items()})
        asked.append(Question(before - after - cost, shape.rows[move.on]))
    return asked


def value_at(affine: Affine, corner: dict[str, Fraction]) -> Poly:
    """An affine expression at given changes."""
    return total(p * (Fraction(1) if u == "1" else corner[u]) for u, p in affine.items())


def with_bound(found: Found, multiples: tuple[Fraction, ...]) -> Found | None:
    """The same proof under another bound at the start."""
    changed = replace(found, multiples=multiples, pays=dict(found.pays))
    for move in found.shape.moves:
        if move.phase is None:
            answers = solve(_payments(changed, move))
            if any(a is None for a in answers):
                return None
            changed.pays[move.key] = [a for a in answers if a is not None]
    return changed
