"""Small projects that use the plugin, and running pytest on them."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

INSTALLED = any(e.value == "dpwitness.plugin" for e in entry_points(group="pytest11"))
LOAD = [] if INSTALLED else ["-p", "dpwitness.plugin"]

TWO = """
import numpy as np
def good(data): return sum(data) + np.random.laplace(0, 1.0)
def bad(data): return sum(data) + np.random.laplace(0, 0.5)
def test_good(assert_private): assert_private(good, [0, 1], [1, 1], epsilon=1.0)
def test_bad(assert_private): assert_private(bad, [0, 1], [1, 1], epsilon=1.0)
"""

MANY = """
import random
import numpy as np
import pytest
from dpwitness import Answers, BlackBox, PureDP, mechanism

def laplace(data, size, rng): return rng.laplace(sum(data), 1.0, size)
def coin(data): return random.random() < (0.5 if data else 0.6)

@pytest.mark.parametrize("shift", [0.5, 1.0])
def test_shift(assert_private, shift): assert_private(laplace, [0.0], [shift], epsilon=1.0, max_pairs=5000)

@pytest.mark.dp(weight=3, max_pairs=3000, epsilon="1/2")
def test_coin(assert_private): assert_private(coin, True, False)

@pytest.mark.dp(checks=2)
def test_twice(assert_private):
    first = assert_private(laplace, [0], [1], epsilon=1.0, max_pairs=2000)
    second = assert_private(laplace, [0], [1], epsilon=1.5, max_pairs=2000)
    assert first.lower.alpha == second.lower.alpha

def test_black_box(assert_private):
    assert_private(BlackBox("box", laplace, Answers(size=1), PureDP(1)), max_pairs=2000)

def test_search(assert_private):
    verdict = assert_private(laplace, neighbours=[([0], [0.1]), ([0], [1])], epsilon=1.0, max_pairs=4000)
    assert verdict.lower.right == (1,)

def test_leak(assert_private): assert_private(laplace, [0], [2], epsilon=1.0, max_pairs=20000)
"""

MECHANISM = """
from dpwitness import Answers, PureDP, mechanism

@mechanism(data=Answers(moves="one", by=1, size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy(noise, answers, *, eps):
    return answers[0] + noise.laplace(1 / eps)

@noisy.twin("half-the-noise")
def _(noise, answers, *, eps):
    return answers[0] + noise.laplace(1 / (2 * eps))

def test_own_claim(assert_private): assert assert_private(noisy).decision == "PROVED"
def test_at(assert_private): assert assert_private(noisy, epsilon="1/3").decision == "PROVED"
def test_given_pair(assert_private):
    verdict = assert_private(noisy, [0], [1], epsilon=1, prove=False, max_pairs=4000)
    assert verdict.decision == "NOT_REFUTED"
def test_twin(assert_private): assert_private(noisy.twins[0])
"""


def run(pytester: pytest.Pytester, *arguments: str, inside: bool = False) -> pytest.RunResult:
    """pytest on the project in its own process, or in this one."""
    if not any((pytester.path / name).exists() for name in ("tox.ini", "pytest.ini", "pyproject.toml")):
        pytester.makefile(".ini", pytest="[pytest]\n")  # else settings of a folder above would be in force
    words = ["-p", "no:cacheprovider", *arguments]
    if not inside:
        return pytester.runpytest_subprocess(*LOAD, *words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_inprocess("-p", "dpwitness.plugin", *words)
