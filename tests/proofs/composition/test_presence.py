"""Branches on whether a record is there are one step with a threshold; each guard of theirs is needed."""

from __future__ import annotations

import warnings

import pytest

from dpwitness import ApproxDP, Exact, Records, mechanism
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition.arithmetic import Arithmetic
from dpwitness.proofs.composition.presence import Presence
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.check import examine
from dpwitness.routes import kernel_checker

NAMES = Records(("ann", "bob"), 3, "add-remove")


def whole(x):
    """The whole part, which may be 0."""
    return float(int(x))


def claim_of(program, space=NAMES, delta="1/100", eps=1):
    return mechanism(data=space, claim=lambda: ApproxDP(eps, delta), typical={})(program).claims()[0]


def decide(claim):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(claim, [CompositionProver().run(claim)], kernel_checker()).decision.value


def shown(noise, data):
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy > 5:
            return noisy
    return None


def turned_round(noise, data):
    found = []
    for name in ("ann", "bob"):
        if name not in data:
            continue
        level = 5
        noisy = noise.laplace(1) + data.count(name)
        if level <= noisy:
            found.append([name, noisy, len(data) + noise.laplace(1)])
    return found


def test_a_threshold_hides_who_is_there() -> None:
    assert decide(claim_of(shown)) == "PROVED"


def test_what_happens_behind_the_threshold_is_charged_as_well() -> None:
    """The number of records is shown for every name: two at ε = 1 beside the count of one of them."""
    made = mechanism(data=NAMES, claim=lambda: ApproxDP(3, "1/100"), typical={})(turned_round)
    assert decide(made.claims()[0]) == "PROVED"
    less = mechanism(data=NAMES, claim=lambda: ApproxDP("29/10", "1/100"), typical={})(turned_round)
    assert decide(less.claims()[0]) == "UNDECIDED"


def test_a_replacement_moves_two_counts() -> None:
    swap = Records(("ann", "bob", "cid"), 3)
    assert decide(claim_of(shown, swap)) == "PROVED"

    def both(noise, data):
        found = []
        for name in ("ann", "bob"):
            if name in data:
                noisy = data.count(name) + noise.laplace(2)
                if noisy > 12:
                    found.append((name, noisy))
        return found

    assert decide(claim_of(both, swap)) == "PROVED"


def test_the_kernel_charges_a_threshold_that_is_too_low() -> None:
    found = CompositionProver().run(claim_of(shown))
    certificate = dict(found.certificate)
    for level, passes in (("4", ">"), ("4", ">="), ("5", "<")):
        steps = [list(step) for step in certificate["transcript"]]
        place = next(k for k, step in enumerate(steps) if step[0] == "present")
        steps[place][4], steps[place][6] = level, passes
        assert not examine({**certificate, "transcript": steps})


def test_whole_noise_above_a_threshold_and_at_it() -> None:
    """Above 6 the noise is 6 or more, at 6 it is 5 or more: e^-6/(1 + e^-1) = 0.0018, e^-5/(1 + e^-1) = 0.0049."""

    def above(noise, data):
        if "ann" in data:
            noisy = data.count("ann") + noise.discrete_laplace(1)
            if noisy > 6:
                return noisy
        return 0

    def at(noise, data):
        if "ann" in data:
            noisy = data.count("ann") + noise.discrete_laplace(1)
            if noisy >= 6:
                return noisy
        return 0

    assert decide(claim_of(above, delta="1/500")) == "PROVED"
    assert decide(claim_of(at, delta="1/500")) == "UNDECIDED"
    assert decide(claim_of(at, delta="1/200")) == "PROVED"


def noted(noise, data):
    seen = []
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        other = seen.append(1)
        if noisy > 5:
            return [noisy, other]
    return len(seen)


def left_behind(noise, data):
    mark = 0
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        mark = 1
        if noisy > 5:
            return noisy
    return mark


def may_fail(noise, data):
    n = noise.postprocess(whole, len(data) + noise.laplace(10))
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        other = 1 / n
        if noisy > 5:
            return [noisy, other]
    return 0


def wrong_scale(noise, data):
    n = noise.postprocess(whole, len(data) + noise.laplace(Exact(10)))
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(n)
        if noisy > 5:
            return noisy
    return 0


@pytest.mark.parametrize("program", [noted, left_behind, may_fail, wrong_scale])
def test_refused(program) -> None:
    found = CompositionProver().run(claim_of(program, eps=2))
    assert not hasattr(found, "certificate")
    assert "more than is claimed" not in found.reason


def reads(program) -> bool:
    return hasattr(CompositionProver().run(claim_of(program, eps=2)), "certificate")


def test_each_guard_is_needed(monkeypatch) -> None:
    """Without it a program that tells who is there is read as one that does not."""
    with monkeypatch.context() as patch:
        patch.setattr(Presence, "_calls_nothing_else", lambda self, node, leaf: None)
        assert reads(noted)
    with monkeypatch.context() as patch:
        patch.setattr(Presence, "_target", lambda self, node, leaf: "nothing")
        assert reads(left_behind)
        assert decide(claim_of(left_behind, eps=2)) == "UNDECIDED"  # the model that runs beside it says otherwise
    with monkeypatch.context() as patch:
        patch.setattr(Arithmetic, "guarded", property(lambda self: False, lambda self, value: None), raising=False)
        assert reads(may_fail)
