r"""Taking a gradient apart: :math:`\sum_i \varphi(v_i\cdot f)\,v_i + R f + b`.

Every record i must enter through one function φ of one linear form of f, along the coefficients :math:`v_i` of that
form, which are the same polynomials of every record; besides there are R·f and the noise, coordinate by coordinate.
Whatever does not fit is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Monomial, Symbol, deep_symbols
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.laws.minimising.gradients import Equation, entry, unknown


@dataclass(frozen=True)
class Field:
    """``Σ φ(v_i·f) v_i + R f + b``: φ as text in m, v as polynomials of the numbers of one record."""

    slope: str
    vector: tuple[Form, ...]
    ridge: Form

    def at(self, record: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """The vector of a record."""
        return tuple(Fraction(form.evaluate(lambda s: record[s.index])) for form in self.vector)


def read_field(equation: Equation, records: int, width: int) -> Field:
    """The equation in the form that the kernel knows, scaled so that the noise has factor 1."""
    d = len(equation.gradient)
    parts = [_split(form, width) for form in equation.gradient]
    ridge, factor = parts[0].points.get(0), parts[0].noises.get(0)
    for j, part in enumerate(parts):
        if set(part.points) != {j} or not set(part.noises) <= {j}:
            raise OutsideFragment("a coordinate of the gradient holds another coordinate of the point or of the noise")
        if part.points[j] != ridge or part.noises.get(j) != factor:
            raise OutsideFragment("the coordinates of the point or of the noise do not enter alike")
    unit = Fraction(1) if equation.outside else factor.value() if factor is not None else None
    if ridge is None or unit is None or unit <= 0 or any(set(p.records) != set(range(records)) for p in parts):
        raise OutsideFragment("the equation lacks a record, the point or the noise")
    found = [_record([p.records[i] for p in parts], i, width, d, 1 / unit) for i in range(records)]
    if any(one != found[0] for one in found):
        raise OutsideFragment("the records do not enter alike")
    slope, vector = found[0]
    return Field(slope, vector, ridge * (1 / unit))


@dataclass(frozen=True)
class _Parts:
    """One coordinate of a gradient: public factors of f_k and b_k, and what each record adds, by its atoms."""

    points: dict[int, Form]
    noises: dict[int, Form]
    records: dict[int, dict[Monomial, Form]]


def _split(form: Form, width: int) -> _Parts:
    parts = _Parts({}, {}, {})
    for mono, number in form.terms.items():
        public = tuple((s, p) for s, p in mono if not _private(s))
        atoms = tuple((s, p) for s, p in mono if _private(s) and s.of is not None)
        inputs = tuple((s, p) for s, p in mono if s.kind == "input")
        draws = [(s, p) for s, p in mono if s.kind == "draw"]
        factor = Form({public: number})
        if not atoms and not inputs and len(draws) == 1 and draws[0][1] == 1:
            symbol, k = draws[0][0], draws[0][0].index
            if symbol not in (unknown("f", k), unknown("b", k)):
                raise OutsideFragment(f"{symbol} is neither the point nor the noise of the equation")
            kind = parts.points if symbol == unknown("f", k) else parts.noises
            kind[k] = kind.get(k, Form()) + factor
            continue
        within = {s.index // width for s in deep_symbols(Form({atoms + inputs: Fraction(1)})) if s.kind == "input"}
        if not atoms or draws or len(within) != 1:
            raise OutsideFragment(f"{Form({mono: number})} is not what one record adds to a gradient")
        added = parts.records.setdefault(within.pop(), {})
        added[atoms] = added.get(atoms, Form()) + Form({inputs: Fraction(1)}) * factor
    return parts


def _private(symbol: Symbol) -> bool:
    return symbol.private or (symbol.of is not None and any(s.private for s in deep_symbols(symbol.of)))


def _record(
    added: Sequence[Mapping[Monomial, Form]], i: int, width: int, d: int, factor: Fraction
) -> tuple[str, tuple[Form, ...]]:
    """φ and v of one record, in the numbers of that record."""
    vector = _margin(added[0], d)
    texts = []
    for atoms in sorted(set().union(*added)):
        kappa = _ratio([part.get(atoms, Form()) for part in added], vector)
        texts.append(f"({kappa * factor})*{_text(Form({atoms: Fraction(1)}), vector)}")
    renamed = {entry(i, width, k): Form.of_symbol(entry(0, width, k)) for k in range(width)}
    return str(parse(" + ".join(texts), frozenset(("m",)))), tuple(form.substitute(renamed) for form in vector)


def _margin(added: Mapping[Monomial, Form], d: int) -> list[Form]:
    """The coefficients v of the linear form of f in the first exponential."""
    powers = sorted({s for atoms in added for s in deep_symbols(Form({atoms: Fraction(1)})) if s.name == "exp"})
    powers = [s for s in powers if s.of is not None and _private(s)]
    if not powers or powers[0].of is None:
        raise OutsideFragment("no exponential of the unknown point")
    return _linear(powers[0].of, d)


def _linear(form: Form, d: int) -> list[Form]:
    """The coefficients of a form that is linear in the point f, with polynomials of one record as coefficients."""
    found = [Form() for _ in range(d)]
    for mono, number in form.terms.items():
        points = [(s, p) for s, p in mono if s.kind == "draw"]
        rest = tuple((s, p) for s, p in mono if s.kind == "input")
        if (
            len(points) != 1
            or points[0][1] != 1
            or points[0][0] != unknown("f", points[0][0].index)
            or len(rest) + 1 != len(mono)
        ):
            raise OutsideFragment(f"exp({form}) is not an exponential of one linear form of the point")
        k = points[0][0].index
        found[k] = found[k] + Form({rest: number})
    return found


def _ratio(forms: Sequence[Form], vector: Sequence[Form]) -> Fraction:
    """The rational κ with forms = κ·vector."""
    for form, part in zip(forms, vector, strict=True):
        for mono, number in part.terms.items():
            kappa = form.terms.get(mono, Fraction(0)) / number
            if all(f == v * kappa for f, v in zip(forms, vector, strict=True)):
                return kappa
            raise OutsideFragment("a record does not pull along the vector of its own margin")
    raise OutsideFragment("a margin that is always zero")


def _text(form: Form, vector: Sequence[Form]) -> str:
    """A form of atoms of one record, in m = v·f."""
    parts = []
    for mono, number in form.terms.items():
        factors = [f"({number})"]
        for symbol, power in mono:
            if symbol.of is None or power < 1:
                raise OutsideFragment(f"{form} is not a function of one margin")
            if symbol.name == "inverse":
                factors.append(f"(1/({_text(symbol.of, vector)}))**{power}")
            elif symbol.name == "exp":
                factors.append(f"exp(({_ratio(_linear(symbol.of, len(vector)), vector)})*m)**{power}")
            else:
                raise OutsideFragment(f"{symbol.name} of a margin")
        parts.append("*".join(factors))
    return " + ".join(sorted(parts)) or "0"
