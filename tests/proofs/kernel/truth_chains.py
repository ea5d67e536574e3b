"""Whether a certificate about loops that end by chance states something true.

Chains are solved in doubles, and the numbers u that a certificate states are not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tests.proofs.kernel.released import neighbours
from tests.proofs.kernel.truth import number

Margin = tuple[float, float]


def chains(certificate: Mapping[str, Any]) -> Margin:
    """Room between δ and the hockey-stick divergence of all neighbours, in both orders."""
    eps, delta = number(certificate["epsilon"]), number(certificate["delta"])
    laws, use = _laws(certificate), certificate["use"]
    pairs = [(laws[use[i]], laws[use[j]]) for i, j in neighbours(certificate["space"])]
    worst = max(np.maximum(p - math.exp(eps) * q, 0).sum() for a, b in pairs for p, q in ((a, b), (b, a)))
    return delta - float(worst), 1e-12


def chain_violation(certificate: Mapping[str, Any]) -> Margin:
    """How far the event is above the claim."""
    p, q = _laws(certificate)
    event = certificate["event"]
    gap = p[event].sum() - math.exp(number(certificate["epsilon"])) * q[event].sum()
    return float(gap) - number(certificate["delta"]), 1e-12


def _laws(certificate: Mapping[str, Any]) -> list[Any]:
    chances = []
    for choice in certificate["choices"]:
        weights = np.array([_value(weight) for weight in choice])
        chances.append(weights / weights.sum() if (weights >= 0).all() and weights.any() else weights * math.nan)
    return [_law(states, chances, len(certificate["outputs"])) for states in certificate["chains"]]


def _value(weight: Any) -> float:
    if isinstance(weight, Mapping):
        return sum(number(factor) * math.exp(number(exponent)) for exponent, factor in weight.items())
    return number(weight)


def _law(states: Sequence[Any], chances: Sequence[Any], outputs: int) -> Any:
    """How often each output comes: solve (I − moves)ᵀ visits = first, and weigh the outputs by the visits."""
    moves, ends = np.zeros((len(states), len(states))), np.zeros((len(states), outputs))
    for state, tree in enumerate(states):
        for leaf, chance in _leaves(tree, chances, 1.0):
            (moves if leaf[0] == "n" else ends)[state, int(leaf[1:])] += chance
    visits = np.linalg.solve(np.eye(len(states)) - moves.T, np.eye(len(states))[0])
    return visits @ ends


def _leaves(tree: Any, chances: Sequence[Any], chance: float) -> list[tuple[str, float]]:
    if isinstance(tree, str):
        return [] if tree == "x" else [(tree, chance)]
    ways = zip(tree[1:], chances[int(tree[0][1:])], strict=True)
    return [leaf for way, share in ways for leaf in _leaves(way, chances, chance * float(share))]


MARGINS = {"chains": chains, "chain-violation": chain_violation}
