"""Formulas with symbols: what is derived for all values of some parameters at once, checked step by step."""

from dpwitness.proofs.kernel.derivations.beta import CHECKERS as _BETA
from dpwitness.proofs.kernel.derivations.identities import CHECKERS as _IDENTITIES
from dpwitness.proofs.kernel.derivations.losses import CHECKERS as _LOSSES
from dpwitness.proofs.kernel.derivations.masses import CHECKERS as _MASSES
from dpwitness.proofs.kernel.derivations.outcomes import CHECKERS as _OUTCOMES
from dpwitness.proofs.kernel.derivations.stairs import CHECKERS as _STAIRS

CHECKERS = {**_LOSSES, **_IDENTITIES, **_OUTCOMES, **_MASSES, **_STAIRS, **_BETA}
