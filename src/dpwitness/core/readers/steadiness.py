"""Which public numbers Python's rounding keeps apart from zero, at every value of the parameters.

A number that is read as a formula is exact, and Python's is rounded: ``exp(-10 * eps)`` is 0.0 at ε = 75, and
``(exp(eps) * exp(-eps) - 1) * 1e16`` is 0.0 at ε = 1 and -1.11 at ε = 1.5. No run at a few ε need come across it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol, deep_symbols, floating
from dpwitness.core.readers.shipping import Shipping
from dpwitness.core.readers.signs import sign

Side = tuple[Form, Shipping]
LEFT = 2.0**-26  # of the sizes of two numbers: where less is left of their sum, half of the digits are lost
MODERATE = (0.11, 0.63, 1.07, 1.93, 3.1)  # values of parameters; a sum that cancels at all of them is no number
MOST_POWER = 16  # of ε in a number above 0: doubles hold it wherever 1 + ε is not 1


def unrounded(*sides: Side) -> bool:
    """Whether a test of two public numbers has the same outcome for Python at every value of the parameters.

    ``(1 / eps) * eps < 1`` is never true of exact numbers, and of Python's at ε = 49. Nothing is rounded where both are
    numbers or parameters as they were given; and rounding does not change the sign of a sum of positive terms, one of
    which stays away from zero.
    """
    if not any(ships.varies for _, ships in sides) or all(_as_given(form, ships) for form, ships in sides):
        return True
    (left, _), (right, _) = sides
    zero = any(form.value() == 0 and not ships.varies for form, ships in sides)
    steady = all((ships.steady or _as_given(form, ships)) and not ships.vanishing for form, ships in sides)
    return zero and steady and (left - right).value() is None and sign(left - right) is not None


def _as_given(form: Form, ships: Shipping) -> bool:
    return ships.given or (form.value() is not None and not ships.varies)


def marked(function: Callable[[Any, Any], Any], left: Side, right: Side, form: Form, ships: Shipping) -> Shipping:
    """A result that varies with parameters, with what rounding can do to its sign.

    It has no wrong sign where no difference is taken; and a sum of such numbers vanishes only with all of them.
    """
    gone = [_gone(*side) for side in (left, right)]
    if function in (operator.mul, operator.truediv):
        same, vanishing = True, any(gone) or vanishes(form)
    else:
        one, two = sign(left[0]), sign(right[0])
        known = one is not None and two is not None
        same = known and (one * two >= 0 if function is operator.add else one * two <= 0)  # type: ignore[operator]
        vanishing = all(gone)
    steady = same and all(part.steady or _as_given(form, part) for form, part in (left, right))
    return replace(ships, steady=steady, vanishing=vanishing)


def _gone(form: Form, ships: Shipping) -> bool:
    return form.value() == 0 or ships.vanishing


def marked_function(name: str, inner: Form, before: Shipping, ships: Shipping) -> Shipping:
    """The same of exp, log or sqrt of a number that varies."""
    if name == "exp":
        way = sign(inner)
        stays = (before.steady or _as_given(inner, before)) and way is not None and way >= 0
        return replace(ships, varies=True, steady=True, vanishing=not stays)
    steady = name == "sqrt" and (before.steady or _as_given(inner, before))
    return replace(ships, varies=True, steady=steady, vanishing=not steady or _gone(inner, before))


def vanishes(form: Form) -> bool:
    """Whether each term may become so small, at some value of the parameters, that Python has 0.0 in its place."""
    return not any(_stays(mono) for mono in form.terms)


def _stays(mono: Any) -> bool:
    """Constants, powers of e that grow, and a moderate power of a parameter stay away from 0; so do their products."""
    inverted = 0
    for symbol, power in mono:
        if not any(s.kind == "param" for s in deep_symbols(Form.of_symbol(symbol))):
            continue
        if symbol.kind == "param" and 1 <= power <= MOST_POWER:
            continue
        if symbol.kind == "param" or (power > 0 and symbol.name == "inverse" and _is_linear(symbol.of)):
            inverted += abs(power)
        elif power < 0 or not _grows(symbol):
            return False
    return inverted == 0 or (inverted == 1 and not any(s.name in ("exp", "sqrt") for s, _ in mono))


def _grows(symbol: Symbol) -> bool:
    if symbol.of is None:
        return False
    way = sign(symbol.of)
    return (symbol.name == "exp" and way is not None and way >= 0) or (
        symbol.name == "sqrt" and not vanishes(symbol.of)
    )


def _is_linear(form: Form | None) -> bool:
    """A sum of parameters and constants."""
    return form is not None and all(
        all(symbol.kind == "param" for symbol, _ in mono) and sum(abs(power) for _, power in mono) <= 1
        for mono in form.terms
    )


def check_rest(form: Form, left: Form, right: Form) -> None:
    """Raise where two public numbers cancel whatever the parameters: a factor could make Python's rounding large."""
    for values in _settings((form, left, right), MODERATE):
        size = abs(floating(left, values)) + abs(floating(right, values))
        if abs(floating(form, values)) > LEFT * size:
            return
    raise OutsideFragment(_words(form))


def check_terms(forms: list[Form], floor: float, settings: tuple[float, ...]) -> None:
    """Raise where the public terms of some form cancel so far that rounding shows beside the largest of them all."""
    for values in _settings(forms, settings):
        sums = []
        for form in forms:
            terms = [floating(Form({mono: c}), values) for mono, c in form.terms.items()]
            sums.append((abs(sum(terms)), sum(map(abs, terms)), form))
        largest = max([floor, *(total for total, _, _ in sums)])
        for _, size, form in sums:
            if size * 2.0**-53 > LEFT * largest:
                raise OutsideFragment(_words(form))


def _settings(forms: Any, values: tuple[float, ...]) -> list[Mapping[str, Any]]:
    """The values of open parameters at which forms have doubles as values; one setting where no parameter is open."""
    names = sorted({s.name for form in forms for s in deep_symbols(form) if s.kind == "param"})
    found: list[Mapping[str, Any]] = []
    for value in values if names else (1.0,):
        setting: Mapping[str, Any] = dict.fromkeys(names, Fraction(value))
        try:
            for form in forms:
                floating(form, setting)
        except (ArithmeticError, ValueError):  # doubles end there, for the program too
            continue
        found.append(setting)
    if not found:
        raise OutsideFragment("a public number that has no value in doubles")
    return found


def _words(form: Form) -> str:
    return f"public numbers cancel in {str(form)[:200]}, and what Python's rounding leaves of them would count"


__all__ = ["check_rest", "check_terms", "marked", "marked_function", "unrounded", "vanishes"]
