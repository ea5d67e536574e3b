"""Crafted certificates are refused, or state what is true, within limits that would kill the process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.kernel.crafted import FEW, LAPLACE, PURE, everything, tables
from tests.proofs.kernel.released import noise
from tests.proofs.kernel.test_program_attacks import finite, pair

from dpwitness.proofs.kernel.check import check, examine
from dpwitness.proofs.kernel.limits import Rejected, TooMuch, inspect, limited, tick
from dpwitness.proofs.kernel.theorem import Theorem

SECONDS, MEGABYTES = 2, 200  # of processor time and of memory, for each
TRUE = {"weights-with-many-denominators", "wide-discrete_laplace"}  # what these say is so, and is quickly seen


def test_each_is_refused_within_its_limits() -> None:
    command = [sys.executable, "-m", "tests.proofs.kernel.crafted", str(SECONDS), str(MEGABYTES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0, (list(rows)[-1:], done.stderr[-500:])
    assert set(rows) == set(everything())
    assert {name for name, row in rows.items() if row["statement"]} == TRUE
    assert all(row["reason"] for name, row in rows.items() if name not in TRUE)


def test_the_clock_stops_a_check_in_a_thread() -> None:
    slow = everything()["space-of-many-pairs"]
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(examine(slow, seconds=0.05).reason))
    thread.start()
    thread.join()
    assert found == ["the check takes too long"]


def test_a_check_inside_a_check_has_no_more_time() -> None:
    def wait() -> None:
        for _ in range(10**6):
            tick()

    with limited(0.0), limited(100.0), pytest.raises(TooMuch):
        wait()


@pytest.mark.parametrize(
    "bad",
    [
        {"a": {"b": object()}}, {"a": 1 << 500}, {"a": ["1/" + str(10**k + 1) for k in range(300)]},
        {"a": "x" * 30_000}, {"a": b"1"}, {"a": {1, 2}},
    ],
)  # fmt: skip
def test_what_is_no_moderate_json(bad: Any) -> None:
    with pytest.raises(TooMuch):
        inspect(bad)


def test_only_a_check_makes_theorems() -> None:
    found = check(noise([LAPLACE], "all", ["1"], PURE))
    with pytest.raises(TypeError, match="made by kernel"):
        Theorem(**{name: getattr(found, name) for name in Theorem.__dataclass_fields__})


def test_laws_compared_with_themselves_say_so() -> None:
    same = check(tables([["1", "3"]], use=[0, 0], epsilon="0"))
    assert "the same on all neighbours" in same.statement
    assert same.guarantee == {"kind": "pure", "epsilon": ()}
    with pytest.raises(Rejected):
        check(tables([["1", "3"], ["3", "1"]], use=[0, 0]))


def test_another_eps_is_another_statement() -> None:
    """A tree in units of eps is refuted at the eps that the certificate names; a tree of numbers names none."""
    for eps in ("1/16", "1", "16"):
        claim = {"epsilon": eps, "delta": "0"}
        found = check(pair(eps=eps, claim=claim))
        assert found.open == {"eps": {"equals": eps}}
        assert found.guarantee == {"kind": "pure", "epsilon": ((Fraction(eps), ()),)}
        plain = pair(eps=eps, claim={"epsilon": "1", "delta": "0"})
        for tree in plain["trees"]:
            tree["unit"], tree["choices"] = "1", [["8", "1"]]
        assert check(plain).open == {}
    assert check(finite()).open == {"eps": {"above": "0"}}
    at = check(finite(claim={"eps": "1/2", "epsilon": "1/2", "delta": "0"}))
    assert at.open == {"eps": {"equals": "1/2"}}


def test_labels_are_no_part_of_a_theorem() -> None:
    plain = noise([LAPLACE], "all", ["1"], PURE)
    named = {**plain, "about": {"target": "anything", "program": "paths:0"}, "trusts": ["me"]}
    assert check(named) == check(plain)
    assert check(plain).assumptions == ()


def test_sizes_need_a_proof_each() -> None:
    def interval(size: int, scale: str) -> dict[str, Any]:
        space = {"records": size, "relation": "substitute", "low": "0", "high": "1"}
        made = noise([{"name": "laplace", "scale": scale}], "one", ["1"], PURE)
        return {**made, "space": space, "rows": [["1"] * size]}

    parts = [interval(2, "1"), interval(3, "1")]
    found = check({"type": "all-of", "parts": parts})
    assert found.sizes == (0, 2, 3)
    assert found.relation == {"inputs": "records", "relation": "substitute", "low": "0", "high": "1"}
    for wrong in (
        [parts[0], parts[0]], [parts[0], interval(3, "1/2")], [parts[0], {**parts[1], "guarantee": {"kind": "zcdp"}}],
        [parts[0], {**parts[1], "space": {**parts[1]["space"], "high": "2"}}],
        [parts[0], tables([["1", "1"]], use=[0, 0])],
    ):  # fmt: skip
        with pytest.raises(Rejected):
            check({"type": "all-of", "parts": wrong})


def test_records_that_are_equal_in_python_are_two_records() -> None:
    space = {**FEW, "records": ["int:0", "bool:False"]}
    with pytest.raises(Rejected):
        check(tables([["1", "0"], ["0", "1"]], space=space))
    with pytest.raises(Rejected):
        check(tables([["1", "1"]], use=[0, 0], space={**FEW, "records": ["int:0", "int:0"]}))
