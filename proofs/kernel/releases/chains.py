r"""Programs with loops that end by chance: finite Markov chains, their output laws, and the comparison of these laws.

A state has a tree of choices with exact weights; at its leaves stands an output or the next state. Let t_ij and t_io be
the masses of the leaves of state i, T_i their sum. Where every state has a way to an output, the chain ends almost
surely, :math:`I - (t_{ij}/T_i)` is invertible, and for the first state the numbers u_i with

.. math:: u_j T_j - \sum_i u_i t_{ij} = D\,[j = 0],\qquad D > 0

are unique: u_i T_i / D is the mean number of visits to state i. The law of the output has the weights
:math:`\sum_i u_i t_{io}`, which add up to D. Certificates state u; the equations are verified exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.outputs import slots_of
from dpwitness.proofs.kernel.releases.tables import Row, within
from dpwitness.proofs.kernel.spaces import read_inputs, read_space, read_use, show_inputs
from dpwitness.proofs.kernel.statements import epsilon_delta, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

ZERO = ExpSum.of(0)
Masses = dict[str, ExpSum]  # of the leaves "o3" and "n2" of one state


def read_choices(value: object) -> list[list[ExpSum]]:
    """Lists of weights: none is negative, and not all are zero."""
    if not isinstance(value, list) or any(not isinstance(weights, list) for weights in value):
        raise Rejected("choices are lists of weights")
    choices = [[ExpSum.from_json(weight) for weight in weights] for weights in value]
    for k, weights in enumerate(choices):
        if any(weight.sign() < 0 for weight in weights) or sum(weights, ZERO).sign() <= 0:
            raise Rejected(f"choice {k} needs weights that are not negative, and a positive sum")
    return choices


def masses(tree: object, choices: Sequence[Sequence[ExpSum]]) -> Masses:
    """The masses of the leaves of a tree, up to a common positive factor; leaves "x" have none.

    >>> half = [ExpSum.of(1), ExpSum.of(1)]
    >>> {name: str(mass) for name, mass in masses(["c0", "o0", ["c0", "n0", "o1"]], [half]).items()}
    {'o0': '2', 'n0': '1', 'o1': '1'}
    """
    return _parts(tree, choices)[0]


def _parts(tree: object, choices: Sequence[Sequence[ExpSum]]) -> tuple[Masses, ExpSum]:
    """The masses of the leaves and their sum."""
    tick()
    if isinstance(tree, str):
        if tree[:1] not in ("o", "n") or not tree[1:].isdecimal():
            raise Rejected(f"{tree[:20]!r} is neither an output, a state nor a choice")
        return {tree: ExpSum.of(1)}, ExpSum.of(1)
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str) or not tree[0][1:].isdecimal():
        raise Rejected("a tree is the name of a leaf, or a list of a choice and what follows its outcomes")
    head, *ways = tree
    if head[0] != "c" or int(head[1:]) >= len(choices) or len(ways) != len(choices[int(head[1:])]):
        raise Rejected(f"{head[:20]!r} is no choice with {len(ways)} outcomes")
    weights = choices[int(head[1:])]
    if any((way == "x") != (weight.sign() == 0) for way, weight in zip(ways, weights, strict=True)):
        raise Rejected("an outcome is marked as impossible where its weight is zero, and nowhere else")
    parts = [(w, *_parts(way, choices)) for way, w in zip(ways, weights, strict=True) if way != "x"]
    scales = _others([total for _, _, total in parts])
    found: Masses = {}
    for (weight, below, _), scale in zip(parts, scales, strict=True):
        for leaf, mass in below.items():
            found[leaf] = found.get(leaf, ZERO) + weight * mass * scale
    return found, sum(found.values(), ZERO)


def _others(totals: Sequence[ExpSum]) -> list[ExpSum]:
    """Positive factors that make all totals equal."""
    if all(total == totals[0] for total in totals):
        return [ExpSum.of(1)] * len(totals)
    scales = [ExpSum.of(1)] * len(totals)
    for i in range(len(totals)):
        for j, total in enumerate(totals):
            if i != j:
                scales[i] = scales[i] * total
    return scales


def law_of_chain(states: Sequence[Masses], flow: Sequence[ExpSum], outputs: int) -> Row:
    """The law of the output of a chain that begins in state 0, from the numbers u: see above.

    >>> again = {"n0": ExpSum.of(1), "o0": ExpSum.of(2), "o1": ExpSum.of(1)}
    >>> [str(weight) for weight in law_of_chain([again], [ExpSum.of(1)], 2).weights]
    ['2', '1']
    """
    if not states or len(flow) != len(states):
        raise Rejected("a chain has at least one state, and one number for each of them")
    _every_state_ends(states, outputs)
    received = {f"n{j}": ZERO for j in range(len(states))}
    weights = {f"o{k}": ZERO for k in range(outputs)}
    for masses_, u in zip(states, flow, strict=True):
        for leaf, mass in masses_.items():
            into = received if leaf in received else weights
            into[leaf] = into[leaf] + u * mass
    for j, (masses_, u) in enumerate(zip(states, flow, strict=True)):
        left = u * sum(masses_.values(), ZERO) - received[f"n{j}"]
        if (left.sign() <= 0) if j == 0 else left.terms:
            raise Rejected(f"the numbers of visits do not satisfy the equation of state {j}")
    return Row.weighted(list(weights.values()))


def _every_state_ends(states: Sequence[Masses], outputs: int) -> None:
    """Raise unless each state has a way to an output; leaves have positive masses."""
    before: dict[str, list[int]] = {}
    ends: list[int] = []
    for i, masses_ in enumerate(states):
        for leaf in masses_:
            if int(leaf[1:]) >= (outputs if leaf[0] == "o" else len(states)) or leaf != f"{leaf[0]}{int(leaf[1:])}":
                raise Rejected(f"the leaf {leaf[:20]!r} does not exist")
            if leaf[0] == "n":
                before.setdefault(leaf, []).append(i)
        if any(leaf[0] == "o" for leaf in masses_):
            ends.append(i)
    seen = set(ends)
    while ends:
        for i in before.get(f"n{ends.pop()}", ()):
            if i not in seen:
                seen.add(i)
                ends.append(i)
    missing = sorted(set(range(len(states))) - seen)
    if missing:
        raise Rejected(f"state {missing[0]} has no way to an output: the program may never end")


def read_laws(chains: object, flows: object, choices: object, outputs: object) -> list[Row]:
    """The output laws of several chains over one list of outputs."""
    if not isinstance(outputs, list) or not outputs or any(slots_of(output) for output in outputs):
        raise Rejected("outputs are constants, or lists of them")
    if len({str(output) for output in outputs}) != len(outputs):
        raise Rejected("the same output is listed twice")
    if not isinstance(chains, list) or not isinstance(flows, list) or not chains or len(chains) != len(flows):
        raise Rejected("each chain is a list of trees, and has a list of numbers of visits")
    known = read_choices(choices)
    laws = []
    for trees, flow in zip(chains, flows, strict=True):
        if not isinstance(trees, list) or not isinstance(flow, list):
            raise Rejected("each chain is a list of trees, and has a list of numbers of visits")
        states = [masses(tree, known) for tree in trees]
        laws.append(law_of_chain(states, [ExpSum.from_json(u) for u in flow], len(outputs)))
    return laws


def check_chains(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "chains", "space", "outputs", "choices", "chains", "use", "flows", …}``.

    ``use`` names the chain of each input of the space; ``flows`` has the numbers u of each chain. The laws of all
    neighbours are compared, in both orders.
    """
    space_json, outputs, choices, chains, use, flows, eps, delta = fields(
        certificate, "type", "space", "outputs", "choices", "chains", "use", "flows", "epsilon", "delta",
        optional=("about",),
    )[1:]  # fmt: skip
    space, laws = read_space(space_json), read_laws(chains, flows, choices, outputs)
    e, d = _numbers(eps, delta)
    _, pairs = read_use(use, space, len(laws))
    for i, j in pairs:
        for p, q in ((laws[i], laws[j]), (laws[j], laws[i])):
            if not within(p, q, e, d):
                raise Rejected(f"the laws of chains {i} and {j} are not ({eps}, {delta})-close")
    close = f"(ε = {text(e)}, δ = {text(d)})-close in both orders"
    if not pairs:
        close = f"the same on all neighbours, so (ε = {text(e)}, δ = {text(d)})-close"
    words = (
        f"{space.describe()}: {len(laws)} chains of {sum(map(len, chains))} states that end with probability 1, "
        f"with laws of {len(outputs)} outputs, {close}"
    )
    model = subject(certificate, "space", "outputs", "choices", "chains", "use")
    return Theorem("chains", words, model, False, epsilon_delta(e, d), space.stated(), space.sizes())


def check_chain_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "chain-violation", "inputs", "outputs", "choices", "chains", "flows", "event", …}``.

    The two chains are those of the two inputs; the event is a list of numbers of outputs. Verified is
    P(event) > e^ε Q(event) + δ.
    """
    inputs, outputs, choices, chains, flows, event, eps, delta = fields(
        certificate, "type", "inputs", "outputs", "choices", "chains", "flows", "event", "epsilon", "delta",
        optional=("about",),
    )[1:]  # fmt: skip
    sides = read_inputs(inputs)
    laws = read_laws(chains, flows, choices, outputs)
    if len(laws) != 2:
        raise Rejected("two inputs have two chains")
    p, q = laws
    e, d = _numbers(eps, delta)
    if not isinstance(event, list) or any(type(i) is not int or not 0 <= i < len(p.weights) for i in event):
        raise Rejected("an event names an output that does not exist")
    if len(set(event)) != len(event):
        raise Rejected("an event is a list of different numbers of outputs")
    top, other = (sum((law.weights[i] for i in event), ZERO) for law in (p, q))
    if (top * q.total - ExpSum.exp(e) * other * p.total - d * p.total * q.total).sign() <= 0:
        raise Rejected("the event does not violate the claim")
    words = f"{show_inputs(sides)}: an event of {len(event)} outputs violates (ε = {text(e)}, δ = {text(d)})"
    model = subject(certificate, "inputs", "outputs", "choices", "chains")
    return Theorem("chain-violation", words, model, True, epsilon_delta(e, d), *two_inputs(*sides))


def _numbers(eps: object, delta: object) -> tuple[Fraction, Fraction]:
    e, d = number(eps), number(delta)
    if e < 0 or not 0 <= d < 1:
        raise Rejected("epsilon must not be negative, and delta must lie in [0, 1)")
    return e, d


CHECKERS = {"chains": check_chains, "chain-violation": check_chain_violation}
