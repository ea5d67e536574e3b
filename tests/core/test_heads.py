"""Where rounds of loops begin, and what is needed there."""

import dis

import pytest

from dpwitness.core.readers import heads as module
from dpwitness.core.readers.heads import heads
from dpwitness.core.readers.pictures import HiddenState


def nested(noise, data):
    total = 0
    for x in data:
        k = x
        while noise.bernoulli(0.5):
            unused = k  # noqa: F841
            k = noise.choice([1, 1])
            total += k
        while k:
            k -= 1
    return total


def test_only_loops_by_while_have_heads_and_know_the_for_loops_around_them():
    found = heads(nested.__code__)
    assert {len(head.around) for head in found.values()} == {1}
    names = {step.offset: step.opname for step in dis.get_instructions(nested.__code__)}
    assert all(names[at] == "FOR_ITER" for head in found.values() for at in head.around)
    assert all(names[at] != "FOR_ITER" for at in found)


def test_variables_that_are_set_anew_before_they_are_read_are_not_needed():
    needed = [head.needed for head in heads(nested.__code__).values()]
    assert all("unused" not in names and "x" not in names for names in needed)
    assert all({"noise", "data", "total", "k"} & names >= {"total"} for names in needed)


def test_a_value_that_is_kept_on_the_stack_is_refused(monkeypatch):
    monkeypatch.setattr(module, "_kept", lambda steps: {step.offset: 2 for step in steps})
    with pytest.raises(HiddenState, match="inside an expression"):
        heads.__wrapped__(nested.__code__)


def test_no_loops_no_heads():
    assert not heads((lambda noise: [x for x in range(3) if x]).__code__)
