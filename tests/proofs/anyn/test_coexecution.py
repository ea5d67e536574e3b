"""Models of certificates beside the programs: they agree and reach every leaf; bugs in the reader are seen."""

from __future__ import annotations

import ast
import copy
import random
from fractions import Fraction

import pytest
from tests.proofs.anyn import deceptive_numbers, deceptive_time, private_other, private_sparse
from tests.proofs.anyn.claims import claim_of
from tests.proofs.anyn.test_flipping import flip
from tests.proofs.anyn.test_private_programs import PROGRAMS
from tests.proofs.anyn.test_ranking import gap, top

from dpwitness.core.coexecution.harness import coexecute
from dpwitness.core.coexecution.model import Computed, Unfaithful
from dpwitness.core.evidence import UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.executable import executable
from dpwitness.proofs.anyn.reading import arithmetic, front, interpret, numbers, rewrite
from dpwitness.proofs.anyn.reading.interpret import Interpreter
from dpwitness.proofs.anyn.reading.numbers import Number
from dpwitness.proofs.anyn.reading.source import read
from dpwitness.proofs.anyn.reading.values import Listing, Run
from dpwitness.proofs.kernel.algebra.laurent import Poly

SHAPED = [(gap, "all", 1), (top, "all", 1), (flip, "all", 1)]


def certificate_of(claim):
    evidence = AnyNProver().run(claim, 20)
    assert isinstance(evidence, UpperBound), evidence
    return evidence.certificate


@pytest.mark.parametrize(
    ("program", "moves", "multiple"), [*PROGRAMS, *SHAPED], ids=lambda x: getattr(x, "__name__", str(x))
)
def test_the_model_is_the_program(program, moves, multiple):
    claim = claim_of(program, moves, 2 if program is private_other.smart_sum else 1)
    found = coexecute(claim, executable(claim, certificate_of(claim)))
    assert found.reached == found.places > 0
    assert found.runs > 60


def test_every_size_is_probed():
    claim = claim_of(private_sparse.sparse, "all")
    model = executable(claim, certificate_of(claim))
    probes = list(model.probes(claim, random.Random(1)))
    assert {len(p.data) for p in probes} >= set(range(7))
    assert any(len(set(p.data)) < len(p.data) for p in probes)
    assert len({p.params["eps"] for p in probes}) > 3
    assert len({p.params["cutoff"] for p in probes}) > 3


def test_boundaries_are_probed_on_both_sides_and_on_them():
    """q + noise against t: the difference is zero in some runs, and minute of either sign in others."""
    claim = claim_of(private_sparse.first_above, "all")
    model = executable(claim, certificate_of(claim))
    gaps = []
    for probe in model.probes(claim, random.Random(2)):
        values = iter(probe.draws)
        t = probe.params["threshold"] + Fraction(next(values))
        gaps += [Fraction(q) + Fraction(z) - t for q, z in zip(probe.data, values, strict=False)]
    assert any(g == 0 for g in gaps)
    assert any(0 < g < Fraction(1, 10**5) for g in gaps)
    assert any(-Fraction(1, 10**5) < g < 0 for g in gaps)


def test_a_model_says_how_its_numbers_are_made():
    claim = claim_of(private_sparse.sparse_gap, "all")
    model = executable(claim, certificate_of(claim))
    params = {name: Fraction(1) for name in model.model["params"]}
    trace = model.run([Fraction(5)], params, lambda law: Fraction(0))
    assert [type(part) for part in trace.output] == [Computed]
    assert trace.laws[0].scale == 2


# bugs, put into the reader one at a time: the program is then proved, and co-execution sees that the model is wrong


def differs(program, moves="one", multiple=1):
    claim = claim_of(program, moves, multiple)
    certificate = certificate_of(claim)
    with pytest.raises(Unfaithful):
        coexecute(claim, executable(claim, certificate))


def test_a_remainder_that_is_taken_for_an_older_one(monkeypatch):
    """What was noted before the loop and what is computed inside it are one number for the reader."""
    honest = Interpreter.related

    def related(self, op, a, b):
        if op == "==" and any(s[0] == "@" for s in (a.poly - b.poly).symbols()):
            return True
        return honest(self, op, a, b)

    monkeypatch.setattr(Interpreter, "related", related)
    for program in (deceptive_time.remainder_noted_before, deceptive_time.quotient_noted_before):
        differs(program)


def test_literals_that_are_read_as_decimals(monkeypatch):
    """Constants are computed exactly only, and decide as exact numbers do."""

    def constant(op, left, right, poly):
        return Number(poly, "float", repr(float(poly.value())))

    def decided(op, a, b):
        difference = (a.poly - b.poly).value()
        if difference is None:
            return None
        return {">=": difference >= 0, ">": difference > 0, "<=": difference <= 0, "<": difference < 0}.get(
            op, difference == 0
        )

    monkeypatch.setattr(numbers, "_constant", constant)
    monkeypatch.setattr(arithmetic, "decided", decided)
    for program in (
        deceptive_numbers.noise_times_zero,
        deceptive_numbers.sum_of_decimals,
        deceptive_numbers.sum_of_decimals_is_larger,
        deceptive_numbers.remainder_of_decimals,
    ):
        differs(program)


def test_sums_in_which_the_noise_is_lost(monkeypatch):
    monkeypatch.setattr(numbers, "_check_rounding", lambda *_: None)
    differs(deceptive_numbers.noise_absorbed)
    differs(deceptive_numbers.noise_absorbed_by_a_whole_number)
    differs(deceptive_numbers.noise_rounded_away)


def test_floats_that_are_taken_for_ints(monkeypatch):
    def flagged(noise, queries, *, eps, threshold):
        t = threshold + noise.laplace(2 / eps)
        for q in queries:
            if q + noise.laplace(4 / eps) >= t:
                return 1.0
        return 0

    honest = interpret.floating
    assert certificate_of(claim_of(flagged, "all"))
    monkeypatch.setattr(interpret, "floating", lambda value: Number(honest(value).poly, "int"))
    differs(flagged, "all")


def test_a_loop_variable_that_is_one_too_large(monkeypatch):
    honest = front.FrontEnd._bind_targets
    monkeypatch.setattr(
        front.FrontEnd, "_bind_targets", lambda self, run, loop, counter: honest(self, run, loop, counter + 1)
    )

    claim = claim_of(private_sparse.first_above, "all")
    model = front.FrontEnd(read(private_sparse.first_above), claim.mechanism.domains).model()
    with pytest.raises(Unfaithful):
        coexecute(claim, executable(claim, {"type": "loop-shift", "model": model.json, "dead": {}}))


def test_a_break_that_is_taken_for_a_continue(monkeypatch):
    honest = Interpreter.statement
    monkeypatch.setattr(
        Interpreter,
        "statement",
        lambda self, node: ("continue", None) if isinstance(node, ast.Break) else honest(self, node),
    )

    def stops(noise, queries, *, eps):
        out = []
        for i, q in enumerate(queries):
            out.append(q + noise.laplace(1 / eps))
            if i == 2:
                break
        return out

    differs(stops)


def test_the_last_of_equal_values_that_is_taken_for_the_first(monkeypatch):
    honest = rewrite._keep_largest

    def keep(value, position, tag):
        made = honest(value, position, tag)
        made[1].test.values[1].ops = [ast.GtE()]
        return made

    monkeypatch.setattr(rewrite, "_keep_largest", keep)
    differs(private_other.noisy_argmax, "all")


def test_a_smaller_scale(monkeypatch):
    honest = Run.draw
    monkeypatch.setattr(Run, "draw", lambda self, law, scale: honest(self, law, scale * 2))
    differs(private_sparse.first_above, "all")
    differs(private_other.noisy_argmax, "all")


def test_a_list_that_is_another_one(monkeypatch):
    """``b = a`` makes a copy."""
    honest = Interpreter.bind

    def bind(self, target, value):
        honest(self, target, Listing(list(value.parts)) if isinstance(value, Listing) else value)

    monkeypatch.setattr(Interpreter, "bind", bind)

    def aliased(noise, queries, *, eps):
        out = []
        other = out
        for q in queries:
            other.append(q + noise.laplace(1 / eps))
        return out

    differs(aliased)


# crafted models


@pytest.fixture(scope="module")
def first():
    claim = claim_of(private_sparse.first_above, "all")
    return claim, certificate_of(claim)


def changed(first, change):
    claim, certificate = first
    made = copy.deepcopy(dict(certificate))
    change(made["model"]["trees"]["1.0"]["yes"]["then"]["then"])
    with pytest.raises(Unfaithful):
        coexecute(claim, executable(claim, made))


def test_other_models_are_told_apart(first):
    changed(first, lambda test: test.update({"yes": test["no"], "no": test["yes"]}))
    changed(first, lambda test: test["test"].update({"": "1/1000"}))
    changed(first, lambda test: test["test"].update({"?0": "999/1000"}))
    changed(first, lambda test: test.update({"yes": {"return": ["int", "1"]}}))
    changed(first, lambda test: test.update({"yes": {"return": ["number", "float", {"#1": "1"}]}, "no": test["yes"]}))


def test_strict_or_not_is_told_apart(first):
    """v >= t against v > t: only runs with v = t differ."""

    def strict(test):
        test.update({"test": {m: str(-Fraction(c)) for m, c in test["test"].items()}})
        test.update({"yes": test["no"], "no": test["yes"]})

    changed(first, strict)


def test_a_branch_that_nothing_reaches_is_noticed(first):
    def split(test):
        both = {**test["no"]}
        test["no"] = {"test": {"eps": "1"}, "is": ">=", "yes": both, "no": {"return": ["int", "7"]}}

    changed(first, split)


def test_exact_tests_of_public_numbers(first):
    assert numbers.decided("==", Number(Poly.symbol("$n"), "int"), numbers.whole(1)) is None
    assert numbers.decided(">", numbers.floating(0.5), numbers.whole(0)) is True
