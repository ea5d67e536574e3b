"""The corpus: every entry is complete, its program runs, and what is documented is found."""

from __future__ import annotations

import inspect
import re

import pytest

from dpwitness.catalogue import catalogue, find
from dpwitness.core.budget import Budget
from dpwitness.core.errors import UnknownTarget
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.corpus import CLASSES, bugs
from dpwitness.corpus.entry import ROUTES
from dpwitness.corpus.invalid_audits import false_alarms
from dpwitness.routes import decide

ALL = list(bugs().values())
PROGRAMS = [bug for bug in ALL if bug.broken is not None]
PROVABLE = [bug for bug in PROGRAMS if "P" in bug.routes]
# found by exact provers in well under a second each: one of every class that has such
QUICK = ["google-go-d51eedc", "diffprivlib-25", "smartnoise-core-360", "smartnoise-622", "google-cpp-ae9c6b6",
         "opendp-2950", "released-size", "smartnoise-sql-317", "mostlyai-double", "prv-17", "backprop-clipping",
         "opendp-2707", "opendp-314", "lyu-5", "tf-privacy-50673fe"]  # fmt: skip
SEVERITIES = {"critical", "serious", "theoretical", "negligible"}


def test_there_are_enough_of_every_class():
    assert len(ALL) >= 80
    assert {bug.kind for bug in ALL} == set(CLASSES)


@pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.name)
def test_an_entry_is_complete(bug):
    assert re.fullmatch(r"[a-z0-9.-]+", bug.name)
    assert len(bug.source) > 5
    assert len(bug.about) > 20
    assert bug.severity in SEVERITIES
    assert set(bug.routes) <= set(ROUTES)
    if bug.broken is None:
        assert bug.hidden
        assert bug.control is not None
        return
    assert bug.repaired is not None
    assert bug.broken.name == f"corpus/{bug.name}"
    assert bug.repaired.name == f"corpus/{bug.name}/repaired"
    assert bug.repaired.claims()[0].expected_to_hold
    assert bug.broken.claims()[0].expected_to_hold == bool(bug.doubles or bug.hidden)


@pytest.mark.parametrize("bug", PROGRAMS, ids=lambda bug: bug.name)
def test_a_program_is_short_and_says_what_is_wrong(bug):
    for side in (bug.broken, bug.repaired):
        function = side.program if isinstance(side, Mechanism) else side.sampler
        assert len(inspect.getsource(function).splitlines()) <= 25
        assert inspect.getdoc(function)


@pytest.mark.parametrize("bug", PROGRAMS, ids=lambda bug: bug.name)
def test_program_and_repair_run_on_typical_inputs(bug):
    import numpy as np

    for side in (bug.broken, bug.repaired):
        pair = side.claims()[0].space.typical_pairs()[0]
        for data in (pair.left, pair.right):
            assert len(side.sample(data, 4, np.random.default_rng(0))) == 4


def test_the_corpus_is_found_and_is_no_part_of_a_run_without_targets():
    assert [target.name for target in find(["corpus/opendp-2922"])] == ["corpus/opendp-2922"]
    assert len(find(["@corpus"])) == len(PROGRAMS)
    assert len(find(["@corpus-repaired"])) == len(PROGRAMS)
    assert {target.name for target in find(["@clipping"])} <= {f"corpus/{bug.name}" for bug in ALL}
    assert not any(name.startswith("corpus/") for name in catalogue())
    with pytest.raises(UnknownTarget, match="did you mean corpus/opendp-29"):
        find(["corpus/opendp-2292"])


@pytest.mark.parametrize("name", [name for name in QUICK if name in bugs()])
def test_exact_counterexamples(name):
    bug = bugs()[name]
    assert decide(bug.broken.claims()[0], Budget(seconds=60), "prove").decision.name == "REFUTED"
    assert decide(bug.repaired.claims()[0], Budget(seconds=60), "prove").decision.name != "REFUTED"


@pytest.mark.slow
@pytest.mark.parametrize("bug", [b for b in PROGRAMS if not b.hidden], ids=lambda bug: bug.name)
def test_verify_finds_the_bug_without_being_told_inputs_and_accepts_the_repair(bug):
    verdict = decide(bug.broken.claims()[0], Budget(seconds=60))
    if bug.doubles:
        assert verdict.lower.details["doubles"]["refuted"]
    else:
        assert verdict.decision.name == "REFUTED", [item.reason for item in verdict.silent]
    assert decide(bug.repaired.claims()[0], Budget(seconds=60, seed=1)).decision.name != "REFUTED"


@pytest.mark.parametrize("bug", [bug for bug in ALL if bug.control], ids=lambda bug: bug.name)
def test_the_control_tells_an_invalid_audit_from_a_valid_one(bug):
    broken, repair = bug.control
    assert false_alarms(broken) >= 10
    assert false_alarms(repair) == 0


def test_black_boxes_are_few():
    assert sum(isinstance(bug.broken, BlackBox) for bug in PROGRAMS) <= 8
