"""Certificates about laws: accepted as made, refused after any single number is changed, unless still true.

A changed certificate that is accepted must be *itself valid*, by one of three rules:

1. the number was a hint of a ``proof``, or stands in the label ``about``, and the statement is the same as before;
2. the number moved in a direction that can only weaken what is claimed (more noise, shorter moves, larger ε, δ, μ or
   ρ, a smaller order; the other way round for a violation), where that is a theorem of one line;
3. where no such theorem is used, an evaluation in doubles that shares nothing with the kernel says that the changed
   statement holds, up to the accuracy of doubles.

All certificates are tight up to 10⁻³² (irrational losses: 10⁻¹⁴, densities: 10⁻⁹), so a change of 10⁻⁶ in the other
direction must be refused.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.kernel.made import FAMILIES, densities, inequalities, noise, tables, vectors
from tests.proofs.kernel.truth import margin

from dpwitness.catalogue import catalogue
from dpwitness.core.budget import Budget
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.proofs.laws.finite import FiniteProver

F = Fraction
Path = tuple[Any, ...]
STEPS = (F(1, 10**6), F(-1, 10**6), F(1, 3), F(-1, 3), F(1), F(-1))
MORE_IS_WEAKER = {"scale", "variance", "width", "epsilon", "delta", "mu", "rho"}
LESS_IS_WEAKER = {"order", "by", "rows"}
JUDGED = {"noise", "noise-violation", "tables", "table-violation"}
NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")


def numbers(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every number of a certificate with changed values for it; in formulas every literal."""
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from numbers(item, (*path, key))
            if NUMBER.fullmatch(key):  # an exponent of an exponential sum
                for step in STEPS:
                    yield (*path, key), (str(F(key) + step), item)
    elif isinstance(tree, list):
        for i, item in enumerate(tree):
            yield from numbers(item, (*path, i))
    elif isinstance(tree, str) and NUMBER.fullmatch(tree):
        for step in STEPS:
            yield path, str(F(tree) + step)
    elif isinstance(tree, str) and path[-1] == "formula":
        for found in re.finditer(r"[0-9]+", tree):
            for new in (int(found[0]) + 1, max(int(found[0]) - 1, 0)):
                yield path, tree[: found.start()] + str(new) + tree[found.end() :]
    elif isinstance(tree, int) and not isinstance(tree, bool):
        yield path, tree + 1
        yield path, tree - 1


def put(certificate: dict[str, Any], path: Path, new: Any) -> dict[str, Any]:
    made: Any = copy.deepcopy(certificate)
    place = made
    for key in path[:-1]:
        place = place[key]
    if isinstance(new, tuple):
        del place[path[-1]]
        place[new[0]] = new[1]
    else:
        place[path[-1]] = new
    return dict(made)


def weaker(certificate: dict[str, Any], path: Path, new: Any) -> bool | None:
    """Rule 2: True or False where one line of theory says whether the change weakens the statement, else None."""
    kind = certificate["type"]
    if kind not in ("noise", "noise-violation", "tables", "table-violation", "density") or not isinstance(new, str):
        return None
    name = next(key for key in reversed(path) if isinstance(key, str))
    if name not in MORE_IS_WEAKER | LESS_IS_WEAKER or "formula" in path:
        return None
    old: Any = certificate
    for key in path:
        old = old[key]
    laws = {law["name"] for law in certificate.get("laws", [])}
    if name == "rows" and (kind != "noise" or abs(F(new)) == abs(F(old))):
        return None  # the weights of a table, or moves that may cancel
    if laws & {"discrete_laplace", "discrete_gaussian", "staircase", "admissible"} and name in ("scale", "variance"):
        return None  # not proved to be monotone in the size of the noise
    if laws & {"discrete_laplace", "discrete_gaussian"} and F(new).denominator != 1 and name in LESS_IS_WEAKER:
        return None  # integer noise leaves a fraction as it is
    if "staircase" in laws or (laws & {"uniform", "exponential"} and name == "epsilon"):
        return None  # a curve that is constant in parts
    if kind == "density" and certificate["delta"] == "0" and name == "delta":
        return None
    if name == "rows":
        old, new = str(abs(F(old))), str(abs(F(new)))
    return (F(new) > F(old)) == (name in MORE_IS_WEAKER) ^ kind.endswith("violation")


def judge(certificate: dict[str, Any], tally: Counter[Any], *, tight: bool = True, most: int | None = None) -> None:
    """Accept as made; then change every number in every way (or `most` of the changes, by lot)."""
    certificate = json.loads(json.dumps(certificate))
    first = examine(certificate)
    assert first, (first.reason, certificate)
    tally["certificates", first.type] += 1
    changes = list(numbers(certificate))
    if most is not None and len(changes) > most:
        changes = random.Random(0).sample(changes, most)
    for path, new in changes:
        mutant = put(certificate, path, new)
        tally["changes", first.type] += 1
        verdict = examine(mutant)
        if not verdict:
            tally["refused", first.type] += 1
            continue
        if path[0] in ("proof", "about"):
            assert verdict.statement == first.statement
            tally["only a hint or a label", first.type] += 1
            continue
        direction = weaker(certificate, path, new)
        if direction or (direction is False and tight):
            assert direction, ("a stronger statement was accepted", path, new, certificate)
            tally["weaker", first.type] += 1
            continue
        value, tolerance = margin(mutant)
        assert value >= -tolerance, ("a false statement was accepted", value, path, new, certificate)
        tally["true by evaluation", first.type] += 1


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_a_few_of_every_family(family: Any) -> None:
    tally: Counter[Any] = Counter()
    for certificate in list(family(random.Random(1)))[:6]:
        judge(certificate, tally)
    assert sum(n for (what, _), n in tally.items() if what == "refused") > 0


@pytest.mark.slow
def test_many_of_every_family(capsys: pytest.CaptureFixture[str]) -> None:
    tally: Counter[Any] = Counter()
    for seed in range(15):
        for family, repeats in ((noise, 1), (vectors, 1), (tables, 2), (inequalities, 2), (densities, 1)):
            for again in range(repeats):
                for certificate in family(random.Random(1000 * seed + again)):
                    judge(certificate, tally)
    show(tally, capsys)
    assert sum(n for (what, _), n in tally.items() if what == "certificates") >= 500


@pytest.mark.slow
def test_certificates_of_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    """What the provers of laws hand out: not always tight, so a stronger statement may be true; it is evaluated."""
    tally: Counter[Any] = Counter()
    for target in catalogue().values():
        for claim in target.claims() if isinstance(target, Mechanism) else []:
            for prover in (FiniteProver(), AdditiveProver()):
                certificate = getattr(prover.run(claim, Budget(seconds=5)), "certificate", None)
                if certificate is not None and certificate["type"] in JUDGED and len(json.dumps(certificate)) < 20_000:
                    judge(certificate, tally, tight=False, most=40)
                    break
    show(tally, capsys)
    assert sum(n for (what, _), n in tally.items() if what == "certificates") >= 40


def show(tally: Counter[Any], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        for key, count in sorted(tally.items()):
            print(*key, count)
