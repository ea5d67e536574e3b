"""Densities by inversion: a program that turns one uniform draw into its output through a logarithm.

The program is run on unknown records, with exp and log of them kept as atoms. On each branch the output is
:math:`y = c + K \\ln(B + D u)` with u uniform on [0, 1] and c a linear form of the records, so its density is
:math:`\\frac{P[\\text{branch}]}{|D|}\\,\\frac{e^{(y-c)/K}}{|K|}` between the values at u = 0 and u = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.laws import Law
from dpwitness.core.readers.paths import SymbolicRun, unknown_inputs
from dpwitness.core.readers.shipping import Shipping
from dpwitness.core.readers.symbolic import Sym
from dpwitness.core.readers.where import program_code
from dpwitness.proofs.laws.reading import Leaf, explore


class Smooth(Sym):
    """A symbolic number of which exp and log may be taken even where it depends on data or noise."""

    __slots__ = ()

    def _new(self, form: Form, ships: Shipping, way: int | None = None) -> Sym:
        return Smooth(self.run, form, ships, way)

    def apply_function(self, name: str) -> Sym:
        if name not in ("exp", "log"):
            self.run.refuse(f"{name} of a value that depends on the data or on noise")
        return self._new(Form.of_symbol(Symbol("atom", 0, name, self.form)), Shipping(None, "float", rounded=True))


class SmoothRun(SymbolicRun):
    """A run on smooth numbers. Parameters of noise are not checked: where they are wrong the program does not run."""

    def draw(self, law: Law) -> Any:
        value = super().draw(law)
        return Smooth(self, value.form) if isinstance(value, Sym) else value

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        if isinstance(value, Sym):
            return value.form
        return super().check(name, value, above=above, below=below, closed=closed)


@dataclass(frozen=True)
class Branch:
    """Density e^(rate·(y−c))/weight for y between the centre c and `end`."""

    centre: Form
    rate: Fraction
    end: Fraction
    weight: Form


def branches(program: Any, size: int, params: Mapping[str, Any]) -> list[Branch]:
    """The density of the output, branch by branch, or `OutsideFragment`."""
    return [branch_of(leaf) for leaf in smooth_leaves(program, size, params)]


def smooth_leaves(program: Any, size: int, params: Mapping[str, Any]) -> list[Leaf]:
    """Every way through a program of which exp and log of unknown records are kept as atoms."""
    code = program_code(program)

    def start(prefix: Sequence[int], trace: Sequence[Any]) -> SymbolicRun:
        return SmoothRun(prefix, trace, code, None)

    def data(run: SymbolicRun) -> list[Any]:
        return [Smooth(run, Form.of_symbol(x)) for x in unknown_inputs(size)]

    return explore(program, params, start, data, 8)


def branch_of(leaf: Leaf) -> Branch:
    """The density on one way."""
    if leaf.run.conditions or len(leaf.draws) != 1 or len(leaf.values) != 1 or leaf.output != ("slot",):
        raise OutsideFragment("the program does not turn one draw into one number")
    if leaf.draws[0].law != laws.Uniform(Form(), Form.constant(1)):
        raise OutsideFragment("the draw is not uniform on [0, 1]")
    u = leaf.draws[0].symbol
    logs = [s for s in leaf.values[0].symbols() if s.name == "log" and s.of is not None and u in s.of.symbols()]
    if len(logs) != 1 or logs[0].of is None:
        raise OutsideFragment("the output is not a number plus one logarithm of the draw")
    (log,) = logs
    factor = _only_number(_coefficient(leaf.values[0], log)[0])
    centre = _coefficient(leaf.values[0], log)[1]
    slope, base = _coefficient(logs[0].of, u)
    linear_part(centre)
    if not factor or base != Form.constant(1):
        raise OutsideFragment("the logarithm does not start at the centre")
    end = _end(centre, factor, base + slope)
    return Branch(centre, 1 / factor, end, _weight(leaf, -slope) * abs(factor))


def _coefficient(form: Form, symbol: Symbol) -> tuple[Form, Form]:
    """(a, b) with form = a·symbol + b."""
    inside: dict[Any, Fraction] = {}
    rest: dict[Any, Fraction] = {}
    for mono, number in form.terms.items():
        powers = dict(mono)
        power = powers.pop(symbol, 0)
        if power not in (0, 1):
            raise OutsideFragment(f"{form} is not linear in {symbol}")
        (inside if power else rest)[tuple(powers.items())] = number
    return Form(inside), Form(rest)


def linear_part(form: Form) -> tuple[dict[int, Fraction], Fraction]:
    """Coefficients of the records and the constant of a form that is linear in the records, and nothing else."""
    parts = form.linear()
    if parts is None or not parts[0] or any(symbol.kind != "input" for symbol in parts[0]):
        raise OutsideFragment("the centre is not linear in the records")
    return {symbol.index: _only_number(c) for symbol, c in parts[0].items()}, _only_number(parts[1])


def _only_number(form: Form) -> Fraction:
    value = form.value()
    if value is None:
        raise OutsideFragment(f"{form} is not a rational number")
    return Fraction(value)


def _affine(form: Form, centre: Form) -> tuple[Fraction, Fraction] | None:
    """(k, m) with form = k·centre + m, where both are linear in the records; None where it is not so."""
    parts, middle = form.linear(), centre.linear()
    if parts is None or middle is None or not middle[0] or any(s.kind != "input" for s in middle[0]):
        return None
    symbol, scale = next(iter(middle[0].items()))
    below, above = scale.value(), parts[0].get(symbol, Form()).value()
    if below is None or above is None:
        return None
    k = above / below
    m = (form - centre * k).value()
    return None if m is None else (Fraction(k), Fraction(m))


def _end(centre: Form, factor: Fraction, inside: Form) -> Fraction:
    """centre + K·ln(inside) where inside is e^(k·centre + m) and the centre cancels."""
    if len(inside.terms) == 1:
        ((mono, number),) = inside.terms.items()
        symbol, power = mono[0] if len(mono) == 1 else (None, 0)
        plain = symbol is not None and symbol.name == "exp" and power == 1 and number == 1
        if plain and symbol is not None and symbol.of is not None:
            found = _affine(symbol.of, centre)
            if found is not None and 1 + factor * found[0] == 0:
                return factor * found[1]
    raise OutsideFragment("the far end of a branch depends on the data")


def _weight(leaf: Leaf, size: Form) -> Form:
    """The S with P[branch] = size/S: the probability u + v·(1/S) of the branch satisfies u·S + v = size."""
    chance = Form.constant(1)
    for law, pick in leaf.run.choices:
        if not isinstance(law, laws.Bernoulli):
            raise OutsideFragment("a choice that is not a coin")
        p = law.p if isinstance(law.p, Form) else Form.constant(Fraction(law.p))
        chance = chance * (p if pick == 0 else 1 - p)
    for symbol in sorted(chance.symbols()):
        if symbol.name == "inverse" and symbol.of is not None:
            v, u = _coefficient(chance, symbol)
            if u * symbol.of + v == size:
                return symbol.of
    raise OutsideFragment("the probability of a branch is not its share of a total")
