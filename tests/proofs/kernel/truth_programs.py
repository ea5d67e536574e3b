"""Whether a certificate about a program states something true: by linear programs, by unrolling, by running it.

A shift proof is feasible in a linear program that does not know the certificate's own shifts, phases, potentials and
multipliers: the least cost of a shift, on each way through the program and at each extreme move, is at most the bound.
What was integrated is compared with frequencies of simulated runs, six standard deviations wide.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from tests.proofs.kernel.models import Way, corners, evaluate, leaves, parameters, simulate, unroll

from dpwitness.proofs.kernel.moves import read_moves
from dpwitness.proofs.kernel.programs.trees import read_tree
from dpwitness.proofs.programs.shift import bound
from dpwitness.proofs.programs.tables import Table

F = Fraction
Margin = tuple[float, float]
RUNS, WIDTH = 20_000, 6.0
MAX_PROGRAMS = 60  # linear programs for one certificate


def _worst(ways: Sequence[Way], moves: Sequence[Mapping[str, Fraction]]) -> float:
    """The largest least cost; where there are too many cases, of an even selection."""
    if any(rate <= 0 for way in ways for rate in way.rates.values()):
        return math.inf  # there is no such noise
    cases = list(itertools.product(ways, moves))
    return max((way.cost(move) for way, move in cases[:: 1 + len(cases) // MAX_PROGRAMS]), default=0.0)


def loops(certificate: Mapping[str, Any]) -> Margin:
    """One to three queries, unrolled. Merged leaves may cost more alone: such certificates are not looked at."""
    adjacency, least = certificate["adjacency"], math.inf
    for queries in (1, 2, 3) if not certificate["merged"] else ():
        limit = float(evaluate(certificate["bound"], parameters(certificate["model"]["params"], queries)))
        moves = corners(adjacency["moves"], F(adjacency["by"]), queries)
        ways = list(unroll(certificate, queries, 2 * queries + 3, 40))
        least = min(least, limit - _worst(ways, moves))
    return least, 1e-6


def _won(certificate: Mapping[str, Any], answer: Any, sign: int, draws: Sequence[tuple[Any, str, Any]]) -> Margin:
    """Three queries; by symmetry the first one wins. A draw is its rate, its law and its factor."""
    values = parameters(certificate["model"]["params"], 3)
    answer = evaluate(answer, values)
    rates = [evaluate(rate, values) for rate, _, _ in draws]
    factors = [evaluate(b, values) for *_, b in draws]
    one_sided = [law == "exponential" for _, law, _ in draws]
    k, way = len(rates), Way()
    for i in range(3):
        way.rates |= {f"n{i * k + j}": rate for j, rate in enumerate(rates)}
        way.rows += [{f"n{i * k + j}": F(1)} for j in range(k) if one_sided[j]]
    for i in (1, 2):
        row = {"q0": sign * answer, f"q{i}": -sign * answer}
        for j, b in enumerate(factors):
            row |= {f"n{j}": sign * b, f"n{i * k + j}": -sign * b}
        way.rows.append(row)
    adjacency = certificate["adjacency"]
    limit = float(evaluate(certificate["bound"], values))
    return limit - _worst([way], corners(adjacency["moves"], F(adjacency["by"]), 3)), 1e-6


def contest(certificate: Mapping[str, Any]) -> Margin:
    """The values of the contest are those that the best one so far is replaced by."""
    for head, tree in certificate["model"]["trees"].items():
        todo: list[tuple[Any, list[Any], Any, int]] = [(tree, [], None, 1)]
        while todo:
            node, draws, test, sign = todo.pop()
            if "test" in node:
                private = "?0" in node["test"]
                for branch, way in (("yes", 1), ("no", -1)):
                    todo.append((node[branch], draws, *((node["test"], way) if private else (test, sign))))
            elif "then" in node:
                more = [(node["rate"], node["draw"])] if "draw" in node else []
                todo.append((node["then"], [*draws, *more], test, sign))
            elif test is not None and node.get("to") == head:
                for name, (_, value) in node["set"].items():
                    if name[0] == "%" and name in test and "?0" in value:
                        same = F(value["?0"]) * F(test["?0"]) * sign > 0
                        parts = [(*d, {"": value.get(f"~{k}", "0")}) for k, d in enumerate(draws)]
                        return _won(certificate, {"": value["?0"]}, 1 if same else -1, parts)
    return -math.inf, 1e-6


def flipping(certificate: Mapping[str, Any]) -> Margin:
    """Noisy max with exponential noise."""
    return _won(certificate, {"": "1"}, 1, [(certificate["model"]["rate"], "exponential", {"": "1"})])


def ranking(certificate: Mapping[str, Any]) -> Margin:
    """Four queries; by symmetry the first ones win, in order. The lead of the winner is not looked at."""
    model, place = certificate["model"], certificate["shifted"]
    values = parameters(model["params"], 4)
    rate_json, kind = model["draws"][place]
    a, b, rate = F(model["value"]["?0"]), F(model["value"][f"~{place}"]), evaluate(rate_json, values)
    count = 1 if model["lead"] else min(3, int(evaluate(model["count"], values)))
    way = Way(rates={f"n{i}": rate for i in range(4)})
    way.rows += [{f"n{i}": F(1)} for i in range(4) if kind == "exponential"]
    for i in range(count):
        way.rows += [{f"q{i}": a, f"n{i}": b, f"q{j}": -a, f"n{j}": -b} for j in range(i + 1, 4)]
    adjacency = certificate["adjacency"]
    limit = float(evaluate(certificate["bound"], values))
    return limit - _worst([way], corners(adjacency["moves"], F(adjacency["by"]), 4)), 1e-6


def tree_bound(certificate: Mapping[str, Any]) -> Margin:
    """Leaf by leaf; where leaves are joined a leaf alone may cost more, and the prover of bounds is asked again."""
    tree, adjacency = certificate["tree"], certificate["adjacency"]
    limit = float(F(certificate["bound"]))
    moves = corners(adjacency["relation"], F(adjacency["by"]), min(tree["queries"], 10))
    worst = _worst(list(leaves(tree)), moves)
    if worst > limit + 1e-6 and (certificate["merged"] or certificate.get("folded")):
        read = read_tree(tree)
        again = bound(Table(read, tree, None, len(read.leaves)), read_moves(adjacency, read.queries)).upper
        worst = math.inf if again is None else float(again)
    return limit - worst, 1e-6


def pairs(certificate: Mapping[str, Any]) -> Margin:
    """Every tree, at its own bound and at the common one."""
    limit, least = F(certificate["bound"]), math.inf
    for proof in certificate["proofs"]:
        margin, _ = tree_bound(proof)
        least = min(least, margin, float(limit - F(proof["bound"])))
    return least, 1e-6


def _same(mine: Any, theirs: Any, box: list[Any], values: list[Any], count: int) -> Any:
    """In which runs an output looks like the event."""
    if mine[0] in ("list", "tuple") or theirs[0] in ("list", "tuple"):
        if mine[0] != theirs[0] or len(mine) != len(theirs):
            return np.zeros(count, bool)
        parts = [_same(a, b, box, values, count) for a, b in zip(mine[1:], theirs[1:], strict=True)]
        return np.logical_and.reduce([np.ones(count, bool), *parts])
    value = values.pop(0) if theirs[0] == "slot" else _constant(theirs)
    if mine[0] == "slot":
        low, high = box.pop(0)
        if isinstance(value, str):
            return np.zeros(count, bool)
        above = True if low is None else value >= float(F(low))
        return np.ones(count, bool) & above & (True if high is None else value <= float(F(high)))
    wanted = _constant(mine)
    if isinstance(value, str) or isinstance(wanted, str):
        return np.full(count, isinstance(value, str) and value == wanted)
    return np.ones(count, bool) & (value == wanted)


def _constant(part: Any) -> Any:
    kind, value = part[1], part[2]
    return float(F(value)) if kind in ("int", "float", "bool", "Fraction") else f"{kind} {value}"


def counterexample(certificate: Mapping[str, Any]) -> Margin:
    """The stated probabilities are the frequencies of the event, and break the claim."""
    tree, event = certificate["tree"], certificate["event"]
    eps = float(F(certificate["eps"])) if tree["unit"] == "eps" else 1.0
    shares, rng = [], np.random.default_rng(0)
    for side, stated in (("left", "p_left"), ("right", "p_right")):
        hits = 0
        inputs = [F(x) for x in certificate[side]]
        for output, values in simulate(tree, inputs, eps, RUNS, rng):
            if output < 0:
                return -math.inf, 0.0  # a branch that was cut off is taken
            mine, theirs = tree["outputs"][event["output"]], tree["outputs"][output]
            hits += int(_same(mine, theirs, list(event["box"]), list(values), values.shape[1]).sum())
        top, bottom = (_exp_poly(part, eps) for part in certificate[stated])
        shares.append(top / bottom)
        if abs(hits / RUNS - shares[-1]) > WIDTH * math.sqrt(shares[-1] * (1 - shares[-1]) / RUNS) + 1e-3:
            return -math.inf, 0.0
    claim = certificate["claim"]
    return shares[0] - math.exp(float(F(claim["epsilon"]))) * shares[1] - float(F(claim["delta"])), 1e-12


def _exp_poly(terms: Mapping[str, str], eps: float) -> float:
    total = 0.0
    for key, coefficient in terms.items():
        power, _, rate = key.partition(",")
        total += float(F(coefficient)) * eps ** int(power) * math.exp(float(F(rate)) * eps)
    return total


def _law(tree: Mapping[str, Any], inputs: Sequence[str], eps: float, rng: np.random.Generator) -> dict[str, float]:
    """Frequencies of the outputs of simulated runs."""
    found: dict[str, float] = {}
    for output, values in simulate(tree, [F(x) for x in inputs], eps, RUNS, rng):
        name = "impossible" if output < 0 else repr(tree["outputs"][output])
        found[name] = found.get(name, 0.0) + values.shape[1] / RUNS
    return found


def _gap(left: Mapping[str, float], right: Mapping[str, float], epsilon: float, event: Any = None) -> Margin:
    """Σ (P − e^ε Q)₊, or P − e^ε Q of an event, and how far chance may move it."""
    gap = noise = 0.0
    for name in {*left, *right} if event is None else event:
        p, q = left.get(name, 0.0), right.get(name, 0.0)
        part = p - math.exp(epsilon) * q
        gap += max(part, 0.0) if event is None else part
        noise += math.sqrt((p + 1 / RUNS) / RUNS) + math.exp(epsilon) * math.sqrt((q + 1 / RUNS) / RUNS)
    return gap, WIDTH * noise


def _all_inputs(space: Mapping[str, Any]) -> tuple[list[tuple[str, ...]], list[tuple[int, int]]]:
    """Inputs in the order of certificates, and their neighbours."""
    points = space.get("answers", space.get("records"))
    sizes = [space["queries"]] if "answers" in space else range(space["fewest"], space["most"] + 1)
    inputs = [x for n in sizes for x in itertools.product(points, repeat=n)]
    return inputs, [(i, j) for i, a in enumerate(inputs) for j, b in enumerate(inputs[:i]) if _near(space, a, b)]


def _near(space: Mapping[str, Any], a: Sequence[str], b: Sequence[str]) -> bool:
    if space["relation"] == "add-remove":
        small, large = sorted((list(a), list(b)), key=len)
        return any(large[:i] + large[i + 1 :] == small for i in range(len(large)))
    if space["relation"] == "substitute":
        return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) <= 1
    moves, by = [F(y) - F(x) for x, y in zip(a, b, strict=True)], F(space["by"])
    if space["relation"] == "monotone":
        return any(all(0 <= side * move <= by for move in moves) for side in (1, -1))
    if space["relation"] == "linf":
        return max(map(abs, moves)) <= by
    return sum(map(abs, moves)) <= by and (space["relation"] != "one" or sum(map(bool, moves)) <= 1)


def finite(certificate: Mapping[str, Any]) -> Margin:
    """All inputs at several ε, all neighbours in both orders."""
    inputs, near = _all_inputs(certificate["space"])
    claim, use, trees = (
        certificate["claim"],
        certificate.get("use"),
        certificate.get("trees", [certificate.get("tree")]),
    )
    given = [float(F(claim["eps"]))] if "eps" in claim else [0.3, 1.0, 4.0] if "factor" in claim else [1.0]
    least, rng = math.inf, np.random.default_rng(0)
    for eps in given:
        epsilon = float(F(claim["factor"])) * eps if "factor" in claim else float(F(claim["epsilon"]))
        if use is None:
            laws = [_law(trees[0], x, eps, rng) for x in inputs]
        else:
            each = [_law(tree, (), eps, rng) for tree in trees]
            laws = [each[k] for k in use]
        if any("impossible" in law for law in laws):
            return -math.inf, 0.0
        for i, j in near:
            for left, right in ((laws[i], laws[j]), (laws[j], laws[i])):
                gap, chance = _gap(left, right, epsilon)
                least = min(least, float(F(claim.get("delta", "0"))) + chance - gap)
    return least, 0.0


def broken(certificate: Mapping[str, Any]) -> Margin:
    """A set of outputs on two neighbours."""
    sides, claim = certificate["inputs"], certificate["claim"]
    trees = certificate.get("trees", [certificate.get("tree")])
    if not _near(certificate["space"], *sides):
        return -math.inf, 0.0
    eps, rng = float(F(certificate.get("eps", "1"))), np.random.default_rng(0)
    each = [(trees[0], x) for x in sides] if len(trees) == 1 else [(tree, ()) for tree in trees]
    left, right = (_law(tree, x, eps, rng) for tree, x in each)
    gap, chance = _gap(left, right, float(F(claim["epsilon"])), certificate.get("event", certificate.get("outputs")))
    return gap + chance - float(F(claim["delta"])), 0.0


def normal(certificate: Mapping[str, Any]) -> Margin:
    """Gaussian programs: all pairs, or one that fails."""
    return broken(certificate) if "event" in certificate else finite(certificate)


MARGINS = {
    "loop-shift": loops,
    "argmax-shift": contest,
    "ranking-shift": ranking,
    "permute-and-flip": flipping,
    "program-bound": tree_bound,
    "program-pairs": pairs,
    "program-counterexample": counterexample,
    "program-finite": finite,
    "program-pair": broken,
    "program-normal": normal,
}
