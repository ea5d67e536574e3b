r"""Numbers become public, by Gaussian elimination on draws.

A number is pub + Σ c·a(x) + Σ c·η. It costs nothing until it is *observed*: returned, compared, divided by, multiplied
with something noisy, or used as scale, bound or index. Then what is known of old draws is put in; all draws but one are
given away, and the last one hides Σ c·a(x). Afterwards that draw is known as the released number minus the private one,
so that a second use of it is a difference of private numbers without noise, which is refused, or something legitimate.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.proofs.composition.state import Drawn, State
from dpwitness.proofs.composition.values import Number, Origin, Refused, Test, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly, show, to_json
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.composition.knowledge import INF, Let

ADDITIVE = ("laplace", "discrete_laplace", "gaussian", "discrete_gaussian")
FLIP = {">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def form_json(form: Poly) -> Any:
    """A form as certificates have it."""
    value = form.value()
    if value is not None:
        return str(value)
    ((mono, c), *more) = form.terms.items()
    return show(mono) if c == 1 and not more else to_json(form)


class NeedsPick(Exception):
    """An outcome must be followed along every way before a function of one record is looked at."""

    def __init__(self, symbol: str) -> None:
        super().__init__(symbol)
        self.symbol = symbol


ROUNDED_TESTS = (
    "a test whose answer follows from another one but for Python's rounding, which may answer them differently: keep "
    "the answer of the first"
)


class Observing:
    """The part of the reader that makes numbers public."""

    state: State
    weights: Any
    clear: Any
    steps: list[Any]
    line: int | None  # of the statement under way, and of every step
    lines: dict[int, tuple[Any, int | None]]
    prefix: list[int]
    answers: list[int]
    pending: list[list[int]]
    inside: int  # 0 in the program itself, else the run of a record function
    at_fork: State | None  # the state before the first fork of a statement

    # steps and forks

    def emit(self, *step: Any) -> None:
        """Add a step to the transcript."""
        made = list(step)
        self.steps.append(made)
        self.lines[id(made)] = made, self.line

    def fork(self, header: list[Any], ways: int) -> int:
        """The way that is taken at a fork; the others are noted."""
        if self.inside and header[0] == "pick":
            raise NeedsPick(header[1])
        if self.inside:
            refuse("a branch on released values inside a function of one record: compute it before, outside")
        k = len(self.answers)
        if k == 0:
            self.at_fork = self.state.copy()
        answer = self.prefix[k] if k < len(self.prefix) else 0
        if k >= len(self.prefix):
            self.pending += [[*self.answers, other] for other in range(1, ways)]
        self.answers.append(answer)
        self.steps.append(["?", header, ways, answer])
        return answer

    # numbers

    def settled(self, form: Poly) -> Poly:
        """A form with what is known of its draws put in."""
        draws = self.state.draws
        while True:
            known = {s: draws[s].known for s in form.symbols() if s in draws and draws[s].known is not None}
            if not known:
                return form
            form = form.substitute(known)  # type: ignore[arg-type]

    def parts(self, form: Poly) -> tuple[dict[str, Poly], dict[str, Poly], Poly]:
        """Atoms and draws of a form with their coefficients, and its public part."""
        try:
            linear = form.linear()
        except Rejected as error:
            return refuse(f"{error}: multiply private numbers by public ones only")  # type: ignore[no-any-return]
        atoms = {s: c for s, c in linear.items() if s[0] == "%"}
        draws = {s: c for s, c in linear.items() if s[0] == "~"}
        return atoms, draws, Poly({m: c for m, c in form.terms.items() if not Poly.term(m).private})

    def observe(self, value: Any, what: str) -> Poly:
        """The public form of a number: it is released here, unless it is public already."""
        if isinstance(value, Test):
            return self.test_number(value).form
        if isinstance(value, bool):
            return Poly.constant(int(value))
        if not isinstance(value, Number):
            return refuse(f"{what} wants a number")  # type: ignore[no-any-return]
        form = self.settled(value.form)
        if not form.private:
            return form
        atoms, draws, _ = self.parts(form)
        burnt = [d for d in draws if self.state.draws[d].state == "burnt"]
        if burnt:
            refuse("noise is used again after a selection or a coin was made of it: draw new noise")
        if self.inside:
            refuse(f"a noisy number reaches {what} inside a function of one record: compute it before, outside")
        if not atoms:
            for name in draws:
                self.give_away(name)
            return self.settled(form)
        pivots = [d for d in draws if self.state.draws[d].law in ADDITIVE]
        if not pivots:
            refuse(
                f"a private number without noise of its own reaches {what}: add noise to it first, or state a "
                "selection by noise.argmax, noise.choice or noise.present"
            )
        pivot = max(pivots, key=lambda d: (self.state.draws[d].law.endswith("laplace"), -self._size(d)))
        for name in draws:
            if name != pivot:
                self.give_away(name)
        return self._release(self.settled(form), pivot)

    def _size(self, name: str) -> int:
        scale = self.state.draws[name].scale
        return 0 if scale is None else len(scale.symbols())

    def _release(self, form: Poly, pivot: str) -> Poly:
        atoms, draws, public = self.parts(form)
        factor = draws[pivot]
        inverse = self.inverse(factor, "the factor of the noise")
        kept = {a: c * inverse for a, c in atoms.items()}
        self.weights(sum((Poly.symbol(a) * c for a, c in kept.items()), Poly()))
        mixed = any(a[:2] != "%q" and ("int", a) not in self.state.made for a in atoms)
        if mixed and self.state.draws[pivot].law.startswith("discrete"):
            refuse("integer noise on a sum that may be an int or a float: its type may tell; write 1 and not 1.0")
        symbol = self.state.fresh_name("$")
        self.emit("release", symbol, {a: form_json(c) for a, c in kept.items()}, pivot)
        self.state.known.define(symbol)
        hidden = sum((Poly.symbol(a) * c for a, c in kept.items()), Poly())
        self._learn(pivot, Poly.symbol(symbol) - hidden)
        return public + Poly.symbol(symbol) * factor

    def _learn(self, name: str, known: Poly) -> None:
        old = self.state.draws[name]
        self.state.draws[name] = Drawn(old.law, old.scale, old.chance, "known", known)

    def give_away(self, name: str) -> None:
        """Make a draw itself known: free, unless it is a coin of private chance."""
        drawn = self.state.draws[name]
        if drawn.state != "fresh":
            return
        symbol = self.state.fresh_name("$")
        self.emit("give", symbol, name)
        bounds: Any = (-INF, INF)
        if drawn.law == "bernoulli":
            bounds = (Fraction(0), Fraction(1))
            self.state.ways[symbol] = 2
        elif drawn.law == "exponential":
            bounds = (Fraction(0), INF)
        self.state.known.define(symbol, bounds)
        self._learn(name, Poly.symbol(symbol))

    def inverse(self, form: Poly, what: str) -> Poly:
        """1/form."""
        value = form.value()
        if value == 0:
            refuse(f"{what} is 0: division by zero")
        if len(form.terms) == 1:
            return form.power(-1)
        head, rest = self.state.known.inverse_parts(form)
        return self.let("inverse", rest).form * head.power(-1)

    def let(self, operation: str, *forms: Poly, whole: bool = False, origin: Origin | None = None) -> Number:
        """A public number that is computed from others; what rounding may change has a name of its own by `origin`."""
        key = (operation, *forms, *([] if origin is None else [origin]))
        if key not in self.state.made:
            symbol = self.state.fresh_name("$")
            try:
                self.state.known.let(symbol, Let(operation, tuple(forms)))
            except Rejected as error:
                raise Refused(f"{error}: bound it first, as by max(x, 1)") from None
            self.emit("let", symbol, operation, [form_json(form) for form in forms])
            self.state.made[key] = symbol
        return Number(Poly.symbol(self.state.made[key]), whole)

    # tests

    def foreseen(self, op: str, form: Poly, origin: Origin | None = None) -> bool | None:
        """The truth of form op 0, where it is known.

        The answer to a test is that to another one of the same form where Python has rounded neither, or both alike.
        """
        known, number = self.state.known, form.value()
        if number is not None:
            return {">": number > 0, ">=": number >= 0, "==": number == 0, "!=": number != 0}[op]
        up, down = known.positive(form), known.positive(-form)
        if up or down:
            return {">": up, ">=": up, "==": False, "!=": True}[op]
        if op == ">=" and known.nonnegative(form):
            return True
        if op == ">" and known.nonnegative(-form):
            return False
        answer = self.state.decided.get((op, form))
        if answer is not None and self.state.origins.get((op, form)) != origin:
            refuse(ROUNDED_TESTS)
        return answer

    def decide(self, test: Test) -> bool:
        """The truth of a test; both ways are followed where it is not known."""
        found = self.foreseen(test.op, test.form, test.origin)
        if found is not None:
            self._follows(test)
            return found
        symbols = test.form.symbols()
        if symbols and symbols <= self.state.known.params:
            refuse("a test whose answer depends on ε: ask for a proof at one value with --epsilon")
        answer = self.fork(["if", test.op, form_json(test.form)], 2) == 0
        self.note(test.op, test.form, answer, test.origin)
        return answer

    def _follows(self, test: Test) -> None:
        """Refuse a test of rounded numbers that was open when it was made, and whose answer follows from another."""
        key = test.op, test.form
        same = key in self.state.decided and self.state.origins.get(key) == test.origin
        if test.origin is not None and not same and not self.clear(test.form):
            refuse(ROUNDED_TESTS)

    def note(self, op: str, form: Poly, answer: bool, origin: Origin | None = None) -> None:
        """Keep the answer to a test, and what it says of ranges."""
        decided = self.state.decided
        decided[op, form] = answer
        other = (FLIP[op], form) if op in ("==", "!=") else (">=" if op == ">" else ">", -form)
        decided[other] = not answer
        self.state.origins[op, form] = self.state.origins[other] = origin
        if op in ("==", "!="):
            return
        self.state.known.refine(form if answer else -form, strict=(op == ">") == answer)

    def test_number(self, test: Test) -> Number:
        """A test as 1 or 0, without following both ways."""
        found = self.foreseen(test.op, test.form, test.origin)
        if found is not None:
            self._follows(test)
            return Number(Poly.constant(int(found)), True)
        return self.let(f"test{test.op}", test.form, whole=True, origin=test.origin)

    def index(self, form: Poly, what: str) -> int:
        """A public whole number as a plain one; the outcome of a choice is followed along every way."""
        value = form.value()
        if value is not None and value.denominator == 1:
            return int(value)
        symbols = form.symbols()
        symbol = next(iter(symbols)) if len(symbols) == 1 else ""
        if symbol not in self.state.ways:
            refuse(f"{what} is not known in advance: only plain whole numbers and the outcomes of selections are")
        if symbol not in self.state.picked:
            answer = self.fork(["pick", symbol], self.state.ways[symbol])
            self.state.picked[symbol] = answer
            self.state.known.ranges[symbol] = (Fraction(answer), Fraction(answer))
        found = form.substitute({symbol: Poly.constant(self.state.picked[symbol])}).value()
        if found is None or found.denominator != 1:
            refuse(f"{what} is no whole number")
        return int(found)  # type: ignore[arg-type]


__all__ = ["ADDITIVE", "NeedsPick", "Observing", "form_json"]
