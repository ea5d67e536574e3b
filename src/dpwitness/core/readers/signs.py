"""The sign of a public form, where it is plain."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.forms import Form, Symbol

MOST_QUOTIENTS = 4  # powers of one quotient in a form
MOST_TERMS = 200  # of a form that is cleared of its quotients: their number grows with each of them


def sign(form: Form) -> int | None:
    """The sign of a public form where it is plain: parameters are positive, atoms by their function."""
    number = form.value()
    if number is not None:
        return (number > 0) - (number < 0)
    signs = {_term_sign(mono, coefficient) for mono, coefficient in form.terms.items()}
    if len(signs) == 1:
        return signs.pop()
    cleared = _without_quotient(form)
    return None if cleared is None else sign(cleared)


def _without_quotient(form: Form) -> Form | None:
    """The form times a positive sum by which one of its terms is divided; None where there is no such sum."""
    for symbol in sorted(form.symbols()):
        if symbol.kind != "atom" or symbol.name != "inverse" or symbol.of is None or sign(symbol.of) != 1:
            continue
        total, lowest = Form(), min(dict(mono).get(symbol, 0) for mono in form.terms)
        highest = max(dict(mono).get(symbol, 0) for mono in form.terms)
        if lowest < 0 or highest > MOST_QUOTIENTS:
            continue
        for mono, coefficient in form.terms.items():
            rest = dict(mono)
            power = rest.pop(symbol, 0)
            total = total + Form({tuple(rest.items()): coefficient}) * symbol.of.power(highest - power)
            if len(total.terms) > MOST_TERMS:
                return None
        return total
    return None


def _term_sign(mono: Any, coefficient: Fraction) -> int | None:
    result = 1 if coefficient > 0 else -1
    for symbol, power in mono:
        factor = _symbol_sign(symbol)
        if factor is None:
            return None
        if factor < 0 and power % 2:
            result = -result
    return result


def _symbol_sign(symbol: Symbol) -> int | None:
    if symbol.kind == "param":
        return 1  # the symbolic parameters (ε) are positive by declaration
    if symbol.kind != "atom" or symbol.of is None:
        return None
    if symbol.name in ("exp", "sqrt"):
        return 1
    inner = symbol.of.value()
    if symbol.name == "log" and inner is not None and inner != 1:
        return 1 if inner > 1 else -1
    return sign(symbol.of) if symbol.name == "inverse" else None
