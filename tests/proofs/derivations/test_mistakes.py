"""No mistake of a derivation gets through: what sympy got wrong has no certificate."""

from __future__ import annotations

import pytest
from tests.proofs.derivations.mistakes import WRONG_BOUNDS, injected

from dpwitness.proofs.derivations.bounds import derive
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, examine

ALWAYS_UPPER = {  # larger than the smallest bound for all parameters: true, and never said to be the smallest
    "2*Delta/b", "Delta/b + 1", "2/b", "gamma", "Max(1, gamma)", "2*Delta/s", "Max(1, nu + 1)", "nu + 1",
    "gamma*lam", "gamma*Delta", "Delta/s", "2*log(1 + Delta/s)", "a*Delta/b", "gamma**((gamma - 1)/gamma)",
    "4*log(Delta/(2*s) + sqrt(1 + Delta**2/(4*s**2)))",
}  # fmt: skip


@pytest.mark.parametrize(("density", "where", "change"), WRONG_BOUNDS, ids=lambda x: str(x)[:30])
def test_wrong_formulas_are_refused(density: str, where: str, change: str) -> None:
    """In the place of the right bound, and with the proof of the right one."""
    (right,) = derive(density, where.split("; "), change)
    assert check(right.certificate, seconds=10)
    for wrong in WRONG_BOUNDS[density, where, change]:
        with pytest.raises(Rejected):
            check({**right.certificate, "bound": wrong}, seconds=10)
        loose = {**right.certificate, "bound": wrong, "proof": {**right.certificate["proof"], "sharp": None}}
        try:
            theorem = check(loose, seconds=10)
        except Rejected:
            continue
        assert wrong in ALWAYS_UPPER, f"{wrong} was accepted as a bound"
        assert "no smaller bound holds" not in theorem.statement


@pytest.mark.parametrize(("density", "where", "change"), WRONG_BOUNDS, ids=lambda x: str(x)[:30])
def test_injected_mistakes_are_refused(density: str, where: str, change: str) -> None:
    (right,) = derive(density, where.split("; "), change)
    for name, wrong in injected(right.certificate):
        assert not examine(wrong, seconds=10), f"accepted: {name}"


def test_there_are_many_of_them() -> None:
    formulas = sum(map(len, WRONG_BOUNDS.values()))
    assert formulas >= 60


def test_a_bound_is_not_said_to_be_missing_where_there_is_one() -> None:
    gauss = {"type": "derived-loss", "density": "exp(-z**2)", "where": [], "change": "slide", "bound": None,
             "proof": {"by": "infinite", "cuts": ["0"], "piece": 1, "at": "stop"}}  # fmt: skip
    assert check(gauss).refutes
    for density in ("exp(-Abs(z))", "1/(1+z**2)", "exp(-z)/(1+exp(-z))**2"):
        for at in ("start", "stop"):
            for piece in (0, 1, 2):
                with pytest.raises(Rejected):
                    check({**gauss, "density": density, "proof": {**gauss["proof"], "cuts": ["-Delta", "0"], "at": at,
                                                                  "piece": piece}})  # fmt: skip
