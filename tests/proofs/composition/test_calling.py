"""Loops inside helper functions: equal steps are one step, repeated; names stay where they belong."""

from __future__ import annotations

import time
import warnings

import pytest

from dpwitness import ZCDP, Interval, PureDP, Records, mechanism, sqrt
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition import trees
from dpwitness.proofs.composition.calling import Calling
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.composition.values import Helper
from dpwitness.routes import kernel_checker

UNIT = Records(Interval(0, 1), 4, "add-remove")


def decide(program, steps=200, seconds=30.0):
    made = mechanism(data=UNIT, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2", "steps": steps})(program)
    claim = made.claims()[0]
    found = CompositionProver(seconds).run(claim)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(claim, [found], kernel_checker()).decision.value, found


def descend(noise, data, w, steps, scale):
    for _ in range(steps):
        w = w / 2 + sum(min(x, 1) for x in data) + noise.gaussian(scale)
    return w


def count_up(noise, data, kept, steps, scale):
    for _ in range(steps):
        kept[0] = kept[0] / 2 + len(data) + noise.gaussian(scale)


def keep_adding(noise, data, kept, steps):
    for _ in range(steps):
        kept[0] += sum(data)
    return noise.gaussian(1)


def recursive(noise, data, steps):
    for _ in range(2):
        if steps:
            recursive(noise, data, steps)
    return noise.gaussian(1)


def assigned(noise, data, *, rho, steps):
    w = descend(noise, data, 0, steps, sqrt(steps / (2 * rho)))
    return w / 2


def returned(noise, data, *, rho, steps):
    return descend(noise, data, 0, steps, sqrt(steps / (2 * rho)))


def two_calls(noise, data, *, rho, steps):
    w = descend(noise, data, 0, steps, sqrt(steps / rho))
    return w, descend(noise, data, w, steps, sqrt(steps / rho))


def through_a_list(noise, data, *, rho, steps):
    kept = [0, 1]
    count_up(noise, data, kept, steps, sqrt(steps / (2 * rho)))
    return kept


@pytest.mark.parametrize("program", [assigned, returned, through_a_list])
def test_proved_as_one_step(program) -> None:
    decision, found = decide(program)
    assert decision == "PROVED"
    assert any(step[0] == "repeat" for step in found.certificate["transcript"])


def test_a_thousand_steps_are_as_fast_as_a_hundred() -> None:
    """No time is asserted beyond what unrolled steps would take many times over."""
    begin = time.process_time()
    assert hasattr(decide(assigned, 1000)[1], "certificate")
    assert time.process_time() - begin < 30


def less_noise(noise, data, *, rho, steps):
    """not private: half of ρ for every step and all of it."""
    return descend(noise, data, 0, steps, sqrt(steps / (4 * rho)))


def called_twice(noise, data, *, rho, steps):
    """not private: the budget is spent twice."""
    w = descend(noise, data, 0, steps, sqrt(steps / (2 * rho)))
    return w, descend(noise, data, w, steps, sqrt(steps / (2 * rho)))


def grows_behind_the_back(noise, data, *, rho, steps):
    """not private: the helper adds the sum to a list of its caller, without noise."""
    kept = [0]
    z = keep_adding(noise, data, kept, steps)
    return kept[0], z


def a_name_of_the_helper(noise, data, *, rho, steps):
    """fails: the caller does not know the helper's names."""
    descend(noise, data, 0, steps, sqrt(steps / (2 * rho)))
    return scale  # noqa: F821


def private_argument(noise, data, *, rho, steps):
    """not private: what is handed over comes back without enough noise."""
    return descend(noise, data, 100 * sum(data), 1, 1)


def an_old_list_through_a_lambda(noise, data, *, rho, steps):
    """not private: each turn changes a list that the lambda holds."""
    kept = [0]
    add = lambda: kept.append(sum(data))  # noqa: E731
    w = turned(noise, add, steps, sqrt(steps / (2 * rho)))
    return w, kept


def turned(noise, function, steps, scale):
    w = 0
    for _ in range(steps):
        function()
        w = w / 2 + noise.gaussian(scale)
    return w


def calls_itself(noise, data, *, rho, steps):
    """does not end"""
    return recursive(noise, data, steps)


@pytest.mark.parametrize(
    "program",
    [less_noise, called_twice, grows_behind_the_back, a_name_of_the_helper, private_argument,
     an_old_list_through_a_lambda, calls_itself],
)  # fmt: skip
def test_not_proved(program) -> None:
    assert decide(program, 20, 5)[0] == "UNDECIDED"


def test_a_failed_proof_names_the_step_that_is_repeated() -> None:
    found = decide(less_noise)[1]
    assert "together ρ = 1 where 1/2 is claimed" in found.reason
    assert found.pairs


def test_what_a_function_holds_is_compared_after_a_turn() -> None:
    """Without it a list that only a lambda holds could grow in every turn of a loop that is read once."""
    tree = object()
    one, two = Helper(tree, {}, None, {"kept": 1}), Helper(tree, {}, None, {"kept": 2})
    assert one == two
    assert trees.differences({"f": one}, {"f": two}, set()) is None
    assert trees.differences({"f": one}, {"f": one}, set()) == {}


def test_the_names_of_the_caller_are_kept_apart(monkeypatch) -> None:
    """A reader that stays in the helper's variables reads another program, and gives no verdict."""

    def program(noise, data, *, rho, steps):
        w = 5
        v = descend(noise, data, 0, steps, sqrt(steps / (2 * rho)))
        return v + w

    assert decide(program)[0] == "PROVED"
    old = Calling._handed_back

    def leaking(self, node):
        value = old(self, node)
        self.env["w"] = value
        return value

    monkeypatch.setattr(Calling, "_handed_back", leaking)
    assert decide(program)[0] == "UNDECIDED"


def test_pure_loops_are_still_followed() -> None:
    made = mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1})
    assert hasattr(CompositionProver().run(made(bisect).claims()[0]), "certificate")


def bisect(noise, data, *, eps):
    return halved(noise, data, 3, 3 / eps)


def halved(noise, data, steps, scale):
    low, high = 0, 1
    for _ in range(steps):
        middle = (low + high) / 2
        if sum((x < middle) - (x >= middle) for x in data) + noise.laplace(scale) > 0:
            high = middle
        else:
            low = middle
    return low
