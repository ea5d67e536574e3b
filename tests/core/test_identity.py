"""Values are the same by type and value, in every reader and in the auditors."""

from __future__ import annotations

import copy
import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest

from dpwitness import Answers, PureDP, Records, mechanism
from dpwitness.auditors.table import Encoder
from dpwitness.core.adjacency import AddRemove, Substitution
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.identity import constant, constant_value, distinct, same
from dpwitness.core.numbers import Exact, written
from dpwitness.core.readers.finite import finite_law
from dpwitness.core.readers.outputs import Outputs, put_together, take_apart
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs
from dpwitness.core.readers.recorder import record
from dpwitness.core.readers.scalar import Scalar
from dpwitness.proofs.laws.finite import FiniteProver
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.scope import moves_of

DIFFERENT = [0, False, 0.0, -0.0, "0", None, "", Fraction(0), [], (), [0], (0,), 1, True, 1.0, Fraction(1, 2), 0.5,
             float("nan"), float("inf"), "nan", [[0]], [(0,)]]  # fmt: skip
PAIRS = list(itertools.combinations(range(len(DIFFERENT)), 2))


def test_all_of_these_differ_and_each_is_itself() -> None:
    for i, j in PAIRS:
        assert not same(DIFFERENT[i], DIFFERENT[j]), (DIFFERENT[i], DIFFERENT[j])
    assert all(same(value, copy.deepcopy(value)) for value in DIFFERENT)
    assert len(distinct(DIFFERENT * 2)) == len(DIFFERENT)
    assert same(np.float64(0.5), 0.5)


@pytest.mark.parametrize("value", [x for x in DIFFERENT if not isinstance(x, list | tuple)])
def test_a_constant_gives_its_value_back(value: object) -> None:
    found = constant(value)
    assert found is not None
    assert same(constant_value(found), value)
    assert type(constant_value(found)) is type(value)


def test_exact_numbers_are_what_a_user_passes() -> None:
    assert same(Exact(2), 2)
    assert same(Exact(1, 2), 0.5)
    assert not same(Exact(1), 1.0)
    assert same(written(1.0), 1.0)
    assert same(written(Fraction(1, 2)), Fraction(1, 2))
    for number in (written(0.0), written(Fraction(3))):
        assert same(pickle.loads(pickle.dumps(number)), number)
        assert same(copy.deepcopy(number), number)


def test_readers_tell_outputs_apart_as_the_auditor_does() -> None:
    values = DIFFERENT
    law = finite_law(lambda noise: values[noise.choice([1] * len(values))])
    assert len(law.table) == len(values)
    skeletons = [take_apart(x, lambda _: False)[0] for x in values]
    assert len(set(skeletons)) == len(values)
    assert all(same(put_together(s, iter(())), x) for s, x in zip(skeletons, values, strict=True))
    assert len(np.unique(Encoder().encode(values).keys())) == len(values)
    assert len(np.unique(Encoder().encode(Outputs.from_values(values)).keys())) == len(values)


def test_floats_in_arrays_keep_the_sign_of_zero_and_their_type() -> None:
    numbers = [0.0, -0.0, 1.0]
    for batch in (np.array(numbers), Outputs.from_values(numbers), [[x] for x in numbers], np.array(numbers)[:, None]):
        assert len(np.unique(Encoder().encode(batch).keys())) == 3
    encoder = Encoder()
    keys = [encoder.encode(np.array([1], dtype=kind)).keys()[0] for kind in (np.int64, np.float64, np.bool_)]
    assert len(set(keys)) == 3


def test_batched_outputs_keep_ints_beside_floats() -> None:
    groups = [(np.array([0]), ("slot",), [np.array([1])]), (np.array([1]), ("slot",), [np.array([1.0])])]
    assert [type(x) for x in Outputs.from_groups(2, groups).values()] == [int, float]


def test_records_that_are_equal_are_neighbours() -> None:
    space = Records([0, False, 0.0, "0"], 1)
    assert len(list(space.all_pairs())) == 12
    assert Substitution().related((0,), (False,))
    assert not Substitution().related((0,), (0,))
    assert AddRemove().related((False,), (0, False))
    assert not AddRemove().related((False,), (0, 0))
    assert len(list(Records([0, False], 2, "add-remove").all_inputs())) == 7
    assert type(space.validate([False])[0]) is bool
    assert same(space.validate([0.0])[0], 0.0)


def test_a_record_that_could_be_several_is_refused() -> None:
    assert same(Records([0.0, 1.0], 1).validate([1])[0], 1.0)
    with pytest.raises(BadInput, match="could be any of"):
        Records([0, 0.0], 1).validate([False])
    with pytest.raises(BadInput, match="as tuples"):
        Records([[0, 1], [1, 0]], 1)


def test_equal_records_have_laws_of_their_own() -> None:
    made = mechanism(data=Records([0, False], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(
        lambda noise, d, *, eps: str(d[0])
    )
    for prover in (FiniteProver(), ProgramProver()):
        found = prover.run(made.claims()[0])
        assert type(found).__name__ == "Counterexample", found


def test_several_sizes_of_real_records_have_no_single_tree() -> None:
    from dpwitness import Interval

    def mean(noise, d, *, eps):
        return sum(d) / len(d) + noise.laplace(Fraction(1, 3) / eps)

    for size, known in (((2, 3), False), (3, True)):
        made = mechanism(data=Records(Interval(0, 1), size), claim=lambda eps: PureDP(eps), typical={"eps": 1})(mean)
        assert (moves_of(made.claims()[0], 3) is not None) == known
    sizes = {len(pair.left) for pair in Records(Interval(0, 1), (2, 5)).typical_pairs()}
    assert sizes >= {2, 5}


LISTS = [
    ([True, 0, 1], 0), ([False, 0.5], 1), ([0.5, True], 1), ([0, 0.0, False], 0), ([1, 1.0, True, 2], 3),
    ([Fraction(1, 3), 0.25], 0),
]  # fmt: skip


@pytest.mark.parametrize(("values", "place"), LISTS)
def test_selections_agree_in_every_reader(values: list, place: int) -> None:
    def program(noise, data, **_):
        return [noise.argmax(values), noise.max(values)]

    rng = np.random.default_rng(0)
    scalar = program(Scalar(rng), [])
    assert scalar[0] == place
    assert type(scalar[1]) is type(values[place])
    assert same(record(program, rng, []).output, scalar)
    assert [same(x, scalar) for x in finite_law(lambda noise: program(noise, [])).outputs()] == [True]
    table = symbolic_paths(program, unknown_inputs(1), {})
    assert [same(put_together(p.output, iter(())), scalar) for p in table.paths] == [True]
    made = mechanism(data=Answers(size=1), claim=lambda: PureDP(1), typical={})(lambda noise, data: program(noise, []))
    assert all(same(x, scalar) for x in made.sample([0], 5, rng).values())


def test_a_truth_value_in_a_selection_is_the_number_it_is() -> None:
    def program(noise, q):
        return noise.argmax([q[0] > q[1], Fraction(1, 2)])

    table = symbolic_paths(program, unknown_inputs(2), {})
    assert {p.output[2] for p in table.paths} == {0, 1}


@pytest.mark.parametrize("other", [float("nan"), float("inf"), "a", None, [1]])
def test_a_selection_among_symbols_and_something_else_is_refused(other: object) -> None:
    with pytest.raises(OutsideFragment, match="selection"):
        symbolic_paths(lambda noise, q: noise.argmax([q[0], other]), unknown_inputs(1), {})
