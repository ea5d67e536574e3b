"""Invariants of public variables: candidates, thrown out one after another until the rest is inductive (Houdini)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from dpwitness.proofs.anyn.clock import tick
from dpwitness.proofs.anyn.farkas import Proof, Question, Row, rows, rows_at, solve
from dpwitness.proofs.anyn.model import FAIL, START, Model, Step
from dpwitness.proofs.kernel.algebra.laurent import Monomial, Poly

WALKS, STEPS, MAX_STATES, MAX_CANDIDATES = 24, 14, 60, 400
Invariant = dict[str, list[Poly]]


@dataclass
class Known:
    """What is proved of the public side: invariants with their proofs, impossible transitions with theirs."""

    invariant: Invariant
    kept: dict[int, list[Proof]] = field(default_factory=dict)
    dead: dict[int, Proof] = field(default_factory=dict)
    relevant: set[str] = field(default_factory=set)


def relevant_variables(model: Model) -> set[str]:
    """The public variables on which a test or a scale may depend.

    The counter of a ``for`` loop counts only where something other than the loop's own end depends on it.
    """
    states = model.states()
    own = {f"#{loop}" for loop in model.bounds}
    lasts = [bound - Poly.symbol(f"#{loop}") for loop, bound in model.bounds.items()]
    ends = {*(last - 1 for last in lasts), *(1 - last for last in lasts)}
    found: set[str] = set()
    for t in model.transitions:
        for p in [p for p, _ in t.public] + [d.rate for d in t.draws]:
            symbols = p.symbols() & (states | {"#n"})
            if p not in ends or t.target == FAIL:
                found |= symbols
    while True:
        more = {s for t in model.transitions for x, p in t.updates.items() if x in found for s in p.symbols()}
        if "#n" in found:
            more |= own
        new = found | (more & (states | {"#n"}))
        if new == found:
            return found & states
        found = new


def find(model: Model, weights: Iterable[Monomial]) -> Known:
    """Inductive invariants for every node, and the transitions that they make impossible."""
    relevant = relevant_variables(model)
    weights = list(weights)
    candidates = _candidates(model, relevant)
    seen = _walks(model)
    invariant: Invariant = {}
    failed: set[tuple[str, Poly]]
    for name, node in model.nodes.items():
        states = [values for at, values in seen if at == name][:MAX_STATES]
        usable = [p for p in candidates.get(node.loop, []) if p.symbols() <= set(node.public) | _fixed(model)]
        invariant[name] = [p for p in usable if _holds(p, states)]
    while failed := _failing(model, invariant, weights, relevant):
        invariant = {n: [p for p in ps if (n, p) not in failed] for n, ps in invariant.items()}
    invariant = _fewer(model, invariant, weights, relevant)
    while True:
        dead = impossible(model, invariant, relevant)
        kept, failed = _kept(model, invariant, weights, relevant, set(dead))
        if not failed:
            return Known(invariant, kept, dead, relevant)
        invariant = {n: [p for p in ps if (n, p) not in failed] for n, ps in invariant.items()}


def _holds(poly: Poly, states: list[dict[str, Fraction]]) -> bool:
    tick()
    return all(poly.evaluate(values) >= 0 for values in states)


def _fixed(model: Model) -> set[str]:
    return {*model.source.params, "#n"}


def _candidates(model: Model, relevant: set[str]) -> dict[int, list[Poly]]:
    """Guesses for each loop: initial values as bounds, tests shifted by what one iteration adds, signs."""
    result: dict[int, list[Poly]] = {}
    fixed = _fixed(model)
    for loop in {node.loop for node in model.nodes.values()}:
        inside = {n for n, node in model.nodes.items() if node.loop == loop}
        variables = sorted({s for n in inside for s in model.nodes[n].public} & relevant)
        body = [t for t in model.transitions if t.source in inside and t.target in inside]
        entries = [t for t in model.transitions if t.source not in inside and t.target in inside]
        found: dict[Poly, None] = {}
        for x in variables:
            for t in entries:
                value = t.updates.get(x)
                if value is not None and value.symbols() <= fixed:
                    found[Poly.symbol(x) - value] = None
                    found[value - Poly.symbol(x)] = None
            found[Poly.symbol(x)] = None
            found[Poly.symbol(x) - 1] = None
        tests = {p for t in model.transitions if t.source in inside for p, _ in t.public}
        for test in sorted(tests, key=lambda p: (len(p.terms), str(p))):
            tick()
            if len(found) > MAX_CANDIDATES:
                break
            steps = {Poly()}
            for t in body:
                step = test.substitute({s: p for s, p in t.updates.items() if s in test.symbols()}) - test
                if step.symbols() <= fixed:
                    steps |= {step, -step}
            if model.known.integral(test):
                steps |= {Poly.constant(k) for k in (1, -1, 2)}
            shifts = {a + b for a in steps for b in steps}
            for shift in sorted(shifts, key=str):
                found[test + shift] = None
                found[shift - test] = None
        allowed = set(variables) | fixed
        result[loop] = [p for p in found if p.symbols() <= allowed and p.symbols() & set(variables)]
    return result


def _questions(
    model: Model, invariant: Invariant, weights: list[Monomial], relevant: set[str], dead: set[int]
) -> list[tuple[int, str, int, Question]]:
    asked = []
    for k, t in enumerate(model.transitions):
        tick()
        if t.target not in model.nodes or k in dead or not invariant[t.target]:
            continue
        before = invariant.get(t.source, [])
        plain = rows(model, t, before, (), relevant)
        scaled = rows(model, t, before, weights, relevant)
        for j, p in enumerate(invariant[t.target]):
            whole = all(s in model.known.whole for s in p.symbols())
            asked.append((k, t.target, j, Question(p.substitute(t.updates), plain if whole else scaled)))
    return asked


def _failing(model: Model, invariant: Invariant, weights: list[Monomial], relevant: set[str]) -> set[tuple[str, Poly]]:
    """The invariants that some transition may break, judged in floating point."""
    asked = _questions(model, invariant, weights, relevant, set())
    answers = solve([q for *_, q in asked], exact=False)
    return {(n, invariant[n][j]) for (_, n, j, _), a in zip(asked, answers, strict=True) if a is None}


def _kept(
    model: Model, invariant: Invariant, weights: list[Monomial], relevant: set[str], dead: set[int]
) -> tuple[dict[int, list[Proof]], set[tuple[str, Poly]]]:
    """Exact proofs that every transition keeps the invariant, and what could not be shown exactly."""
    asked = _questions(model, invariant, weights, relevant, dead)
    kept: dict[int, list[Proof]] = {}
    failed = set()
    for (k, n, j, _), answer in zip(asked, solve([q for *_, q in asked]), strict=True):
        kept.setdefault(k, []).append(answer or [])
        if answer is None:
            failed.add((n, invariant[n][j]))
    return kept, failed


def impossible(model: Model, invariant: Invariant, relevant: set[str]) -> dict[int, Proof]:
    """The transitions whose conditions contradict each other: a combination of them is −1, or 0 with a strict one."""
    minus = Poly.constant(-1)
    asked: list[tuple[int, Proof, Question]] = []
    for k, t in enumerate(model.transitions):
        given = rows(model, t, invariant.get(t.source, []), (), relevant)
        asked += [(k, [], Question(minus, given))] if t.public else []
        for j, (p, is_strict) in enumerate(t.public):
            if is_strict and not model.known.integral(p):
                asked.append((k, [("", (f"g{j}",), Fraction(1))], Question(-p, given)))
        if len(t.sides) == 1 and len(t.sides[0]) > 1:
            private = [Row((), (f"p{j}",), a.poly if a.outcome else -a.poly) for j, a in enumerate(t.sides[0])]
            asked.append((k, [], Question(minus, [*given, *private])))
            for row, answer in zip(private, t.sides[0], strict=True):
                if not answer.outcome:
                    strict: Proof = [("", row.names, Fraction(1))]
                    asked.append((k, strict, Question(-row.poly, [*given, *private])))
    found = solve([q for *_, q in asked])
    dead: dict[int, Proof] = {}
    for (k, strict, _), proof in zip(asked, found, strict=True):
        if proof is not None:
            dead.setdefault(k, [*strict, *proof])
    return dead


def _fewer(model: Model, invariant: Invariant, weights: list[Monomial], relevant: set[str]) -> Invariant:
    """Leave out invariants that follow from the others at their node."""
    fewer = dict(invariant)
    for name in model.nodes:
        for p in sorted(invariant[name], key=lambda p: -len(p.terms)):
            rest = [q for q in fewer[name] if q != p]
            whole = all(s in model.known.whole for s in p.symbols())
            given = rows_at(model, name, rest, () if whole else weights, relevant)
            if solve([Question(p, given)], exact=False)[0] is not None:
                fewer[name] = rest
    return invariant if _failing(model, fewer, weights, relevant) else fewer


def _walks(model: Model) -> list[tuple[str, dict[str, Fraction]]]:
    """Public states met on random walks: a filter for candidates, without any role in the proof."""
    rng = random.Random(1)
    seen = []
    by_source: dict[str, list[Step]] = {}
    for t in model.transitions:
        by_source.setdefault(t.source, []).append(t)
    parts = [p for t in model.transitions for p in (*(p for p, _ in t.public), *t.updates.values())]
    atoms = sorted({s for p in parts for s in p.symbols() if s[0] == "@"})
    for _ in range(WALKS):
        tick()
        values = _parameters(model, rng)
        at = START
        for _ in range(STEPS):
            here = {**values, **{a: Fraction(rng.randint(1, 3)) for a in atoms}}
            ways = [t for t in by_source.get(at, []) if t.target in model.nodes and _allowed(t, here)]
            if not ways:
                break
            t = rng.choice(ways)
            state = {s: p.evaluate(here) for s, p in t.updates.items() if not p.private}
            at, values = t.target, {**values, **state}
            seen.append((at, values))
    return seen


def _allowed(t: Step, values: dict[str, Fraction]) -> bool:
    sizes = [(p.evaluate(values), strict) for p, strict in t.public]
    return all(v > 0 if strict else v >= 0 for v, strict in sizes)


def _parameters(model: Model, rng: random.Random) -> dict[str, Fraction]:
    values = {"#n": Fraction(rng.randint(1, 10))}
    for name in model.source.params:
        domain = model.domains.get(name)
        low, high = Fraction(-5), Fraction(6)
        whole = domain is not None and domain.whole
        if domain is not None:
            bounds = [b for b in (domain.above, domain.least) if b is not None]
            low = Fraction(max(bounds)) if bounds else low
            high = Fraction(domain.below) if domain.below is not None else low + 6
        values[name] = low + rng.randint(0, 4) if whole else low + (high - low) * Fraction(rng.randint(1, 31), 32)
    return values
