"""The provers on the catalogue: what they decide agrees with what is expected, with certificates the kernel accepts."""

from __future__ import annotations

import importlib
import pkgutil
from fractions import Fraction
from typing import Any

import pytest

import dpwitness.mechanisms as catalogue
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.guarantees import ApproxDP, PureDP
from dpwitness.core.mechanism import Mechanism, mechanism
from dpwitness.core.spaces import Answers, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.proofs.laws.finite import FiniteProver

ADDITIVE = ("gaussian", "geometric", "staircase", "laplace", "histogram", "counting")
FINITE = ("randomized_response", "metric")


def claims(modules: tuple[str, ...] | None) -> list[Any]:
    found = {}
    for info in pkgutil.iter_modules(catalogue.__path__):
        if modules is not None and info.name not in modules:
            continue
        for value in vars(importlib.import_module(f"{catalogue.__name__}.{info.name}")).values():
            if isinstance(value, Mechanism):
                for made in (value, *value.twins):
                    found.update({(made.name, i): claim for i, claim in enumerate(made.claims())})
    return list(found.values())


def agrees(prover: Any, claim: Any) -> bool:
    evidence = prover.run(claim)
    if isinstance(evidence, Unsupported):
        assert evidence.reason
        return False
    assert isinstance(evidence, UpperBound) == claim.expected_to_hold, claim.describe()
    verdict = examine(evidence.certificate)
    assert verdict, verdict.reason
    if isinstance(evidence, Counterexample):
        claim.space.validate(evidence.left)
        claim.space.validate(evidence.right)
        assert claim.space.adjacency.related(evidence.left, evidence.right)
    return True


def test_additive_prover() -> None:
    decided = [claim for claim in claims(ADDITIVE) if agrees(AdditiveProver(), claim)]
    assert len(decided) >= 30


def test_finite_prover() -> None:
    decided = [claim for claim in claims(FINITE) if agrees(FiniteProver(), claim)]
    assert len(decided) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("prover", [AdditiveProver(), FiniteProver()], ids=lambda p: p.name)
def test_the_whole_catalogue(prover: Any) -> None:
    decided = [claim for claim in claims(None) if agrees(prover, claim)]
    assert len(decided) >= 30


def _claim(program: Any, space: Any, guarantee: Any, **typical: Any) -> Any:
    made = mechanism(data=space, claim=guarantee, typical=typical)(program)
    return made.claims()[0]


def test_integer_noise_on_real_answers_is_refuted() -> None:
    claim = _claim(
        lambda noise, x, *, eps: x[0] + noise.discrete_laplace(1 / eps),
        Answers("one", 1, size=1),
        lambda eps: PureDP(eps),
        eps=1,
    )
    evidence = AdditiveProver().run(claim)
    assert isinstance(evidence, Counterexample)
    assert evidence.epsilon_lower is None


def test_approximate_laplace_vector_is_sharp() -> None:
    def program(noise: Any, x: Any, *, eps: Any, delta: Any) -> Any:
        return [a + noise.laplace(1 / eps) for a in x]

    for delta, kind in (("0.24184", UpperBound), ("0.24183", Counterexample)):
        space = Answers("all", Fraction(1, 2), size=2)
        claim = _claim(program, space, lambda eps, delta: ApproxDP("1e-9", delta), eps=1, delta=delta)
        evidence = AdditiveProver().run(claim)
        assert isinstance(evidence, kind) or (kind is Counterexample and isinstance(evidence, Unsupported))


@pytest.mark.parametrize(
    "program",
    [
        lambda noise, x, *, eps: x[0] if x[0] + noise.laplace(1) > 0 else 0,
        lambda noise, x, *, eps: x[0] * noise.laplace(1),
        lambda noise, x, *, eps: noise.laplace(1) + noise.laplace(1) + x[0],
    ],
    ids=["branch", "product", "two draws"],
)
def test_what_is_not_additive_is_left_alone(program: Any) -> None:
    claim = _claim(program, Answers("one", 1, size=1), lambda eps: PureDP(eps), eps=1)
    assert isinstance(AdditiveProver().run(claim), Unsupported)


def test_data_dependent_noise_is_left_alone() -> None:
    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return sum(data) + noise.laplace((1 + data[0]) / eps)

    claim = _claim(program, Records((0, 1), 2), lambda eps: PureDP(eps), eps=1)
    assert isinstance(AdditiveProver().run(claim), Unsupported)


def test_a_shared_draw_is_left_alone() -> None:
    def program(noise: Any, x: Any, *, eps: Any) -> Any:
        z = noise.laplace(1 / eps)
        return [x[0] + z, x[1] + z]

    claim = _claim(program, Answers("one", 1, size=2), lambda eps: PureDP(eps), eps=1)
    assert isinstance(AdditiveProver().run(claim), Unsupported)
