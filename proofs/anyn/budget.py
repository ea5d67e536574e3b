"""The claimed ε as a polynomial in the parameters, as the checker of loop proofs has it."""

from __future__ import annotations

from dpwitness.core.claims import Claim
from dpwitness.core.guarantees import PureDP
from dpwitness.core.judging.claimed import claimed_formulas
from dpwitness.proofs.kernel.algebra.laurent import Poly


def claimed(claim: Claim) -> Poly | None:
    """The claimed ε as a polynomial in the parameters; None where it is not one, or the claim is not a pure one."""
    if not isinstance(claim.guarantee, PureDP):
        return None
    formulas = claimed_formulas(claim)
    return None if formulas is None else Poly({powers: c for c, powers in formulas["eps"]})
