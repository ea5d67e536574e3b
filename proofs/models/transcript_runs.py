"""One run of a transcript on data and draws."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.core import laws
from dpwitness.core.coexecution.model import Computed, Source, Trace, Unfaithful
from dpwitness.core.coexecution.rounding import NEAR
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.postprocessing import computed, plain_value
from dpwitness.core.readers.scalar import Scalar
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.models.transcript_guides import Guide
from dpwitness.proofs.models.transcript_records import RecordRun, holds, read_poly

Values = dict[str, Any]


class _Ended(Exception):
    """A path has returned its output."""

    def __init__(self, output: Any) -> None:
        super().__init__()
        self.output = output


class Relayed(Scalar):
    """The noise of a mechanism that is run: its draws are asked of the same source."""

    def __init__(self, source: Source) -> None:
        super().__init__(np.random.default_rng(0))
        self.source = source

    def draw(self, law: Law) -> Any:
        return self.source(law)


class Run(RecordRun):
    """One run under way."""

    def __init__(self, model: Any, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> None:
        self.model, self.data, self.source = model, list(data), source
        self.laws: list[Law] = []
        self.values: Values = {name: Fraction(params[name]) for name in model.opened}
        if model.stated.cells is None:
            self.values |= {f"%q{i}": Fraction(x) for i, x in enumerate(data)}
        else:
            self.values["#n"] = Fraction(len(self.data))
        self.samples: dict[Any, list[Any]] = {None: self.data}
        self.places_of: dict[Any, list[int]] = {}
        self.places: list[str] = ["start"]
        self.doubt = False
        self.guide: Guide | None = None
        self.released: dict[str, int] = {}  # of released numbers the draw that hides them
        self.edges: dict[str, tuple[int, float]] = {}  # by test: the draw, and what moves it to the boundary
        self.drawn: dict[str, int] = {}

    def trace(self) -> Trace:
        """Run to the end."""
        output = None
        try:
            self.block(self.model.steps, "start")
        except _Ended as end:
            output = end.output
        places = tuple(dict.fromkeys(self.places))
        return Trace(tuple(self.laws), output, places, self.doubt, shown=places)  # forks look at released numbers alone

    def ask(self, law: Law) -> Any:
        """One draw."""
        self.laws.append(law)
        return self.source(law)

    def sign(self, data: Any) -> int:
        """The sign of a form, with a doubt where rounding could decide it."""
        poly = read_poly(data)
        size, exact = 0.0, True
        for mono, c in poly.terms.items():
            term: Any = c
            for symbol, power in mono:
                term = term * self.values[symbol] ** power
            exact = exact and isinstance(term, Fraction)
            size += abs(float(term))
        total = self.poly(poly)
        if len(poly.terms) == 1:  # a whole number by itself, as 0 for a name that is not shown: nothing is rounded
            ((mono, _),) = poly.terms.items()
            exact = exact and (total != 0 or all(type(self.values[symbol]) is int for symbol, _ in mono))
        else:
            exact = exact and total != 0
        if abs(float(total)) <= NEAR * size and not exact:
            self.doubt = True
        return int(total > 0) - int(total < 0)

    def block(self, steps: Sequence[Any], place: str) -> None:
        """Run a list of steps."""
        for k, (name, *given) in enumerate(steps):
            getattr(self, f"do_{name}")(*given, f"{place}.{k}")

    # draws and releases

    def do_extreme(self, symbol: str, which: str, forms: Any, _: str) -> None:
        self.values[symbol] = (max if which == "max" else min)(map(self.form, forms))

    def do_draw(self, name: str, law: str, params: Mapping[str, Any], _: str) -> None:
        values = {key: self.form(form) for key, form in params.items()}
        self.drawn[name] = len(self.laws)
        self.values[name] = self.ask(LAWS[law](**values))

    def do_release(self, symbol: str, atoms: Mapping[str, Any], draw: str, _: str) -> None:
        hidden = sum((self.form(c) * self.values[a] for a, c in atoms.items()), Fraction(0))
        if self.guide is not None:
            old = self.values[draw]
            wanted = self.guide.target() - float(hidden)
            new = round(wanted) if isinstance(old, int) else wanted
            self.values[draw] = new
            self.guide.values[self.drawn[draw]] = new
        self.values[symbol] = hidden + self.values[draw]
        self.released[symbol] = self.drawn[draw]

    def note(self, poly: Poly, name: str) -> None:
        """Keep how a draw must change for a test to be at its boundary."""
        for symbol in poly.symbols():
            if symbol not in self.released or name in self.edges:
                continue
            slope = self.poly(Poly({m: c for m, c in poly.terms.items() if (symbol, 1) in m})) / self.values[symbol]
            if slope:
                self.edges[name] = self.released[symbol], -float(self.poly(poly)) / float(slope)

    def do_give(self, symbol: str, draw: str, _: str) -> None:
        self.values[symbol] = self.values[draw]

    def do_coin(self, name: str, chance: Any, *_: Any) -> None:
        self.drawn[name] = len(self.laws)
        self.values[name] = int(self.ask(laws.Bernoulli(self.form(chance))))

    def do_choose(self, symbol: str, how: str, forms: Any, _: str) -> None:
        values = tuple(map(self.form, forms))
        law: Law = (
            laws.Logit(values[0]) if how == "odds" else laws.LogChoice(values) if how == "log" else laws.Choice(values)
        )
        self.values[symbol] = int(self.ask(law))

    def do_contest(self, symbol: str, entries: Any, _: str) -> None:
        values = [self.form(form) + self.values[draw] for form, draw in entries]
        best = max(range(len(values)), key=lambda k: (values[k], -k))
        self._close(values, best)
        self.values[symbol] = best

    def _close(self, values: Sequence[Any], best: int) -> None:
        for k, value in enumerate(values):
            gap, size = abs(float(values[best] - value)), abs(float(value)) + abs(float(values[best]))
            if k != best and gap <= NEAR * size and not all(isinstance(v, Fraction) for v in (value, values[best])):
                self.doubt = True

    def do_present(
        self, symbol: str, count: Any, scale: Any, threshold: Any, whole: bool, passes: str, _: str = ""
    ) -> None:
        """A step without `passes` draws in any case, one with it where there is something to count."""
        number, level = self.form(count), self.form(threshold)
        if passes in (">", ">=") and number <= 0:
            self.values[symbol] = 0
            return
        made = laws.DiscreteLaplace if whole else laws.Laplace
        noisy = number + self.ask(made(self.form(scale)))
        if self.guide is not None and number > 0:
            self.edges[f"{symbol} at {self.places[-1]}"] = len(self.laws) - 1, float(level - noisy)
        exact = isinstance(noisy, int | Fraction) and isinstance(level, Fraction)
        if not exact and abs(float(noisy - level)) <= NEAR * (abs(float(noisy)) + abs(float(level))):
            self.doubt = True
        self.values[symbol] = noisy if number > 0 and (noisy > level if passes == ">" else noisy >= level) else 0

    def do_sample(self, name: str, rate: str, _: str) -> None:
        law = laws.Bernoulli(Fraction(rate))
        self.samples[name] = [record for record in self.data if self.ask(law)]
        self.places_of.pop(name, None)

    def do_run(self, symbol: str, path: str, part: int, forms: Any, params: Mapping[str, Any], _: str) -> None:
        mechanism = resolve(path, self.model.names)
        if not isinstance(mechanism, Mechanism):
            raise Unfaithful(f"{path} is no mechanism")
        inputs = [_number(self.form(form)) for form in forms]
        given = {name: _number(self.form(form)) for name, form in params.items()}
        self.values[symbol] = mechanism.program(Relayed(self.ask), inputs, **given)

    # public numbers

    def do_let(self, symbol: str, operation: str, forms: Any, _: str) -> None:
        values = [self.form(form) for form in forms]
        first = values[0]
        if operation.startswith("test"):
            self.values[symbol] = int(holds(operation[4:], self.sign(forms[0])))
            if self.guide is not None:
                self.note(read_poly(forms[0]), f"{symbol} at {self.places[-1]}")
        elif operation in ("max", "min"):
            self.values[symbol] = (max if operation == "max" else min)(values)
        elif operation == "argmax":
            best = max(range(len(values)), key=lambda k: (values[k], -k))
            self._close(values, best)
            self.values[symbol] = best
        elif operation == "abs":
            self.values[symbol] = abs(first)
        elif operation == "inverse":
            self.values[symbol] = 1 / first
        elif operation in ("exp", "log", "sqrt"):
            self.values[symbol] = getattr(math, operation)(first)
        else:
            self.values[symbol] = self._rough(operation, values)

    def _rough(self, operation: str, values: Sequence[Any]) -> Any:
        first = values[0] if len(values) == 1 else values[0] / values[1]
        if not isinstance(first, Fraction) and abs(first * 2 - round(first * 2)) < 1e-6 * (1 + abs(first)):
            self.doubt = True
        if operation == "mod":
            return values[0] % values[1]
        if operation == "floordiv":
            return values[0] // values[1]
        found = {"floor": math.floor(first), "ceil": math.ceil(first), "round": round(first), "int": int(first)}
        return found[operation]

    def do_post(self, symbols: Sequence[str], path: str, arguments: Any, several: bool, _: str) -> None:
        function = resolve(path, self.model.names)
        given = [plain_value(_plain(self.skeleton(part))) for part in arguments[1:]]
        found = computed(function, given, len(symbols) if several else None)
        self.values |= dict(zip(symbols, found if several else (found,), strict=True))

    def skeleton(self, value: Any) -> Any:
        """An output: numbers are computed ones, everything else is a constant."""
        kind, *parts = value
        if kind in ("list", "tuple"):
            found = [self.skeleton(part) for part in parts]
            return found if kind == "list" else tuple(found)
        if kind == "number":
            return Computed(self.form(parts[0]))
        if kind == "truth":
            return bool(self.form(parts[0]))
        if kind == "result":
            return _results(self.values[parts[0]])
        return parts[0] if parts else None

    # branches

    def do_return(self, value: Any, _: str) -> None:
        raise _Ended(self.skeleton(value))

    def do_stop(self, _: str) -> None:
        raise _Ended(None)

    def do_if(self, op: str, form: Any, yes: Any, no: Any, place: str) -> None:
        taken = holds(op, self.sign(form))
        if self.guide is not None:
            self.note(read_poly(form), place)
        self._enter(yes if taken else no, f"{place} {'yes' if taken else 'no'}")

    def do_pick(self, symbol: str, ways: Any, place: str) -> None:
        way = int(self.values[symbol])
        self._enter(ways[way], f"{place} {way}")

    def _enter(self, steps: Sequence[Any], place: str) -> None:
        self.places.append(place)
        self.block(steps, place)

    def do_join(self, names: Mapping[str, Any], _: str) -> None:
        self.values |= {name: self.form(form) for name, form in names.items()}

    def do_repeat(self, count: int, names: Mapping[str, Any], steps: Any, place: str) -> None:
        self.values |= {name: self.form(given[0]) for name, given in names.items()}
        for _ in range(count):
            self.block(steps, place)


LAWS: Mapping[str, Any] = {
    "laplace": laws.Laplace, "exponential": laws.Exponential, "gumbel": laws.Gumbel, "gaussian": laws.Gaussian,
    "uniform": laws.Uniform, "discrete_laplace": laws.DiscreteLaplace, "discrete_gaussian": laws.DiscreteGaussian,
    "poisson": laws.Poisson,
}  # fmt: skip


def _number(value: Any) -> Any:
    """A number as a program would hold it."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Computed):
        return _number(value.value)
    return type(value)(map(_plain, value)) if isinstance(value, list | tuple) else value


def _results(value: Any) -> Any:
    """The output of a mechanism that was run: its floats are computed numbers."""
    if isinstance(value, list | tuple):
        return type(value)(map(_results, value))
    if isinstance(value, float | Fraction):
        return Computed(value)
    return value


def resolve(path: str, names: Mapping[str, Any]) -> Any:
    """A function or a mechanism by its name in the program's module, such as ``np.mean``."""
    first, *rest = path.split(".")
    value = names.get(first)
    if value is None:
        value = getattr(builtins, first, None)
    for name in rest:
        value = vars(value).get(name)
    return value


__all__ = ["Run", "read_poly", "resolve"]
