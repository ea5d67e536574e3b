"""Certificates about sorted records: what they verify is true of datasets, and a changed number is noticed."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.sorted_release import joint

F = Fraction
SMALL: dict[str, Any] = {  # one record in [0, 1], released as it is with noise in proportion to the whole range
    "type": "sorted-release",
    "records": ["0", "1"],
    "location": ["1", "0"],
    "scales": [{"power": 0, "gaps": ["1", "1"]}],
    "unit": "6",
    "beta": "0",
    "step": "1",
    "growth": 0,
    "noise": {"name": "admissible", "gamma": "2"},
    "guarantee": {"kind": "pure", "epsilon": "1/5"},
}


@given(st.lists(st.fractions(0, 1), min_size=4, max_size=4), st.data())
def test_joint_gaps(values: list[Fraction], data: st.DataObject) -> None:
    values = sorted(values)
    missing = data.draw(st.integers(0, 3))
    coefficients = data.draw(st.lists(st.fractions(-3, 3), min_size=4, max_size=4))

    def gaps(points: list[Fraction]) -> list[Fraction]:
        ends = [F(0), *points, F(1)]
        return [b - a for a, b in pairwise(ends)]

    rest = values[:missing] + values[missing + 1 :]
    direct = sum(c * g for c, g in zip(coefficients, gaps(rest), strict=True))
    assert direct == sum(c * h for c, h in zip(joint(coefficients, missing), gaps(values), strict=True))


def test_valid() -> None:
    assert examine(SMALL)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("location", ["2", "0"]), ("location", ["0", "0", "0"]), ("location", []), ("unit", "1"), ("unit", "0"),
        ("scales", [{"power": 0, "gaps": ["1", "0"]}]), ("scales", [{"power": 1, "gaps": ["1", "1"]}]),
        ("scales", [{"power": 0, "gaps": ["1", "-1"]}]), ("scales", []), ("step", "1/2"), ("growth", -1),
        ("growth", True), ("beta", "-1"), ("records", ["1", "0"]), ("unit", "exp(-2)"),
        ("noise", {"name": "gaussian"}), ("guarantee", {"kind": "zcdp", "rho": "1"}),
        ("guarantee", {"kind": "pure", "epsilon": "1/7"}),
    ],
)  # fmt: skip
def test_a_changed_certificate_is_refused(name: str, value: Any) -> None:
    changed = copy.deepcopy(SMALL)
    changed[name] = value
    assert not examine(changed)


def test_growth_counts() -> None:
    """A scale that changes with the data needs a budget for the dilation."""
    forms = [{"power": 0, "gaps": ["1", "0"]}, {"power": 0, "gaps": ["0", "1"]}, {"power": 1, "gaps": ["1", "1"]}]
    certificate = {**SMALL, "scales": forms, "growth": 1, "beta": "1/2"}
    assert not examine({**certificate, "growth": 0})
    assert not examine(certificate)  # the location moves by more than one form pays
    forms.append({"power": 0, "gaps": ["1", "1"]})
    assert not examine(certificate)
    assert examine({**certificate, "guarantee": {"kind": "pure", "epsilon": "1"}})
