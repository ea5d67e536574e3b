"""Every family of certificates: no single number can be changed so that something false is accepted.

A changed certificate that is accepted is either the same statement with another valid proof, or another statement; both
are judged by the modules `truth…` beside this file, which share no mathematics with the kernel and do not look at the
certificate's own shifts, potentials, multipliers, visits and cells. Certificates are those that the provers make.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from tests.proofs.kernel import truth, truth_chains, truth_programs, truth_releases
from tests.proofs.kernel.mutate import kind, mutants, put
from tests.proofs.kernel.test_chains import PROOF, VIOLATION

from dpwitness.catalogue import catalogue
from dpwitness.core.budget import Budget
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs import routes
from dpwitness.proofs.kernel.check import checkers, examine

JUDGES = {**truth.MARGINS, **truth_programs.MARGINS, **truth_releases.MARGINS, **truth_chains.MARGINS}
OTHERS = {  # changed number by number in tests of their own
    "minimiser",
    "minimiser-violation",
    "subsampled",
    "all-of",
    "composition",
    "composition-violation",
    "program-composition",  # tests/proofs/composition/test_mutants.py
    "local-report",  # these two: tests/proofs/kernel/test_local.py
    "local-report-violation",
    "one-run-count",  # tests/proofs/kernel/training
    "sensitivity",  # these four: tests/proofs/kernel/sensitivity
    "box-sensitivity",
    "function-release",
    "function-release-violation",
    "derived-loss",  # these eight: tests/proofs/derivations
    "derived-mass",
    "derived-curve",
    "derived-beta",
    "derived-stairs",
    "derived-outcomes",
    "derived-identity",
    "derived-inequality",
}
SOME = {  # targets whose certificates are small, and together of every judged family
    "above-threshold": ("loop-shift", "program-bound"),
    "sparse-vector": ("loop-shift",),
    "report-noisy-max": ("argmax-shift", "program-bound"),
    "noisy-top-k": ("ranking-shift",),
    "noisy-max-with-gap": ("program-bound",),
    "above-threshold/no-query-noise": ("program-counterexample",),
    "report-noisy-max/half-scale": ("program-counterexample",),
    "permute-and-flip": ("program-finite", "permute-and-flip"),
    "clamped-geometric": ("program-pairs",),
    "clamped-geometric/renormalised": ("program-pair",),
    "gaussian-noisy-max": ("program-normal",),
    "gaussian-noisy-max/half-deviation": ("program-normal",),
    "smooth-median": ("sorted-release",),
    "smooth-median/local-sensitivity": ("scales-violation",),
    "sample-and-aggregate": ("piecewise-release",),
}
CENTRE = {"support": ["0", "1"], "coefficients": ["1/4"] * 4, "offset": "0"}
FEW = {"fewest": 1, "most": 1, "relation": "substitute"}
MADE: list[dict[str, Any]] = [
    {"type": "tent", "rate": "2", **CENTRE, "records": ["0", "1"], "epsilon": "1"},
    {
        "type": "tent-violation",
        "rate": "4",
        **CENTRE,
        "inputs": [["2/25", "0", "0", "0"], ["2/25", "23/25", "0", "0"]],
        "epsilon": "1",
    },
    {
        "type": "scales",
        "space": {"records": ["int:0", "int:1", "bool:True"], **FEW},
        "output": ["slot"],
        "noise": {"name": "laplace"},
        "laws": [["0", "3"], ["1/2", "3"], ["1/2", "3*exp(1/20)"]],
        "use": [0, 1, 2],
        "guarantee": {"kind": "approximate", "epsilon": "1", "delta": "1/10000"},
    },
    {
        "type": "scales",
        "space": {"records": ["int:0", "int:1"], **FEW},
        "output": ["slot"],
        "noise": {"name": "admissible", "gamma": "4"},
        "laws": [["0", "2"], ["1/3", "9/4"]],
        "use": [0, 1],
        "guarantee": {"kind": "pure", "epsilon": "1"},
    },
    PROOF,
    VIOLATION,
]


def found(target: Mechanism, claims: int | None = None) -> Iterator[dict[str, Any]]:
    """The certificates that provers make about the first claims of a target, one of each type and claim."""
    for claim in target.claims()[:claims]:
        types = set()
        for prover in routes():
            if prover.supports(claim) is None:
                certificate = getattr(prover.run(claim, Budget(seconds=5)), "certificate", None)
                if certificate is not None and certificate["type"] not in types:
                    types.add(certificate["type"])
                    yield json.loads(json.dumps(certificate))


def judge(certificate: dict[str, Any], each: int, tally: Counter[Any]) -> None:
    """Change numbers, `each` times in every class of places; what is accepted must be true."""
    type_ = certificate["type"]
    first = examine(certificate)
    assert first, first.reason
    value, tolerance = JUDGES[type_](certificate)
    assert value >= -tolerance, ("the judge does not believe the certificate itself", value, certificate)
    classes: dict[str, list[Any]] = defaultdict(list)
    for path, new in mutants(certificate):
        classes[kind(path, new)].append((path, new))
    rng = random.Random(0)
    for entries in classes.values():
        for path, new in rng.sample(entries, min(each, len(entries))):
            changed = put(certificate, path, new)
            tally["changes", type_] += 1
            if changed == certificate or not examine(changed):
                continue
            tally["accepted", type_] += 1
            value, tolerance = JUDGES[type_](changed)
            assert value >= -tolerance, ("a false statement was accepted", value, path, new, certificate)


def test_every_family_is_judged() -> None:
    assert set(checkers()) == set(JUDGES) | OTHERS
    named = {type_ for types in SOME.values() for type_ in types} | {certificate["type"] for certificate in MADE}
    assert named == set(truth_programs.MARGINS) | set(truth_releases.MARGINS) | set(truth_chains.MARGINS)


@pytest.mark.parametrize("name", SOME)
def test_certificates_of_some_targets(name: str) -> None:
    target, tally = _target(name), Counter[Any]()
    for certificate in found(target, 1):
        if certificate["type"] in SOME[name]:
            judge(certificate, 1, tally)
    assert {type_ for what, type_ in tally if what == "changes"} == set(SOME[name])
    assert tally.total() < 2 * sum(n for (what, _), n in tally.items() if what == "changes")


def _target(name: str) -> Mechanism:
    whole, _, twin = name.partition("/")
    target = catalogue()[whole]
    return target if not twin else next(one for one in target.twins if one.name == name)


@pytest.mark.parametrize("certificate", MADE, ids=lambda certificate: certificate["type"])
def test_certificates_made_by_hand(certificate: dict[str, Any]) -> None:
    judge(certificate, 7, Counter())


@pytest.mark.slow
def test_certificates_of_the_whole_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Counter[Any]()
    for target in catalogue().values():
        if isinstance(target, Mechanism):
            for one in (target, *target.twins):
                for certificate in found(one):
                    if certificate["type"] not in OTHERS and certificate["type"] not in truth.MARGINS:
                        tally["certificates", certificate["type"]] += 1
                        judge(certificate, 2, tally)
    with capsys.disabled():
        for key, count in sorted(tally.items()):
            print(*key, count)
    assert sum(n for (what, _), n in tally.items() if what == "certificates") >= 200
