r"""Programs with Gaussian noise on finitely many inputs, at given ε and δ, by rigorous integration.

The comparisons of a path must form stars: one draw t that all others of its component are compared with. Given t the
others are independent, so

.. math:: P = \int f(t) \prod_k \big(F_k(h_k(t)) - F_k(l_k(t))\big)\,dt,

which python-flint encloses with `acb.integral` on a bounded interval; the rest of the line adds at most the mass of t
there. Laplace draws may take part: the interval is split where their formulas change.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from dpwitness.proofs.kernel.arith import Rejected, ball, integrate, lower, number, precision, upper
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.programs.comparisons import NotAForest, put_in
from dpwitness.proofs.kernel.programs.finite import read_event
from dpwitness.proofs.kernel.programs.trees import Draw, Leaf, Tree, read_tree
from dpwitness.proofs.kernel.programs.witness import guarded, plain_rows, read_claim
from dpwitness.proofs.kernel.spaces import read_pair, read_space
from dpwitness.proofs.kernel.statements import epsilon_delta, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

LAWS = ("gaussian", "laplace")
BITS, WIDE = 64, 10
Bound = tuple[dict[int, Fraction], Fraction]


def cdf(draw: Draw, x: Any, below: bool) -> Any:
    """P[draw ≤ x]; for Laplace noise with the formula of x ≤ 0 where `below`."""
    if draw.law == "gaussian":
        return (-x / (ball(draw.scale) * arb(2).sqrt())).erfc() / 2
    side = (x / ball(draw.scale) if below else -x / ball(draw.scale)).exp() / 2
    return side if below else 1 - side


def density(draw: Draw, x: Any, below: bool) -> Any:
    """The density, for Laplace noise with the formula of x ≤ 0 where `below`."""
    s = ball(draw.scale)
    if draw.law == "gaussian":
        return (-(x * x) / (2 * s * s)).exp() / (s * (2 * arb.pi()).sqrt())
    return (x / s if below else -x / s).exp() / (2 * s)


def probability(leaf: Leaf, inputs: Sequence[Fraction], known: dict[Any, Any]) -> Any:
    """An enclosure of the probability of a leaf at the current precision; `known` holds integrals taken before."""
    if leaf.choices or leaf.values or any(draw.law not in LAWS for draw in leaf.draws):
        raise NotAForest("Gaussian programs are integrated for discrete outputs, normal and Laplace draws only")
    single: dict[int, list[Bound]] = {}
    pairs: dict[frozenset[int], list[Bound]] = {}
    for row in leaf.rows:
        coefficients, constant = put_in(row.form, inputs)
        if not coefficients:
            continue  # decided by `guarded`
        if len(coefficients) > 2:
            raise NotAForest("a row with more than two draws")
        place = single.setdefault(next(iter(coefficients)), []) if len(coefficients) == 1 else None
        (pairs.setdefault(frozenset(coefficients), []) if place is None else place).append((coefficients, constant))
    total = arb(1)
    for part in _components(single, pairs):
        total *= _star(part, leaf.draws, single, pairs, known)
    return total


def _components(single: Mapping[int, Any], pairs: Mapping[frozenset[int], Any]) -> list[set[int]]:
    parts: list[set[int]] = [{k} for k in single]
    for pair in pairs:
        touched = [p for p in parts if p & pair]
        parts = [p for p in parts if not p & pair] + [set(pair).union(*touched)]
    return parts


def _star(part: set[int], draws: Sequence[Draw], single: Any, pairs: Any, known: dict[Any, Any]) -> Any:
    inner = [pair for pair in pairs if pair <= part]
    hubs = [k for k in sorted(part) if all(k in pair for pair in inner)]
    if not hubs:
        raise NotAForest("the comparisons are not a star")
    hub = hubs[0]
    ends = {k: _limits(single.get(k, [])) for k in part}
    if any(low is not None and high is not None and low >= high for low, high in ends.values()):
        return arb(0)
    arms = [(draws[k], *_lines(k, hub, pairs[frozenset((k, hub))], ends[k])) for k in sorted(part - {hub})]
    key = (draws[hub], ends[hub], tuple(sorted(arms, key=repr)))  # the order of the arms does not matter
    if key not in known:
        known[key] = _integral(draws[hub], ends[hub], arms)
    return known[key]


def _limits(rows: Sequence[Bound]) -> tuple[Fraction | None, Fraction | None]:
    edges = [(v, -c / v) for coefficients, c in rows for v in coefficients.values()]
    low = max((x for v, x in edges if v > 0), default=None)
    return low, min((x for v, x in edges if v < 0), default=None)


def _lines(k: int, hub: int, rows: Sequence[Bound], ends: Any) -> tuple[Any, Any]:
    """The one lower and the one upper bound of draw k, as lines in the hub."""
    lows: list[tuple[Fraction, Fraction]] = [] if ends[0] is None else [(Fraction(0), ends[0])]
    highs: list[tuple[Fraction, Fraction]] = [] if ends[1] is None else [(Fraction(0), ends[1])]
    for coefficients, c in rows:
        mine = coefficients[k]
        (lows if mine > 0 else highs).append((-coefficients[hub] / mine, -c / mine))
    if len(set(lows)) > 1 or len(set(highs)) > 1 or (lows and highs):
        raise NotAForest("a draw with several bounds")
    return (lows[0] if lows else None), (highs[0] if highs else None)


def _integral(hub: Draw, ends: Any, arms: Sequence[Any]) -> Any:
    reach = (WIDE if hub.law == "gaussian" else 80) * hub.scale
    low = -reach if ends[0] is None else max(-reach, ends[0])
    high = reach if ends[1] is None else min(reach, ends[1])
    if low >= high:
        low, high = Fraction(0), Fraction(0)
    cuts = {low, high, *([Fraction(0)] if low < 0 < high else [])}
    for draw, lo, hi in arms:
        if draw.law == "laplace":
            cuts |= {-b / a for a, b in (x for x in (lo, hi) if x is not None) if a and low < -b / a < high}
    edges, total = sorted(cuts), arb(0)
    for a, b in itertools.pairwise(edges):
        total += _piece(hub, arms, a, b)
    outside = 2 * cdf(hub, ball(-reach), True)  # whatever the window is there, it lies between 0 and 1
    return total + outside * arb(0.5, 0.5)


def _piece(hub: Draw, arms: Sequence[Any], a: Fraction, b: Fraction) -> Any:
    middle = (a + b) / 2

    def integrand(t: Any, _analytic: Any) -> Any:
        value = density(hub, t, middle < 0)
        for draw, lo, hi in arms:
            line = lo if lo is not None else hi
            x, below = t * ball(line[0]) + ball(line[1]), line[0] * middle + line[1] < 0
            value = value * (1 - cdf(draw, x, below) if lo is not None else cdf(draw, x, below))
        return value

    return integrate(integrand, a, b).real


class Enclosed:
    """Enclosures of the laws of one tree on many inputs, at the precision in force; equal integrals are taken once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.names = [repr(output) for output in tree.outputs]
        self.known: dict[Any, Any] = {}

    def of(self, inputs: Sequence[Fraction]) -> dict[str, Any]:
        """Enclosures of the probabilities of all outputs; their sum must enclose 1."""
        result: dict[str, Any] = {}
        for leaf in self.tree.leaves:
            if guarded(plain_rows(leaf), inputs):
                name = self.names[leaf.output]
                result[name] = result.get(name, arb(0)) + probability(leaf, inputs, self.known)
        if not sum(result.values(), arb(0)).contains(1):
            raise Rejected("the probabilities do not sum to 1")
        return result


def hockey(
    left: Mapping[str, Any], right: Mapping[str, Any], epsilon: Fraction
) -> tuple[Fraction, Fraction, list[str]]:
    """Enclosure of Σ (P − e^ε Q)₊, and the outputs that surely contribute."""
    low, high, event = Fraction(0), Fraction(0), []
    for name, p in left.items():
        gap = p - ball(epsilon).exp() * right.get(name, arb(0))
        high += max(Fraction(0), upper(gap))
        if gap > 0:
            low += lower(gap)
            event.append(name)
    return low, high, event


def check_normal(certificate: Mapping[str, Any]) -> Theorem:
    """Check a certificate of type ``program-normal``: all pairs of a space hold, or (`event`) one pair fails."""
    _, tree_json, space_json, claim = fields(
        certificate, "type", "tree", "space", "claim", optional=("target", "program", "event", "inputs")
    )
    tree, space = read_tree(tree_json, LAWS), read_space(space_json)
    if tree.unit != "1" or space.moves is None or tree.queries != space.most:
        raise Rejected("a tree at one eps with as many answers as the space is needed")
    epsilon, delta = read_claim(claim)
    guarantee, model = epsilon_delta(epsilon, delta), subject(certificate, "tree")
    try:
        with precision(BITS):
            laws = Enclosed(tree)
            if "event" in certificate:
                sides = read_pair(space, certificate["inputs"])
                left, right = (laws.of([number(x) for x in side]) for side in sides)
                event = read_event(certificate["event"], [tree])
                gap = sum((left.get(n, arb(0)) - ball(epsilon).exp() * right.get(n, arb(0)) for n in event), arb(0))
                if lower(gap) <= delta:
                    raise Rejected("the event does not violate the claim")
                words = f"({', '.join(sides[0])}) and ({', '.join(sides[1])}): not ({epsilon}, {delta})-private"
                return Theorem("program-normal", words, model, True, guarantee, *two_inputs(*sides))
            found, pairs = [laws.of([number(x) for x in row]) for row in space.inputs()], space.pairs()
            both = [order for i, j in pairs for order in ((i, j), (j, i))]
            worst = max((hockey(found[i], found[j], epsilon)[1] for i, j in both), default=Fraction(0))
    except NotAForest as error:
        raise Rejected(str(error)) from None
    if worst > delta:
        raise Rejected(f"delta is only known to be at most {float(worst):.3g}")
    words = f"{len(found)} inputs, {len(pairs)} pairs in both orders: ({epsilon}, {delta})"
    words = f"{space.describe()}: {words}, delta at most {float(worst):.3g}"
    return Theorem("program-normal", words, model, False, guarantee, space.stated(), space.sizes())


CHECKERS = {"program-normal": check_normal}
