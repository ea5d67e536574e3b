r"""Permute-and-flip for any number of candidates: its law is that of noisy max with exponential noise.

One shape is recognised, up to the names of the variables and with any public scale::

    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(scale) >= best - scores[i]:
            return i
    return rest[0]

Candidate i is *accepted* with probability :math:`e^{-(q^*-q_i)/s}`, independently of the others and of the order, and
the first accepted one in a uniform order is a uniform one of them. (A best one is always accepted; where only one
candidate is left all others were rejected, so it is best.) In noisy max with exponential noise call i accepted where
:math:`q_i + E_i \ge q^*`: the same independent events, and given them all excesses :math:`q_i + E_i - q^*` of accepted
candidates are exponential with scale s, as exponential noise has no memory. So the largest is a uniform one as well.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.domains import Domain
from dpwitness.core.noise import Noise
from dpwitness.proofs.anyn import argmax
from dpwitness.proofs.anyn.model import domains_json
from dpwitness.proofs.anyn.reading.source import Source
from dpwitness.proofs.anyn.reading.syntax import noise_call
from dpwitness.proofs.anyn.shapes import match, statements, template, with_body
from dpwitness.proofs.kernel.algebra.laurent import Poly, to_json
from dpwitness.proofs.kernel.loops.contests import Contest
from dpwitness.proofs.kernel.loops.heads import Domains

SHAPE = """
B = noise.max(Q)
R = list(range(len(Q)))
while len(R) > 1:
    I = R.pop(noise.choice(weights=[1] * len(R)))
    if noise.exponential(SCALE) >= B - Q[I]:
        return I
return R[0]
"""


class _Filled(ast.NodeTransformer):
    def __init__(self, scale: ast.expr) -> None:
        self.scale = scale

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.scale) if node.id == "SCALE" else node


def recognise(source: Source) -> Source | None:
    """The noisy max with exponential noise that has the law of the program, where it is permute-and-flip."""
    body = statements(source)
    calls = [c for top in body for n in ast.walk(top) if (c := noise_call(n, source, "exponential")) is not None]
    if len(calls) != 1 or len(calls[0].args) != 1 or calls[0].keywords:
        return None
    scale = calls[0].args[0]
    if any(isinstance(n, ast.Name) and n.id not in source.params for n in ast.walk(scale)):
        return None
    shape = [_Filled(scale).visit(node) for node in template(SHAPE)]
    names = match(shape, body, {"noise": source.noise, "Q": source.queries})
    if names is None:
        return None
    made = [names[key] for key in "BRI"]
    if len(set(made)) < 3 or set(made) & {source.noise, source.queries, *source.params, "len", "range", "list"}:
        return None
    score = "score+0"  # a name that no program can write
    value = ast.BinOp(ast.Name(score, ast.Load()), ast.Add(), copy.deepcopy(calls[0]))
    over = ast.comprehension(ast.Name(score, ast.Store()), ast.Name(source.queries, ast.Load()), [], 0)
    largest = ast.Attribute(ast.Name(source.noise, ast.Load()), "argmax", ast.Load())
    only = ast.Return(ast.Call(largest, [ast.ListComp(value, [over])], []))
    return with_body(source, [ast.copy_location(only, body[0])])


def prove(
    source: Source,
    domains: Mapping[str, Domain],
    known: Domains,
    contest: Contest,
    budget: Poly,
    moves: str,
    by: Fraction,
) -> tuple[Fraction, dict[str, Any]] | None:
    """The least multiple of the budget and its certificate (type ``permute-and-flip``)."""
    one = Poly.constant(1)
    if len(contest.draws) != 1 or contest.draws[0][1] != one or contest.answer != one:
        return None
    found = argmax.shifts(known, contest, budget, moves, by)
    if found is None:
        return None
    made = {
        "type": "permute-and-flip",
        "program": {"name": source.name, "source": source.digest},
        "model": {"params": domains_json(source.params, domains), "rate": to_json(contest.draws[0][0].rate)},
        "adjacency": {"moves": moves, "by": str(by)},
        "bound": to_json(budget * found[0]),
        "orders": found[1],
    }
    return found[0], made


def stand_in(contest: Contest) -> Callable[..., Any]:
    """The noisy max itself, for replaying: its draws can be shifted, those of the program are of another kind."""
    ((draw, _),) = contest.draws

    def program(noise: Noise, scores: Sequence[Any], **params: Any) -> Any:
        scale = 1 / draw.rate.evaluate(params)
        return noise.argmax([score + noise.exponential(scale) for score in scores])

    return program
