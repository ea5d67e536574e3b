"""Random programs: nothing but evidence comes back, every certificate is accepted, and the two provers agree."""

from __future__ import annotations

import importlib.util
from collections import Counter
from fractions import Fraction

import pytest
from tests.proofs.programs.fuzz import Writer

from dpwitness.core.domains import real, whole
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Answers
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.route import ProgramProver

SPACES = [
    Answers("all"), Answers("one"), Answers("l1"), Answers("up"), Answers("all", values=(-1, 0, 1), size=2),
    Answers("l2"), Answers("one", by=2), Answers("all", low=0), Answers("all", low=0, high=1),
    Answers("all", whole=True), Answers("one", whole=True, low=0), Answers("up", whole=True),
]  # fmt: skip


def load(seed, folder):
    file = folder / f"random_{seed}.py"
    file.write_text(Writer(seed).text())
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def claim_of(program, space):
    return mechanism(
        data=space,
        claim=lambda eps, eps1: PureDP(eps + eps1),
        typical={"eps": 1, "eps1": "1/2", "cutoff": 1},
        domains={"eps1": real(above=0), "cutoff": whole(1)},
    )(program).claims()[0]


def try_one(seed, folder):
    """The kind of each prover's answer, after checking that the answers are sound among themselves."""
    program, space = load(seed, folder), SPACES[seed % len(SPACES)]
    claim = claim_of(program, space)
    fixed = ProgramProver(queries=1 + seed % 3, seconds=4).run(claim)
    every = AnyNProver(seconds=4).run(claim) if AnyNProver().supports(claim) is None else Unsupported("")
    for found in (fixed, every):
        assert isinstance(found, UpperBound | Counterexample | Unsupported)
        if not isinstance(found, Unsupported):
            verified = examine(found.certificate)
            assert verified, (seed, verified.reason)
        else:
            assert "refused" not in found.reason, (seed, found.reason)
    if isinstance(fixed, Counterexample):
        assert claim.space.adjacency.related(fixed.left, fixed.right)
        claim.space.validate(fixed.left)
        claim.space.validate(fixed.right)
    if isinstance(every, UpperBound):  # what holds for any number of queries holds for these
        if isinstance(fixed, Counterexample) and fixed.scope.epsilon == "1":
            assert fixed.epsilon_lower is not None, seed
            assert fixed.epsilon_lower <= every.guarantee.eps, seed
        if isinstance(fixed, UpperBound) and fixed.exact and Fraction(fixed.guarantee.eps) > 0:
            assert fixed.guarantee.eps <= every.guarantee.eps, seed
    return type(fixed).__name__, type(every).__name__


@pytest.mark.parametrize("start", range(4))
def test_some_random_programs(tmp_path, start):
    for k in range(3):
        try_one(3 * start + k, tmp_path)


@pytest.mark.slow
def test_many_random_programs(tmp_path):
    kinds = Counter(try_one(seed, tmp_path)[0] for seed in range(100, 500))
    assert kinds["UpperBound"] >= 80
    assert kinds["Counterexample"] >= 80


@pytest.mark.parametrize("moves", ["all", "one", "l1", "up"])
@pytest.mark.parametrize("shown", ["eps", "eps1", "1 / eps", "eps * eps1", "1 / 3"])
def test_a_sparse_vector_that_releases_a_parameter(programs, shown, moves):
    """An output whose value is public but not a number for all ε: no lower bound may rest on where it lies."""

    def program(noise, q, *, eps, eps1, cutoff):
        t, out = noise.laplace(2 / eps), []
        for x in q:
            v = x + noise.laplace(4 / eps)
            value = {"eps": eps, "eps1": eps1, "1 / eps": 1 / eps, "eps * eps1": eps * eps1, "1 / 3": Fraction(1, 3)}
            out.append(value[shown] if v >= t else v - v)
            if v >= t:
                return out
        return out

    found = ProgramProver(queries=3).run(claim_of(program, Answers(moves)))
    assert isinstance(found, UpperBound), found
    assert examine(found.certificate)
    assert found.guarantee.eps <= Fraction(3, 4)
