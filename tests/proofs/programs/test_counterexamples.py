"""Broken programs get an exact counterexample: valid, small, and confirmed by sampling."""

from __future__ import annotations

import ast
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.proofs.programs.events import matches

from dpwitness.core.evidence import Counterexample
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.route import ProgramProver

BROKEN = {
    "noisy max, scale 1": lambda p: (p.noisy_max(1), "all", 2),
    "no query noise": lambda p: (p.svt(2, 0, None), "all", 2),
    "no cutoff": lambda p: (p.svt(2, 2, None), "all", 3),
    "scales 4 and 4/3": lambda p: (p.svt(4, Fraction(4, 3)), "all", 2),
    "noise ignores the cutoff": lambda p: (p.svt(2, 4, 2), "all", 5),
    "releases the noisy answer": lambda p: (p.svt(release="noisy"), "all", 5),
    "releases the answer": lambda p: (p.svt(release="exact"), "all", 1),
    "partial sum, half scale": lambda p: (p.partial_sum(Fraction(1, 2)), "one", 1),
    "histogram, all": lambda p: (p.histogram(), "all", 2),
    "blocks without noise": lambda p: (p.smart_sum(False), "one", 2),
    "no threshold noise": lambda p: (p.svt(0, 4), "all", 5),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken_program_is_refuted_at_the_fewest_queries(programs, name):
    program, moves, fewest = BROKEN[name](programs)
    made = programs.make(program, moves, factor=2 if name == "blocks without noise" else 1, name="p")
    claim = made.claims()[0]
    found = ProgramProver(queries=5).run(claim)
    assert isinstance(found, Counterexample), found
    assert found.scope.queries == fewest == len(found.left) == len(found.right)
    assert claim.space.adjacency.related(found.left, found.right)
    assert found.p_left_decimal > math.exp(float(claim.guarantee.eps)) * found.p_right_decimal
    assert found.epsilon_lower is None or found.epsilon_lower > claim.guarantee.eps
    verified = examine(found.certificate)
    assert verified, verified.reason
    confirm_by_sampling(made, found)


def confirm_by_sampling(made, found):
    """The exact probabilities agree with 20,000 runs of the program, to five standard deviations."""
    event = found.certificate["event"]
    output = found.certificate["tree"]["outputs"][event["output"]]
    for data, exact in ((found.left, found.p_left_decimal), (found.right, found.p_right_decimal)):
        runs = made.sample(list(data), 20_000, np.random.default_rng(1)).values()
        rate = sum(matches(run, output, iter(event["box"])) for run in runs) / len(runs)
        assert abs(rate - exact) <= 5 * math.sqrt(exact * (1 - exact) / len(runs)) + 1e-4


def test_explanation_names_event_loss_and_epsilon(programs):
    found = ProgramProver(queries=3).run(programs.make(programs.noisy_max(1), name="p").claims()[0])
    assert found.left == (0, 0)
    assert "output 0" in found.method
    assert "the claim allows 1" in found.method
    assert found.p_left == "1/2"
    assert "e^(-2·eps)" in found.p_right


def test_rare_event_is_found(programs):
    # an event that no sampler will see: the loss appears only far out
    def program(noise, q, *, eps):
        return q[0] + noise.laplace(1 / eps) >= 40 and q[1] + noise.laplace(1 / eps) >= 40

    found = ProgramProver(queries=2).run(programs.make(program, name="p").claims()[0])
    assert isinstance(found, Counterexample)
    assert examine(found.certificate)


def test_certificate_text_is_plain_json(programs):
    import json

    found = ProgramProver(queries=3).run(programs.make(programs.svt(2, 2, None), name="p").claims()[0])
    again = json.loads(json.dumps(found.certificate))
    assert examine(again)
    assert ast.literal_eval(repr(again)) == again


def test_a_wrong_probability_is_refused(programs):
    found = ProgramProver(queries=2).run(programs.make(programs.noisy_max(1), name="p").claims()[0])
    wrong = {**found.certificate, "p_left": [{"0,0": "3/5"}, {"0,0": "1"}]}
    assert not examine(wrong)
    assert not examine({**found.certificate, "claim": {"epsilon": "2", "delta": "0"}})
    assert not examine({**found.certificate, "right": ["-2", "1"]})
    assert not examine({**found.certificate, "left": found.certificate["right"], "right": found.certificate["left"]})
