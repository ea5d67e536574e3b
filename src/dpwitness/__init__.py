"""dpwitness: decide whether an algorithm is differentially private, with a witness for every verdict."""

from __future__ import annotations

__version__ = "0.1.0"
