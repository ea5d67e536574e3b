"""The index of the largest noisy value, for any number of queries: only the winner's draws are shifted."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.laurent import Poly, from_json, total
from dpwitness.proofs.kernel.loop_shifts import boxes, ranges, read_affine, value_at
from dpwitness.proofs.kernel.loops import QUERIES, read_domains


def check_argmax(certificate: Mapping[str, Any]) -> str:
    """Verify a certificate of type ``argmax-shift``.

    Each query yields a value v = a·q + Σ_k b_k·η_k + (public, the same in both runs) with fresh draws η; the index w of
    the largest (``sign`` 1) or smallest (−1) value, the first of ties or the last of ties, is all that is released.
    {w wins} = {sign·(v_w − v_l) > 0, or ≥ 0 where w has the better place, for all l ≠ w}, so only the winner's draws
    are shifted, by W_k(d_w): sign·(a·(d_w − d_l) + Σ_k b_k·W_k(d_w)) ≥ 0 for all allowed changes, at the cost
    Σ_k |W_k|·rate_k ≤ bound. For whole noise the answers, and so d, are whole, and the shift must be.
    """
    _, program, params, adjacency, bound, answer, draws, sign, orders = fields(
        certificate, "type", "program", "params", "adjacency", "bound", "answer", "draws", "sign", "orders"
    )
    known = read_domains(params)
    moves, by = fields(adjacency, "moves", "by")
    limit, a = from_json(bound), from_json(answer)
    parts = [(s, from_json(rate), kind, from_json(b)) for s, rate, kind, b in draws]
    polys = [limit, a, *(p for _, rate, _, b in parts for p in (rate, b))]
    allowed = set(params) | {QUERIES}
    if sign not in (1, -1) or any(not p.symbols() <= allowed for p in polys) or not known.sure(limit):
        raise Rejected("a part of the certificate is not public")
    kinds = ("laplace", "exponential", "discrete_laplace")
    if any(kind not in kinds or not rate or not known.sure(rate) for _, rate, kind, _ in parts):
        raise Rejected("a draw of an unknown kind, or whose scale is not known to be positive")
    whole = any(kind == "discrete_laplace" for _, _, kind, _ in parts)
    if whole and number(by).denominator != 1:
        raise Rejected("integer-valued noise needs whole moves")
    wanted = boxes(moves, number(by))
    if len(orders) != len(wanted):
        raise Rejected("a direction of change is missing")
    for (low, high), order in zip(wanted, orders, strict=True):
        shift = {s: read_affine(order[s]) for s, *_ in parts}
        if any(not set(w) <= {"1", "d"} or any(not p.symbols() <= allowed for p in w.values()) for w in shift.values()):
            raise Rejected("a shift depends on something that is not public")
        if not all(
            known.integral(p) for s, _, kind, _ in parts if kind == "discrete_laplace" for p in shift[s].values()
        ):
            raise Rejected("integer-valued noise needs an integral shift")
        zero = Fraction(0)
        single = moves in ("one", "l1")
        pairs = (
            [(low, zero), (high, zero), (zero, low), (zero, high)]
            if single
            else itertools.product((low, high), repeat=2)
        )
        for mine, other in pairs:
            won = {s: value_at(w, {"d": mine}) for s, w in shift.items()}
            gain = a * (mine - other) + total(b * won[s] for s, _, _, b in parts)
            cost = Poly()
            for s, rate, kind, _ in parts:
                if not all(known.signed(m) for m in won[s].terms) or (kind == "exponential" and not known.sure(won[s])):
                    raise Rejected(f"the size of the shift of {s} is not known, or a one-sided draw is moved down")
                cost = cost + rate * Poly({m: abs(c) for m, c in won[s].terms.items()})
            if not known.sure(gain * sign) or not known.sure(limit - cost):
                raise Rejected("the winner may lose in the second run, or the shift costs more than the bound")
    return (
        f"the index of the {'largest' if sign == 1 else 'smallest'} noisy value of {str(program['name'])[:80]}: "
        f"loss <= {limit} for any number of {'whole ' * whole}queries, adjacency {moves} <= {by}{ranges(params)}"
    )


CHECKERS = {"argmax-shift": check_argmax}
