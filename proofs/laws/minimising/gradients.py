"""Reading a program that releases a minimiser: its gradient as an exact formula in records, point and noise.

The program is run once, on unknown records. Every test of what is not public is refused, and so is every draw but one
spherical vector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import DPWitnessError, OutsideFragment, ProgramFailed
from dpwitness.core.forms import Form, Symbol, deep_symbols
from dpwitness.core.functions import exact_form, invert
from dpwitness.core.laws import Law
from dpwitness.core.minimising import Term, ordered, trace
from dpwitness.core.readers.outputs import take_apart
from dpwitness.core.readers.shipping import Shipping
from dpwitness.core.readers.symbolic import Op, Sym, settle
from dpwitness.core.readers.where import program_code
from dpwitness.proofs.laws.reading import PublicRun


class Known(Sym):
    """A symbolic number that leaves arithmetic with the unknown of a gradient to the latter."""

    __slots__ = ()

    def _new(self, form: Form, ships: Shipping, way: int | None = None) -> Sym:
        return Known(self.run, form, ships, way)

    def __add__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Term) else super().__add__(other)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Term) else super().__sub__(other)

    def __mul__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Term) else super().__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Term) else super().__truediv__(other)


class MinimiserRun(PublicRun):
    """A run that keeps the gradients and the spherical noise of a program; it takes no test and no other draw."""

    def __init__(self, code: Any) -> None:
        super().__init__((), (), code, None)
        self.gradients: list[list[Form]] = []
        self.spheres: list[tuple[int, Form]] = []

    def draw(self, law: Law) -> Any:
        self.refuse(f"{law.name} noise beside a minimiser")

    def decide(self, form: Form, op: Op) -> bool:
        if form.private:
            self.refuse("a test of the data, of the noise or of a minimiser")
        return super().decide(form, op)

    def argmax(self, values: Sequence[Any]) -> Any:
        self.refuse("a selection beside a minimiser")

    def spherical(self, dimension: int, scale: Any) -> list[Any]:
        width = self.check("scale", scale, above=0)
        self.spheres.append((dimension, width))
        return self._unknown("b", len(self.spheres), dimension)

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        self.gradients.append(as_forms(trace(gradient, size)))  # now: terms could be changed later
        return self._unknown("f", len(self.gradients), size)

    def _unknown(self, name: str, number: int, size: int) -> list[Any]:
        return [Known(self, Form.of_symbol(unknown(name, k, number))) for k in range(size)]


def entry(i: int, width: int, k: int) -> Symbol:
    """Number k of record i."""
    return Symbol("input", i * width + k, f"x{i}.{k}")


def unknown(name: str, k: int, number: int = 1) -> Symbol:
    """Coordinate k of the n-th minimiser (name f) or of the n-th noise vector (name b)."""
    return Symbol("draw", k, f"{name}{number}.{k}")


@dataclass(frozen=True)
class Equation:
    """What one run stated: a gradient in f and b as forms, where the noise stands, and its scale."""

    gradient: tuple[Form, ...]
    outside: bool
    scale: Form


def read_equation(program: Callable[..., Any], data: Sequence[Any], params: Mapping[str, Any]) -> Equation:
    """Run the program on records of forms; `OutsideFragment` where it does not release one minimiser with noise."""
    run = MinimiserRun(program_code(program))

    def known(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(known, value))
        return Known(run, value if isinstance(value, Form) else Form.constant(value))

    try:
        named = {name: known(value) for name, value in params.items()}
        raw = settle(program(run, [known(record) for record in data], **named))
        output, slots = take_apart(raw, lambda x: isinstance(x, Sym))
    except DPWitnessError:
        raise
    except Exception as error:
        raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
    if len(run.gradients) != 1 or len(run.spheres) != 1:
        raise OutsideFragment("the program does not state one minimiser and draw one spherical vector")
    forms, (dimension, scale) = run.gradients[0], run.spheres[0]
    size = len(forms)
    if output[0] not in ("list", "tuple") or list(output[1:]) != [("slot",)] * size or dimension != size:
        raise OutsideFragment("the output is not one point, with noise in every coordinate")
    noisy = any(unknown("b", k) in deep_symbols(form) for form in forms for k in range(size))
    for k, slot in enumerate(slots):
        if slot.form != Form.of_symbol(unknown("f", k)) + (0 if noisy else Form.of_symbol(unknown("b", k))):
            raise OutsideFragment("the output is not the minimiser itself, with noise added once")
    return Equation(tuple(forms), not noisy, scale)


def as_forms(terms: Sequence[Term]) -> list[Form]:
    """Terms as exact forms; exp of the unknown point, and 1/… of what contains it, are kept as atoms."""
    found: dict[int, Form] = {}
    for term in ordered(terms):
        parts = [found[id(part)] for part in term.args]
        found[id(term)] = _form(term, parts)
    return [found[id(term)] for term in terms]


def _form(term: Term, parts: Sequence[Form]) -> Form:
    if term.op == "unknown":
        return Form.of_symbol(unknown("f", term.value))
    if term.op == "given":
        form = term.value.form if isinstance(term.value, Sym) else exact_form(term.value)
        if form is None:
            raise OutsideFragment(f"a gradient with a {type(term.value).__name__} in it")
        return form
    if term.op in ("+", "-", "*"):
        return parts[0] + parts[1] if term.op == "+" else parts[0] - parts[1] if term.op == "-" else parts[0] * parts[1]
    if term.op == "/":
        return parts[0] * invert(parts[1])
    if term.op == "exp":
        return exponential(parts[0])
    if term.op == "logistic":
        return invert(1 + exponential(-parts[0]))
    raise OutsideFragment(f"{term.op} in a gradient")


def exponential(form: Form) -> Form:
    """e to the power of a form, as an atom."""
    return Form.of_symbol(Symbol("atom", 0, "exp", form))


def specialise(form: Form, values: Mapping[Symbol, Fraction]) -> Form:
    """Replace inputs by numbers, in the arguments of atoms as well."""
    total = Form()
    for mono, number in form.terms.items():
        term = Form.constant(number)
        for symbol, power in mono:
            if symbol in values:
                term = term * Form.constant(values[symbol]).power(power)
            elif symbol.of is None:
                term = term * Form({((symbol, power),): Fraction(1)})
            else:
                inner = specialise(symbol.of, values)
                atom = invert(inner) if symbol.name == "inverse" else Form.of_symbol(symbol._replace(of=inner))
                base = atom if power > 0 else invert(atom)
                term = term * base.power(abs(power))
        total = total + term
    return total
