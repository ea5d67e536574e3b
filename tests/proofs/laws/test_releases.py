"""δ(ε), ε(δ) and calibration from Python: the catalogue, several runs, both sides of every inverse."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import dpwitness as dpw
from dpwitness.catalogue import catalogue
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, at_most, enclosure
from dpwitness.proofs.laws.privacy_curves.curves import delta as law_delta
from dpwitness.proofs.laws.privacy_curves.powers import product_curve
from dpwitness.proofs.laws.releases import WideEnclosure

F = Fraction
WIDTH = F(1, 10**12)
NAMES = ["gaussian-classical", "output-perturbation", "laplace-count", "geometric", "discrete-gaussian",
         "randomized-response", "two-coins", "categorical-response", "noisy-average"]  # fmt: skip


def runs() -> Iterator[Any]:
    """Every mechanism alone and seven times; the dearest table seven times is slow, and two others stand for it."""
    for name, times in itertools.product(NAMES, (1, 7)):
        slow = name == "categorical-response" and times > 1
        yield pytest.param(name, times, marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize(("name", "times"), list(runs()))
def test_narrow_and_inverse(name: str, times: int) -> None:
    target = catalogue()[name]
    for at in ("1e-2", "1e-12", "1e-80"):
        low, high = dpw.epsilon(target, delta=at, times=times)
        assert 0 <= low <= high
        assert high - low <= WIDTH * high
        assert dpw.delta(target, eps=high, times=times)[0] <= F(at)
        if low > 0:
            assert dpw.delta(target, eps=low * (1 - WIDTH), times=times)[1] >= F(at)
    before = F(1)
    for eps in (0, "1/3", 1, 4):
        low, high = dpw.delta(target, eps=eps, times=times)
        assert 0 <= low <= high <= before
        assert high - low <= WIDTH * high
        before = high


def test_more_runs_are_never_more_private() -> None:
    for name in NAMES:
        values = [dpw.delta(catalogue()[name], eps="1/2", times=k) for k in (1, 2, 4)]
        assert values[0][0] <= values[1][1]
        assert values[1][0] <= values[2][1]


def test_the_mechanisms_own_parameters() -> None:
    target = catalogue()["laplace-count"]
    assert dpw.delta(target, eps="1/2", params={"eps": 2}) == law_delta(
        NoiseLaw("laplace", {"scale": F(1, 2)}), 1, "1/2"
    )
    repeated = catalogue()["repeated-response"]
    inside = dpw.delta(repeated, eps="1/2", params={"eps": 1, "times": 4})
    outside = dpw.delta(repeated, eps="1/2", times=4, params={"eps": "1/4", "times": 1})
    assert inside[0] <= outside[1]
    assert outside[0] <= inside[1]
    with pytest.raises(BadInput, match="no parameter"):
        dpw.delta(target, eps=1, sigma=3)


def test_vectors_under_each_kind_of_move() -> None:
    def made(kind: str, size: int, draw: Any) -> Any:
        @dpw.mechanism(data=dpw.Answers(kind, 1, size=size), claim=lambda: dpw.PureDP(9), typical={})
        def noisy(noise: Any, answers: Any) -> Any:
            return [a + draw(noise) for a in answers]

        return noisy

    def laplace(noise: Any) -> Any:
        return noise.laplace(2)

    def gaussian(noise: Any) -> Any:
        return noise.gaussian(2)

    one = dpw.delta(made("one", 1, laplace), eps="1/4")
    assert dpw.delta(made("l1", 3, laplace), eps="1/4") == one
    assert dpw.delta(made("one", 3, laplace), eps="1/4") == one
    assert dpw.delta(made("all", 3, laplace), eps="1/4")[0] > one[1]
    normal = dpw.delta(made("one", 1, gaussian), eps="1/4")
    assert dpw.delta(made("l2", 3, gaussian), eps="1/4") == normal
    assert dpw.delta(made("all", 4, gaussian), eps="1/4") == law_delta(
        NoiseLaw("gaussian", {"variance": F(4)}), 2, "1/4"
    )
    with pytest.warns(WideEnclosure, match="ℓ2"):
        low, high = dpw.delta(made("l2", 4, laplace), eps="1/4")
    assert one[0] <= low < high


def test_a_number_without_noise_and_programs_without_a_curve() -> None:
    @dpw.mechanism(data=dpw.Answers("one", 1, size=2), claim=lambda: dpw.PureDP(1), typical={})
    def bare(noise: Any, answers: Any) -> Any:
        return [answers[0], answers[1] + noise.laplace(1)]

    assert dpw.delta(bare, eps=5) == (1, 1)
    with pytest.raises(BadInput, match="large enough"):
        dpw.epsilon(bare, delta="1e-3")
    with pytest.raises(OutsideFragment, match=r"as added noise.*as a table"):
        dpw.delta(catalogue()["above-threshold"], eps=1)
    with pytest.raises(BadInput, match="times"):
        dpw.delta(catalogue()["geometric"], eps=1, times=0)
    with pytest.raises(BadInput, match="delta=1"):
        dpw.epsilon(catalogue()["geometric"], delta=1)
    with pytest.raises(BadInput, match="unbounded"):
        dpw.epsilon(catalogue()["discrete-gaussian"], delta=0)
    with pytest.raises(BadInput, match="@mechanism"):
        dpw.delta("geometric", eps=1)  # type: ignore[arg-type]


MAKE = {
    "gaussian": lambda t: NoiseLaw("gaussian", {"variance": t * t}),
    "laplace": lambda t: NoiseLaw("laplace", {"scale": t}),
    "discrete_gaussian": lambda t: NoiseLaw("discrete_gaussian", {"variance": t * t}),
    "discrete_laplace": lambda t: NoiseLaw("discrete_laplace", {"scale": t}),
}


@pytest.mark.parametrize("family", list(MAKE))
@pytest.mark.parametrize("times", [1, 6])
@pytest.mark.parametrize(("eps", "at", "by"), [(1, "1e-5", 1), ("1/4", "1e-2", 2), (2, "1e-40", 3)])
def test_calibration_on_both_sides_of_the_curve(family: str, times: int, eps: Any, at: str, by: int) -> None:
    low, high = dpw.calibrate(family, eps=eps, delta=at, sensitivity=by, times=times)
    assert 0 < low < high
    assert high - low <= WIDTH * high
    assert at_most(product_curve([(MAKE[family](high), F(by))], F(eps), times), F(at))
    assert enclosure(product_curve([(MAKE[family](low), F(by))], F(eps), times))[1] > F(at)


def test_calibration_to_pure_privacy_and_bad_input() -> None:
    assert dpw.calibrate("laplace", eps=2, sensitivity=3, times=4) == (6, 6)
    for call in (
        lambda: dpw.calibrate("gaussian", eps=1),
        lambda: dpw.calibrate("laplace", eps=0),
        lambda: dpw.calibrate("laplace", eps=1, sensitivity=0),
        lambda: dpw.calibrate("cat", eps=1, delta="1e-5"),
        lambda: dpw.calibrate("gaussian", eps=1, delta=1),
        lambda: dpw.calibrate("gaussian", eps=1, delta="1e-5", times=0),
        lambda: dpw.calibrate("discrete_gaussian", eps=1, delta="1e-5", sensitivity="1/2"),
    ):
        with pytest.raises(BadInput):
            call()
