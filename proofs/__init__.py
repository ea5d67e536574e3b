"""Provers: proofs with certificates, and exact counterexamples."""

from __future__ import annotations

from typing import Any


def routes() -> list[Any]:
    """The provers in the order in which to try them: first what holds for any number of queries."""
    from dpwitness.proofs.anyn.route import AnyNProver
    from dpwitness.proofs.composition.route import CompositionProver
    from dpwitness.proofs.laws.additive import AdditiveProver
    from dpwitness.proofs.laws.finite import FiniteProver
    from dpwitness.proofs.laws.local.prover import LocalProver
    from dpwitness.proofs.laws.minimising.prover import MinimiserProver
    from dpwitness.proofs.laws.pieces import PieceProver
    from dpwitness.proofs.laws.scales import ScaleProver
    from dpwitness.proofs.laws.tents import TentProver
    from dpwitness.proofs.programs.route import ProgramProver
    from dpwitness.proofs.programs.subsampling import SubsamplingProver

    special = [
        PieceProver(),
        TentProver(),
        LocalProver(opened=True),
        LocalProver(),
        MinimiserProver(),
        SubsamplingProver(),
    ]
    first = [AnyNProver(), AdditiveProver(), CompositionProver(), FiniteProver()]
    return [*first, *special, ProgramProver(), ScaleProver()]
