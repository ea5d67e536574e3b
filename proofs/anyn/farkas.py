"""Multipliers λ ≥ 0 with target = Σ λ_r · row_r, many at once, found in floating point and made exact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from dpwitness.proofs.anyn.clock import tick
from dpwitness.proofs.anyn.linear import DENOMINATORS, Linear, Problem, nearest
from dpwitness.proofs.anyn.model import START, Model, Step
from dpwitness.proofs.kernel.algebra.laurent import UNIT, Monomial, Poly, show

Proof = list[tuple[str, tuple[str, ...], Fraction]]
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Row:
    """A polynomial that is ≥ 0: a positive monomial times named facts."""

    weight: Monomial
    names: tuple[str, ...]
    poly: Poly


@dataclass(frozen=True)
class Question:
    """Is `target` a combination of `rows` with nonnegative coefficients?"""

    target: Poly
    rows: Sequence[Row]


def rows_at(
    model: Model, node: str, invariant: Sequence[Poly], weights: Iterable[Monomial], relevant: set[str]
) -> list[Row]:
    """The rows that hold whenever a node is reached."""
    return rows(model, Step("", node), invariant, weights, relevant)


def rows(
    model: Model, t: Step, invariant: Sequence[Poly], weights: Iterable[Monomial], relevant: set[str]
) -> list[Row]:
    """The rows of a transition; facts about irrelevant variables are left out."""
    tick()
    base: list[tuple[str, Poly]] = [(f"f{k}", p) for k, p in enumerate(model.known.facts)]
    if t.source != START:
        base += [(f"i{k}", p) for k, p in enumerate(invariant)]
    for k, (p, strict) in enumerate(t.public):
        base.append((f"g{k}", p - 1 if strict and model.known.integral(p) else p))
    states = model.states()
    base = [(name, p) for name, p in base if all(s in relevant or s not in states for s in p.symbols())]
    upper = [(n, p) for n, p in base if n[0] == "f" and any(c < 0 and m != UNIT for m, c in p.terms.items())]
    found: dict[Poly, Row] = {}
    for weight in dict.fromkeys((UNIT, *weights)):
        scale = Poly.term(weight)
        found.setdefault(scale, Row(weight, (), scale))
        for name, p in base:
            found.setdefault(p * scale, Row(weight, (name,), p * scale))
            for other, bound in upper:
                if other != name and (name[0] != "f" or name > other):
                    product = p * bound * scale
                    found.setdefault(product, Row(weight, (name, other), product))
    return list(found.values())


def solve(questions: Sequence[Question], *, exact: bool = True) -> list[Proof | None]:
    """Multipliers for each question, None where there are none; empty ones where an exact answer is not asked for."""
    tick()
    problem = Problem()
    slack: list[tuple[int, Monomial, int]] = []
    for k, question in enumerate(questions):
        if not question.target:
            continue
        tick()
        equations: dict[Monomial, Linear] = {m: {None: -c} for m, c in question.target.terms.items()}
        for j, row in enumerate(question.rows):
            problem.variable((k, j), nonnegative=True)
            for m, c in row.poly.terms.items():
                equations.setdefault(m, {})[k, j] = c
        for m, equation in equations.items():
            for sign in (1, -1):
                problem.variable((k, m, sign), nonnegative=True)
                equation[k, m, sign] = Fraction(sign)
                slack.append((k, m, sign))
            problem.zero(equation)
    if not slack:
        return [[] for _ in questions]
    objective: dict[object, float] = dict.fromkeys(problem.index, 0.0001)
    objective |= dict.fromkeys(slack, 1.0)
    found = problem.minimise(objective)
    if found is None:
        return [None if q.target else [] for q in questions]
    missed = {name[0] for name in slack if found[1][name] > _TOLERANCE}
    answers: list[Proof | None] = []
    for k, question in enumerate(questions):
        if not question.target or (not exact and k not in missed):
            answers.append([])
        elif k in missed:
            answers.append(None)
        else:
            answers.append(_exact(question, [found[1][k, j] for j in range(len(question.rows))]))
    return answers


def _exact(question: Question, values: list[float]) -> Proof | None:
    """Round a floating solution to an exact one, by denominators first and by linear algebra on its support else."""
    for denominator in DENOMINATORS:
        rounded = [nearest(v, denominator) for v in values]
        if _holds(question, rounded):
            return _proof(question, rounded)
    support = [j for j, v in enumerate(values) if v > _TOLERANCE]
    solved = _on_support(question, support)
    if solved is not None and _holds(question, solved):
        return _proof(question, solved)
    return None


def _holds(question: Question, values: Sequence[Fraction]) -> bool:
    left = dict(question.target.terms)
    for row, value in zip(question.rows, values, strict=True):
        if value < 0:
            return False
        if value:
            for m, c in row.poly.terms.items():
                left[m] = left.get(m, Fraction(0)) - value * c
    return not any(left.values())


def _proof(question: Question, values: Sequence[Fraction]) -> Proof:
    return [(show(r.weight), r.names, v) for r, v in zip(question.rows, values, strict=True) if v]


def _on_support(question: Question, support: list[int]) -> list[Fraction] | None:
    """Least-squares with exact numbers on the rows that the floating solution uses."""
    monos = sorted({m for j in support for m in question.rows[j].poly.terms} | set(question.target.terms))
    if not support:
        return None
    table = [[_rational(question.rows[j].poly.terms.get(m, Fraction(0))) for j in support] for m in monos]
    matrix = fmpq_mat(len(monos), len(support), [x for row in table for x in row])
    right = fmpq_mat(len(monos), 1, [_rational(question.target.terms.get(m, Fraction(0))) for m in monos])
    transposed = matrix.transpose()
    try:
        solution = (transposed * matrix).solve(transposed * right)
    except ZeroDivisionError:
        return None
    values = [Fraction(0)] * len(question.rows)
    for k, j in enumerate(support):
        values[j] = Fraction(int(solution[k, 0].p), int(solution[k, 0].q))
    return values


def _rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
