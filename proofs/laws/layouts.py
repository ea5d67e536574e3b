"""Where a program's outputs lie and which noise they carry: the additive form of a program.

A program is additive where it takes one path and every released number is a linear form of the data plus one draw of
its own. On symbolic data the linear forms are kept, on given data they are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.outputs import Skeleton
from dpwitness.core.readers.paths import Path, symbolic_paths
from dpwitness.proofs.kernel.arith import Undecided, ball, enclose, text
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.laws.formulas import formula
from dpwitness.proofs.laws.privacy_curves.curves import noise_law


@dataclass(frozen=True)
class Layout:
    """One run: fixed structure, and per released number its coefficients in the data, its constant and its noise.

    `laws` holds for each number the noise from below and from above (they differ where a parameter is irrational and
    had to be rounded), or None where the number carries no noise. `texts` holds the same laws as certificates state
    them, irrational sizes as formulas; `kinds` is that of `Path`.
    """

    skeleton: Skeleton
    rows: tuple[Mapping[int, Fraction], ...]
    constants: tuple[Fraction, ...]
    laws: tuple[tuple[NoiseLaw, NoiseLaw] | None, ...]
    texts: tuple[Mapping[str, str] | None, ...] = ()
    kinds: tuple[str, ...] = ()

    def model(self, size: int | None = None) -> dict[str, Any]:
        """The model as it stands in certificates; without `size` its locations are listed elsewhere."""
        found: dict[str, Any] = {"output": as_json(self.skeleton), "laws": [t and dict(t) for t in self.texts]}
        if size is None:
            return found
        rows = [[text(row.get(j, Fraction(0))) for j in range(size)] for row in self.rows]
        return {**found, "rows": rows, "offsets": [text(c) for c in self.constants]}


def as_json(skeleton: Any) -> Any:
    """The structure of an output as nested lists."""
    if isinstance(skeleton, tuple):
        return [as_json(part) for part in skeleton]
    return str(skeleton) if isinstance(skeleton, Fraction) else skeleton


def layout(claim: Claim, data: Sequence[Any]) -> Layout:
    """The additive form of the claim's program on `data` (numbers or input symbols), or `OutsideFragment`."""
    return read_layout(single_path(claim, data))


def single_path(claim: Claim, data: Sequence[Any]) -> Path:
    """The one path of a program without branches and choices, or `OutsideFragment`."""
    assert isinstance(claim.mechanism, Mechanism)
    table = symbolic_paths(claim.mechanism.program, data, claim.params, symbolic=(), max_paths=2)
    if len(table.paths) != 1 or not table.complete or table.paths[0].conditions or table.paths[0].choices:
        raise OutsideFragment("the program branches or makes choices: it does not only add noise")
    return table.paths[0]


def read_layout(path: Path) -> Layout:
    """The additive form of a path: every released number is linear in the data and has at most one draw, its own."""
    draws = {draw.symbol: draw.law for draw in path.draws}
    used: set[Symbol] = set()
    rows, constants, laws, texts = [], [], [], []
    for form in path.values:
        parts = form.linear()
        if parts is None:
            raise OutsideFragment(f"the output {form} is not linear in the data and the noise")
        coefficients, rest = parts
        noisy = [symbol for symbol in coefficients if symbol.kind == "draw"]
        if len(noisy) > 1 or used & set(noisy):
            raise OutsideFragment("a draw is shared between outputs, or an output holds several draws")
        used |= set(noisy)
        rows.append({s.index: _exact(c) for s, c in coefficients.items() if s.kind == "input"})
        constants.append(_exact(rest))
        factor = _exact(coefficients[noisy[0]]) if noisy else Fraction(0)
        laws.append(noise_bounds(draws[noisy[0]], factor) if noisy else None)
        texts.append(law_json(draws[noisy[0]], factor) if noisy else None)
    return Layout(path.output, tuple(rows), tuple(constants), tuple(laws), tuple(texts), path.kinds)


def _exact(form: Form) -> Fraction:
    value = form.value()
    if value is None:
        raise OutsideFragment(f"{form} is not a rational number")
    return Fraction(value)


def noise_bounds(law: Law, factor: Fraction) -> tuple[NoiseLaw, NoiseLaw]:
    """The noise with irrational sizes rounded down, and rounded up. More noise never makes these laws less private."""
    low, high = {}, {}
    for name, value in law.params().items():
        low[name], high[name] = _bounds(value) if isinstance(value, Form) else (value, value)
        if low[name] != high[name] and (law.name, name) not in _MONOTONE:
            raise OutsideFragment(f"{name} of {law.name} noise is irrational")
    return noise_law(type(law)(**low), factor), noise_law(type(law)(**high), factor)


def law_json(law: Law, factor: Fraction) -> dict[str, str]:
    """`factor` times a draw from the law, as certificates state it: an irrational size is a formula."""
    low, high = noise_bounds(law, factor)
    if low == high:
        return low.to_json()
    name, power = ("variance", 2) if low.name == "gaussian" else ("scale", 1)
    size = next(value for value in law.params().values() if isinstance(value, Form)) * abs(factor)
    return {"name": low.name, name: formula(size * size if power == 2 else size)}


_MONOTONE = {("laplace", "scale"), ("gaussian", "std"), ("exponential", "scale")}


def _bounds(form: Form) -> tuple[Fraction, Fraction]:
    exact = form.value()
    if exact is not None:
        return Fraction(exact), Fraction(exact)
    try:
        return enclose(lambda: form.evaluate(_ball), Fraction(1, 10**30))
    except (Undecided, KeyError, AttributeError) as error:
        raise OutsideFragment(f"{form} could not be enclosed: {error}") from None


def _ball(symbol: Symbol) -> Any:
    if symbol.kind != "atom" or symbol.of is None:
        raise OutsideFragment(f"{symbol} is not a public constant")
    inner = _Ball.of(symbol.of.evaluate(_ball))
    if symbol.name == "inverse":
        return _Ball(1 / inner.value)
    return _Ball({"sqrt": inner.value.sqrt, "log": inner.value.log, "exp": inner.value.exp}[symbol.name]())


class _Ball:
    """A ball that multiplies with rationals, as `Form.evaluate` needs."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @staticmethod
    def of(value: Any) -> _Ball:
        return value if isinstance(value, _Ball) else _Ball(ball(Fraction(value)))

    def __mul__(self, other: Any) -> _Ball:
        return _Ball(self.value * _Ball.of(other).value)

    def __add__(self, other: Any) -> _Ball:
        return _Ball(self.value + _Ball.of(other).value)

    __rmul__, __radd__ = __mul__, __add__

    def __pow__(self, power: int) -> _Ball:
        return _Ball(self.value**power)

    def __getattr__(self, name: str) -> Any:  # is_finite, mid, rad: what `enclose` asks of a ball
        return getattr(self.value, name)
