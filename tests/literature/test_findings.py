"""The findings as a whole: every claim decided, in the agreed form, with what its verdict must carry."""

import json
from collections import Counter
from pathlib import Path

import pytest

from dpwitness import literature
from dpwitness.literature import FILES, Finding, Formula, claims, decide, decide_all, get, statement
from dpwitness.literature.registry import SOURCES, claim, order
from dpwitness.proofs.kernel.check import examine

NUMBERS = {"000": 29, "001": 19, "002": 14, "003": 20, "004": 12}


def test_all_claims_are_there() -> None:
    names = list(claims())
    assert len(names) == 94
    assert Counter(name[:3] for name in names) == NUMBERS
    assert names == sorted(names, key=order)
    assert {"004-C9", "004-C11"}.isdisjoint(names)


def test_every_claim_is_decided(findings: dict[str, Finding]) -> None:
    assert {f.verdict for f in findings.values()} == {"HOLDS", "CONDITIONAL", "LOOSE", "FALSE"}
    assert {f.evidence for f in findings.values()} <= {"exact", "symbolic", "interval", "certificate"}


def test_all_are_decided_in_time(findings: dict[str, Finding]) -> None:
    assert sum(f.seconds for f in findings.values()) < 120


def test_a_verdict_carries_what_it_must(findings: dict[str, Finding]) -> None:
    for name, found in findings.items():
        assert found.argument, name
        if found.verdict == "CONDITIONAL":
            assert found.condition, name
            assert found.witness, name
            assert found.repaired, name
        if found.verdict == "FALSE":
            assert found.witness, name
            assert found.repaired, name
        if found.verdict == "LOOSE":
            assert found.tight, name
        if found.verdict != "CONDITIONAL":
            assert not found.condition, name


def test_the_json_contract(findings: dict[str, Finding]) -> None:
    for found in findings.values():
        record = json.loads(json.dumps(found.to_json()))
        assert {"id", "verdict", "condition", "witness", "tight", "evidence", "seconds"} <= set(record)
        assert record["id"] == found.id
        assert record["statement"] == statement(found.id)
        assert record["source"] == SOURCES[found.id[:3]]
        assert record["argument"] == list(found.argument)
        assert (record["repaired"], record["tight"]) == (found.repaired or None, found.tight or None)
        assert record["parts"] == found.parts
        assert isinstance(record["seconds"], float)
        for text in (record["witness"] or {}).values():
            assert isinstance(text, str)


def test_certificates_pass_the_kernel(findings: dict[str, Finding]) -> None:
    parts = [(f.id, part) for f in findings.values() if f.certificate for part in f.certificate["parts"]]
    assert len(parts) > 40
    for name, part in parts:
        assert examine(part), name


def test_a_certificate_of_a_changed_formula_is_rejected(findings: dict[str, Finding]) -> None:
    found = findings["003-C13"]
    assert found.certificate is not None
    part = next(p for p in found.certificate["parts"] if p["formula"].startswith("(2*(g+1))"))
    assert not examine({**part, "formula": part["formula"].replace("g+1", "g-2")})


def test_disagreements_between_sources_are_named(findings: dict[str, Finding]) -> None:
    assert "004-C4" in findings["000-C9"].disagreement
    assert "000-C9" in findings["004-C4"].disagreement
    assert "substitute" in findings["004-C12"].disagreement


def test_parts_of_a_mixed_claim_are_told_apart(findings: dict[str, Finding]) -> None:
    mixed = findings["003-C19"]
    assert mixed.parts == {"theorem": True, "𝒮₂ as printed": False, "𝒮₃ as printed": True}
    assert findings["000-C22"].parts == {"expansion": False, "final bound": True}
    assert findings["002-C12"].parts == {"upper bound": True, "which term dominates": False}


FOLDERS = {
    "000": "noise_calibration",
    "001": "survey",
    "002": "composition",
    "003": "smooth_sensitivity",
    "004": "output_perturbation",
}


def test_claims_are_found_by_their_id() -> None:
    for name, entry in claims().items():
        module = entry.checker.__module__.split("literature.", 1)[1]
        assert module.split(".")[0] == FOLDERS[name[:3]], name
        assert module in FILES
        assert entry.checker.__doc__, name
        assert entry.source == SOURCES[name[:3]]
        assert len(entry.formula) > 0, name


def test_statements_are_those_of_the_sources() -> None:
    assert statement("004-C5") == "If X ~ Lap(b) then Pr[|X| ≥ t·b] = exp(−t)."
    assert get("003-C4").title == "Median, local"
    assert get("002-C6").title == "(ε,δ)-DP*"


def test_some_ids_only() -> None:
    assert [f.id for f in decide_all(["000-C8", "004-C5"])] == ["000-C8", "004-C5"]


def test_the_same_verdict_twice() -> None:
    first, second = decide("000-C25"), decide("000-C25")
    assert first.witness == second.witness
    assert first.verdict == second.verdict


def test_an_unknown_id_is_refused() -> None:
    with pytest.raises(KeyError, match="no claim '009-C1'"):
        get("009-C1")


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [("4-C1", "theorem", "not a claim id"), ("004-C9", "rumour", "kind"), ("000-C1", "theorem", "twice")],
)
def test_a_wrong_registration_is_refused(name: str, kind: str, message: str) -> None:
    def checker(formula: Formula = Formula(a=1)) -> Finding:  # noqa: B008
        raise NotImplementedError

    claims()
    with pytest.raises(ValueError, match=message):
        claim(name, title="", kind=kind, statement="")(checker)


def test_a_checker_needs_its_formula() -> None:
    def checker(formula: int = 1) -> Finding:
        raise NotImplementedError

    with pytest.raises(TypeError, match="Formula"):
        claim("004-C9", title="", kind="theorem", statement="")(checker)


def test_files_are_short() -> None:
    folder = Path(literature.__file__).parent
    for path in folder.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name
