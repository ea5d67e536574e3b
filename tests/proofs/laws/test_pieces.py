"""Piecewise linear releases of real records."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest

from dpwitness.catalogue import catalogue
from dpwitness.core.evidence import Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.pieces import Piece, PieceProver, largest_move

F = Fraction


def decide(program: Any) -> Any:
    made = mechanism(data=Records(Interval(-1, 2), 2), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    return PieceProver().run(made.claims()[0])


def clipped(bound: Any, scale: Any) -> Any:
    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return sum(min(max(x, 0), bound) for x in data) + noise.laplace(scale / eps)

    return program


def test_clipping() -> None:
    evidence = decide(clipped(1, 1))
    assert isinstance(evidence, UpperBound)
    assert evidence.certificate is not None
    assert evidence.certificate["step"] == "1"
    assert examine(evidence.certificate)


@pytest.mark.parametrize(
    "program",
    [
        clipped(2, 1),
        clipped(1, F(9, 10)),
        lambda noise, data, *, eps: sum(max(x, 0) for x in data) + noise.laplace(1 / eps),
        lambda noise, data, *, eps: sum(min(max(x, 0), 1) for x in data) + noise.discrete_laplace(1 / eps),
        lambda noise, data, *, eps: (0 if data[0] > 1 else 5) + noise.laplace(1 / eps),
    ],
    ids=["wide", "less-noise", "half-clipped", "integer-noise", "jump"],
)
def test_mutations_are_never_proved(program: Any) -> None:
    assert isinstance(decide(program), Unsupported)


def test_maxima_of_blocks() -> None:
    (claim,) = catalogue()["sample-and-aggregate"].claims()
    evidence = PieceProver().run(claim)
    assert isinstance(evidence, UpperBound)
    assert evidence.certificate is not None
    changed = copy.deepcopy(dict(evidence.certificate))
    used = next(i for i, weights in enumerate(changed["proofs"]) if any(w != "0" for w in weights))
    changed["proofs"][used] = ["0"] * len(changed["proofs"][used])
    assert not examine(changed)
    assert not examine({**evidence.certificate, "step": "1/4"})
    assert not examine({**evidence.certificate, "proofs": changed["proofs"][:-1]})
    assert not examine({**evidence.certificate, "law": {"name": "discrete_laplace", "scale": "1"}})


def test_pieces_that_do_not_meet() -> None:
    """x ≤ 1/4 and y ≥ 3/4 on the second record, which is the same on both sides."""
    here = Piece(((F(1, 4), F(0), F(-1)),), (F(100), F(0), F(0)))
    there = Piece(((F(-3, 4), F(0), F(1)),), (F(0), F(0), F(0)))
    move, weights = largest_move(here, there, 0, F(0), F(1))
    assert move == 0
    assert any(weights)
