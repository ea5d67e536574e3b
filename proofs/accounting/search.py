r"""Hints for the moment engine: where the inversion sum is taken, how far, and by which rules.

c is near the saddle point of :math:`e^{-c\varepsilon}M(c)/(c(c+1))`, so that the sum has no cancellation and both alias
terms are small beside δ(ε) itself: the accuracy is relative, at any δ. The sum stops at the first T from which the
kernel's bound on \|M(c+it)\| is small enough; for sampled steps a chain of nodes may carry a small T to a larger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, log1p, pi, sqrt
from typing import Any

import numpy as np

from dpwitness.proofs.accounting.steering import Cumulant, Fall, log_decay, log_moment, short, sigma_of
from dpwitness.proofs.kernel.accounts.pairs import STRIP, Parts, Sampled

TERMS, WORK = 30_000, 4e7
CHAIN = 2e8  # about six seconds: a node of a chain costs its setting up, which is charged as 200 products


class TooDear(ArithmeticError):
    """The moment engine would need more work than is reasonable; the text says what is missing."""


def rule(pair: Sampled, most: float, reach: float, digits: float) -> list[Any]:
    """Step and ends of the trapezoidal rule for M(c + it), c ≤ most, t ≤ reach, with an error of e^−digits M."""
    sigma, theta = sigma_of(pair), float(STRIP)
    lost = sigma**2 * theta**2 / 2 + reach * theta + (0.0 if pair.remove else -most * log(np.cos(theta / 2)))
    step = 2 * pi * sigma**2 * theta / (digits + lost + 1)
    ends = digits + (0.0 if pair.remove else -most * log1p(-float(pair.rate))) + 2
    left = sigma * sqrt(2 * ends)
    right = most + 1 + sigma * sqrt(2 * ends + most * (most + 1) / sigma**2) if pair.remove else left
    if (left + right) / step > 400_000:
        raise TooDear(f"the rule of one step needs {(left + right) / step:.2g} nodes")
    return [str(short(step * 0.999, 30)), ceil(left / step * 1.002), ceil(right / step * 1.002)]


@dataclass
class Search:
    """One search for the hints of one order near one ε, with a relative accuracy of e^−digits."""

    parts: Parts
    cumulant: Cumulant
    eps: float
    digits: float

    def hints(self) -> dict[str, Any]:
        """The hints; `TooDear` where the sum would be too long."""
        best, size = self.cumulant.saddle(self.eps)
        if size < -1e5 or not np.isfinite(size):
            raise TooDear("delta is too small for this engine")
        self.size = size
        c, d, tau = self._aliases(best)
        if not tau > 0:
            raise TooDear("the losses of one step are too large for the moments")
        self.c = float(c)
        self.need = size - self.digits - float(self.cumulant(self.c)) + self.c * self.eps
        self.falls = [Fall(pair, self.c) if isinstance(pair, Sampled) else None for pair, _ in self.parts]
        reach, blocks, main = self._reach(tau)
        n = ceil(reach / tau) + 2
        if n > TERMS:
            raise TooDear(f"the moments fall so slowly that {n} terms are needed")
        many = log(max(k for _, k in self.parts))
        pairs: list[dict[str, Any]] = []
        for i, (pair, _) in enumerate(self.parts):
            fall = self.falls[i]
            if not isinstance(pair, Sampled) or fall is None:
                pairs.append({})
                continue
            last = self.last if blocks and i == main else reach
            _, cells = fall.cells(last * 0.99)
            plan = rule(pair, float(d), n * tau, self.digits + many + 12)
            if (plan[1] + plan[2]) * n > WORK:
                raise TooDear(f"the sum needs {(plan[1] + plan[2]) * n:.2g} products")
            pairs.append({
                "plan": plan, "cells": _run(cells),
                "slope": str(short(min(0.125, self.c / 8), 20)),
                "blocks": blocks if i == main else [],
            })  # fmt: skip
        bits = int(1.45 * (self.digits + many + 20 + (0 if self.cumulant.kept == 0 else -min(size, 0)))) + 64
        return {
            "by": "moments",
            "c": str(c),
            "d": str(d),
            "tau": str(short(tau, 24)),
            "n": n,
            "bits": bits,
            "pairs": pairs,
        }

    def _aliases(self, best: float) -> tuple[Fraction, Fraction, float]:
        """c, d and τ with both alias terms e^−digits of u(ε), for the shortest period.

        A smaller c than the saddle point costs digits by cancellation, but where M explodes behind the saddle it leaves
        room for d; the price is weighed by the digits that the tail of the sum must reach.
        """
        found = []
        for part in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3):
            c = best * part
            lost = float(self.cumulant(c)) - c * self.eps - self.size
            tilts = np.linspace(c * 1.02, min(6 * c, Cumulant.HIGH), 400)
            above = (self.digits + self.cumulant(tilts) - tilts * self.eps - self.size) / (tilts - c)
            i = int(np.argmin(above))
            period = max((self.digits - self.size + 3) / c, float(above[i]))
            found.append((period * sqrt(1 + max(lost, 0.0) / self.digits), c, float(tilts[i]), period))
        _, c, best_d, _ = min(found)
        needs = [(self._room(c, c + (best_d - c) * part), part) for part in (1.0, 0.85, 0.7, 0.55, 0.4, 0.25)]
        above_d, part = min(needs)
        d, period = c + (best_d - c) * part, max((self.digits - self.size + 3) / c, above_d)
        exact = short(c, 10) or short(c, 30)
        return exact, max(short(d, 12), exact + Fraction(1, 4096)), float(short(2 * pi / period, 24))

    def _room(self, c: float, d: float) -> float:
        """The period that the alias terms above need, without interpolation: near a kink of ln M that is too rough."""
        top = sum(k * log_moment(pair, d) for pair, k in self.parts) - d * self.eps
        return (self.digits + 1 + top - self.size) / (d - c)

    def _falls(self, t: float, skip: int = -1) -> float:
        return sum(
            k * log_decay(pair, self.c, t, fall)
            for i, ((pair, k), fall) in enumerate(zip(self.parts, self.falls, strict=True))
            if i != skip
        )

    def _reach(self, tau: float) -> tuple[float, list[Any], int]:
        """T, and where that is less work a chain of blocks from there to a place from which the simple bound holds."""
        reach = 2 * tau
        while self._falls(reach) > self.need:
            reach *= 1.12
            if reach > TERMS * tau * 20:
                raise TooDear("the moments do not fall: too few steps with continuous noise")
        sampled = [i for i, fall in enumerate(self.falls) if fall is not None]
        if not sampled or reach < 60 * tau:
            return reach, [], -1
        main = min(sampled, key=lambda i: self.parts[i][1] * log_decay(*self._one(i), reach, self.falls[i]))
        chain = self._chain(main, tau, reach)
        return chain if chain is not None else (reach, [], -1)

    def _one(self, i: int) -> tuple[Any, float]:
        return self.parts[i][0], self.c

    def _chain(self, main: int, tau: float, reach: float) -> tuple[float, list[Any], int] | None:
        pair, k = self.parts[main]
        fall = self.falls[main]
        assert isinstance(pair, Sampled)
        assert fall is not None
        last = reach  # the others help less at a smaller T: the chain ends where this step alone is enough
        while k * log_decay(pair, self.c, last, fall) + self._falls(3 * tau, main) > self.need:
            last *= 1.12
            if last > TERMS * tau * 20:
                return None
        if not 0 < 3 * tau < last:
            return None
        times = np.geomspace(3 * tau, last, 160)
        true = fall.true(times)
        rest = np.array([self._falls(float(t), main) if len(self.parts) > 1 else 0.0 for t in times])
        margin = 0.85 if k > 20 else 0.97
        enough = k * np.log(np.maximum(true, 1e-300)) * margin + rest < self.need
        first = len(times) - 1
        while first > 0 and enough[first - 1]:
            first -= 1
        if first == len(times) - 1 or times[first] > 0.7 * reach:
            return None
        start = float(times[first])
        limit = exp((self.need - float(rest[first])) / k)
        blocks, at, work = [], start, 0.0
        while at < last:
            end = min(last * 1.0001, at * 1.5)
            near = float(fall.true(np.linspace(at, end, 24)).max())
            slack = max(limit - near, min(limit, 1 - limit) / 20)
            count = max(1, ceil((end - at) * fall.mean / (1.8 * slack)))
            plan = rule(pair, self.c, end * 1.01, 6 - log(min(slack, 1.0)))
            first_text, gap = short(at, 24), short((end - at) / count * 1.0001, 30)
            blocks.append([str(first_text), str(gap), count, *plan])
            work += (plan[1] + plan[2]) * (count + 200 * sqrt(count))
            at = float(first_text + gap * count) * (1 - 1e-12)
        if work > CHAIN:
            raise TooDear(f"the chain needs {work:.2g} products")
        nodes = sum(rule(pair, 2 * self.c, reach, self.digits)[1:])
        if work > nodes * (reach / tau + 200 * sqrt(reach / tau)):
            return None
        self.last = at
        return start * 1.0001, blocks, main


def _run(cells: list[Any]) -> list[Any]:
    begin, width, count = cells
    return [str(short(begin, 20)), str(short(width, 20)), count]


def find_hints(parts: Parts, cumulant: Cumulant, eps: float, digits: float) -> dict[str, Any]:
    """Hints for an enclosure of δ near ε; `TooDear` where the moment engine is not the right one."""
    return Search(parts, cumulant, eps, digits).hints()


def tail_hints(parts: Parts, cumulant: Cumulant, eps: float, delta: float) -> dict[str, Any]:
    """Hints for the bound with one moment: the smallest d that seems enough, or the best one."""
    d = cumulant.enough(eps, log(delta) - 2)
    many = log(max(k for _, k in parts))
    pairs = [{"plan": rule(p, d, 0.0, 30 + many)} if isinstance(p, Sampled) else {} for p, _ in parts]
    most = short(d, 10) or short(d, 30)
    return {"by": "moments", "c": str(most / 2), "d": str(most), "tau": "1", "n": 0, "bits": 128, "pairs": pairs}
