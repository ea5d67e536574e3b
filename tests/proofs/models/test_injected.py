"""Readers with a bug injected: the prover believes them, and co-execution alone says that the model is wrong."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from tests.proofs.models.side_by_side import compare, decide_and_compare, evidence_of

from dpwitness import Answers, Interval, PureDP, Records, mechanism
from dpwitness.core import laws
from dpwitness.core.coexecution import Unfaithful
from dpwitness.core.public import Public
from dpwitness.core.readers import finite, lanes, outputs
from dpwitness.core.readers.paths import SymbolicRun
from dpwitness.core.readers.symbolic import Sym, Test
from dpwitness.proofs import sizes, spaces
from dpwitness.proofs.laws import layouts
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.proofs.laws.finite import FiniteProver
from dpwitness.proofs.programs.building import Builder
from dpwitness.proofs.programs.route import ProgramProver

PROGRAMS = ProgramProver()


def claim_of(program, data=None, claim=None):
    space = data or Answers("one", 1, size=2)
    return mechanism(data=space, claim=claim or (lambda eps: PureDP(eps)), typical={"eps": 1})(program).claims()[0]


def caught(claim, monkeypatch, bug, *provers):
    """The claim passes without the bug, and co-execution sees it."""
    decide_and_compare(claim, *provers)
    bug(monkeypatch)
    with pytest.raises(Unfaithful):
        decide_and_compare(claim, *provers)


def test_a_selection_that_reads_a_truth_value_as_zero(monkeypatch):
    def against_true(noise, q, *, eps):
        return noise.argmax([q[0] + noise.laplace(1 / eps), True])

    def bug(patch):
        plain = SymbolicRun.argmax
        patch.setattr(
            SymbolicRun,
            "argmax",
            lambda self, values: plain(self, [0 if type(v) in (bool, Test) else v for v in values]),
        )

    caught(claim_of(against_true), monkeypatch, bug, PROGRAMS)


def test_a_selection_that_compares_the_data_with_noise_is_not_taken_for_constant(monkeypatch):
    def comparison(noise, q, *, eps):
        return noise.argmax([noise.laplace(1 / eps) / 1000 + F(1, 2), q[0] > q[1]])

    def bug(patch):
        plain = SymbolicRun.argmax
        patch.setattr(
            SymbolicRun,
            "argmax",
            lambda self, values: plain(self, [0 if type(v) in (bool, Test) else v for v in values]),
        )

    caught(claim_of(comparison, Answers("all", 1, size=2)), monkeypatch, bug, PROGRAMS)


def test_only_the_largest_size_is_read(monkeypatch):
    def mean(noise, d, *, eps):
        return sum(d) / len(d) + noise.laplace(F(1, 2) / eps)

    def bug(patch):
        def largest(claim, *, finite=False):
            return [replace(claim, space=Records(claim.space.domain, claim.space.most))]

        patch.setattr(sizes, "of_each_size", largest)

    caught(claim_of(mean, Records(Interval(0, 1), (2, 3))), monkeypatch, bug, AdditiveProver())


def test_only_the_largest_size_of_a_tree_is_read(monkeypatch):
    def largest(noise, d, *, eps):
        return noise.argmax([x + noise.laplace(2 / eps) for x in d])

    claim = claim_of(largest, Records(Interval(0, 1), (2, 3)), lambda eps: PureDP(2 * eps))
    three = replace(claim, space=Records(Interval(0, 1), 3))
    found = evidence_of(three, [PROGRAMS])
    compare(three, found)
    with pytest.raises(Unfaithful, match="was read on 3 numbers, and this input has 2"):
        compare(claim, found)


def test_a_test_of_other_strictness(monkeypatch):
    def above(noise, q, *, eps):
        bar = noise.laplace(2 / eps)
        return [x + noise.laplace(4 / eps) >= bar for x in q][:1]

    def bug(patch):
        patch.setattr(Sym, "__ge__", Sym.__gt__)

    caught(claim_of(above), monkeypatch, bug, PROGRAMS)


def test_a_test_of_the_data_of_other_strictness(monkeypatch):
    def tells(noise, q, *, eps):
        return "up" if q[0] > 0 else "down"

    def bug(patch):
        plain = SymbolicRun.decide
        patch.setattr(
            SymbolicRun, "decide", lambda self, form, op: plain(self, form, {">": ">=", ">=": ">"}.get(op, op))
        )

    caught(claim_of(tells, Answers("one", 1, size=1, values=(-1, 0, 1))), monkeypatch, bug, PROGRAMS)


def test_a_scale_that_is_off_by_two_in_one_leaf(monkeypatch):
    def either(noise, q, *, eps):
        if noise.laplace(1) > 3:
            return q[0] + noise.laplace(3 / eps)
        return q[0] + noise.laplace(2 / eps)

    def bug(patch):
        plain = Builder._law

        def wrong(self, law, line, *rest):
            name, scale = plain(self, law, line, *rest)
            return name, str(F(scale) * 2) if F(scale) == 3 else scale

        patch.setattr(Builder, "_law", wrong)

    caught(claim_of(either), monkeypatch, bug, PROGRAMS)


def test_a_leaf_that_is_left_out(monkeypatch):
    def sometimes(noise, q, *, eps):
        return q[0] + noise.laplace(1 / eps) if noise.laplace(1) > -40 else None

    def bug(patch):
        plain = SymbolicRun.decide

        def never(self, form, op):
            return True if form.private else plain(self, form, op)

        patch.setattr(SymbolicRun, "decide", never)

    caught(claim_of(sometimes), monkeypatch, bug, PROGRAMS)


MERGED = [(-0.0, 0.0), (1, True), (F(1, 2), 0.5), (0, False), ([1], (1,)), ("1", 1)]


@pytest.mark.parametrize("pair", [pair for pair in MERGED if not isinstance(pair[0], list)], ids=repr)
def test_outputs_that_differ_and_are_merged_in_a_tree(pair, monkeypatch):
    one, other = pair

    def coin(noise, q, *, eps):
        return [one if noise.laplace(1) > 0 else other, q[0] + noise.laplace(1 / eps)]

    caught(claim_of(coin), monkeypatch, lambda patch: merge(patch, one, other), PROGRAMS)


def test_a_list_and_a_tuple_that_are_merged_in_a_tree(monkeypatch):
    def coin(noise, q, *, eps):
        return [[1] if noise.laplace(1) > 0 else (1,), q[0] + noise.laplace(1 / eps)]

    caught(claim_of(coin), monkeypatch, lambda patch: merge(patch, [1], (1,)), PROGRAMS)


@pytest.mark.parametrize("pair", MERGED, ids=repr)
def test_outputs_that_differ_and_are_merged_in_a_finite_law(pair, monkeypatch):
    one, other = pair

    def coin(noise, d, *, eps):
        return one if noise.bernoulli(log_odds=eps if d[0] else -eps) else other

    claim = claim_of(coin, Records([0, 1], 1), lambda eps: PureDP(2 * eps))
    caught(claim, monkeypatch, lambda patch: merge(patch, one, other), FiniteProver())


def merge(patch, one, other):
    """Let the readers of outputs take `one` for `other`."""
    plain = outputs._visit

    def merged(value, is_slot, slots):
        if type(value) is type(one) and (not isinstance(value, list) or len(value) == 1) and repr(value) == repr(one):
            value = other
        return plain(value, is_slot, slots)

    patch.setattr(outputs, "_visit", merged)


def test_equal_records_that_are_taken_for_the_same(monkeypatch):
    def release(noise, d, *, eps):
        return d[0] + noise.laplace(2 / eps)

    def bug(patch):
        patch.setattr(spaces, "label", lambda record: f"int:{int(record)}")

    caught(claim_of(release, Records([0, False, 2], 1)), monkeypatch, bug, AdditiveProver())


def test_a_public_branch_that_exact_numbers_take_and_floats_do_not(monkeypatch):
    def leaning(noise, q, *, eps):
        loud = eps / 10 * 3 > eps * 3 / 10
        return q[0] + noise.laplace(1 / (100 * eps) if loud else 1 / eps)

    claim = claim_of(leaning)
    assert evidence_of(claim, [AdditiveProver()]) is None, "the reader refuses it"
    monkeypatch.setattr(
        Public, "_compared", lambda self, other, function, sign: function(F(self), F(getattr(other, "python", other)))
    )
    with pytest.raises(Unfaithful, match="draw 0"):
        decide_and_compare(claim, AdditiveProver())


def test_a_law_that_is_swapped_for_another(monkeypatch):
    def release(noise, q, *, eps):
        return [x + noise.laplace(1 / eps) for x in q]

    def bug(patch):
        plain = SymbolicRun.draw

        def swapped(self, law):
            return plain(self, laws.Gaussian(law.scale * 10) if isinstance(law, laws.Laplace) else law)

        patch.setattr(SymbolicRun, "draw", swapped)

    claim = claim_of(release)
    decide_and_compare(claim, AdditiveProver())
    bug(monkeypatch)
    with pytest.raises(Unfaithful, match="gaussian"):
        decide_and_compare(claim, AdditiveProver())


def test_offsets_that_are_dropped_from_a_release(monkeypatch):
    def release(noise, q, *, eps):
        return [x + 3 + noise.laplace(1 / eps) for x in q]

    def bug(patch):
        plain = layouts.read_layout
        patch.setattr(
            layouts, "read_layout", lambda path: replace(found := plain(path), constants=(F(0),) * len(found.constants))
        )

    caught(claim_of(release), monkeypatch, bug, AdditiveProver())


def test_the_weights_of_a_choice_the_wrong_way_round(monkeypatch):
    def answer(noise, d, *, eps):
        return d[0] if noise.bernoulli(log_odds=eps) else 1 - d[0]

    def bug(patch):
        plain = finite.finite_weights

        def turned(law):
            values, weights = plain(law)
            return values, weights[::-1]

        patch.setattr(finite, "finite_weights", turned)

    caught(claim_of(answer, Records([0, 1], 1)), monkeypatch, bug, FiniteProver())


def test_a_batched_reader_that_takes_the_last_of_equal_values(monkeypatch):
    def first(noise, q, *, eps):
        return noise.argmax([0, noise.laplace(1 / eps) * 0, q[0] * 0])

    claim = claim_of(first)
    plain = lanes._argmax
    caught(
        claim,
        monkeypatch,
        lambda patch: patch.setattr(lanes, "_argmax", lambda *v: len(v) - 1 - plain(*v[::-1])),
        PROGRAMS,
    )
