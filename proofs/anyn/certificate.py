"""Certificates as JSON objects that the kernel re-checks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.anyn.farkas import Proof, Question, rows, solve
from dpwitness.proofs.anyn.invariants import Known, impossible
from dpwitness.proofs.anyn.model import END, FAIL, Model
from dpwitness.proofs.anyn.phases import phases
from dpwitness.proofs.anyn.search import Affine, Found
from dpwitness.proofs.kernel.algebra.laurent import Poly, to_json


def program_json(model: Model) -> dict[str, str]:
    """Which program a certificate speaks of."""
    return {"name": model.source.name, "source": model.source.digest}


def proof_json(proof: Proof) -> list[list[Any]]:
    """Multipliers as JSON."""
    return [[weight, list(names), str(value)] for weight, names, value in proof]


def _affine(affine: Affine) -> dict[str, Any]:
    return {u: to_json(p) for u, p in affine.items() if p}


def scales(model: Model, known: Known) -> dict[str, dict[str, Any]] | None:
    """Proofs that every scale is positive; None where there is none."""
    found: dict[str, dict[str, Any]] = {}
    for k, t in enumerate(model.transitions):
        for draw in t.draws:
            if k in known.dead or t.target == FAIL or model.known.sure(draw.rate):
                continue
            given = rows(model, t, known.invariant.get(t.source, []), draw.rate.terms, known.relevant)
            safe = [r for r in given if model.known.signed(r.weight)]
            proof = solve([Question(draw.rate, safe)])[0]
            if proof is None:
                return None
            found.setdefault(t.place, {})[draw.symbol] = proof_json(proof)
    return found


def certificate(
    model: Model, known: Known, rates: dict[str, dict[str, Any]], bound: Poly, moves: str, by: Fraction,
    orders: Sequence[Found],
) -> dict[str, Any]:  # fmt: skip
    """A certificate of type ``loop-shift``."""
    return {
        "type": "loop-shift",
        **public_json(model, known, rates, bound, moves, by),
        "orders": [_order(found) for found in orders],
    }


def public_json(
    model: Model, known: Known, rates: dict[str, dict[str, Any]], bound: Poly, moves: str, by: Fraction
) -> dict[str, Any]:
    """The program, the adjacency, the bound, and the public side of a proof."""
    states = model.states()
    leaves = model.plain or model
    dead = known.dead if model.plain is None else impossible(leaves, known.invariant, known.relevant)
    return {
        "program": program_json(model),
        "model": model.json,
        "adjacency": {"moves": moves, "by": str(by)},
        "bound": to_json(bound),
        "merged": model.plain is not None,
        "counters": {str(loop): symbol for loop, symbol in sorted(model.counters.items())},
        "whole": sorted(model.known.whole & states),
        "positive": sorted(model.known.positive & states),
        "invariant": {n: [to_json(p) for p in ps] for n, ps in known.invariant.items() if ps},
        "kept": {model.transitions[k].place: [proof_json(p) for p in proofs] for k, proofs in known.kept.items()},
        "dead": {leaves.transitions[k].place: proof_json(p) for k, p in dead.items()},
        "rates": rates,
    }


def _order(found: Found) -> dict[str, Any]:
    setting = found.shape.setting
    used = {t.name for t in found.targets.values() if t is not None}
    return {
        "low": str(setting.low),
        "high": str(setting.high),
        "single": setting.single,
        "history": setting.history,
        "phases": {
            p.name: {
                "node": p.node,
                "pending": p.seen is None,
                "delta": {s: _affine(a) for s, a in found.delta[p.name].items() if a},
                "potential": to_json(found.potential[p.name]),
                "floor": proof_json(found.floors[p.name]),
            }
            for p in phases(found.shape.model, setting)
            if p.name in used
        },
        "moves": [
            {
                "on": found.shape.model.transitions[move.on].place,
                "phase": move.key[1],
                "changed": move.changed,
                "to": END if (target := found.targets[move.key]) is None else target.name,
                "shift": {s: _affine(a) for s, a in found.shift[move.key].items() if a},
                "pays": [proof_json(p) for p in found.pays[move.key]],
            }
            for move in found.shape.moves
            if move.phase is None or move.phase.name in used
        ],
    }
