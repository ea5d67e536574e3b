"""Programs that rank noisy values: the k largest in order, or the largest with its lead, for any number of queries.

Two shapes are recognised, up to the names of the variables::

    values = [... for c in counts]
    winner = noise.argmax(values)
    second = noise.max([x for i, x in enumerate(values) if i != winner])
    return winner, values[winner] - second

    values = [... for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(k):
        place = noise.argmax([values[i] for i in rest])
        winners.append(rest.pop(place))
    return winners

What the values are is read by the front end, from ``noise.argmax([... for c in counts])``; see
`dpwitness.proofs.kernel.loops.ranking` for the lemma.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.anyn.model import domains_json
from dpwitness.proofs.anyn.reading.source import Source
from dpwitness.proofs.anyn.shapes import match, statements, template, with_body
from dpwitness.proofs.kernel.algebra.laurent import Poly, to_json
from dpwitness.proofs.kernel.loops.contests import Contest
from dpwitness.proofs.kernel.loops.ranking import PLACE
from dpwitness.proofs.kernel.loops.trees import QUERIES

LEAD = """
W = noise.argmax(V)
M = noise.max([X for I, X in enumerate(V) if I != W])
return W, V[W] - M
"""
TOP = """
R = list(range(len(Q)))
A = []
for I in range(K):
    P = noise.argmax([V[J] for J in R])
    A.append(R.pop(P))
return A
"""


@dataclass(frozen=True)
class Ranking:
    """How many winners are released (a parameter, or a number), or the one winner with its lead."""

    count: Poly
    lead: bool


def recognise(source: Source) -> tuple[Ranking, Source] | None:
    """The ranking that a program computes, and the program that releases the index of its largest value only."""
    body = statements(source)
    first = body[0] if body else None
    if not (isinstance(first, ast.Assign) and len(first.targets) == 1 and isinstance(first.targets[0], ast.Name)):
        return None
    if not isinstance(first.value, ast.ListComp):
        return None
    given = {"noise": source.noise, "Q": source.queries, "V": first.targets[0].id}
    own = {n.id for n in ast.walk(first.value) if isinstance(n, ast.Name)} - {source.noise, source.queries}
    for shape, lead in ((LEAD, True), (TOP, False)):
        names = match(template(shape), body[1:], given)
        if names is None:
            continue
        made = [v for k, v in names.items() if k.isupper() and k not in "QK"]
        reserved = {source.noise, source.queries, *source.params, "len", "range", "enumerate", "list"}
        if len(set(made)) != len(made) or set(made) & reserved or (own & set(made)):
            return None
        count = Poly.constant(1)
        if not lead:
            if names["K"] not in source.params:
                return None
            count = Poly.symbol(names["K"])
        index = ast.Call(ast.Attribute(ast.Name(source.noise, ast.Load()), "argmax", ast.Load()), [first.value], [])
        only = ast.fix_missing_locations(ast.copy_location(ast.Return(index), first))
        return Ranking(count, lead), with_body(source, [only])
    return None


def prove(
    source: Source,
    domains: Mapping[str, Any],
    ranking: Ranking,
    contest: Contest,
    budget: Poly,
    moves: str,
    by: Fraction,
) -> tuple[Fraction, dict[str, Any]] | None:
    """The least multiple of the budget and its certificate; which of the draws is shifted is tried in turn."""
    a = _constant(contest.answer)
    here = {*source.params, QUERIES, PLACE, "?0", *(draw.symbol for draw, _ in contest.draws)}
    if contest.sign != 1 or a is None or not contest.value.symbols() <= here:
        return None
    best: tuple[Fraction, dict[str, Any]] | None = None
    model = {
        "params": domains_json(source.params, domains),
        "value": to_json(contest.value),
        "draws": [[to_json(draw.rate), draw.kind] for draw, _ in contest.draws],
        "count": to_json(ranking.count),
        "lead": ranking.lead,
    }
    for place, (draw, factor) in enumerate(contest.draws):
        b = _constant(factor)
        if not b:
            continue
        width = by if moves in ("one", "l1", "up", "down") else 2 * by
        cost = draw.rate * (abs(a / b) * width)
        if moves not in ("one", "l1") and not ranking.lead:
            cost = cost * ranking.count
        multiple = _multiple(cost, budget)
        if multiple is not None and (best is None or multiple < best[0]):
            made = {
                "type": "ranking-shift",
                "program": {"name": source.name, "source": source.digest},
                "model": model,
                "adjacency": {"moves": moves, "by": str(by)},
                "bound": to_json(budget * multiple),
                "shifted": place,
            }
            best = (multiple, made)
    return best


def _constant(poly: Poly) -> Fraction | None:
    return poly.terms.get((), Fraction(0)) if not poly.symbols() else None


def _multiple(cost: Poly, budget: Poly) -> Fraction | None:
    """The least E with cost ≤ E·budget, term by term."""
    if any(mono not in budget.terms or budget.terms[mono] <= 0 for mono in cost.terms):
        return None
    return max((c / budget.terms[mono] for mono, c in cost.terms.items()), default=None)


def shifts(
    certificate: Mapping[str, Any],
    contest: Contest,
    queries: Sequence[Fraction],
    changes: Sequence[Fraction],
    draws: Sequence[Fraction],
    params: Mapping[str, Fraction],
    output: Any,
) -> tuple[list[Fraction], Fraction]:
    """The shifts of the lemma for one run, and their cost: for replaying a certificate."""
    width, place = len(contest.draws), certificate["shifted"]
    a, b = _constant(contest.answer), _constant(contest.draws[place][1])
    assert a is not None
    assert b
    moves, by = certificate["adjacency"]["moves"], Fraction(certificate["adjacency"]["by"])

    def values(answers: Sequence[Fraction]) -> list[Fraction]:
        factors = [factor.evaluate(params) for _, factor in contest.draws]
        return [a * q + sum(f * draws[j * width + i] for i, f in enumerate(factors)) for j, q in enumerate(answers)]

    amounts = [Fraction(0)] * len(draws)
    if moves in ("one", "l1"):
        for j, d in enumerate(changes):
            amounts[j * width + place] = -a * d / b
    elif certificate["model"]["lead"]:
        w = int(output[0])
        before, after = values(queries), values([q + d for q, d in zip(queries, changes, strict=True)])
        second, moved = (max(v for j, v in enumerate(side) if j != w) for side in (before, after))
        amounts[w * width + place] = (moved - second - a * changes[w]) / b
    else:
        ends = {"all": (-by, by), "l2": (-by, by)}.get(moves) or (
            (Fraction(0), by) if max(changes) > 0 else (-by, Fraction(0))
        )
        top = max(a * end for end in ends)
        for w in output:
            amounts[int(w) * width + place] = (top - a * changes[int(w)]) / b
    rate = contest.draws[place][0].rate.evaluate(params)
    return amounts, sum((abs(x) for x in amounts), Fraction(0)) * rate
