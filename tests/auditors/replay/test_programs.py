"""Record and replay on the project's own programs."""

from __future__ import annotations

import pytest

from dpwitness.auditors import Budget, RecorderAuditor
from dpwitness.auditors.replay.programs import notice
from dpwitness.catalogue import catalogue
from dpwitness.core.evidence import Unsupported
from dpwitness.core.guarantees import ApproxDP, PureDP
from dpwitness.core.mechanism import BlackBox, mechanism
from dpwitness.core.spaces import Answers, Records

ONE = PureDP(1)


def first_claim(program, guarantee=ONE, size=2):
    made = mechanism(data=Answers("all", 1, size=size), claim=lambda eps: guarantee, typical={"eps": 1})(program)
    return made.claims()[0]


def run(program, **options):
    return RecorderAuditor().run(first_claim(program, **options), Budget())


def test_too_little_laplace_noise_is_explained_by_its_exact_loss():
    def both(noise, answers, *, eps):
        return [a + noise.laplace(1 / eps) for a in answers]

    found = run(both)
    assert isinstance(found, Unsupported), "a replay explains; it does not refute"
    assert "the privacy loss is 2, above 1 (inputs (0, 0) and (1, 1))" in found.reason


def test_enough_noise_is_left_alone():
    def both(noise, answers, *, eps):
        return [a + noise.laplace(2 / eps) for a in answers]

    assert "nothing was noticed" in run(both).reason


def test_gaussian_noise_is_compared_by_its_delta():
    def one(noise, answers, *, eps):
        return answers[0] + noise.gaussian(1)

    assert "δ at ε = 1 is 0.127, above 0.001" in run(one, guarantee=ApproxDP(1, "1e-3"), size=1).reason
    assert "nothing was noticed" in run(one, guarantee=ApproxDP(1, "0.13"), size=1).reason


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

    assert "nothing was noticed" in run(cubed, size=1).reason


def test_data_dependent_noise_is_noticed():
    def scaled(noise, answers, *, eps):
        return answers[0] + noise.laplace(2 + abs(answers[0]))

    assert "draw 0 is laplace" in run(scaled, size=1).reason


def test_black_boxes_are_sent_elsewhere():
    box = BlackBox("box", lambda d, n, r: [0] * n, Answers(size=1), PureDP(1))
    assert "replay_audit" in RecorderAuditor().run(box.claims()[0], Budget()).reason


def test_draws_that_come_with_a_record_are_no_finding():
    def one_for_each(noise, records, *, eps):
        return sum(r + 0 * noise.laplace(1 / eps) for r in records) + noise.laplace(1 / eps)

    space = Records([0, 1], size=2, adjacency="add-remove")
    made = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(one_for_each)
    assert "nothing was noticed" in RecorderAuditor().run(made.claims()[0], Budget()).reason


@pytest.mark.slow
def test_no_alarm_on_the_correct_catalogue():
    """Every claim that holds is left alone; many of the broken ones are explained."""
    noticed = {True: 0, False: 0}
    for target in catalogue().values():
        for claim in target.claims():
            found = notice(claim)
            noticed[claim.expected_to_hold] += bool(found)
            assert not (found and claim.expected_to_hold), (target.name, found)
    assert noticed[False] >= 25
