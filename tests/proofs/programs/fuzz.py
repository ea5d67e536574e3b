"""Random programs as source text: sparse vectors, contests, sums, with odd outputs, parameters and draws in between."""

from __future__ import annotations

import random

SCALES = ["1 / eps", "2 / eps", "4 / eps1", "3 / (2 * eps)", "1 / (eps + eps1)", "2", "cutoff / eps", "eps"]
LAWS = ["laplace", "laplace", "laplace", "exponential", "discrete_laplace"]
ODD = [
    "eps1",
    "eps",
    "1 / eps",
    "eps * eps1",
    "cutoff",
    "None",
    "'x'",
    "0.1",
    "1 / 3",
    "True",
    "i",
    "len(out)",
    "out[:1]",
]


class Writer:
    """Writes one program from a seed.

    >>> print(Writer(1).text().splitlines()[0])
    def program(noise, queries, *, eps, eps1, cutoff):
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.law = self.rng.choice(LAWS)
        self.lines: list[str] = []

    def noise(self) -> str:
        law = self.law if self.rng.random() < 0.8 else self.rng.choice(LAWS)
        return f"noise.{law}({self.rng.choice(SCALES)})" if self.rng.random() < 0.9 else "0"

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def text(self) -> str:
        """The program's source."""
        pick = self.rng.random()
        self.add(0, "def program(noise, queries, *, eps, eps1, cutoff):")
        self.add(1, "out = []")
        self.add(1, "count = 0")
        self.add(1, f"t = {self.noise()}")
        if pick < 0.15:
            self._contest()
        else:
            self._loop()
        self.add(1, self.rng.choice(["return out", "return out", "return out, count", "return tuple(out)", "return t"]))
        return "\n".join(self.lines) + "\n"

    def _contest(self) -> None:
        self.add(1, f"values = [q + {self.noise()} for q in queries]")
        self.add(1, "i = noise.argmax(values)")
        self.add(1, f"out.append({self.rng.choice(['i', 'values[i]', 'values[0]', 'i', *ODD])})")

    def _loop(self) -> None:
        rng = self.rng
        self.add(1, "for i, q in enumerate(queries):")
        self.add(2, f"v = {rng.choice(['q', 'q', '2 * q', 'q - 1', 'q + t'])} + {self.noise()}")
        test = rng.choice(["v >= t", "v > t", "v < t", "v >= 1", "v - t > 1 / eps", "q > t", "v >= t + eps1", "q >= 0"])
        self.add(2, f"if {test}:")
        shown = rng.choice(["True", "v", "v - t", f"q + {self.noise()}", "i", *ODD])
        self.add(3, f"out.append({shown})")
        self.add(3, "count += 1")
        if rng.random() < 0.7:
            self.add(3, f"if count >= {rng.choice(['cutoff', '1', '2'])}:")
            self.add(4, "break")
        if rng.random() < 0.2:
            self.add(3, f"t = {self.noise()}")
        self.add(2, "else:")
        self.add(3, f"out.append({rng.choice(['False', 'None', 'False', '0', *ODD])})")
        if rng.random() < 0.15:
            self.add(3, f"if noise.bernoulli({rng.choice(['0', '1 / 2', 'log_odds=eps', 'log_odds=1', '1'])}):")
            self.add(4, f"out.append({rng.choice(['True', 'v', *ODD])})")
