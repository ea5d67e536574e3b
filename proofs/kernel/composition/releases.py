"""Steps that draw and release, and what each of them costs.

*The invariant.* Given the history, the draws that are fresh are independent with the laws that they were drawn from, on
both inputs. ``release`` uses a fresh draw η up: Σ c·a(x) + η is made known, and η is known from then on as that number
minus Σ c·a(x). ``give`` makes a draw itself known. Neither changes the law of the draws that remain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected, ball, number, precision, upper
from dpwitness.proofs.kernel.composition.costs import BITS, Cost, amplified, gaussian, larger, pure, rounded
from dpwitness.proofs.kernel.composition.inputs import Move
from dpwitness.proofs.kernel.composition.knowledge import ANY, INF, Let
from dpwitness.proofs.kernel.composition.parts import part_cost
from dpwitness.proofs.kernel.composition.powers import Powers
from dpwitness.proofs.kernel.composition.scope import Draw, Scope
from dpwitness.proofs.kernel.composition.spans import NOUGHT, Span, scaled
from dpwitness.proofs.kernel.theorem import Theorem

Costs = dict[Move, Cost]
ADDITIVE = ("laplace", "discrete_laplace", "gaussian", "discrete_gaussian")
MEMORYLESS = ("laplace", "exponential", "gumbel")
PARAMETERS = {
    "laplace": ("scale",), "exponential": ("scale",), "gumbel": ("scale",), "discrete_laplace": ("scale",),
    "gaussian": ("std",), "discrete_gaussian": ("variance",), "uniform": ("low", "high"), "poisson": ("mean",),
}  # fmt: skip
NOTHING = Cost()


def join_costs(one: Costs, two: Costs, function: Callable[[Cost, Cost], Cost]) -> Costs:
    """A sum or a maximum, by move."""
    return {move: function(one.get(move, NOTHING), two.get(move, NOTHING)) for move in {**one, **two}}


def most(one: Costs | None, two: Costs | None) -> Costs | None:
    """The larger of two costs, None where there is no such path."""
    return two if one is None else one if two is None else join_costs(one, two, larger)


class Releases:
    """A list of steps under way: its costs up to now, those of paths that ended in it, its open group of releases."""

    def __init__(self, scope: Scope, parts: Sequence[Theorem], *, corners: bool) -> None:
        self.scope, self.parts, self.corners = scope, parts, corners
        self.before: Costs = {}
        self.ended: Costs | None = None
        self.bound: dict[str, Poly] = {}  # the numbers of a join
        self.group: dict[Move, list[Cost]] = {}
        self.vectors: dict[Any, dict[int, dict[Move, list[Poly]]]] = {}
        self.sample = ""
        self.used: set[str] = set()
        self.step: Any = None  # the step under way, and the branches of the last one that had any
        self.branches: list[Any] = []

    # groups of releases

    def charge(self, costs: Costs, sample: str = "") -> None:
        """Add the costs of one release."""
        if not costs:
            return
        if sample and sample not in self.scope.samples:
            raise Rejected("a sample is seen where it was drawn, and not in a branch or after it")
        self._enter(sample)
        for move, cost in costs.items():
            self.group.setdefault(move, []).append(cost)

    def _enter(self, sample: str) -> None:
        if sample == self.sample:
            return
        self.flush()
        if sample and sample in self.used:
            raise Rejected("releases of one sample with others in between")
        self.used.add(sample)
        self.sample = sample

    def flush(self) -> None:
        """The releases of one sample, together."""
        for (_, norm, *_rest), by_coordinate in self.vectors.items():
            for move in {m for uses in by_coordinate.values() for m in uses}:
                sums = [_total(uses.get(move, [])) for uses in by_coordinate.values()]
                worst = sums[0]
                for other in sums[1:]:
                    worst = larger(Cost(pure=worst), Cost(pure=other)).pure
                self.group.setdefault(move, []).append(gaussian(worst) if norm == 2 else pure(worst))
        rate = self.scope.samples.get(self.sample)
        found: Costs = {}
        for move, parts in self.group.items():
            found[move] = amplified(parts, rate) if rate is not None else _sum(parts)
        self.before = join_costs(self.before, found, lambda a, b: a + b)
        self.group, self.vectors, self.sample = {}, {}, ""

    # releases

    def release(self, symbol: Any, atoms: Mapping[str, Any], draw: Any) -> bool:
        """symbol = Σ c·atom + draw."""
        scope = self.scope
        noise = self.fresh(draw)
        form = scope.form({})
        for name, c in atoms.items():
            if name not in scope.atoms:
                raise Rejected(f"{name[:40]} is no private number here")
            form = form + Poly.symbol(name) * scope.public(c)
        if noise.law not in ADDITIVE or noise.scale is None:
            raise Rejected(f"{noise.law} noise does not hide a number")
        if noise.law.startswith("discrete") and not scope.is_whole(form):
            raise Rejected("integer noise on a number that may not be whole")
        sample, kept = scope.sample_of([form]), scope.parts(form)[0]
        ratio = inverse_of(scope, noise.scale)
        if not self._vector_release(kept, ratio, noise.law, sample):
            memo: dict[Span, Cost] = {}
            costs: Costs = {}
            for move, moved in scope.shift(form, ratio).items():
                if moved not in memo:
                    memo[moved] = self._additive(scope.size(moved), noise.law)
                if memo[moved] != NOTHING:
                    costs[move] = memo[moved]
            self.charge(costs, sample)
        noise.fresh = False
        scope.known.define(scope.new(symbol, "$"))
        return True

    def _additive(self, loss: Poly, law: str) -> Cost:
        if law.endswith("gaussian"):
            squared = self.scope.amount(self.scope.known.reduce(loss * loss))
            return gaussian(squared, discrete=law.startswith("discrete")) if squared.terms else NOTHING
        amount = self.scope.amount(loss)
        return pure(amount) if amount.terms else NOTHING

    def _vector_release(self, atoms: Mapping[str, Poly], ratio: Poly, law: str, sample: str) -> bool:
        """Note a coordinate of a clipped vector, whose coordinates are charged together; False for other releases."""
        scope = self.scope
        if len(atoms) != 1 or law not in ("gaussian", "laplace"):
            return False
        ((name, c),) = atoms.items()
        vector = scope.atoms[name].vector
        if vector is None or vector[2] != {"gaussian": 2, "laplace": 1}[law]:
            return False
        if sample and sample not in scope.samples:
            raise Rejected("a sample is seen where it was drawn, and not in a branch or after it")
        self._enter(sample)
        key, coordinate, norm, bounds = vector
        place = self.vectors.setdefault((key, norm, law), {}).setdefault(coordinate, {})
        for move, bound in bounds.items():
            moved = scaled(Span(-bound, bound), c * ratio, scope.known)
            size = scope.size(moved)
            place.setdefault(move, []).append(scope.amount(size * size if norm == 2 else size))
        return True

    def give(self, symbol: Any, draw: Any) -> bool:
        """A draw is made known; a coin costs what its chance tells."""
        noise = self.fresh(draw)
        bounds = ANY
        if noise.chance is not None:
            self._reveal(noise.chance, noise.loss)
            bounds = (Fraction(0), Fraction(1))
            self.scope.outcomes[str(symbol)] = 2
        elif noise.law == "exponential":
            bounds = (Fraction(0), INF)
        noise.fresh = False
        self.scope.known.define(self.scope.new(symbol, "$"), bounds)
        return True

    def _reveal(self, chance: Poly, stated: Poly | None) -> None:
        atoms, draws = self.scope.parts(chance)
        if draws:
            raise Rejected("a coin whose chance is not known")
        if not atoms:
            return
        if len(atoms) != 1:
            raise Rejected("a coin whose chance depends on several private numbers")
        ((name, c),) = atoms.items()
        atom, scope = self.scope.atoms[name], self.scope
        if not scope.inputs.single:  # the values of an atom are those of one record, and others would add to them
            raise Rejected("the chance of a coin is that of the one record of an input, and here are more")
        rest = chance - Poly.symbol(name) * c
        costs: Costs = {}
        for move in scope.inputs.touching(list(atom.values)) if atom.values else ():
            assert isinstance(move, tuple)
            ends = [scope.chance(atom.values.get(k, NOUGHT), c, rest) for k in move]
            if stated is not None:
                if not Powers(scope.known.lets, scope.known.params).bounds_coin(ends, stated):
                    raise Rejected("a coin tells more than is stated of it")
                if stated.terms:
                    costs[move] = pure(stated)
                continue
            numbers = [scope.numbers_of(*end) for end in ends]
            loss = _coin(min(e[0] for e in numbers), max(e[1] for e in numbers))
            if loss:
                costs[move] = pure(Poly.constant(loss))
        if not atom.values:
            raise Rejected("the chance of a coin is no function of one record")
        self.charge(costs)

    def sub(self, symbol: Any, name: Any, part: Any, forms: Any, params: Any) -> bool:
        """Another mechanism, by a theorem about it."""
        scope = self.scope
        if type(part) is not int or not 0 <= part < len(self.parts):
            raise Rejected("a mechanism without its proof")
        read = [scope.form(form) for form in forms]
        given = {key: scope.public(value) for key, value in params.items()}
        if self.corners and any(scope.parts(form)[0] for form in read):
            raise Rejected("a mechanism that is run on answers which share an ℓ1 move")
        self.charge(part_cost(scope, self.parts[part], read, given), scope.sample_of(read))
        if scope.new(symbol, "$"):
            scope.texts.add(symbol)
        return True

    def draw(self, name: Any, law: Any, params: Mapping[str, Any]) -> bool:
        """A draw, whose parameters are public."""
        read = {key: self.scope.public(value) for key, value in params.items()}
        if law not in PARAMETERS or set(read) != set(PARAMETERS[law]):
            raise Rejected(f"the law {str(law)[:40]} is unknown, or has other parameters")
        scale = read.get("scale", read.get("std"))
        if law == "discrete_gaussian":
            scale = self._deviation(read["variance"])
        if scale is not None:
            if self.scope.known.nonnegative(-scale):
                raise Rejected("the scale of noise is not positive")
            self.scope.known.refine(scale, strict=True)  # a scale that is not positive ends the program, publicly
        self.scope.draws[self.scope.new(name, "~")] = Draw(str(law), scale)
        return True

    def _deviation(self, variance: Poly) -> Poly:
        """The square root of a single term, or a number that is defined by it.

        √(x²) is x only where x is not negative: else a draw would tell the sign of x, which its variance does not.
        """
        root = _root(variance)
        if root is not None and self.scope.known.positive(root):
            return root
        name = f"$_root{len(self.scope.known.ranges)}"  # no certificate can define this name
        self.scope.known.let(name, Let("sqrt", (variance,)))
        return Poly.symbol(name)

    def coin(self, name: Any, chance: Any, loss: Any = None) -> bool:
        """A coin whose chance may be private; the draw of another coin in it is used up.

        `loss`, where it is stated, is what the coin may tell at most: a multiple of ε, or a number.
        """
        scope = self.scope
        form = scope.form(chance)
        atoms, draws = scope.parts(form)
        for symbol, c in draws.items():
            inner = self.fresh(symbol)
            if inner.chance is None or atoms or len(draws) > 1:
                raise Rejected("the chance of a coin holds at most one other coin, and no noise")
            inner.fresh = False
            form = form - Poly.symbol(symbol) * c + inner.chance * c
        scope.draws[scope.new(name, "~")] = Draw(
            "bernoulli", None, form, loss=None if loss is None else scope.amount(scope.public(loss))
        )
        return True

    def take(self, name: Any, rate: Any) -> bool:
        """A Poisson sample of the records."""
        value = number(rate)
        if not isinstance(name, str) or not name.isalnum() or name in self.scope.sampled or not 0 < value <= 1:
            raise Rejected("a sample has a name of its own and a rate from 0 to 1")
        self.scope.sampled.add(name)
        if self.scope.inputs.cells is None or self.scope.inputs.replaced:
            raise Rejected("a sample is of records that are added or removed")
        self.scope.samples[name] = value
        return True

    def fresh(self, name: Any) -> Draw:
        draw = self.scope.draws.get(name)
        if draw is None or not draw.fresh:
            raise Rejected(f"the draw {str(name)[:40]} is used a second time, or does not exist")
        return draw


def _total(parts: Sequence[Poly]) -> Poly:
    return sum(parts, Poly())


def _sum(parts: Sequence[Cost]) -> Cost:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _coin(low: Fraction, high: Fraction) -> Fraction:
    """max ln(h/l), ln((1−l)/(1−h)), rounded up."""
    if low == high:
        return Fraction(0)
    if low <= 0 or high >= 1:
        raise Rejected("a coin that may be certain")
    with precision(BITS):
        return rounded(upper(ball(max(high / low, (1 - low) / (1 - high))).log()))


def _root(form: Poly) -> Poly | None:
    """The square root of a single term with a square coefficient and even powers."""
    if len(form.terms) != 1:
        return None
    ((mono, c),) = form.terms.items()
    top, bottom = math.isqrt(max(c.numerator, 0)), math.isqrt(c.denominator)
    if c <= 0 or Fraction(top * top, bottom * bottom) != c or any(p % 2 for _, p in mono):
        return None
    return Poly.term(tuple((s, p // 2) for s, p in mono), Fraction(top, bottom))


def inverse_of(scope: Scope, form: Poly) -> Poly:
    """1/form: a single term, or a number that is defined by it."""
    if len(form.terms) == 1:
        return form.power(-1)
    name = f"$_inverse{len(scope.known.ranges)}"  # no certificate can define this name
    head, rest = scope.known.inverse_parts(form)
    if not scope.known.nonzero(rest):
        raise Rejected(f"a division by {form}, which may be 0")
    scope.known.let(name, Let("inverse", (rest,)))
    return Poly.symbol(name) * head.power(-1)


__all__ = ["MEMORYLESS", "NOTHING", "Costs", "Releases", "inverse_of", "join_costs", "most"]
