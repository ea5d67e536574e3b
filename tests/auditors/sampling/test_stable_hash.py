"""Samplers and inputs that differ are told apart; the same ones are the same in every process."""

from __future__ import annotations

import functools
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from dpwitness.auditors import audit
from dpwitness.auditors.route import ClaimSampler
from dpwitness.auditors.sampling.stable_hash import likeness
from dpwitness.catalogue import find
from dpwitness.core.errors import BadInput


def made(source, **names):
    """The function `sampler` of a text."""
    space = {"np": np, "__name__": "somewhere", **names}
    exec(textwrap.dedent(source), space)
    return space["sampler"]


PLAIN = "def sampler(data, size, rng): return rng.laplace(data, {}, size)"
HELPER = """
def noise(rng, size): return rng.laplace(0, {}, size)
def sampler(data, size, rng): return data + noise(rng, size)
"""
CONSTANT = "SCALE = {}\ndef sampler(data, size, rng): return rng.laplace(data, SCALE, size)"
CLOSURE = """
def make(scale):
    def sampler(data, size, rng): return rng.laplace(data, scale, size)
    return sampler
sampler = make({})
"""
OBJECT = """
class Noisy:
    def __init__(self): self.scale, self.calls = {}, 0
    def __call__(self, data, size, rng):
        self.calls += 1
        return rng.laplace(data, self.scale, size)
sampler = Noisy()
"""
METHOD = OBJECT + "sampler = sampler.__call__"
DEFAULT = "def sampler(data, size, rng, scale={}): return rng.laplace(data, scale, size)"


@pytest.mark.parametrize("source", [PLAIN, HELPER, CONSTANT, CLOSURE, OBJECT, METHOD, DEFAULT])
def test_a_changed_sampler_is_another_one(source, tmp_path):
    one, two = made(source.format(0.5)), made(source.format(1.0))
    assert likeness(one) != likeness(two)
    assert likeness(one) == likeness(made(source.format(0.5)))
    path = tmp_path / "state"
    first = audit(one, 0.0, 1.0, epsilon=1, max_pairs=900, checkpoint=path)
    assert first.refuted
    with pytest.raises(BadInput, match="belongs to a run with other arguments"):
        audit(two, 0.0, 1.0, epsilon=1, max_pairs=900, checkpoint=path)
    assert audit(one, 0.0, 1.0, epsilon=1, max_pairs=900, checkpoint=path).pairs == first.pairs


def test_partial_functions_differ_in_their_arguments():
    def scaled(data, size, rng, scale):
        return rng.laplace(data, scale, size)

    assert likeness(functools.partial(scaled, scale=1)) != likeness(functools.partial(scaled, scale=2))


def test_what_a_sampler_counts_does_not_matter():
    source = "CALLS = 0\ndef sampler(data):\n    global CALLS\n    CALLS += 1\n    return CALLS"
    sampler = made(source)
    before = likeness(sampler)
    sampler(0)
    assert likeness(sampler) == before


def test_every_entry_of_an_input_counts(tmp_path):
    left, right, other = np.zeros(5000), np.ones(5000), np.ones(5000)
    other[2500] = 7

    def sampler(data, size, rng):
        return rng.laplace(data.sum(), 1.0, size)

    audit(sampler, left, right, epsilon=1, max_pairs=200, checkpoint=tmp_path / "state")
    with pytest.raises(BadInput, match="other arguments"):
        audit(sampler, left, other, epsilon=1, max_pairs=200, checkpoint=tmp_path / "state")
    assert likeness({"a": [1, left]}) != likeness({"a": [1, other]})


def test_claims_of_the_catalogue_differ_by_program_and_parameters():
    one, two = (find([name])[0].claims()[0] for name in ("report-noisy-max", "above-threshold"))
    hashes = {likeness(ClaimSampler(claim)) for claim in (one, two, find(["report-noisy-max"])[0].claims(eps=2)[0])}
    assert len(hashes) == 3


def test_the_hash_is_the_same_in_another_process():
    code = f"from dpwitness.auditors.sampling.stable_hash import likeness\n{CLOSURE.format(1)}\n{OBJECT.format(2)}\n"
    code += "print(likeness(make(1)), likeness(sampler), likeness({'a', 'b', 'c'}), likeness([0.1, {'x': None}]))"
    run = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]
    assert run[0] == run[1]
    assert len(set(run[0].split())) == 4
