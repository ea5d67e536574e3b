"""RAPPOR: a string is hashed into a Bloom filter whose bits are reported with randomized response.

A value sets h of the k bits of its filter. Two values may differ in 2h bits: h that only the one sets, h that only the
other sets. The hash functions here send value v to the bits hv, ..., hv + h − 1 (mod k), so that different values do
not collide and the bounds are attained.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Guarantee, PureDP, Records, log, mechanism, real, whole
from dpwitness.core.noise import Noise
from dpwitness.mechanisms.rounding import rounded_up

CLIENT = Records((0, 1, 2), 1)
SIZES = {"hashes": whole(1), "width": whole(1)}
ODDS = {"f": real(above=0, below=1), "p": real(above=0, below=1), "q": real(above=0, below=1)}


def bloom_filter(value: Any, hashes: Any, width: Any) -> list[int]:
    """The bits that a value sets.

    >>> bloom_filter(1, 2, 5)
    [0, 0, 1, 1, 0]
    """
    on = {(hashes * value + j) % width for j in range(hashes)}
    return [int(i in on) for i in range(width)]


def _permanent(noise: Noise, bit: int, f: Any) -> Any:
    """The bit itself with probability 1 − f, else a fair coin: 1 with probability f/2 + (1 − f)·bit."""
    return 1 * noise.bernoulli(f / 2 + (1 - f) * bit)


def _forever(f: Any, hashes: Any) -> Guarantee:
    r"""2h ln((1 − f/2)/(f/2)), the loss of the permanent bits."""
    return PureDP(rounded_up(2 * hashes * log((2 - f) / f)))


def _once(f: Any, p: Any, q: Any, hashes: Any) -> Guarantee:
    r"""h ln(q*(1 − p*)/(p*(1 − q*))), the loss of one report."""
    high, low = f * (p + q) / 2 + (1 - f) * q, f * (p + q) / 2 + (1 - f) * p
    return PureDP(rounded_up(hashes * log(high * (1 - low) / (low * (1 - high)))))


@mechanism(
    data=CLIENT,
    claim=lambda f, hashes: _forever(f, hashes),
    typical={"f": "19/20", "hashes": 4, "width": 20},
    domains={**ODDS, **SIZES},
    tags=("sniper", "rappor", "local", "audit"),
    cites="Erlingsson, Pihur and Korolova 2014, theorem 1",
)
def one_time_rappor(noise: Noise, data: Sequence[Any], *, f: Any, hashes: Any, width: Any) -> Any:
    r"""Permanent randomized response alone; the loss is :math:`2h\ln((1-f/2)/(f/2))`, here 0.8007."""
    return [_permanent(noise, bit, f) for bit in bloom_filter(data[0], hashes, width)]


@one_time_rappor.twin(
    "counts-own-bits-only", claim=lambda f, hashes: PureDP(rounded_up(hashes * log((2 - f) / f))), tags=("rappor",),
    notes="the h bits of the other value differ as well",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, f: Any, hashes: Any, width: Any) -> Any:
    """The same reports, with a claim that counts the bits of one filter only."""
    return [_permanent(noise, bit, f) for bit in bloom_filter(data[0], hashes, width)]


@mechanism(
    data=CLIENT,
    claim=lambda f, p, q, hashes: _once(f, p, q, hashes),
    typical={"f": "3/4", "p": "9/20", "q": "11/20", "hashes": 4, "width": 20},
    domains={**ODDS, **SIZES},
    tags=("sniper", "rappor", "local", "audit"),
    cites="Erlingsson, Pihur and Korolova 2014, theorem 2",
)
def rappor(noise: Noise, data: Sequence[Any], *, f: Any, p: Any, q: Any, hashes: Any, width: Any) -> Any:
    r"""One report: each permanent bit is sent as 1 with probability q if it is set, p if not; the loss is 0.4002."""
    permanent = [_permanent(noise, bit, f) for bit in bloom_filter(data[0], hashes, width)]
    return [1 * noise.bernoulli(p + (q - p) * bit) for bit in permanent]


@rappor.twin("two-reports", tags=("rappor", "composition"), notes="every report tells more of the bits")
def _(noise: Noise, data: Sequence[Any], *, f: Any, p: Any, q: Any, hashes: Any, width: Any) -> Any:
    """Two reports from the same permanent bits, with the claim of one."""
    permanent = [_permanent(noise, bit, f) for bit in bloom_filter(data[0], hashes, width)]
    return [[1 * noise.bernoulli(p + (q - p) * bit) for bit in permanent] for _ in range(2)]


@mechanism(
    data=CLIENT,
    claim=lambda f, p, q: _once(f, p, q, 1),
    typical={"f": "1/2", "p": "1/4", "q": "3/4"},
    domains=ODDS,
    tags=("rappor", "local", "finite"),
    cites="Erlingsson, Pihur and Korolova 2014, section 2: Basic RAPPOR",
)
def basic_rappor(noise: Noise, data: Sequence[Any], *, f: Any, p: Any, q: Any) -> Any:
    """One bit for each possible value in place of a Bloom filter, so that two values differ in two bits."""
    permanent = [_permanent(noise, bit, f) for bit in bloom_filter(data[0], 1, 3)]
    return [1 * noise.bernoulli(p + (q - p) * bit) for bit in permanent]


@basic_rappor.twin("sends-the-permanent-bits", tags=("rappor", "finite"))
def _(noise: Noise, data: Sequence[Any], *, f: Any, p: Any, q: Any) -> Any:
    """The second randomisation is left out: the loss is that of the permanent bits, 2 ln 3."""
    return [_permanent(noise, bit, f) for bit in bloom_filter(data[0], 1, 3)]


@mechanism(
    data=CLIENT,
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("rappor", "local", "finite"),
    cites="Wang, Blocki, Li and Jha 2017, section 4.3",
)
def unary_encoding(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""One bit for each possible value, each with randomized response at ε/2."""
    return [bit + (1 - 2 * bit) * noise.bernoulli(log_odds=-eps / 2) for bit in bloom_filter(data[0], 1, 3)]


@unary_encoding.twin("whole-budget-every-bit", tags=("rappor", "finite"), notes="two bits differ: the loss is 2ε")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Randomized response at ε for every bit."""
    return [bit + (1 - 2 * bit) * noise.bernoulli(log_odds=-eps) for bit in bloom_filter(data[0], 1, 3)]


@mechanism(
    data=CLIENT,
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("rappor", "local", "finite"),
    cites="Wang, Blocki, Li and Jha 2017, section 4.3",
)
def optimised_unary_encoding(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A set bit is sent by a fair coin, any other as 1 with probability :math:`1/(e^\varepsilon+1)`."""
    return [1 * noise.bernoulli(log_odds=(bit - 1) * eps) for bit in bloom_filter(data[0], 1, 3)]


@optimised_unary_encoding.twin("set-bit-with-odds-too", tags=("rappor", "finite"), notes="the loss is 2ε")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A set bit is sent with probability :math:`e^\varepsilon/(e^\varepsilon+1)` in place of 1/2."""
    return [1 * noise.bernoulli(log_odds=(2 * bit - 1) * eps) for bit in bloom_filter(data[0], 1, 3)]
