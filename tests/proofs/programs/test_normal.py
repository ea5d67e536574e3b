"""Programs with Gaussian noise on finitely many inputs: rigorous enclosures, both verdicts, certificates."""

from __future__ import annotations

import copy
import math
from fractions import Fraction

import pytest
from tests.proofs.programs.draws import drawn

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.guarantees import ApproxDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Answers
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.normal import LAWS, Enclosed
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.tables import read_table

F = Fraction


def make(program, delta, size=2):
    return mechanism(
        data=Answers("all", values=(-1, 0, 1), size=size),
        claim=lambda eps: ApproxDP(eps, delta),
        typical={"eps": "1/2"},
    )(program).claims()[0]


def above(query, threshold, law_name="gaussian"):
    def program(noise, q, *, eps):
        t = drawn(noise, law_name, threshold / eps) if threshold else 0
        for i, x in enumerate(q):
            if x + noise.gaussian(query / eps) >= t:
                return i
        return None

    return program


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def test_two_normal_draws_in_closed_form():
    claim = make(above(2, 4), "1/100", 1)
    table = read_table(claim, 1, epsilon=F(1, 2), laws=LAWS)
    with precision(96):
        found = Enclosed(table.tree).of([F(1)])
    # P[1 + N(0, 4²) >= N(0, 8²)] = Φ(1/√80)
    values = sorted(float(v.mid()) for v in found.values())
    assert values == pytest.approx(sorted([phi(1 / math.sqrt(80)), 1 - phi(1 / math.sqrt(80))]), abs=1e-14)
    assert all(v.rad() < 1e-15 for v in found.values())


@pytest.mark.parametrize("law_name", ["gaussian", "laplace"])
def test_private_program(law_name):
    claim = make(above(4, 4, law_name), "1/100")
    evidence = ProgramProver().run(claim)
    assert isinstance(evidence, UpperBound), evidence
    assert evidence.scope.epsilon == "1/2"
    assert examine(evidence.certificate)
    assert not examine({**evidence.certificate, "claim": {"epsilon": "1/100", "delta": "1/1000"}})


def test_broken_program():
    evidence = ProgramProver().run(make(above(F(1, 4), 0), "1/1000"))
    assert isinstance(evidence, Counterexample)
    assert examine(evidence.certificate)
    gap = evidence.p_left_decimal - math.exp(0.5) * evidence.p_right_decimal
    assert gap > 1 / 1000
    wrong = copy.deepcopy(evidence.certificate)
    wrong["claim"]["delta"] = "99/100"
    assert not examine(wrong)
    apart = copy.deepcopy(evidence.certificate)
    apart["inputs"] = [["1", "1"], ["-1", "-1"]]
    assert "neighbours" in examine(apart).reason


def test_shift_certificates_never_accept_normal_draws():
    claim = make(above(2, 4), "1/100")
    table = read_table(claim, 2, epsilon=F(1, 2), laws=LAWS)
    proof = {"type": "program-bound", "tree": table.json, "adjacency": {"relation": "linf", "by": "1"}, "bound": "9",
             "shifts": [{}], "use": {"0": 0, "1": 0, "2": 0}, "merged": []}  # fmt: skip
    assert "law" in examine(proof).reason
