"""The words of `noise`, as the reader takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.composition.cells import RecordNumber
from dpwitness.proofs.composition.coins import coin_loss
from dpwitness.proofs.composition.folding import Folding
from dpwitness.proofs.composition.observing import Observing, form_json
from dpwitness.proofs.composition.records import PerCell, Rows
from dpwitness.proofs.composition.state import Drawn
from dpwitness.proofs.composition.values import (
    Foreign,
    Helper,
    Listing,
    Number,
    Origin,
    Refused,
    Result,
    Test,
    Value,
    constant,
    origin_of,
    refuse,
)
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.composition.spans import Span

LAWS = {
    "laplace": ("scale",), "exponential": ("scale",), "gumbel": ("scale",), "discrete_laplace": ("scale",),
    "gaussian": ("std",), "uniform": ("low", "high"), "poisson": ("mean",),
}  # fmt: skip
INTEGERS = ("discrete_laplace", "discrete_gaussian", "poisson")
MEMORYLESS = ("laplace", "exponential", "gumbel")


class Drawing(Folding, Observing):
    """The part of the reader that draws."""

    burn: bool  # whether a selection by independent noise uses its noise up
    burnt: bool
    number: Any
    sure: Any
    weighed: Any
    operate: Any
    extreme: Any
    items: Any
    released: Any
    parts_run: list[tuple[str, Mechanism, Mapping[str, Poly], int]]

    def noise_call(self, name: str, args: list[Value], named: dict[str, Value]) -> Value:
        """A method of the program's noise."""
        if self.inside and name != "clip":
            refuse(f"noise.{name} inside a function of one record: draw it outside, once for all records")
        if name in LAWS:
            return self._draw(name, self._arguments(LAWS[name], args, named, {"low": constant(0), "high": constant(1)}))
        method = getattr(self, f"noise_{name}", None)
        if method is None:
            refuse(f"noise.{name} is not followed here")
        assert method is not None
        return method(*args, **named)

    @staticmethod
    def _arguments(
        names: Sequence[str], args: list[Value], named: dict[str, Value], given: Mapping[str, Value]
    ) -> dict[str, Value]:
        found = {**dict(zip(names, args, strict=False)), **named}
        if len(args) > len(names) or set(found) - set(names):
            refuse(f"the arguments of a draw are {', '.join(names)}")
        missing = [name for name in names if name not in found and name not in given]
        if missing:
            refuse(f"a draw without its {missing[0]}")
        return {name: found.get(name, given.get(name)) for name in names}

    def _draw(self, law: str, values: Mapping[str, Value]) -> Number:
        forms = {name: self.observe(self.weighed(value), f"the {name} of noise") for name, value in values.items()}
        scale = forms.get("scale", forms.get("std"))
        if scale is not None:
            if self.state.known.nonnegative(-scale):
                refuse("the scale of noise is not positive")
            self.state.known.refine(scale, strict=True)
        return self._new_draw(law, forms, scale)

    def _new_draw(self, law: str, forms: Mapping[str, Poly], scale: Poly | None) -> Number:
        name = self.state.fresh_name("~")
        self.emit("draw", name, law, {key: form_json(form) for key, form in forms.items()})
        self.state.draws[name] = Drawn(law, scale)
        return Number(Poly.symbol(name), law in INTEGERS)

    def noise_discrete_gaussian(self, std: Value = None, *, variance: Value = None) -> Number:
        """Integer normal noise, by its deviation or its variance."""
        given = std if variance is None else variance
        form = self.observe(self.weighed(given), "the deviation of noise")
        squared = form * form if variance is None else form
        return self._new_draw("discrete_gaussian", {"variance": squared}, form)

    def noise_clamped_laplace(self, value: Value, scale: Value, low: Value, high: Value) -> Value:
        """Laplace noise, moved to the nearer end."""
        noisy = self.operate("+", value, self.noise_call("laplace", [scale], {}))
        public = Number(self.observe(self.number(noisy), "a comparison"))
        return self.extreme("min", [self.extreme("max", [public, low]), high])

    # finite laws

    def noise_bernoulli(self, p: Value = None, *, log_odds: Value = None) -> Value:
        """A coin; one whose chance is private is a draw that is shown later, or decides another coin."""
        if (p is None) == (log_odds is None):
            refuse("bernoulli needs p or log_odds")
        values = p.values if isinstance(p, PerCell) else ()
        if p is None:
            form = self._score(log_odds)
            symbol = self._outcome(2)
            self.emit("choose", symbol, "odds", [form_json(form)])
            return self._truth(symbol)
        form = self.settled(self.sure(p).form)
        self.weights(form)
        if self.parts(form)[0] and not self.is_local:
            refuse(
                "a coin whose chance depends on several records: release a noisy number first and toss the coin by it, "
                "or write a program of one record, Records(domain, 1)"
            )
        loss = None if not form.private else coin_loss([self.record(v).span for v in values], self.state.known)
        atoms, draws, _ = self.parts(form)
        coins = [d for d in draws if self.state.draws[d].law == "bernoulli" and self.state.draws[d].state == "fresh"]
        alone = len(draws) == len(coins) == 1 and not atoms
        if draws and not alone:
            form = self.observe(Number(form), "the chance of a coin")
            atoms, draws = {}, {}
        chance = form
        for name, c in draws.items():
            inner = self.state.draws[name]
            assert inner.chance is not None
            chance = chance - Poly.symbol(name) * c + inner.chance * c
            self.state.draws[name] = Drawn(inner.law, None, inner.chance, "burnt")
        name = self.state.fresh_name("~")
        self.emit("coin", name, form_json(form), *([] if loss is None or draws else [form_json(loss)]))
        self.state.draws[name] = Drawn("bernoulli", None, chance)
        if not chance.private:
            return self._truth(next(iter(self.observe(Number(Poly.symbol(name)), "a coin").symbols())))
        return Number(Poly.symbol(name), True, True)

    def _truth(self, symbol: str) -> Number:
        return Number(Poly.symbol(symbol), True, True)

    def _outcome(self, ways: int) -> str:
        symbol = self.state.fresh_name("$")
        self.state.known.define(symbol, (Fraction(0), Fraction(ways - 1)))
        self.state.ways[symbol] = ways
        return symbol

    def _score(self, value: Value) -> Poly:
        """A score: what has noise of its own is released first."""
        form = self.settled(self.weighed(value).form)
        self.weights(form)
        return self.observe(Number(form), "a score") if self.parts(form)[1] else form

    def noise_choice(self, weights: Value = None, *, log_weights: Value = None) -> Value:
        """An outcome by weights, which are public, or by scores."""
        given = weights if log_weights is None else log_weights
        if not isinstance(given, Listing) or not given.items or (weights is None) == (log_weights is None):
            refuse("choice needs a list of weights or of log_weights")
        if log_weights is None:
            forms = [self.observe(self.sure(w), "a weight (give log_weights for private ones)") for w in given.items]
        else:
            forms = [self._score(w) for w in given.items]
        symbol = self._outcome(len(forms))
        self.emit("choose", symbol, "plain" if log_weights is None else "log", [form_json(form) for form in forms])
        return Number(Poly.symbol(symbol), True)

    def noise_argmax(self, values: Value) -> Value:
        """The index of the largest: by noise of one law and scale, which is used up, or of released numbers."""
        items = self.items(values)
        if any(isinstance(v, RecordNumber) for v in items):
            refuse("noise.argmax of numbers of one record")
        forms = [self.settled(self.sure(v).form) for v in items]
        for form in forms:
            self.weights(form)
        if self.burn and self._single(forms):
            self.burnt = True
            return self._contest(forms)
        released = [self.observe(Number(form), "noise.argmax") for form in forms]
        if len(released) == 1:
            return constant(0)
        return self._first_largest(released, origin_of(*(v for v in items if isinstance(v, Number))))

    def _single(self, forms: Sequence[Poly]) -> bool:
        found = [self.parts(form) for form in forms]
        if not any(atoms for atoms, _, _ in found) or any(len(draws) != 1 for _, draws, _ in found):
            return False
        names = [next(iter(draws)) for _, draws, _ in found]
        drawn = [self.state.draws[name] for name in names]
        factors = [next(iter(draws.values())) for _, draws, _ in found]
        same = len({(d.law, d.scale) for d in drawn}) == 1 and all(f == Poly.constant(1) for f in factors)
        fresh = all(d.state == "fresh" for d in drawn) and len(set(names)) == len(names) > 1
        return same and fresh and drawn[0].law in MEMORYLESS and drawn[0].scale is not None

    def _contest(self, forms: Sequence[Poly]) -> Number:
        entries = []
        for form in forms:
            ((name, c),) = self.parts(form)[1].items()
            entries.append([form_json(form - Poly.symbol(name) * c), name])
            old = self.state.draws[name]
            self.state.draws[name] = Drawn(old.law, old.scale, None, "burnt")
        symbol = self._outcome(len(forms))
        self.emit("contest", symbol, entries)
        return Number(Poly.symbol(symbol), True)

    def _first_largest(self, forms: Sequence[Poly], origin: Origin | None) -> Number:
        """The index of the first largest of public numbers."""
        found = self.let("argmax", *forms, whole=True, origin=origin)
        (symbol,) = found.form.symbols()
        self.state.ways[symbol] = len(forms)
        return found

    def noise_max(self, values: Value) -> Value:
        """The largest; noisy numbers are released first."""
        items = self.items(values)
        public = [self.released(v, "noise.max") if isinstance(v, Number) else v for v in items]
        return self.extreme("max", public)

    # parts of larger programs

    def noise_subsample(self, data: Value, p: Value) -> Value:
        """Every record with some probability."""
        rate = self.number(p).constant
        if not isinstance(data, Rows) or data.sample is not None or self.space_is_replaced:
            refuse("a sample is of the whole dataset, under add-remove")
        if rate is None or not 0 < rate <= 1:
            refuse("the rate of a sample is a plain number")
        self.state.counter += 1
        name = f"s{self.state.counter}"
        self.emit("sample", name, str(rate))
        return Rows(data.values, data.keep, name)

    def noise_clip(self, vector: Value, bound: Value, norm: Value = None) -> Value:
        """A vector of one record, scaled down to a norm of at most `bound`."""
        which = 2 if norm is None else self.number(norm).constant
        if not self.inside or not isinstance(vector, Listing) or which not in (1, 2):
            refuse(
                "noise.clip is for a vector of one record, in a comprehension or a loop over the data; norm is 1 or 2"
            )
        size = self.record(bound)
        if not isinstance(size.expr, Poly) or not self.state.known.positive(size.expr):
            refuse("the bound of noise.clip is a public number that is known to be positive: use max(bound, ...)")
        parts = [self.record(v).expr for v in vector.items]
        span = Span(-size.expr, size.expr)
        made = [RecordNumber(["clip", int(which), parts, size.expr, j], span) for j in range(len(parts))]
        return Listing(list(made), "list", self.inside)

    def noise_present(self, count: Value, scale: Value, threshold: Value, *, whole: Value = False) -> Value:
        """A count with noise where it is above 0 and the sum reaches a threshold, else 0."""
        form = self.settled(self.sure(count).form)
        self.weights(form)
        if self.parts(form)[1] or not isinstance(whole, bool):
            refuse("noise.present wants a count without noise of its own")
        b, level = (self.observe(self.weighed(v), "a parameter of noise.present") for v in (scale, threshold))
        symbol = self.state.fresh_name("$")
        self.emit("present", symbol, form_json(form), form_json(b), form_json(level), whole)
        self.state.known.define(symbol)
        return Number(Poly.symbol(symbol), whole)

    def noise_postprocess(self, function: Value, *values: Value, size: Value = None) -> Value:
        """Anything computed from released values by a function that is not read."""
        if not isinstance(function, Foreign | Helper) or (isinstance(function, Helper) and function.function is None):
            refuse("noise.postprocess wants a function of the module as its first argument")
        count = 1 if size is None else self.number(size).constant
        if count is None or count.denominator != 1 or not 0 <= count <= 10_000:
            refuse("the size of a result of noise.postprocess is a plain whole number")
        path = function.path if isinstance(function, Foreign) else function.function.__name__
        arguments = ["list", *(self.skeleton(value) for value in values)]
        symbols = [self.state.fresh_name("$") for _ in range(int(count))]
        for symbol in symbols:
            self.state.known.define(symbol)
        self.emit("post", symbols, path, arguments, size is not None)
        found = [Number(Poly.symbol(symbol)) for symbol in symbols]
        return found[0] if size is None else Listing(list(found), "tuple")

    def noise_run(self, mechanism: Value, inputs: Value, **params: Value) -> Value:
        """Another mechanism, by its proved guarantee."""
        if not isinstance(mechanism, Foreign) or not isinstance(mechanism.value, Mechanism):
            refuse("noise.run wants a mechanism of the module as its first argument")
        made: Mechanism = mechanism.value
        forms = [self._score(v) for v in self.items(inputs)]
        given = {name: constant(Fraction(value)) for name, value in made.typical.items()}
        if set(params) - set(given):
            refuse(f"{made.name} has no parameter {min(set(params) - set(given))}")
        values = {n: self.observe(self.sure(params.get(n, v)), "a parameter") for n, v in given.items()}
        if any(not form.symbols() <= self.state.known.params for form in values.values()):
            refuse(f"{made.name} is run with a parameter that was released: its proof wants one that is known before")
        part = len(self.parts_run)
        key = (mechanism.path, made.name, tuple(sorted((n, form) for n, form in values.items())), len(forms))
        known = [k for k, old in enumerate(self.parts_run) if (old[0], old[1].name, _key(old[2]), old[3]) == key]
        if known:
            part = known[0]
        else:
            self.parts_run.append((mechanism.path, made, values, len(forms)))
        symbol = self.state.fresh_name("$")
        self.emit(
            "run", symbol, mechanism.path, part, [form_json(form) for form in forms],
            {name: form_json(form) for name, form in values.items()},
        )  # fmt: skip
        self.state.made["run", symbol] = symbol
        return Result(symbol)

    # what is handed on

    def skeleton(self, value: Value) -> Any:
        """An output or an argument: everything in it is released, numbers with the fewest draws first."""
        found: list[Number] = []
        self._numbers(value, found, 0)
        for number in sorted(found, key=lambda n: len(self.parts(self.settled(n.form))[1])):
            self.observe(number, "the output")
        return self._shape(value)

    def _numbers(self, value: Value, found: list[Number], depth: int) -> None:
        if isinstance(value, Listing) and depth < 50:
            for part in value.items:
                self._numbers(part, found, depth + 1)
        elif isinstance(value, PerCell):
            found.append(self.number(value))
        elif isinstance(value, Number):
            found.append(value)

    def _shape(self, value: Value) -> Any:
        if isinstance(value, Listing):
            if value.kind not in ("list", "tuple"):
                refuse("a set in the output: return a list")
            return [value.kind, *map(self._shape, value.items)]
        if value is None or isinstance(value, bool | str):
            kind = "none" if value is None else "bool" if isinstance(value, bool) else "text"
            return [kind] if value is None else [kind, value]
        if isinstance(value, Result):
            return ["result", value.symbol]
        truth = isinstance(value, Test) or (isinstance(value, Number) and value.truth)
        return ["truth" if truth else "number", form_json(self.observe(self.number(value), "the output"))]


def _key(values: Mapping[str, Poly]) -> tuple[tuple[str, Poly], ...]:
    return tuple(sorted(values.items()))


__all__ = ["Drawing", "PerCell", "Refused", "Rejected"]
