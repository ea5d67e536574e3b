"""Provers: proofs with certificates, and exact counterexamples."""

from __future__ import annotations

from typing import Any


def routes() -> list[Any]:
    """The provers in the order in which to try them: first what holds for any number of queries."""
    from dpwitness.proofs.anyn.route import AnyNProver
    from dpwitness.proofs.laws.additive import AdditiveProver
    from dpwitness.proofs.laws.finite import FiniteProver
    from dpwitness.proofs.programs.route import ProgramProver

    return [AnyNProver(), FiniteProver(), AdditiveProver(), ProgramProver()]
