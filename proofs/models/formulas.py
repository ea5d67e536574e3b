"""Forms as numbers: exact where they are rational, doubles where they hold exp, log or sqrt."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.coexecution.rounding import Rounding, Term
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Monomial, Symbol
from dpwitness.core.laws import Law
from dpwitness.core.readers.outputs import Skeleton
from dpwitness.proofs.models.nodes import output_of

Value = Fraction | float
Lookup = Callable[[Symbol], Value]


def lookup(inputs: Sequence[Any], draws: Sequence[Any], params: Mapping[str, Any]) -> Lookup:
    """What the symbols of a form stand for in one run."""

    def value(symbol: Symbol) -> Value:
        if symbol.kind == "input":
            return Fraction(inputs[symbol.index])
        if symbol.kind == "draw":
            return Fraction(draws[symbol.index])
        if symbol.kind == "param":
            return Fraction(params[symbol.name])
        assert symbol.of is not None
        inner = evaluate(symbol.of, value)
        if symbol.name == "inverse":
            return 1 / inner
        functions: dict[str, Callable[[float], float]] = {"exp": math.exp, "log": math.log, "sqrt": math.sqrt}
        if symbol.name not in functions:
            raise OutsideFragment(f"{symbol.name} has no value")
        return functions[symbol.name](float(inner))

    return value


def evaluate(form: Form, value: Lookup) -> Value:
    """The value of a form.

    >>> evaluate(Form.constant(Fraction(1, 3)), lookup((), (), {}))
    Fraction(1, 3)
    """
    exact, rest = Fraction(0), 0.0
    for mono, number in form.terms.items():
        term = number * monomial(mono, value)
        if isinstance(term, Fraction):
            exact += term
        else:
            rest += term
    return exact if not rest else float(exact) + rest


def monomial(mono: Monomial, value: Lookup) -> Value:
    """The value of a monomial."""
    result: Value = Fraction(1)
    for symbol, power in mono:
        result = result * value(symbol) ** power
    return result


def sign(form: Form, value: Lookup, tests: Rounding) -> int:
    """The sign of a form in one run."""
    atoms = any(symbol.kind == "atom" for symbol in form.symbols())
    terms: list[Term] = [(number, monomial(mono, value)) for mono, number in form.terms.items()]
    found = tests.sign(terms, exact=not atoms and not any(s.kind == "draw" for s in form.symbols()))
    if atoms and found == 0:
        tests.doubt = True
    return found


def law_at(law: Law, value: Lookup) -> Law:
    """A law whose parameters are forms, with their values."""

    def one(item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple(one(x) for x in item)
        return evaluate(item, value) if isinstance(item, Form) else item

    return type(law)(*(one(item) for item in law.params().values()))


def output_at(skeleton: Skeleton, values: Sequence[Form], value: Lookup) -> Any:
    """An output with the values of its slots; a slot without draws and inputs is computed all the same."""
    return output_of(skeleton, (evaluate(form, value) for form in values))
