"""From programs to trees: ε eliminated, branches complete, impossible ones cut off with a proof."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.polyhedra import show
from dpwitness.proofs.kernel.programs.finite import Laws
from dpwitness.proofs.kernel.programs.trees import read_tree
from dpwitness.proofs.programs.exploring import TooManyPaths
from dpwitness.proofs.programs.tables import read_data, read_table

F = Fraction


def table(programs, program, n, **options):
    return read_table(programs.make(program, name="p").claims()[0], n, **options)


def tournament(noise, q, *, eps):
    """All comparisons of the noisy answers, of which some follow from others."""
    values = [x + noise.laplace(2 / eps) for x in q]
    return [values[i] > values[j] for i in range(len(q)) for j in range(i)]


def nodes(node):
    yield node[0][0]
    for child in node[1:]:
        if isinstance(child, list):
            yield from nodes(child)


def test_impossible_branches_are_cut_off_with_proofs(programs):
    plain = table(programs, tournament, 3)
    assert plain.paths == 8
    assert len(plain.tree.leaves) == 6
    assert "x" in set(nodes(plain.json["nodes"]))


def test_reading_with_pruning_finds_the_same_leaves(programs):
    full = table(programs, tournament, 4)
    pruned = table(programs, tournament, 4, max_paths=full.paths - 1)
    assert pruned.paths == 24 < full.paths
    assert len(full.tree.leaves) == len(pruned.tree.leaves) == 24
    total = ExpPoly.of(0)
    for p, bottom in Laws(pruned.tree).of([F(0), F(1), F(-1), F(2)]).values():
        assert bottom == ExpPoly.of(1)
        total = total + p
    assert total == ExpPoly.of(1)


def test_limits_are_kept(programs):
    with pytest.raises(TooManyPaths, match=r"about 4.1e\+03"):  # 2^12 ways, seen before any is followed
        table(programs, programs.svt(2, 2, None), 12, max_paths=100)
    # a few deep ways among many short ones look small to random walks: these are followed up to the limit
    with pytest.raises(TooManyPaths) as info:
        table(programs, programs.svt(), 40, max_paths=30)
    assert info.value.found >= 30
    assert info.value.line is not None


@pytest.mark.parametrize(
    "noise_of",
    [
        lambda noise, eps: noise.laplace(2 / eps),
        lambda noise, eps: 2 * noise.laplace(1 / eps),
        lambda noise, eps: noise.laplace(1 / eps) * 2,
    ],
)
def test_every_way_to_scale_the_noise_is_read(programs, noise_of):
    def program(noise, q, *, eps):
        return q[0] + noise_of(noise, eps) >= 0

    found = table(programs, program, 1)
    assert found.epsilon is None
    assert found.tree.unit == "eps"


def test_scaled_after_the_draw_is_read_at_one_eps(programs):
    def program(noise, q, *, eps):
        return q[0] + noise.laplace(2) / eps >= 0

    found = table(programs, program, 1)
    assert found.tree.unit == "1"
    assert found.epsilon == 1


def test_tests_scaled_by_eps_are_read_for_all_eps(programs):
    def program(noise, q, *, eps):
        return eps * q[0] + eps * noise.laplace(1 / eps) >= 2 * eps

    found = table(programs, program, 1)
    assert found.tree.unit == "eps"
    assert show(found.tree.leaves[0].rows[0].form) == "n0+q0-2"


def test_constant_slots_are_constants(programs):
    def program(noise, q, *, eps):
        x = q[0] + noise.laplace(1 / eps)
        return x - x if x >= 0 else 0.0

    found = table(programs, program, 1)
    assert len(found.tree.outputs) == 1


def test_trees_are_complete_and_disjoint_by_their_form(programs):
    found = table(programs, programs.svt(2, 4, 2), 3)
    for q in itertools.product([F(-1), F(0), F(3)], repeat=3):
        Laws(found.tree).of(q)  # raises where the probabilities do not sum to one
    broken = {**found.json, "nodes": ["d0", found.json["nodes"][1][:1]]}
    with pytest.raises(Exception, match=r"unpack|branches|expected"):
        read_tree(broken)


def test_fingerprint_survives_a_refactoring(programs):
    def again(noise, q, *, eps):
        noisy = []
        for value in q:
            noisy.append(value + noise.laplace(2 / eps))
        return noise.argmax(noisy)

    first, second = table(programs, programs.noisy_max(), 3), table(programs, again, 3)
    assert first.fingerprint == second.fingerprint != table(programs, programs.noisy_max(3), 3).fingerprint


def test_given_data_leave_no_unknowns(programs):
    found = read_data(programs.make(programs.svt(), name="p").claims()[0], [F(1), F(2)])
    assert found.tree.queries == 0


def test_laws_without_a_rule_are_refused_with_the_line(programs):
    def program(noise, q, *, eps):
        x = q[0]
        return x + noise.uniform(0, 1)

    with pytest.raises(OutsideFragment) as info:
        table(programs, program, 1)
    assert info.value.line == program.__code__.co_firstlineno + 2


def test_a_number_of_ways_beyond_any_float_is_said_in_words() -> None:
    assert "more than 10^18" in str(TooManyPaths(0, 10**400))
