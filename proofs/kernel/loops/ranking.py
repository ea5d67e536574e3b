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

from dpwitness.proofs.kernel.algebra.laurent import from_json
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.loops.heads import read_domains
from dpwitness.proofs.kernel.loops.shifts import boxes, limit_of, theorem
from dpwitness.proofs.kernel.loops.trees import LAWS, QUERIES
from dpwitness.proofs.kernel.theorem import Theorem

PLACE = "#1"
"""The place of a query among all, from 0 on: a value may depend on it."""


def check_ranking(certificate: Mapping[str, Any]) -> Theorem:
    """Verify a certificate of type ``ranking-shift``.

    The model is complete: for every answer q = ?0 in turn the draws ~0, ~1, ... are made and ``value`` is formed; then
    either (index of the largest value, its lead over the second) or the list of the indices of the `count` largest
    values is released; of equal values the first is the larger. With fewer than `count` values the program fails.
    """
    _, _, model, adjacency, bound, shifted = fields(
        certificate, "type", "program", "model", "adjacency", "bound", "shifted"
    )
    params, value_json, draws_json, count_json, lead = fields(model, "params", "value", "draws", "count", "lead")
    known = read_domains(params)
    moves, by_json = fields(adjacency, "moves", "by")
    value, count, by = from_json(value_json), from_json(count_json), number(by_json)
    draws = [(f"~{k}", from_json(rate), kind) for k, (rate, kind) in enumerate(draws_json)]
    limit = limit_of(bound, known, params)
    here = {*params, QUERIES, PLACE, "?0", *(symbol for symbol, *_ in draws)}
    if not value.symbols() <= here or any(not rate.symbols() <= set(params) for _, rate, _ in draws):
        raise Rejected("a part of the model is not public")
    if any(kind not in LAWS or not rate or not known.sure(rate) for _, rate, kind in draws):
        raise Rejected("a draw of an unknown kind, or whose scale is not known to be positive")
    if type(lead) is not bool or not count.symbols() <= set(params) or not known.sure(count):
        raise Rejected("lead is true or false, and the number of winners is not negative")
    if not known.integral(count) or (lead and count.value() != 1):
        raise Rejected("the number of winners is whole, and the lead is that of one winner")
    parts = value.linear()
    if "?0" not in parts or type(shifted) is not int or not 0 <= shifted < len(draws):
        raise Rejected("the answers do not enter the values, or no draw is shifted")
    symbol, rate, kind = draws[shifted]
    if symbol not in parts:
        raise Rejected("the draw that is shifted does not enter the values")
    a, b = parts["?0"].value(), parts[symbol].value()
    if a is None or b is None:
        raise Rejected("a factor of the answers or of the shifted draw is not a number")
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
    what = "the largest and its lead" if lead else f"the {count} largest in order"
    return theorem("ranking-shift", f"of the values {value}, {what}", model, limit, moves, by, whole)


CHECKERS = {"ranking-shift": check_ranking}
