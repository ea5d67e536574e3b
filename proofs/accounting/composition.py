r"""Compositions as values: ``+`` composes, ``*`` repeats, and δ(ε) and ε(δ) are certified brackets.

>>> from dpwitness.proofs.accounting.steps import gaussian, laplace, poisson
>>> whole = poisson(gaussian("1.0"), "0.01") * 1000
>>> print(whole.epsilon("1e-5"))
1.8282366665163..9
>>> print((gaussian(2) + laplace(10) * 100).delta(6))
5.4232473609072478..84e-08
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import wraps
from math import inf, nextafter
from operator import index
from typing import Any, TypeVar

from flint import arb

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import brief, exact
from dpwitness.proofs.accounting.bracket import Bracket
from dpwitness.proofs.accounting.engine import Bounds, Order, PrecisionReached, settle, solve
from dpwitness.proofs.kernel.accounts.compositions import (
    MAX_COUNT,
    MAX_STEPS,
    both_orders,
    largest_loss,
    step_from_json,
)
from dpwitness.proofs.kernel.accounts.pairs import Response
from dpwitness.proofs.kernel.arith import Undecided, ball, lower, outward, precision, upper
from dpwitness.proofs.kernel.check import PATIENCE, check

Step = tuple[Any, ...]  # (kind, parameters…), as the kernel reads it
WIDTH = Fraction(1, 10**12)
RELATIONS = ("add-remove", "replace")
LARGEST = Fraction(10**15)  # of ε
Method = TypeVar("Method", bound=Callable[..., Any])
UNBOUNDED = tuple(how + law for how in ("", "poisson-", "sample-") for law in ("gaussian", "discrete-gaussian"))


def whole(value: object) -> int | None:
    """A whole number, of numpy too; None for anything else.

    >>> whole(3), whole(True), whole(3.0)
    (3, None, None)
    """
    try:
        return None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _reached(method: Method) -> Method:
    """What doubles or a ball cannot hold is told as a limit of the engines, which search with doubles."""

    @wraps(method)
    def measured(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except (OverflowError, ZeroDivisionError, Undecided) as error:
            raise PrecisionReached(f"the numbers are out of the reach of the engines: {error}") from error

    return measured  # type: ignore[return-value]


@dataclass(frozen=True)
class Composition:
    """Steps that all see the same data, one after the other, each with randomness of its own.

    A step may depend on what was released before. The bracket is that of the worst steps of the stated kinds: no
    smaller ε can be claimed for these steps, and one run of them may be more private.
    """

    steps: tuple[tuple[Step, int], ...]
    relation: str | None = None  # None: the steps are the same under both
    engine: str | None = None
    _cache: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.steps) > MAX_STEPS:
            raise BadInput(f"{len(self.steps)} different steps are more than {MAX_STEPS}: group those that are equal")
        for (_, *_), count in self.steps:
            if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MAX_COUNT:
                raise BadInput(
                    f"a step is taken {brief(count)} times; a whole number from 1 to {MAX_COUNT} is expected"
                )

    def __add__(self, other: Composition) -> Composition:
        if not isinstance(other, Composition):
            return NotImplemented
        return compose(self, other)

    def __mul__(self, times: int) -> Composition:
        many = whole(times)
        if many is None or many < 1:
            raise BadInput(f"times={brief(times)} must be a whole number of at least 1")
        return compose(Composition(tuple((step, k * many) for step, k in self.steps), self.relation, self.engine))

    __rmul__ = __mul__

    def __str__(self) -> str:
        return " + ".join(f"{k} × {s[0]}({', '.join(map(_shown, s[1:]))})" for s, k in self.steps)

    # -- both directions of the curve

    @_reached
    def delta(self, eps: object) -> Bracket:
        """The bracket of δ(ε): the smallest δ for which these steps are always (ε, δ)-DP together."""
        at = _positive(eps, "eps", zero=True)
        most = largest_loss(self._parts())
        if most is not None and at >= most:
            return Bracket(Fraction(0), Fraction(0))
        lows, highs = [Fraction(0)], [Fraction(0)]
        for i, order in enumerate(self._orders()):
            best = max(lows)
            if i and best and order.tail(at, best) is not None:
                continue  # this order lies below the first one
            found = self._near(i, at)
            lows.append(found.low(at))
            highs.append(found.high(at))
        low, high = outward(max(lows), max(highs), 25)
        return Bracket(low, min(high, Fraction(1)))

    @_reached
    def epsilon(self, delta: object) -> Bracket:
        """The bracket of ε(δ): the smallest ε for which these steps are always (ε, δ)-DP together."""
        size = _positive(delta, "delta", zero=True)
        if size >= 1:
            raise BadInput(f"delta={brief(delta)} must be below 1")
        if size == 0:
            most = largest_loss(self._parts())
            if most is None:
                unbounded = any(kind in UNBOUNDED for (kind, *_), _ in self.steps) or self._certainly_infinite(size)
                return Bracket(inf if unbounded else Fraction(0), inf)
            return Bracket(most, most)
        orders = self._orders()
        guesses = [order.guess(float(size)) for order in orders]
        ranked = sorted(range(len(orders)), key=lambda i: -guesses[i])
        low: Fraction | float = Fraction(0)
        high: Fraction | float = Fraction(0)
        for i in ranked:
            if i != ranked[0] and isinstance(high, Fraction) and orders[i].tail(high, size) is not None:
                continue  # one moment shows that this order needs no more
            one = self._epsilon(i, size, guesses[i])
            low, high = max(low, one[0]), max(high, one[1])
        return Bracket(low, high)

    def _epsilon(self, i: int, delta: Fraction, guess: float) -> tuple[Fraction | float, Fraction | float]:
        if self._certainly_infinite(delta):
            return inf, inf
        if guess == inf:
            guess = 1.0
        order = self._orders()[i]
        found = self._near(i, Fraction(max(guess, 1e-3)) if guess >= 0 else Fraction(1), float(delta))
        if found.high(Fraction(0)) <= delta:
            return Fraction(0), Fraction(0)
        start = max(guess, 1e-3) if guess >= 0 else 1.0
        at = solve(found.above, delta, start)
        if (
            found.engine == "moments"
            and abs(at - start) > 1e-3 * start
            and found.above(Fraction(at)).rel_accuracy_bits() < 42
        ):
            found = order.bounds(at, float(delta))  # the sum was taken for another ε
            self._cache[i] = [found, *self._cache.get(i, [])][:4]
            at = solve(found.above, delta, at)
        top = settle(lambda e: found.high(e) <= delta, at, +1, WIDTH)
        other = solve(found.below, delta, at) if found.engine == "grid" else at
        low = settle(lambda e: found.low(e) > delta, other, -1, WIDTH)
        return low or Fraction(0), self._most(delta) if top is None else top

    def _infinite(self) -> Any:
        """The mass at ∞, enclosed."""
        with precision(256):
            keep = arb(1)
            for pair, count in self._parts():
                keep *= ball(1 - pair.infinite) ** count
            return 1 - keep

    def _certainly_infinite(self, delta: Fraction) -> bool:
        """Whether the mass at ∞ alone exceeds δ."""
        return lower(self._infinite()) > delta

    def _most(self, delta: Fraction) -> Fraction | float:
        """The largest finite loss, beyond which δ(ε) is the mass at ∞: enough where that is at most δ."""
        most = largest_loss([(replace(pair, infinite=Fraction(0)) if isinstance(pair, Response) else pair, count)
                             for pair, count in self._parts()])  # fmt: skip
        return inf if most is None or upper(self._infinite()) > delta else most

    def curve(self, eps: Iterable[object]) -> list[tuple[Fraction, Bracket]]:
        """(ε, bracket of δ(ε)) for each ε."""
        return [(Fraction(exact(e, "eps")), self.delta(e)) for e in eps]

    def tradeoff(self, alpha: object, points: int = 24) -> Bracket:
        r"""The smallest type II error of a test of level α: :math:`\sup_\varepsilon
        \max(1-\delta-e^\varepsilon\alpha, e^{-\varepsilon}(1-\delta-\alpha), 0)`, from δ at some ε; between two of
        them both numbers are bounded by their ends.
        """
        from dpwitness.proofs.accounting.tradeoff import tradeoff

        return tradeoff(self, _positive(alpha, "alpha", zero=True), points)

    # -- what an audit asks of a claim

    def deltas(self, eps: Any) -> Any:
        """Certified upper ends of δ(ε) for an array of ε, as doubles rounded up.

        >>> from dpwitness.proofs.accounting.steps import gaussian
        >>> gaussian(1).deltas([0, 1]).round(4)
        array([0.3829, 0.1269])
        """
        import numpy as np

        given = np.asarray(eps, dtype=np.float64)
        found = [_double_above(self.delta(Fraction(float(e))).high) for e in np.ravel(given)]
        return np.array(found).reshape(given.shape)

    @property
    def draws_per_pair(self) -> int:
        """How many random numbers one loss of `pair` takes, about."""
        return sum(count if kind.startswith(("poisson", "laplace")) else 1 for (kind, *_), count in self.steps)

    def pair(self, size: int, rng: Any) -> tuple[Any, Any]:
        """Privacy losses of `size` runs without the record and of as many with it, under the worst pair of laws."""
        from dpwitness.proofs.accounting.drawing import draw_pair

        return draw_pair(self, size, rng)

    # -- certificates

    @_reached
    def certificate(self, epsilon: object, delta: object) -> dict[str, Any]:
        """A certificate that the steps are (ε, δ)-DP, or that they are not; re-checked before it is returned."""
        eps, size = _positive(epsilon, "epsilon", zero=True), _positive(delta, "delta", zero=True)
        if size >= 1:
            raise BadInput(f"delta={brief(delta)} must be below 1")
        kind = {"kind": "approximate", "epsilon": str(eps), "delta": str(size)} if size else {
            "kind": "pure", "epsilon": str(eps)}  # fmt: skip
        common = {"relation": self.relation or "add-remove", "steps": self._json(), "guarantee": kind}
        hints: list[Any] = []
        for i, order in enumerate(self._orders()):
            if (most := largest_loss(order.parts)) is not None and not size:
                if most > eps:
                    return _checked({"type": "composition-violation", **common, "order": i, "hints": None})
                hints.append(None)
                continue
            tail = order.tail(eps, size)
            if tail is not None:
                hints.append(tail)
                continue
            found = self._deciding(i, eps, size)
            if found.low(eps) > size:
                return _checked({"type": "composition-violation", **common, "order": i, "hints": found.hints})
            if not size or not found.high(eps) <= size:  # δ = 0 is proved by a largest loss alone
                raise PrecisionReached(
                    f"delta={float(size)} lies between the bounds {Bracket(found.low(eps), found.high(eps))}"
                )
            hints.append(found.hints)
        return _checked({"type": "composition", **common, "orders": hints})

    def explain(self, delta: object = "1/100000") -> str:
        """How ε(δ) is found: engine, order that is worst, size of the sum, time, and what is trusted."""
        from dpwitness.proofs.accounting.explaining import explain

        return explain(self, delta)

    def plot(self, **how: Any) -> Any:
        """δ(ε) on a logarithmic axis; see `dpwitness.pictures.accounts.draw_curve`."""
        from dpwitness.pictures.accounts import draw_curve

        return draw_curve(self, **how)

    # -- inside

    def _json(self) -> list[list[Any]]:
        return [[*map(_plain, step), count] for step, count in self.steps]

    def _parts(self) -> list[Any]:
        if "parts" not in self._cache:
            self._cache["parts"] = [step_from_json(self.relation or "add-remove", step) for step in self._json()]
        return self._cache["parts"]  # type: ignore[no-any-return]

    def _orders(self) -> list[Order]:
        if "orders" not in self._cache:
            self._cache["orders"] = [Order(parts, self.engine) for parts in both_orders(self._parts())]
        return self._cache["orders"]  # type: ignore[no-any-return]

    def _deciding(self, i: int, eps: Fraction, delta: Fraction) -> Bounds:
        """Bounds of one order for a certificate: a coarse grid where it decides, as that is checked sooner."""
        order = self._orders()[i]
        if order.gridded and delta and not order.closed:
            rough = order.bounds(float(eps), float(delta), 1 / 8)
            if rough.low(eps) > delta or rough.high(eps) <= delta:
                return rough
        return self._near(i, eps, float(delta) or None)

    def _near(self, i: int, eps: Fraction, size: float | None = None) -> Bounds:
        """Bounds of one order that are good near ε: those at hand, or new ones."""
        at_hand: list[Bounds] = self._cache.get(i, [])
        for found in at_hand:
            value = found.above(eps)
            if found.engine == "closed form" or (found.engine == "moments" and value.rel_accuracy_bits() > 42):
                return found
            if found.engine == "grid" and 0 < found.high(eps) - found.low(eps) < found.high(eps) / 10**5:
                return found
        order = self._orders()[i]
        if size is None:
            size = 1e-12 if order.cumulant is None else _size(order, float(eps))
            if order.cumulant is None:  # a first grid tells how small δ is
                rough = order.bounds(float(eps), 1e-9)
                size = max(float(rough.high(eps)), 1e-60)
                if size > 1e-9:
                    self._cache[i] = [rough, *self._cache.get(i, [])][:4]
                    return rough
        begun = time.perf_counter()
        found = order.bounds(float(eps), size)
        self._cache["seconds"] = self._cache.get("seconds", 0.0) + time.perf_counter() - begun
        self._cache[i] = [found, *self._cache.get(i, [])][:4]
        return found


def _size(order: Order, eps: float) -> float:
    from math import exp

    assert order.cumulant is not None
    return exp(min(max(order.cumulant.saddle(eps)[1], -690.0), -1e-3))


def _plain(value: Any) -> Any:
    return [str(x) for x in value] if isinstance(value, tuple) else str(value) if isinstance(value, Fraction) else value


def _shown(value: Any) -> str:
    """A number, or a law as a list of at most eight."""
    if not isinstance(value, tuple):
        return brief(value)
    return f"[{', '.join(map(brief, value[:8]))}{', …' if len(value) > 8 else ''}]"


def _double_above(value: Fraction | float) -> float:
    found = float(value)
    return found if found >= value else nextafter(found, inf)


def _positive(value: object, name: str, *, zero: bool = False) -> Fraction:
    found = Fraction(exact(value, name))
    if found < 0 or (found == 0 and not zero):
        raise BadInput(f"{name}={brief(value)} must be {'at least' if zero else 'above'} 0")
    if found > LARGEST:
        raise BadInput(f"{name}={brief(value)} must be at most {float(LARGEST):g}")
    return found


def _checked(certificate: dict[str, Any]) -> dict[str, Any]:
    check(certificate, seconds=PATIENCE)
    return certificate


def compose(*parts: Composition, relation: str | None = None) -> Composition:
    """All steps together: equal ones are counted, Gaussian ones become one."""
    if relation is not None and relation not in RELATIONS:
        raise BadInput(f"relation={relation!r} must be one of {', '.join(RELATIONS)}")
    relations = {r for r in (relation, *(part.relation for part in parts)) if r is not None}
    if len(relations) > 1:
        raise BadInput(
            "these steps belong to different relations between neighbours: Poisson sampling is about a record that is "
            "added or removed, sampling without replacement about one that is replaced"
        )
    counts: dict[Step, int] = {}
    squared = Fraction(0)
    for part in parts:
        for step, count in part.steps:
            if step[0] == "gaussian":
                squared += count * step[1]
            else:
                counts[step] = counts.get(step, 0) + count
    steps = ((("gaussian", squared), 1),) if squared else ()
    engine = next((part.engine for part in parts if part.engine), None)
    return Composition((*steps, *counts.items()), next(iter(relations), None), engine)


__all__ = ["Bracket", "Composition", "Mapping", "PrecisionReached", "compose"]
