r"""Rankings of noisy values for any number of queries: the k largest in order, or the largest with its lead.

Each query yields v = a·q + b·η + (what is the same in both runs) with fresh draws, of which η (of the given rate and
kind) may be shifted. Let every a·d, where d is the change of an answer, lie in an interval of length ℓ.

* **One answer moves** (or several, by so much in all): every η is shifted by −a·d/b, so that no value changes. Cost
  |a|·by·rate/|b| whatever is released.
* **The k largest, in order.** The η of each winner is shifted by (r − a·d)/b, with r the upper end of the interval. All
  winners rise by r and no other value by more, so that the winners and their order stay, whichever of equal values
  comes first. Cost at most k·ℓ·rate/|b|. The shift has the sign of b, and is whole where a/b and the moves are.
* **The largest and its lead over the second.** Given all draws but those of the winner w, the largest m of the other
  values is a number; it moves by an amount in the interval. The winner's η is shifted by (m' − m − a·d)/b, which keeps
  v_w − m. Given the other draws this is a translation, so the density falls by at most e^(−ℓ·rate/|b|).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.laurent import from_json
from dpwitness.proofs.kernel.loop_shifts import boxes, ranges
from dpwitness.proofs.kernel.loops import read_domains


def check_ranking(certificate: Mapping[str, Any]) -> str:
    """Verify a certificate of type ``ranking-shift``."""
    _, program, params, adjacency, bound, answer, draw, count_json, lead = fields(
        certificate, "type", "program", "params", "adjacency", "bound", "answer", "draw", "count", "lead"
    )
    known = read_domains(params)
    moves, by_json = fields(adjacency, "moves", "by")
    rate_json, kind, factor = fields(draw, "rate", "kind", "factor")
    limit, count, rate = from_json(bound), from_json(count_json), from_json(rate_json)
    a, b, by = number(answer), number(factor), number(by_json)
    if any(not p.symbols() <= set(params) for p in (limit, count, rate)) or not known.sure(limit):
        raise Rejected("a part of the certificate is not public")
    if kind not in ("laplace", "exponential", "discrete_laplace") or b == 0 or not rate or not known.sure(rate):
        raise Rejected("a draw of an unknown kind, without influence, or whose scale is not known to be positive")
    if type(lead) is not bool or not known.sure(count) or not known.integral(count):
        raise Rejected("lead is true or false, and the number of winners is whole and not negative")
    if lead and count.value() != 1:
        raise Rejected("the lead is that of one winner")
    whole = kind == "discrete_laplace"
    if whole and ((a / b).denominator != 1 or by.denominator != 1 or lead):
        raise Rejected("integer-valued noise needs whole moves and an integral shift")
    for low, high in boxes(moves, by):
        if moves in ("one", "l1"):
            if kind == "exponential":
                raise Rejected("a one-sided draw may be moved down")
            cost = rate * (abs(a / b) * by)
        else:
            if kind == "exponential" and (lead or b < 0):
                raise Rejected("a one-sided draw may be moved down")
            cost = rate * (abs(a / b) * (high - low))
            cost = cost if lead else cost * count
        if not known.sure(limit - cost):
            raise Rejected(f"the shift costs {cost}, which is not known to be at most {limit}")
    what = "the largest noisy value and its lead" if lead else f"the {count} largest noisy values in order"
    return (
        f"{what} of {str(fields(program, 'name', 'source')[0])[:80]}: loss <= {limit} for any number of "
        f"{'whole ' * whole}queries, adjacency {moves} <= {by}{ranges(params)}"
    )


CHECKERS = {"ranking-shift": check_ranking}
