"""No changed certificate of a composition is taken for a proof of the program, unless it is one.

A change is made to the statement (a smaller guarantee, wider inputs), to the transcript (numbers, steps and branches),
or to a part that is run. The kernel refuses it, or the judge does, who runs the model beside the program.
"""

from __future__ import annotations

import copy
import json
import random
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.composition import programs
from tests.proofs.kernel.mutate import mutants, put

from dpwitness.core.judging.judge import judge
from dpwitness.proofs.checker import KernelChecker
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.check import examine

EACH = 4
MORE = 60  # with -m slow


def proof_of(made: Any) -> Any:
    return CompositionProver().run(made.claims()[0])


def verdict_on(made: Any, certificate: dict[str, Any]) -> str:
    claim = made.claims()[0]
    evidence = replace(proof_of(made), certificate=certificate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(judge(claim, [evidence], KernelChecker()).decision.value)


def lists_of_steps(tree: Any) -> list[list[Any]]:
    """Every list of steps of a transcript."""
    found = [tree]
    for step in tree:
        branches = {"if": step[3:5], "pick": step[2] if step[0] == "pick" else (), "repeat": step[3:4]}
        for branch in branches.get(step[0], ()):
            found += lists_of_steps(branch)
    return found


@pytest.mark.parametrize("made", programs.ALL, ids=lambda made: made.name)
def test_half_of_what_is_claimed_is_refused(made) -> None:
    certificate = copy.deepcopy(dict(proof_of(made).certificate))
    for name, value in certificate["guarantee"].items():
        if name == "kind":
            continue
        smaller = copy.deepcopy(certificate)
        half = {m: str(Fraction(c) / 2) for m, c in value.items()} if isinstance(value, dict) else None
        smaller["guarantee"][name] = half or (
            {value: "1/2"} if value in certificate["open"] else str(Fraction(value) / 2)
        )
        assert not examine(smaller), name


@pytest.mark.parametrize("each", [EACH, pytest.param(MORE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("made", programs.ALL, ids=lambda made: made.name)
def test_a_step_that_is_left_out(made, each: int) -> None:
    """Without one of its steps a transcript is malformed, or another program."""
    certificate = dict(proof_of(made).certificate)
    count = [len(steps) for steps in lists_of_steps(certificate["transcript"])]
    places = [(k, i) for k, size in enumerate(count) for i in range(size)]
    for k, i in random.Random(made.name).sample(places, min(each, len(places))):
        changed = copy.deepcopy(certificate)
        gone = lists_of_steps(changed["transcript"])[k].pop(i)
        if gone[0] != "let":  # a number that nothing uses may go
            assert verdict_on(made, changed) == "UNDECIDED", gone


@pytest.mark.parametrize("made", [programs.chosen_bound, programs.winner_measured], ids=lambda made: made.name)
def test_a_branch_that_is_left_out_or_emptied(made) -> None:
    certificate = dict(proof_of(made).certificate)
    for k, steps in enumerate(lists_of_steps(certificate["transcript"])):
        if k == 0 or not steps:
            continue
        changed = copy.deepcopy(certificate)
        lists_of_steps(changed["transcript"])[k].clear()
        assert verdict_on(made, changed) == "UNDECIDED"
    for k, step in enumerate(certificate["transcript"]):
        if step[0] in ("if", "pick"):
            changed = copy.deepcopy(certificate)
            ways = changed["transcript"][k]
            (ways if step[0] == "if" else ways[2]).pop()
            assert not examine(changed)


@pytest.mark.parametrize("each", [EACH, pytest.param(MORE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("made", programs.ALL, ids=lambda made: made.name)
def test_a_number_that_is_changed(made, each: int) -> None:
    """What is still accepted is a weaker statement, or says the same in other words."""
    certificate = json.loads(json.dumps(dict(proof_of(made).certificate)))
    every = [(path, new) for path, new in mutants(certificate) if path[0] != "about"]
    for path, new in random.Random(made.name).sample(every, min(2 * each, len(every))):
        changed = put(certificate, path, new)
        if verdict_on(made, changed) == "PROVED":
            assert harmless(path, certificate, changed), (path, new)


def harmless(path: tuple[Any, ...], old: Any, new: Any) -> bool:
    """Whether a change is one of inputs to wider ones, of cuts, or of a range that is only a hint."""
    if path[0] == "inputs":
        return path[1] in ("low", "high", "cuts", "box", "by", "size")
    if path[0] == "parts":
        return True  # a certificate of its own, checked as such, and compared with the mechanism
    return any(step[0] == "repeat" for step in old["transcript"]) and "repeat" in json.dumps(new)


def test_a_draw_is_used_once() -> None:
    certificate = copy.deepcopy(dict(proof_of(programs.mean).certificate))
    steps = certificate["transcript"]
    place = next(k for k, step in enumerate(steps) if step[0] == "release")
    steps.insert(place + 1, ["release", "$999", steps[place][2], steps[place][3]])
    assert "second time" in examine(certificate).reason


def test_a_burnt_draw_is_not_given_away() -> None:
    certificate = copy.deepcopy(dict(proof_of(programs.winner_measured).certificate))
    steps = certificate["transcript"]
    place = next(k for k, step in enumerate(steps) if step[0] == "contest")
    steps.insert(place + 1, ["give", "$999", steps[place][2][0][1]])
    assert "second time" in examine(certificate).reason


def test_another_relation_is_another_theorem() -> None:
    certificate = copy.deepcopy(dict(proof_of(programs.mean).certificate))
    certificate["inputs"]["relation"] = "substitute"
    assert verdict_on(programs.mean, certificate) == "UNDECIDED"
