"""A private trainer in numpy, and eight ways in which trainers go wrong.

Logistic regression with a bias on records (x, y), y = ±1. A batch is a Poisson sample, gradients are clipped to norm C,
summed, and given Gaussian noise of deviation σC.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Record = Any  # (x, y), or the number of a canary
LOUD = 5.0  # norm of a canary's gradient, before it is clipped
BUGS = (
    "noise halved", "noise over batch size", "clipped per batch", "no noise in the last step", "shuffled",
    "same noise each step", "bias not clipped", "copies clipped apart",
)  # fmt: skip


@dataclass
class Trainer:
    """A trainer with at most one bug, and the generator of its noise."""

    sigma: float = 1.5
    clip: float = 1.0
    rate: float = 0.1
    steps: int = 200
    bug: str = ""
    learning_rate: float = 0.5
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(21))
    canaries: int = 0
    last: bool = False
    batch_sizes: list[int] = field(default_factory=list)

    def reseed(self, seed: int) -> None:
        """Seed the noise."""
        self.rng = np.random.default_rng(seed)

    def gradients(self, batch: list[Record]) -> np.ndarray:
        """One row for each record: the gradient of the logistic loss, the bias last; then the canaries' own places."""
        width = len(self.weights)
        rows = np.zeros((len(batch), width + self.canaries))
        plain = [i for i, record in enumerate(batch) if isinstance(record, tuple)]
        if plain:
            x = np.array([np.append(batch[i][0], 1.0) for i in plain])
            y = np.array([batch[i][1] for i in plain])
            rows[plain, :width] = (-y / (1 + np.exp(y * (x @ self.weights))))[:, None] * x
        for i, record in enumerate(batch):
            if not isinstance(record, tuple):
                rows[i, width + record] = LOUD
        return rows

    def clipped(self, rows: np.ndarray) -> np.ndarray:
        """The sum of the clipped gradients."""
        if self.bug == "clipped per batch":
            mean = rows.mean(axis=0)
            return len(rows) * mean * min(1.0, self.clip / max(float(np.linalg.norm(mean)), 1e-12))
        bias = len(self.weights) - 1
        measured = np.delete(rows, bias, axis=1) if self.bug == "bias not clipped" else rows
        norms = np.maximum(np.linalg.norm(measured, axis=1, keepdims=True), 1e-12)
        shrunk = rows * np.minimum(1.0, self.clip / norms)
        if self.bug == "bias not clipped":
            shrunk[:, bias] = rows[:, bias]
        return shrunk.sum(axis=0)

    def noise(self, size: int, batch: int) -> np.ndarray:
        """The noise of a step."""
        if self.bug == "same noise each step":
            return self.sigma * self.clip * np.random.default_rng(7).standard_normal(size)
        scale = self.sigma * self.clip
        if self.bug == "noise halved":
            scale /= 2
        if self.bug == "noise over batch size":
            scale /= max(batch, 1)
        if self.bug == "no noise in the last step" and self.last:
            scale = 0.0
        return scale * self.rng.standard_normal(size)

    def step(self, batch: list[Record]) -> np.ndarray:
        """The noisy sum of a batch."""
        total = self.clipped(self.gradients(batch)) if batch else np.zeros(len(self.weights) + self.canaries)
        if self.bug == "copies clipped apart":  # two augmented copies of each record, each with a norm of its own
            total = 2 * total
        return total + self.noise(len(total), len(batch))

    def train(self, records: list[Record], seed: int) -> tuple[np.ndarray, np.ndarray]:
        """The final weights, and the noisy sum of every step."""
        own = replace(self, rng=np.random.default_rng([seed, 1]), weights=np.zeros(len(self.weights)), batch_sizes=[])
        coins = np.random.default_rng([seed, 2])
        sums = []
        for t in range(self.steps):
            own.last = t == self.steps - 1
            if self.bug == "shuffled":
                size = round(self.rate * len(records))
                order = np.random.default_rng([seed, 3, t * size // len(records)]).permutation(len(records))
                at = (t * size) % len(records)
                chosen = order[at : at + size]
            else:
                chosen = np.flatnonzero(coins.random(len(records)) < self.rate)
            batch = [records[i] for i in chosen]
            own.batch_sizes.append(len(batch))
            total = own.step(batch)
            sums.append(total)
            moved = total[: len(own.weights)] / (self.rate * len(records))
            own.weights = own.weights - self.learning_rate * moved
        self.batch_sizes = own.batch_sizes
        return own.weights, np.array(sums)


def records(count: int = 600, features: int = 20, seed: int = 0) -> list[Record]:
    """Records of two classes that a line separates, up to noise."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(features)
    x = rng.standard_normal((count, features)) / np.sqrt(features)
    y = np.where(x @ truth + 0.3 * rng.standard_normal(count) > 0, 1.0, -1.0)
    return [(row, float(label)) for row, label in zip(x, y, strict=True)]


def examples() -> list[Any]:
    """Examples to add in an audit of a step: loud ones, and one-hot ones."""
    x = np.zeros(20)
    x[0] = 10.0
    return [(x, -1.0), (np.full(20, 3.0), 1.0), (np.zeros(20), 1.0)]
