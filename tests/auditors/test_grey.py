"""Record and replay on the project's own programs."""

from __future__ import annotations

import pytest

from dpwitness.auditors import Budget, RecorderAuditor
from dpwitness.core.evidence import LowerBound, Unsupported
from dpwitness.core.guarantees import ApproxDP, PureDP
from dpwitness.core.mechanism import BlackBox, mechanism
from dpwitness.core.spaces import Answers

ONE = PureDP(1)


def first_claim(program, guarantee=ONE, size=2):
    made = mechanism(data=Answers("all", 1, size=size), claim=lambda eps: guarantee, typical={"eps": 1})(program)
    return made.claims()[0]


def run(program, **options):
    return RecorderAuditor().run(first_claim(program, **options), Budget())


def test_too_little_laplace_noise_is_refuted_with_its_exact_loss():
    def both(noise, answers, *, eps):
        return [a + noise.laplace(1 / eps) for a in answers]

    found = run(both)
    assert isinstance(found, LowerBound)
    assert found.refutes
    assert found.alpha == 0
    assert found.epsilon == pytest.approx(2.0)


def test_enough_noise_is_left_alone():
    def both(noise, answers, *, eps):
        return [a + noise.laplace(2 / eps) for a in answers]

    assert isinstance(run(both), Unsupported)


def test_gaussian_noise_is_compared_by_its_delta():
    def one(noise, answers, *, eps):
        return answers[0] + noise.gaussian(1)

    assert run(one, guarantee=ApproxDP(1, "1e-3"), size=1).refutes
    assert not hasattr(run(one, guarantee=ApproxDP(1, "0.13"), size=1), "refutes")


def test_noisy_control_flow_is_no_finding():
    def sparse(noise, answers, *, eps):
        bar = noise.laplace(2 / eps)
        for i, a in enumerate(answers):
            if a + noise.laplace(4 / eps) >= bar:
                return i
        return None

    found = run(sparse, size=3)
    assert isinstance(found, Unsupported)
    assert "nothing was noticed" in found.reason


def test_nonlinear_use_of_noise_is_not_measured_as_a_shift():
    def cubed(noise, answers, *, eps):
        return answers[0] * 5 + noise.laplace(1 / eps) ** 3

    assert isinstance(run(cubed, size=1), Unsupported)


def test_data_dependent_noise_is_noticed():
    def scaled(noise, answers, *, eps):
        return answers[0] + noise.laplace(2 + abs(answers[0]))

    assert "draw 0 is laplace" in run(scaled, size=1).reason


def test_black_boxes_are_sent_elsewhere():
    box = BlackBox("box", lambda d, n, r: [0] * n, Answers(size=1), PureDP(1))
    assert "replay_audit" in RecorderAuditor().run(box.claims()[0], Budget()).reason
