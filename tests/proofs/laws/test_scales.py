"""Data-dependent scales: smooth sensitivity proved for all datasets, its misuse refuted by exact counterexamples."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.catalogue import catalogue
from dpwitness.core import exp
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.guarantees import ApproxDP, PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Interval, Records
from dpwitness.mechanisms.smooth_sensitivity import local_sensitivity, median, smooth_sensitivity
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.scales import ScaleProver

F = Fraction
THREE = Records(Interval(0, 1), 3)


def decide(program: Any, space: Any = THREE, claim: Any = lambda eps: PureDP(eps), **typical: Any) -> Any:
    made = mechanism(data=space, claim=claim, typical={"eps": 1, **typical})(program)
    evidence = ScaleProver().run(made.claims()[0])
    if not isinstance(evidence, Unsupported):
        verdict = examine(evidence.certificate)
        assert verdict, verdict.reason
    return evidence


def smooth(noise: Any, data: Any, *, eps: Any) -> Any:
    return median(data) + smooth_sensitivity(data, eps / 6, 1) / (eps / 6) * noise.admissible(2)


def test_the_median_is_proved_for_all_datasets() -> None:
    evidence = decide(smooth)
    assert isinstance(evidence, UpperBound)
    assert evidence.certificate is not None
    assert evidence.certificate["type"] == "sorted-release"


@cache
def _of_four_records() -> Any:
    return decide(smooth, Records(Interval(0, 1), 4)).certificate


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(0, 1, max_denominator=50), min_size=4, max_size=4), st.fractions(0, 1, max_denominator=9))
def test_the_certificate_says_what_the_program_does(data: list[Fraction], other: Fraction) -> None:
    certificate = _of_four_records()
    first, second = _release(certificate, data), _release(certificate, [*data[:3], other])
    assert first[0] == pytest.approx(float(median(data)))
    assert first[1] == pytest.approx(6 * float(smooth_sensitivity(data, F(1, 6), F(1))))
    assert abs(first[0] - second[0]) <= first[1] / 6 + 1e-12
    assert first[1] <= second[1] * 2.718281828459045 ** (1 / 6) + 1e-12


def _release(certificate: Any, data: list[Fraction]) -> tuple[float, float]:
    points = [F(0), *sorted(data), F(1)]
    gaps = [float(b - a) for a, b in pairwise(points)]
    shrink = 2.718281828459045 ** -float(F(certificate["beta"]))
    place = sum(float(F(c)) * g for c, g in zip(certificate["location"], gaps, strict=True))
    sizes = [
        shrink ** form["power"] * sum(float(F(c)) * g for c, g in zip(form["gaps"], gaps, strict=True))
        for form in certificate["scales"]
    ]
    return place, float(F(certificate["unit"])) * max(sizes)


def _local(noise: Any, data: Any, *, eps: Any) -> Any:
    return median(data) + local_sensitivity(data, 1) / (eps / 6) * noise.admissible(2)


def _wrong_beta(noise: Any, data: Any, *, eps: Any) -> Any:
    return median(data) + smooth_sensitivity(data, 2 * eps, 1) / (eps / 6) * noise.admissible(2)


def _tenth_of_the_noise(noise: Any, data: Any, *, eps: Any) -> Any:
    return median(data) + smooth_sensitivity(data, eps / 6, 1) / (10 * eps / 6) * noise.admissible(2)


def _sum_in_place_of_median(noise: Any, data: Any, *, eps: Any) -> Any:
    return 2 * sum(sorted(data)) + smooth_sensitivity(data, eps / 6, 1) / eps * noise.admissible(2)


def _pure_laplace(noise: Any, data: Any, *, eps: Any) -> Any:
    return median(data) + smooth_sensitivity(data, eps / 6, 1) / (eps / 6) * noise.laplace(1)


def _first_record_on_top(noise: Any, data: Any, *, eps: Any) -> Any:
    return median(data) + 99 * data[0] + smooth_sensitivity(data, eps / 6, 1) / (eps / 6) * noise.admissible(2)


def _tie_gives_it_away(noise: Any, data: Any, *, eps: Any) -> Any:
    x = sorted(data)
    scale = smooth_sensitivity(data, eps / 6, 1) / (eps / 6) if x[1] > x[0] else 0
    return median(data) + scale * noise.admissible(2)


BROKEN = [
    _local, _wrong_beta, _tenth_of_the_noise, _sum_in_place_of_median, _pure_laplace, _first_record_on_top,
    _tie_gives_it_away,
]  # fmt: skip


@pytest.mark.parametrize("program", BROKEN, ids=lambda f: f.__name__)
def test_mutations_are_never_proved(program: Any) -> None:
    assert not isinstance(decide(program), UpperBound)


@pytest.mark.parametrize("program", [_local, _wrong_beta, _tenth_of_the_noise], ids=lambda f: f.__name__)
def test_mutations_are_refuted(program: Any) -> None:
    evidence = decide(program)
    assert isinstance(evidence, Counterexample)
    assert THREE.adjacency.related(evidence.left, evidence.right)
    assert evidence.p_left_decimal > 2.7 * evidence.p_right_decimal


@pytest.mark.parametrize("name", ["smooth-median", "smooth-median-laplace"])
def test_the_catalogue(name: str) -> None:
    found = catalogue()[name]
    for made in (found, *found.twins):
        for claim in made.claims():
            evidence = ScaleProver().run(claim)
            assert isinstance(evidence, UpperBound if claim.expected_to_hold else Counterexample), claim.describe()


def test_finite_datasets_with_two_scales() -> None:
    def program(noise: Any, data: Any, *, eps: Any, delta: Any) -> Any:
        return sum(data) + noise.laplace(3 if data[0] else 3 * exp(F(1, 20)))

    def claim(eps: Any, delta: Any) -> Any:
        return ApproxDP(eps, delta)

    space = Records((0, 1), 2)
    assert isinstance(decide(program, space, claim, delta="1e-4"), UpperBound)
    assert not isinstance(decide(program, space, claim, eps="1/4", delta="1e-4"), UpperBound)


def test_the_shape_of_the_output_tells() -> None:
    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return None if sum(data) < 2 else sum(data) + noise.laplace(1 / eps)

    evidence = decide(program, Records((0, 1), 3))
    assert isinstance(evidence, Counterexample)
    assert evidence.epsilon_lower is None


def test_a_number_may_be_the_constant() -> None:
    """A constant on one side and a noisy number on the other have alike shapes: that alone refutes nothing."""
    from dpwitness.proofs.laws.separation import alike

    assert alike(("slot",), ("const", "int", 3))
    assert not alike(("slot",), ("const", "NoneType", None))
    assert not alike(("const", "int", 3), ("const", "int", 4))
