"""Formulas of the kernel as sympy expressions and back. sympy simplifies and displays; it never decides."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.limits import time_limit
from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided

if TYPE_CHECKING:
    import sympy

PATIENCE = 4.0  # seconds that sympy may take for one formula
_FUNCTIONS = {
    "exp": "exp", "log": "log", "sqrt": "sqrt", "Abs": "Abs", "sign": "sign", "erf": "erf", "erfc": "erfc",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "atan": "atan", "Min": "Min", "Max": "Max",
}  # fmt: skip


def to_sympy(expr: Expr, symbols: Mapping[str, Any] | None = None) -> sympy.Expr:
    """A formula as an exact sympy expression; names are positive symbols, z is a real one.

    >>> str(to_sympy(parse("exp(-z/b)")))
    'exp(-z/b)'
    """
    import sympy

    if expr.op == "num":
        return sympy.Rational(expr.value.numerator, expr.value.denominator)
    if expr.op == "var":
        return (symbols or {}).get(expr.name) or symbol(expr.name)
    if expr.op in ("pi", "E"):
        return sympy.pi if expr.op == "pi" else sympy.E
    args = [to_sympy(a, symbols) for a in expr.args]
    if expr.op in ("+", "-", "*", "/", "**"):
        a, b = args
        done = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "**": lambda: a**b}
        return done[expr.op]()
    if expr.op in ("neg", "pos"):
        return -args[0] if expr.op == "neg" else args[0]
    if expr.op not in _FUNCTIONS:
        raise Undecided(f"{expr.op} has no sympy form here")
    return getattr(sympy, _FUNCTIONS[expr.op])(*args)


@lru_cache(maxsize=200)
def symbol(name: str) -> Any:
    """The symbol of a name: real for z, positive for parameters."""
    import sympy

    return sympy.Symbol(name, real=True) if name in ("z", "t") else sympy.Symbol(name, positive=True)


def from_sympy(value: Any) -> str:
    """A sympy expression as text that the kernel's parser reads; what it cannot say raises `BadInput`.

    >>> from_sympy(to_sympy(parse("1/(1+Abs(z)**4)")))
    '1/(z**4 + 1)'
    """
    import sympy

    if isinstance(value, sympy.Rational):
        return str(Fraction(int(value.p), int(value.q))) if value >= 0 else f"({Fraction(int(value.p), int(value.q))})"
    if isinstance(value, sympy.Symbol):
        return str(value.name)
    if value in (sympy.pi, sympy.E):
        return "pi" if value == sympy.pi else "E"
    if isinstance(value, sympy.Add):
        first, *rest = _in_order(value)
        parts = [(" - ", -a) if a.could_extract_minus_sign() else (" + ", a) for a in rest]
        return from_sympy(first) + "".join(
            sign + (f"({from_sympy(a)})" if sign == " - " and isinstance(a, sympy.Add) else from_sympy(a))
            for sign, a in parts
        )
    if isinstance(value, sympy.Mul):
        top, bottom = value.as_numer_denom()
        if bottom != 1:
            below = from_sympy(bottom)
            plain = isinstance(bottom, sympy.Symbol | sympy.Integer)
            return f"{_wrapped(top, sympy.Mul)}/{below if plain else f'({below})'}"
        c, rest = value.as_coeff_Mul()
        if c == -1:
            return f"-{_wrapped(rest, sympy.Mul)}"
        return "*".join(_wrapped(a, sympy.Mul) for a in value.as_ordered_factors())
    if isinstance(value, sympy.exp):
        return f"exp({from_sympy(value.args[0])})"
    if isinstance(value, sympy.Pow):
        base, power = value.args
        if power == sympy.Rational(1, 2):
            return f"sqrt({from_sympy(base)})"
        if power.could_extract_minus_sign():
            below = value**-1
            return (
                f"1/{from_sympy(below)}" if isinstance(below, sympy.Symbol | sympy.Pow) else f"1/({from_sympy(below)})"
            )
        text = from_sympy(power)
        return f"{_wrapped(base, sympy.Pow)}**{text if text.isalnum() else f'({text})'}"
    name = type(value).__name__
    if name == "Heaviside":
        return f"(1 + sign({from_sympy(value.args[0])}))/2"
    if name == "asinh":
        x = from_sympy(value.args[0])
        return f"log({x} + sqrt(({x})**2 + 1))"
    if name not in _FUNCTIONS.values():
        raise BadInput(f"{str(value)[:60]!r} is not a formula of numbers, names and known functions")
    return f"{name}({', '.join(from_sympy(a) for a in value.args)})"


def _in_order(value: Any) -> list[Any]:
    terms = value.as_ordered_terms()
    return sorted(terms, key=lambda t: bool(t.could_extract_minus_sign()))


def _wrapped(value: Any, outer: Any) -> str:
    import sympy

    text = from_sympy(value)
    loose = isinstance(value, sympy.Add) or (
        outer is sympy.Pow and (not isinstance(value, sympy.Symbol | sympy.Integer) or value.could_extract_minus_sign())
    )
    loose = loose and outer is not sympy.Add
    loose = loose or (
        (outer is not sympy.Add and isinstance(value, sympy.Rational) and not isinstance(value, sympy.Integer))
        and not text.startswith("(")
    )
    if outer is sympy.Pow and isinstance(value, sympy.Function) and not isinstance(value, sympy.exp):
        loose = False
    return f"({text})" if loose else text


def simplified(text: str) -> str:
    """A shorter formula where sympy finds one in time; the text itself where it does not.

    >>> simplified("b**(-1)*Delta")
    'Delta/b'
    """
    try:
        with time_limit(PATIENCE, "the simplification of a formula"):
            found = _simplified(to_sympy(parse(text)))
            shown = from_sympy(found)
            parse(shown)
            return shown
    except (ProgramTimeout, Undecided, Rejected, BadInput, RecursionError):
        return text
    except Exception:  # sympy raises errors of many kinds; the formula stays as it was
        return text


def _simplified(value: Any) -> Any:
    import sympy

    if value.has(sympy.Max, sympy.Min):
        return value
    if not value.has(sympy.log):
        return _nice(value)
    value = sympy.expand(sympy.expand_log(value))
    logs = sorted(value.atoms(sympy.log), key=str)
    parts = sympy.collect(value, logs, evaluate=False)
    groups: list[list[Any]] = []  # a coefficient, and the product of what its logarithms hold
    for one in logs:
        c = sympy.factor(parts.pop(one, 0))
        for group in groups:
            ratio = sympy.cancel(c / group[0])
            if ratio.is_Rational:
                group[1] *= one.args[0] ** ratio
                break
        else:
            groups.append([c, one.args[0]])
    rest = _nice(parts.pop(sympy.S.One, sympy.S.Zero))
    if parts or any(sympy.expand(c).has(sympy.log) for c, _ in groups):
        return value
    for c, inner in groups:
        u = _nice(inner)
        size = u.subs({x: sympy.Rational(7 + i, 10) for i, x in enumerate(sorted(u.free_symbols, key=str))})
        if (c.could_extract_minus_sign() and size.is_comparable) or (size.is_comparable and size < 1):
            c, u = -c, _nice(1 / u)  # noqa: PLW2901
        rest += c * _inverse_sinh(u)
    return rest


def _nice(value: Any) -> Any:
    import sympy

    found = sympy.simplify(sympy.powsimp(value))
    top, bottom = sympy.fraction(sympy.together(found))
    if bottom.could_extract_minus_sign():
        found = sympy.expand(-top) / sympy.expand(-bottom) if len(top.args) < 6 else (-top) / (-bottom)
    return found


def _inverse_sinh(u: Any) -> Any:
    """ln u, as asinh x where u = x + √(1 + x²) with x free of roots of sums."""
    import sympy

    power = sympy.Integer(1)
    if isinstance(u, sympy.Pow) and u.args[1].is_Integer:
        u, power = u.args
    if any(isinstance(p.args[0], sympy.Add) and p.args[1] == sympy.Rational(1, 2) for p in u.atoms(sympy.Pow)):
        x = sympy.simplify(sympy.radsimp((u - 1 / u) / 2))
        if not any(isinstance(p.args[0], sympy.Add) for p in x.atoms(sympy.Pow)):
            return power * sympy.asinh(x)
    return power * sympy.log(u)


def latex(text: str) -> str:
    """LaTeX of a formula.

    >>> latex("Delta/b")
    '\\\\frac{\\\\Delta}{b}'
    """
    import sympy

    try:
        with time_limit(PATIENCE, "the display of a formula"):
            value = to_sympy(parse(text)).replace(sympy.log, _inverse_sinh)
            names = {symbol("lam"): r"\lambda", symbol("eps"): r"\varepsilon"}
            return str(sympy.latex(value, ln_notation=True, symbol_names=names))
    except Exception:  # what sympy cannot show is shown as it was written
        return rf"\mathtt{{{text.replace('_', chr(92) + '_')}}}"


def pretty(text: str) -> str:
    """The formula on one line for a terminal, with asinh where that is meant."""
    import sympy

    try:
        with time_limit(PATIENCE, "the display of a formula"):
            value = to_sympy(parse(text)).replace(sympy.log, _inverse_sinh)
            return str(value)
    except Exception:
        return text
