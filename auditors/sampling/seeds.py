"""Branches of the root seed: every use of randomness has one of its own, so that no two share a stream."""

from __future__ import annotations

from enum import IntEnum


class SeedBranch(IntEnum):
    """The first number of a spawn key. The audit itself counts its chunks from 0."""

    DOUBLES = 1000
    SCREENING = 2000
    CERTIFYING = 3000
    ASCENT = 4000
    REPLAY = 4500
    PROPOSING = 4700
    SHRINKING = 5000
    BEHAVIOUR = 6000
    GENERATORS = 7000
    INSIDE_A_CHUNK = 9000
