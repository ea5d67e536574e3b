"""Inequalities on boxes: true ones are proved, false ones never."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpwitness.proofs.kernel.algebra.cells import verify
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.positivity import Disproved, prove, prove_between

TRUE: list[tuple[str, dict[str, Any], bool]] = [
    ("exp(x) - 1 - x", {"x": (-3, 3)}, False),
    ("exp(x) - 1 - x - x**2/2", {"x": (0, 1)}, False),
    ("x*log(x) - x + 1", {"x": (Fraction(1, 100), 10)}, False),
    ("exp(x) - x", {"x": (0, None)}, True),
    ("2*x - (exp(x) - 1)", {"x": (0, 1)}, False),
    ("Abs(x) + Abs(1-x) - 1", {"x": (-5, 5)}, False),
    ("x**2 - 2*x + 1", {"x": (0, 2)}, False),
    ("exp(x+y) - 1 - x - y", {"x": (0, 2), "y": (0, 2)}, False),
    ("1 - tanh(x)", {"x": (None, None)}, False),
    ("x/2 - tanh(x/2)", {"x": (0, 8)}, False),
    ("exp(g*t) - 1 - g*t", {"g": (1, 4), "t": (0, 2)}, False),
    ("1 + x**2 - 2*x*tanh(x)", {"x": (0, 5)}, True),
]

# sharp inequalities f ≥ 0 with equality somewhere: moving a constant by 1e-6 makes each false
SHARP = [
    ("exp(x) - 1 - x", {"x": (-2, 2)}),
    ("x*log(x) - x + 1", {"x": (Fraction(1, 10), 4)}),
    ("x**2 - 2*x + 1", {"x": (0, 2)}),
    ("1 - x*exp(1-x)", {"x": (0, 4)}),
    ("Abs(x) + Abs(1-x) - 1", {"x": (-2, 3)}),
    ("cosh(x) - 1 - x**2/2", {"x": (-2, 2)}),
    ("(x-y)*(exp(x)-exp(y))", {"x": (1, 2), "y": (0, 1)}),
    ("1/4 - exp(-x)/(1+exp(-x))**2", {"x": (-3, 3)}),
    ("1 - 2*Abs(z)/(1+z**2)", {"z": (-4, 4)}),
    ("x - log(1+x)", {"x": (0, 3)}),
]

# true on a smaller box: the condition was dropped
BEYOND = [
    ("exp(x) - 1 - x - x**2/2", {"x": (-1, 1)}),
    ("2*x - (exp(x) - 1)", {"x": (0, 2)}),
    ("x - x**2", {"x": (0, Fraction(1000001, 1000000))}),
    ("log(1+x) - x/2", {"x": (0, 3)}),
    ("1 - x**2/2 + x**4/24 - exp(-x**2/2)", {"x": (-4, 4)}),
    ("tanh(x) - x + x**3/3", {"x": (-1, 1)}),
    ("sqrt(x) - x", {"x": (0, 2)}),
    ("x*y - x - y + 1", {"x": (1, 2), "y": (Fraction(999999, 1000000), 2)}),
    ("exp(g*t) - 1 - g*t - (g*t)**2/2", {"g": (1, 2), "t": (-1, 1)}),
    ("Min(x, 1 - x)", {"x": (0, 2)}),
]


@pytest.mark.parametrize(("formula", "box", "strict"), TRUE)
def test_true_inequalities_are_proved_and_replayed(formula: str, box: dict[str, Any], strict: bool) -> None:
    certificate = prove(formula, box, strict=strict)
    verdict = examine(certificate)
    assert verdict, verdict.reason
    assert verdict.statement.startswith(formula)


def false_inequalities() -> Iterator[tuple[str, dict[str, Any]]]:
    for formula, box in SHARP:
        for step in ("1/1000000", "3/1000000", "1/100000", "1/1000", "1/10"):
            yield f"({formula}) - {step}", box
            yield f"({formula}) - {step}*2", box
            yield f"-({formula}) - {step}", box
            yield f"({formula})*(-1) + {step}*(-1)", box
            yield f"({formula}) - {step}*exp(-1)", box
    for formula, box in BEYOND:
        yield formula, box
        yield f"2*({formula})", box


def test_no_false_inequality_is_accepted() -> None:
    cases = list(false_inequalities())
    assert len(cases) >= 250
    accepted = []
    for formula, box in cases:
        try:
            prove(formula, box, max_cells=60, order=2)
        except (Disproved, Undecided):
            continue
        accepted.append(formula)
    assert accepted == []


def test_the_proof_of_a_true_inequality_does_not_prove_a_false_one() -> None:
    """Every false inequality with the proof tree of the true one beside it, and with made-up trees."""
    tried = 0
    trees: list[Any] = [{"by": "interval"}, {"by": "mean"}, {"by": "exact"}]
    for formula, box in SHARP:
        true = prove(formula, box, strict=False)
        for false, same in false_inequalities():
            if same == box:
                for proof in (true["proof"], *trees):
                    tried += 1
                    assert not examine({**true, "formula": false, "proof": proof}), false
    assert tried >= 1000


def numbers(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from numbers(item, (*path, key))
    elif isinstance(tree, list):
        for i, item in enumerate(tree):
            yield from numbers(item, (*path, i))
    elif isinstance(tree, str) and tree.lstrip("-").replace("/", "").isdigit():
        yield path


def changed(certificate: dict[str, Any], path: tuple[Any, ...], value: str) -> dict[str, Any]:
    copied: Any = copy.deepcopy(certificate)
    place = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return dict(copied)


def sampled_minimum(formula: str, box: dict[str, list[str]]) -> float:
    from dpwitness.proofs.laws.floats import values

    (name, ends), *rest = box.items()
    if rest or "inf" in ends[1] or "inf" in ends[0]:
        return float("nan")
    expr = parse(formula, frozenset({name}))
    points = np.linspace(float(Fraction(ends[0])), float(Fraction(ends[1])), 4001)
    return float(np.nanmin(values(expr, points)))


def test_mutated_certificates_are_refused_or_true() -> None:
    count = 0
    for formula, box, strict in TRUE:
        certificate = prove(formula, box, strict=strict)
        places = list(numbers(certificate))
        for path in places[:4] + places[4 :: max(1, len(places) // 6)]:
            place: Any = certificate
            for key in path:
                place = place[key]
            old = Fraction(place)
            for new in (old + 1, old - 1, -old, old * 2, old + Fraction(1, 10**6), Fraction(0)):
                if new == old:
                    continue
                mutant = changed(certificate, path, str(new))
                count += 1
                if examine(mutant) and path[0] == "box":  # the changed statement must then be true
                    low = sampled_minimum(formula, mutant["box"])
                    assert np.isnan(low) or low >= -1e-9
    assert count >= 120


def test_structure_is_checked() -> None:
    certificate = prove("exp(x) - 1 - x", {"x": (0, 1)})
    for key in list(certificate):
        assert not examine({k: v for k, v in certificate.items() if k != key})
    assert not examine({**certificate, "extra": 1})
    assert not examine({**certificate, "type": "nothing"})
    assert not examine({**certificate, "strict": True})  # it touches zero
    assert not examine({**certificate, "strict": "yes"})
    assert not examine({**certificate, "formula": "x - 1"})
    assert not examine({**certificate, "proof": {"by": "magic"}})
    assert not examine({**certificate, "proof": {"by": "interval", "note": 1}})
    assert not examine(None)  # type: ignore[arg-type]


def test_a_jump_does_not_fool_the_slope_rule() -> None:
    forged = {"by": "rising", "variable": "x", "slope": {"by": "interval"}, "face": {"by": "exact"}}
    with pytest.raises((Rejected, Undecided)):
        verify(parse("-sign(x)"), {"x": (Fraction(-1), Fraction(1))}, True, forged)


def test_a_pole_does_not_fool_the_slope_rule() -> None:
    for forged in (
        {"by": "falling", "variable": "x", "slope": {"by": "interval"}, "face": {"by": "exact"}},
        {"by": "mean"},
    ):
        with pytest.raises((Rejected, Undecided)):
            verify(parse("1/x"), {"x": (Fraction(-1), Fraction(1))}, True, forged)


def test_disproved_names_the_point() -> None:
    with pytest.raises(Disproved) as caught:
        prove("1 - x", {"x": (0, 4)})
    assert caught.value.point["x"] > 1


def test_between() -> None:
    assert all(examine(c) for c in prove_between("x/(1+x**2)", {"x": (0, 3)}, 0, Fraction(1, 2)))
    with pytest.raises((Disproved, Undecided)):
        prove_between("x/(1+x**2)", {"x": (0, 3)}, 0, Fraction(499999, 10**6), max_cells=500)


def test_a_line_of_zeros_stays_undecided() -> None:
    with pytest.raises(Undecided):
        prove("x**2 + y**2 - 2*x*y", {"x": (0, 1), "y": (0, 1)}, max_cells=200)
