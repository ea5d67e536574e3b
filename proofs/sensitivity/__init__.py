"""How far a function of n records moves between neighbours, for every n; the kernel re-checks what is found here."""

from __future__ import annotations

from dpwitness.proofs.sensitivity.result import Sensitivity, SensitivityCase
from dpwitness.proofs.sensitivity.searching import sensitivity

__all__ = ["Sensitivity", "SensitivityCase", "sensitivity"]
