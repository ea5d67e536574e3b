"""Readers of local reports with a bug: the prover believes them, and running the model beside the program tells."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from tests.proofs.laws.test_local_reports import at_one_record, claim_of, piecewise
from tests.proofs.models.side_by_side import decide_and_compare, evidence_of

from dpwitness import Interval, Records
from dpwitness.core.coexecution import Unfaithful
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.readers.paths import SymbolicRun
from dpwitness.proofs.laws.local import prover as local
from dpwitness.proofs.laws.local import reading
from dpwitness.proofs.laws.local.prover import LocalProver

WIDE = Records(Interval(-1, 1), 1)


def upside_down(node: Any) -> Any:
    """All tests and coins of a tree with their ways exchanged."""
    if "then" not in node:
        return node
    then = node["then"]
    if isinstance(then, list):
        return {**node, "then": [upside_down(part) for part in reversed(then)]}
    return {**node, "then": upside_down(then)}


def without_moves(node: Any) -> Any:
    """A tree that forgets the record in all ends and outputs."""
    if isinstance(node, dict):
        return {key: without_moves(value) for key, value in node.items() if key != "x"}
    return [without_moves(part) for part in node] if isinstance(node, list) else node


def shifted(node: Any) -> Any:
    """A tree in which every output is larger by a hundred millionth."""
    if "output" in node:
        return {**node, "values": [{**form, "1": form.get("1", "0") + "+1/10**7"} for form in node["values"]]}
    then = node["then"]
    return {**node, "then": [shifted(part) for part in then] if isinstance(then, list) else shifted(then)}


def strictly(node: Any) -> Any:
    """A tree that is read as if x-only tests had never been made."""
    if "test" in node and not any("v" in name for name in node["test"]):
        return strictly(node["then"][1])
    if "then" not in node:
        return node
    then = node["then"]
    return {**node, "then": [strictly(part) for part in then] if isinstance(then, list) else strictly(then)}


def fair(noise, data, *, eps):
    if noise.bernoulli(F(2, 5)):
        return noise.uniform(0, 2)
    return noise.uniform(0, 1)


def clipped(noise, data, *, eps):
    draw = noise.uniform(0, 3)
    return draw if draw < 2 else 2


def moved(noise, data, *, eps):
    return data[0] + noise.uniform()


@pytest.mark.parametrize(
    ("program", "bug"),
    [(fair, upside_down), (clipped, upside_down), (moved, without_moves),
     (fair, shifted), (piecewise, shifted), (at_one_record, strictly)],
    ids=["coin", "test", "record", "shift", "small-shift", "one-record"],
)  # fmt: skip
def test_a_bug_of_the_reader_gives_no_verdict(program: Any, bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reading.read_tree
    claim = claim_of(program, WIDE)
    monkeypatch.setattr(local, "read_tree", lambda claim, *, opened: bug(plain(claim, opened=opened)))
    found = evidence_of(claim, [LocalProver(opened=True), LocalProver()])
    assert isinstance(found, UpperBound | Counterexample)
    with pytest.raises(Unfaithful):
        decide_and_compare(claim, LocalProver(opened=True), LocalProver())


def test_a_draw_read_from_other_ends_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = SymbolicRun.draw

    def wider(self: Any, law: Any) -> Any:
        return plain(self, type(law)(law.low, law.high + 1) if law.name == "uniform" else law)

    monkeypatch.setattr(SymbolicRun, "draw", wider)
    with pytest.raises(Unfaithful):
        decide_and_compare(claim_of(fair, WIDE), LocalProver())
