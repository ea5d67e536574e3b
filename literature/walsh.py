"""Parity sets and Walsh–Hadamard transforms: exact laws over all masks at once.

A randomizer on D = {0,1}^d is a list of rows p(z|·), integers over a common denominator. For r ≠ 0 and a bit b let
D_{r,b} = {x : r⊙x = b}. Then p̂(z) − p(z) = (−1)^b · W[r]/2^d, where W is the transform of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

F = Fraction


def transform(values: Sequence[int]) -> list[int]:
    """Σ_x (−1)^{r⊙x} v_x for every r, in N·log N additions.

    >>> transform([1, 1, 1, 1])
    [4, 0, 0, 0]
    """
    out, half = list(values), 1
    while half < len(out):
        for start in range(0, len(out), 2 * half):
            for i in range(start, start + half):
                a, b = out[i], out[i + half]
                out[i], out[i + half] = a + b, a - b
        half *= 2
    return out


def parity(r: int, x: int) -> int:
    """r⊙x: the parity of the common ones."""
    return (r & x).bit_count() & 1


@dataclass(frozen=True)
class Randomizer:
    """p(z|x) = rows[z][x]/total; `ratio` bounds rows[z][x]/rows[z][y] for all x, y (it is e^ε)."""

    name: str
    bits: int
    ratio: Fraction
    rows: tuple[tuple[int, ...], ...]
    total: int

    def __post_init__(self) -> None:
        if any(sum(column) != self.total for column in zip(*self.rows, strict=True)):
            raise ValueError(f"{self.name}: the probabilities do not sum to 1")
        if any(max(row) > self.ratio * min(row) for row in self.rows):
            raise ValueError(f"{self.name}: not ε-indistinguishable at e^ε = {self.ratio}")

    @property
    def size(self) -> int:
        """2^d."""
        return 1 << self.bits

    def mean(self, z: int) -> Fraction:
        """p(z): the law of Z on a uniform x."""
        return F(sum(self.rows[z]), self.size * self.total)

    def deviations(self) -> list[list[Fraction]]:
        """p̂(z) − p(z) at b = 0, by z and then by r ≠ 0."""
        scale = self.size * self.total
        return [[F(w, scale) for w in transform(row)[1:]] for row in self.rows]

    def variance(self, z: int) -> Fraction:
        """Var over uniform r ≠ 0 and b."""
        power = sum(w * w for w in transform(self.rows[z])[1:])
        return F(power, (self.size - 1) * (self.size * self.total) ** 2)

    def differences(self) -> list[Fraction]:
        """SD(Z(D_{r,b}), Z(D)) for every r ≠ 0; it is the same for both b."""
        columns = [transform(row)[1:] for row in self.rows]
        scale = 2 * self.size * self.total
        return [F(sum(abs(w) for w in at_r), scale) for at_r in zip(*columns, strict=True)]


def response(name: str, bits: int, keep: int, predicate: Callable[[int], int]) -> Randomizer:
    """Randomized response on one bit of x, with e^ε = keep."""
    rows = tuple(tuple(keep if predicate(x) == z else 1 for x in range(1 << bits)) for z in (0, 1))
    return Randomizer(name, bits, F(keep), rows, keep + 1)


def bent(x: int) -> int:
    """x₁x₂ ⊕ x₃x₄ ⊕ …: all its Walsh coefficients have the same size when d is even."""
    even = x & (x >> 1) & 0x5555
    return even.bit_count() & 1


def any_mask(bits: int, keep: int) -> Randomizer:
    """A uniform mask s ≠ 0 together with the randomized parity s⊙x; e^ε = keep."""
    size = 1 << bits
    rows = tuple(tuple(keep if parity(s, x) == c else 1 for x in range(size)) for s in range(1, size) for c in (0, 1))
    return Randomizer("random parity", bits, F(keep), rows, (size - 1) * (keep + 1))


def symbol_response(bits: int, keep: int) -> Randomizer:
    """Randomized response on the whole of x: kept with weight `keep`, any other value with weight 1."""
    size = 1 << bits
    rows = tuple(tuple(keep if x == z else 1 for x in range(size)) for z in range(size))
    return Randomizer("symbol response", bits, F(keep), rows, size - 1 + keep)


def scrambled(bits: int, keep: int, seed: int = 1) -> Randomizer:
    """Three outcomes with pseudo-random weights between 1 and `keep`."""
    state, columns = seed, []
    for _ in range(1 << bits):
        state = (1103515245 * state + 12345) % (1 << 31)
        a = 1 + (state >> 8) % keep
        columns.append((a, keep + 1 - a, 1 + (state >> 16) % 2))
    padded = [(a, b, c, 3 - c) for a, b, c in columns]
    ratio = F(max(keep, 2))
    return Randomizer("scrambled", bits, ratio, tuple(zip(*padded, strict=True)), keep + 4)


def examples(bits: int) -> list[Randomizer]:
    """Local randomizers of several kinds on {0,1}^bits."""
    found = [
        response("one coordinate", bits, 3, lambda x: x & 1),
        response("majority", bits, 2, lambda x: int(2 * x.bit_count() > bits)),
        response("bent", bits, 2, bent),
        scrambled(bits, 3),
    ]
    if bits <= 5:
        found += [any_mask(bits, 2), symbol_response(bits, 4)]
    return found
