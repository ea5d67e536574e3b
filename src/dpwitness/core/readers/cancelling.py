"""How large draws, data and parameters are that cancel in a sum: Python's rounding is as large as they allow.

``(q + far) - far`` is q for real numbers. Where the draw `far` has a scale of 10¹⁶ it is a multiple of 2 for Python,
and so is what is left of q. No run shows it, since a difference that is small beside the draws of a run passes for
rounding.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.core import laws
from dpwitness.core.forms import Form, Monomial, deep_symbols, floating
from dpwitness.core.laws import Law

if TYPE_CHECKING:
    from dpwitness.core.readers.paths import SymbolicRun

FAR = 2.0**6  # a draw is hardly ever so many times larger than the spread of its law
SETTINGS = (2.0**-10, 1.0, 2.0**10)  # values of open parameters: scales of 1/ε stay moderate, those of ε⁻¹² do not
LIGHT = (
    laws.Laplace, laws.Exponential, laws.Gaussian, laws.Gumbel, laws.Gamma, laws.Staircase, laws.TruncatedLaplace,
    laws.DiscreteLaplace, laws.DiscreteGaussian, laws.Poisson, laws.NegativeBinomial,
)  # fmt: skip


def largest_cancelled(left: Form, right: Form, form: Form, run: SymbolicRun) -> float:
    """The size of the largest term of two numbers of which their sum or difference has less than half.

    Plain constants are left out: their sizes are kept where they are added.
    """
    largest = 0.0
    for mono in {**left.terms, **right.terms}:
        size = max(abs(left.terms.get(mono, Fraction(0))), abs(right.terms.get(mono, Fraction(0))))
        if mono and 2 * abs(form.terms.get(mono, Fraction(0))) < size:
            largest = max(largest, _size({mono: size}, run))
    return largest


def usual_size(run: SymbolicRun, mono: Monomial, number: Fraction) -> float:
    """How large a term with draws is where the parameters have their values; infinity where that is not known.

    What is lost beside a constant is little or much beside the noise, however large the constant is.
    """
    symbols = {symbol for symbol, _ in mono}
    drawn = {draw.symbol.index: draw.law for draw in run.draws if draw.symbol in symbols}
    if not drawn:
        return math.inf
    try:
        return _at(Form({mono: abs(number)}), drawn, run.params)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        return math.inf


def _size(terms: Mapping[Monomial, Fraction], run: SymbolicRun) -> float:
    """How large a term is, at the worst of some values of the open parameters; infinity where that is not known."""
    symbols = {symbol for mono in terms for symbol, _ in mono}
    drawn = {draw.symbol.index: draw.law for draw in run.draws if draw.symbol in symbols}
    forms = [Form(terms), *(p for law in drawn.values() for p in law.params().values() if isinstance(p, Form))]
    names = {s.name for form in forms for s in deep_symbols(form) if s.kind == "param"}
    try:
        return max(_at(Form(terms), drawn, dict.fromkeys(names, value)) for value in (SETTINGS if names else (1.0,)))
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return math.inf


def _at(term: Form, drawn: Mapping[int, Law], params: Mapping[str, Any]) -> float:
    ones = defaultdict[int, float](lambda: 1.0)
    draws = {index: _far(law, params, ones) for index, law in drawn.items()}
    return abs(float(floating(term, params, ones, draws)))


def _far(law: Law, params: Mapping[str, Any], inputs: Mapping[int, float]) -> float:
    """A number that a draw hardly ever exceeds."""
    values = {name: floating(p, params, inputs) if isinstance(p, Form) else p for name, p in law.params().items()}
    if isinstance(law, laws.Uniform):
        return max(abs(float(values["low"])), abs(float(values["high"])))
    return FAR * type(law)(**values).spread() if isinstance(law, LIGHT) else math.inf


__all__ = ["largest_cancelled", "usual_size"]
