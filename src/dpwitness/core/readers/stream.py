"""Endless samples of one program on one input."""

from __future__ import annotations

import numpy as np

from dpwitness.core.readers.lanes import Program, run_block
from dpwitness.core.readers.outputs import Outputs

_BLOCKS = (256, 1024, 4096, 16384)
_BLOCK = 65536


class Stream:
    """An endless stream of outputs: the same seed gives the same outputs, however they are taken.

    Blocks have fixed sizes and seeds of their own, so neither the batch size nor the number of workers matters, and
    memory does not grow with the number of samples.
    """

    def __init__(self, program: Program, seed: np.random.SeedSequence, *, batched: bool = True) -> None:
        self.program = program
        self.seed = seed
        self.batched = batched
        self._block = 0
        self._rest: Outputs | None = None

    def take(self, size: int, *, deadline: float | None = None) -> Outputs:
        """The next `size` outputs."""
        parts: list[Outputs] = []
        missing = size
        while missing > 0:
            if self._rest is None or not len(self._rest):
                self._rest = self._run_next(deadline)
            parts.append(self._rest[:missing])
            self._rest = self._rest[missing:]
            missing -= len(parts[-1])
        return parts[0] if len(parts) == 1 else Outputs.concatenate(parts)

    def _run_next(self, deadline: float | None) -> Outputs:
        k = self._block
        self._block += 1
        length = _BLOCKS[k] if k < len(_BLOCKS) else _BLOCK
        key = (*self.seed.spawn_key, k)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=key))
        return run_block(self.program, rng, length, batched=self.batched, deadline=deadline)
