"""Spaces as certificates state them: every size has its proof, and records that are equal in Python are different."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpwitness import PureDP, Records, mechanism
from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.spaces import Answers, Interval
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.labels import label, labels
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.proofs.laws.pieces import PieceProver
from dpwitness.proofs.programs.losses import exact_loss
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.spaces import finite_space

F = Fraction
PROVERS = [AdditiveProver(), PieceProver(), ProgramProver()]


def claim(program: Callable[..., Any], space: Any) -> Claim:
    return mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(program).claims()[0]


def mean(noise: Any, data: Any, *, eps: Any) -> Any:
    return sum(data) / len(data) + noise.laplace(1 / eps)


def louder_with_two(noise: Any, data: Any, *, eps: Any) -> Any:
    return (10 if len(data) == 2 else 1) * data[0] + noise.laplace(1 / eps)


def bare_with_two(noise: Any, data: Any, *, eps: Any) -> Any:
    return data[0] if len(data) == 2 else noise.laplace(1 / eps)


@pytest.mark.parametrize("prover", PROVERS, ids=lambda prover: prover.name)
def test_every_size_is_proved(prover: Any) -> None:
    found = prover.run(claim(mean, Records(Interval(0, 1), (1, 3))))
    assert isinstance(found, UpperBound)
    theorem = check(found.certificate)  # type: ignore[arg-type]
    assert theorem.sizes == (0, 1, 2, 3)
    assert theorem.relation == {"inputs": "records", "relation": "substitute", "low": "0", "high": "1"}


@pytest.mark.parametrize("prover", PROVERS, ids=lambda prover: prover.name)
@pytest.mark.parametrize("program", [louder_with_two, bare_with_two])
def test_a_leak_at_one_size_is_no_proof(prover: Any, program: Callable[..., Any]) -> None:
    for sizes in ((2, 3), (1, 3), (1, 2)):
        found = prover.run(claim(program, Records(Interval(0, 1), sizes)))
        assert not isinstance(found, UpperBound), sizes
        if isinstance(found, Counterexample):
            assert (len(found.left), len(found.right)) == (2, 2)


def test_the_bound_is_that_of_the_worst_size() -> None:
    found = ProgramProver().run(claim(mean, Records(Interval(0, 1), (2, 4))))
    assert isinstance(found, UpperBound)
    assert (found.guarantee, found.formula) == (PureDP(F(1, 2)), "1/2·eps")
    added = AdditiveProver().run(claim(lambda noise, data, *, eps: len(data) * data[0] / 4 + noise.laplace(1 / eps),
                                       Records(Interval(0, 1), (2, 4))))  # fmt: skip
    assert isinstance(added, UpperBound)
    assert added.formula == "1·eps"


def test_one_loss_of_several_sizes_is_not_given() -> None:
    several = claim(mean, Records(Interval(0, 1), (2, 3)))
    with pytest.raises(OutsideFragment):
        exact_loss(several)
    assert exact_loss(claim(mean, Records(Interval(0, 1), (2, 2)))) == (F(1, 2), False)


def test_labels_say_type_and_value() -> None:
    values = [0, False, 0.0, -0.0, "0", None, (0,), [0], (False,), F(1, 2), 0.5, "Fraction:1/2", 1, True, 1.0]
    assert len({label(value) for value in values}) == len(values)
    with pytest.raises(OutsideFragment):
        label(object())
    with pytest.raises(OutsideFragment, match="told apart"):
        labels([1, F(1)])


def test_the_kernel_counts_the_inputs_as_they_are_listed() -> None:
    for space in (
        Records((0, 1), (0, 2), "add-remove"),
        Records(("a", "b", None), (1, 2)),
        Answers("one", values=(0, 1, 2), size=2),
        Answers("l2", values=(0, 1, 2), size=2),
    ):
        found, inputs = finite_space(space)
        listed = [tuple(label(x) for x in data) for data in inputs]
        if isinstance(space, Answers):
            listed = [tuple(str(x) for x in data) for data in inputs]
        assert listed == found.inputs()
        pairs = {(inputs[i], inputs[j]) for i, j in found.pairs()}
        assert {frozenset(pair) for pair in pairs} == {frozenset((p.left, p.right)) for p in space.all_pairs()}
