"""Paths of a symbolic run as one decision tree in the kernel's format, with ε eliminated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from math import isfinite, isqrt
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Monomial, Symbol
from dpwitness.core.identity import constant, constant_value
from dpwitness.core.laws import Law
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.paths import Path, PathTable, SymbolicRun
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, show
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.laws.formulas import formula
from dpwitness.proofs.programs.pruning import Pruner


class NotHomogeneous(Exception):
    """ε does not cancel: the program must be read at one value of ε."""


def _power(mono: Monomial) -> int | None:
    """The power of ε of a public monomial, None where other symbols occur."""
    if not mono:
        return 0
    ((symbol, power),) = mono if len(mono) == 1 else ((None, 0),)
    return power if symbol is not None and symbol.kind == "param" else None


def _term(form: Form) -> tuple[Fraction, int] | None:
    """(c, p) of a form c·ε^p."""
    if len(form.terms) != 1:
        return None
    ((mono, number),) = form.terms.items()
    power = _power(mono)
    return None if power is None else (number, power)


def _roots(form: Form) -> Form:
    """The form with square roots of rational squares, such as sqrt(4), replaced by their values."""
    values: dict[Symbol, Fraction | Form] = {}
    for symbol in form.symbols():
        inner = symbol.of.value() if symbol.name == "sqrt" and symbol.of is not None else None
        if inner is not None and inner > 0:
            root = Fraction(isqrt(inner.numerator), isqrt(inner.denominator))
            if root * root == inner:
                values[symbol] = root
    return form.substitute(values) if values else form


class Builder:
    """Collects paths into one tree."""

    def __init__(
        self,
        queries: int,
        symbolic: Sequence[str],
        cuts: Pruner | None,
        laws: Collection[str],
        where: Callable[[Path], int | None] = lambda path: None,
    ) -> None:
        self.queries, self.symbolic, self.cuts, self.laws, self.where = queries, symbolic, cuts, laws, where
        self.tables: dict[str, dict[Any, int]] = {"d": {}, "t": {}, "m": {}, "c": {}, "o": {}}
        self.public: dict[Monomial, str] = {}
        self.laws_of: dict[tuple[str, ...], Law] = {}  # choices with weights that are not rational

    def build(self, raw: PathTable) -> dict[str, Any]:
        root: list[Any] = [None]
        for path in raw.paths:
            self._insert(root, path)
        if self.cuts is not None:
            self.cuts.fill(root, self.tables)
        entries = {kind: list(table) for kind, table in self.tables.items()}
        return {
            "queries": self.queries,
            "unit": "eps" if self.symbolic else "1",
            "draws": [list(entry) for entry in entries["d"]],
            "tests": [list(entry) for entry in entries["t"]],
            "maxima": [list(entry) for entry in entries["m"]],
            "choices": [list(entry) for entry in entries["c"]],
            "outputs": [plain_output(entry) for entry in entries["o"]],
            "nodes": root[0],
        }

    def look(self, run: SymbolicRun) -> None:
        """Raise where a run has a draw or a test that no tree can hold."""
        for draw in run.draws:
            self._law(draw.law, draw.line)
        for condition in run.conditions:
            self.row(condition.form, line=condition.line)

    def _number(self, kind: str, entry: Any) -> str:
        table = self.tables[kind]
        return f"{kind}{table.setdefault(entry, len(table))}"

    def _insert(self, root: list[Any], path: Path) -> None:
        spot, place = root, 0
        answers = iter(path.answers)
        lines = [draw.line for draw in path.draws]
        asked = [condition.line for condition in path.conditions]
        drawn = tested = 0
        for step in path.trace:
            width = 1
            if step[0] == "draw":
                head = self._number("d", self._law(step[1], lines[drawn]))
                drawn += 1
            elif step[0] == "if":
                head, width = self._number("t", (show(self.row(step[1], line=asked[tested])), step[2])), 2
                tested += 1
            elif step[0] == "argmax":
                line = asked[tested] if len(step[1]) > 1 else None
                head, width = self._number("m", self._argmax(step[1], line)), len(step[1])
                tested += len(step[1]) - 1
            else:
                weights = _weights(step[1], bool(self.symbolic))
                head, width = self._number("c", weights), len(weights)
                if any(text.startswith("?") for text in weights):
                    self.laws_of[weights] = step[1]
            if spot[place] is None:
                spot[place] = [head, *[None] * width]
            assert spot[place][0] == head
            spot, place = spot[place], 1 + (next(answers) if step[0] != "draw" else 0)
        if any(path.kinds):
            raise OutsideFragment("integers that are released as another type of number", self.where(path))
        slots = iter(path.values)
        values: list[str] = []
        try:
            skeleton = self._skeleton(path.output, slots, values)
        except OutsideFragment as error:
            raise OutsideFragment(error.reason, self.where(path)) from None
        spot[place] = [self._number("o", skeleton), *values]

    def _skeleton(self, part: Any, slots: Any, values: list[str]) -> Any:
        """Slots whose value is a number are constants."""
        if part[0] == "slot":
            form = next(slots)
            number = form.value()
            if number is not None:
                return constant(Exact(number))
            values.append(show(self.row(form, exact=True)))
            return part
        if part[0] == "const":
            if part[1] == "float" and not isfinite(constant_value(part)):
                raise OutsideFragment(f"no proof rule for outputs that hold {part[2]}")
            return part
        return part[0], *(self._skeleton(p, slots, values) for p in part[1:])

    def _law(self, law: Law, line: int | None) -> tuple[str, str]:
        if law.name not in self.laws:
            raise OutsideFragment(f"no proof rule for {law.name} noise", line)
        scale = law.params()["std" if law.name == "gaussian" else "scale"]
        term = _term(_roots(scale))
        if term is None:
            raise NotHomogeneous if self.symbolic else OutsideFragment(f"the scale {scale} is not rational", line)
        if term[1] != (-1 if self.symbolic else 0):
            raise NotHomogeneous
        return law.name, str(term[0])

    def _argmax(self, forms: Sequence[Form], line: int | None) -> tuple[str, ...]:
        return tuple(show(self.row(form, exact=True, line=line)) for form in forms)

    def row(self, form: Form, *, exact: bool = False, line: int | None = None) -> dict[str, Fraction]:
        """A form divided by a positive power of ε so that draws and answers have rational coefficients.

        `line` is where the program asked for it, for the error where that cannot be done.
        """
        parts = _roots(form).linear()
        if parts is None:
            raise OutsideFragment(f"not linear in draws and answers: {form}", line)
        coefficients, rest = parts
        result: dict[str, Fraction] = {}
        powers = set()
        for symbol, factor in coefficients.items():
            term = _term(factor)
            if term is None:
                words = f"the coefficient {factor} is not rational"
                raise NotHomogeneous if self.symbolic else OutsideFragment(words, line)
            powers.add(term[1])
            result[("n" if symbol.kind == "draw" else "q") + str(symbol.index)] = term[0]
        if len(powers) > 1 or (exact and powers - {0}):
            raise NotHomogeneous
        shift = powers.pop() if powers else 0
        for mono, number in rest.terms.items():
            power = _power(mono)
            name = self._public(mono, shift) if power is None or power - shift not in (0, -1) else (
                ONE if power == shift else UNIT
            )  # fmt: skip
            result[name] = result.get(name, Fraction(0)) + number
        return {name: value for name, value in result.items() if value}

    def _public(self, mono: Monomial, shift: int) -> str:
        if shift:
            raise NotHomogeneous
        return self.public.setdefault(mono, f"w{len(self.public)}")


def _weights(law: Law, symbolic: bool) -> tuple[str, ...]:
    """Weights of a finite law as text: numbers, ``exp(r)`` for e^(r·unit), ``=`` and a formula in eps, or ``?``.

    A coin whose chance p is a formula has the weights ``=p`` and ``=1-(p)``.
    """

    def text(form: Form, wrap: bool) -> str:
        term = _term(form) if form.terms else (Fraction(0), 1 if symbolic else 0)
        if wrap and term is None:
            return f"?{form}"
        if not wrap:
            return str(term[0]) if term is not None and (term[1] == 0 or not form.terms) else _formula(form, symbolic)
        assert term is not None
        # in units of ε a rate is a multiple of ε; at one value of ε it is a number
        return f"exp({term[0]})" if term[1] == (1 if symbolic else 0) else f"?exp({form})"

    if law.name == "bernoulli":
        p = law.p  # type: ignore[attr-defined]
        chance = text(p, False)
        return chance, f"=1-({chance[1:]})" if chance[0] == "=" else text(1 - p, False)
    if law.name == "logit":
        return text(law.log_odds, True), "exp(0)"  # type: ignore[attr-defined]
    if law.name == "choice":
        return tuple(text(w, False) for w in law.weights)  # type: ignore[attr-defined]
    return tuple(text(w, True) for w in law.log_weights)  # type: ignore[attr-defined]


def _formula(form: Form, symbolic: bool) -> str:
    """A weight as a formula in eps, where it is one; in trees at one ε such weights are read from the program again."""
    try:
        text = formula(form, True)
        Number.read(text, True)
    except (OutsideFragment, Rejected, Undecided):
        return f"?{form}"
    return f"={text}" if symbolic else f"?{form}"


def plain_output(entry: Any) -> Any:
    """An output as it stands in certificates: floats as numbers, which the kernel tells apart by their text."""
    if isinstance(entry, Fraction):
        return str(entry)
    if isinstance(entry, tuple) and entry[:2] == ("const", "float"):
        return ["const", "float", constant_value(entry)]
    return [plain_output(x) for x in entry] if isinstance(entry, tuple) else entry
