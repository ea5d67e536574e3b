"""Conformance kits: what dpwitness asks of a law, a mechanism, a prover, an auditor or a learner that others write.

Each function returns nothing where all is well and raises an `AssertionError` that says what is missing; put a call of
it into a test of your own::

    from dpwitness.testing import check_law

    def test_my_law():
        check_law(MyLaw(2), cdf=lambda x: ...)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpwitness.auditors.bounds.learner import Learner
    from dpwitness.core.claims import Claim
    from dpwitness.core.laws import Law
    from dpwitness.core.mechanism import Mechanism
    from dpwitness.routes import Route

__all__ = ["check_auditor", "check_law", "check_learner", "check_mechanism", "check_prover"]

DRAWS = 20_000
ALPHA = 1e-6


def check_law(law: Law, *, cdf: Callable[[NDArray[Any]], NDArray[Any]] | None = None) -> None:
    """Check what a law says of itself, and its sampler.

    Parameters
    ----------
    law
        The law at typical parameters.
    cdf
        Its distribution function, written independently of the sampler: 20 000 draws must stay within the band of the
        Dvoretzky–Kiefer–Wolfowitz inequality at α = 10⁻⁶.

    >>> from dpwitness.core.laws import Laplace
    >>> check_law(Laplace(2))
    """
    import numpy as np

    names = [field.name for field in fields(law)]
    assert law.name.isidentifier(), f"name={law.name!r} must be an identifier"
    assert set(law.domains) == set(names), f"domains must name the parameters {names}, and names {list(law.domains)}"
    assert type(law)(**law.params()) == law, "a law must be equal to one made from its parameters"
    draws = np.asarray(law.sample(np.random.default_rng(0), DRAWS))
    assert draws.shape == (DRAWS,), f"sample(rng, {DRAWS}) has shape {draws.shape}"
    again = np.asarray(law.sample(np.random.default_rng(0), DRAWS))
    assert np.array_equal(draws, again), "the same generator must give the same draws: use rng alone"
    assert np.isfinite(draws).all(), "a draw is not a finite number"
    if law.support in ("integers", "finite"):
        assert draws.dtype.kind in "ibu", f"draws of support {law.support!r} must be whole numbers, not {draws.dtype}"
    if law.nonnegative:
        assert (draws >= 0).all(), "a draw is negative, though the law says that none is"
    if law.support != "finite":
        size = law.spread()
        assert 0 < size < math.inf, f"spread() = {size} must be a positive number"
    many = {name: np.full(5, float(value)) for name, value in law.params().items() if not isinstance(value, tuple)}
    if many:
        lanes = np.asarray(type(law)(**many).sample(np.random.default_rng(0), 5))
        assert lanes.shape == (5,), "parameters may be arrays with one entry for each draw"
    form = law.kernel_form(Fraction(1), lambda name: Fraction(str(law.params()[name])))
    assert form is None or all(isinstance(v, Fraction) for v in form.values()), "kernel_form must give exact numbers"
    if cdf is not None:
        assert _follows(draws, cdf), "the draws do not follow the distribution function"


def _follows(draws: NDArray[Any], cdf: Callable[[NDArray[Any]], NDArray[Any]]) -> bool:
    """Whether draws stay within the band of the Dvoretzky–Kiefer–Wolfowitz inequality."""
    import numpy as np

    values, counts = np.unique(draws, return_counts=True)
    seen = np.cumsum(counts) / len(draws)
    band = math.sqrt(math.log(2 / ALPHA) / (2 * len(draws)))
    return bool(np.max(np.abs(seen - cdf(values.astype(float)))) <= band)


def check_mechanism(mechanism: Mechanism, *, max_pairs: int = 2_000) -> None:
    """Check that all readers can run a mechanism, and that its claims come out as it expects.

    The program must be a function of its arguments and noise; the batched and the scalar sampler must agree; and no
    claim that is expected to hold may be refuted, nor one that is not be proved.
    """
    import numpy as np

    from dpwitness.core.budget import Budget
    from dpwitness.core.readers.recorder import check_pure
    from dpwitness.core.verdict import Decision
    from dpwitness.routes import decide

    for claim in mechanism.claims():
        pairs = claim.space.typical_pairs()
        assert pairs, f"{claim.target}: its space offers no pair of neighbours"
        for data in (pairs[0].left, pairs[0].right):
            check_pure(mechanism.program, np.random.default_rng(0), list(data), **claim.params)
        verdict = decide(claim, Budget(1e-6, max_pairs, 20.0, 0, "ideal"))
        told = f"{claim.target} ({claim.describe()}) is {verdict.decision.name}: {verdict}"
        assert verdict.decision is not Decision.CONTRADICTION, told
        assert verdict.decision is not (Decision.REFUTED if claim.expected_to_hold else Decision.PROVED), told


def check_prover(prover: Route, claims: Iterable[Claim], *, seconds: float = 20.0) -> None:
    """Check that whatever a prover says of these claims is confirmed by the kernel, and is right.

    Among the claims there should be some that hold, some that do not (`expected_to_hold` tells), and some that the
    prover does not understand; at least one must be decided.
    """
    from dpwitness.core.budget import Budget
    from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
    from dpwitness.core.judging.judge import judge
    from dpwitness.core.mechanism import Mechanism
    from dpwitness.core.readers.door import reading
    from dpwitness.core.verdict import Decision
    from dpwitness.routes import attempt, kernel_checker

    decided = 0
    for claim in claims:
        assert isinstance(claim.mechanism, Mechanism), "a prover reads programs"
        reason = prover.supports(claim)
        assert reason is None or reason.strip(), f"{claim.target}: supports() must be None or say why not"
        with reading(claim.mechanism.program):
            evidence = attempt(prover, claim, Budget(1e-6, 1, seconds, 0, "ideal"))
        assert isinstance(evidence, UpperBound | Counterexample | Unsupported), (
            f"{claim.target}: a prover returns a proof, an exact counterexample or a reason, not {evidence!r}"
        )
        if isinstance(evidence, Unsupported):
            assert evidence.reason.strip(), f"{claim.target}: Unsupported must say why"
            continue
        assert evidence.certificate is not None, f"{claim.target}: evidence without a certificate decides nothing"
        decision = judge(claim, [evidence], kernel_checker()).decision
        wanted = Decision.PROVED if isinstance(evidence, UpperBound) else Decision.REFUTED
        right = Decision.PROVED if claim.expected_to_hold else Decision.REFUTED
        assert decision is not (Decision.REFUTED if claim.expected_to_hold else Decision.PROVED), (
            f"{claim.target}: the prover says {decision.name}, and {right.name} is right"
        )
        decided += decision is wanted
    assert decided, "the kernel confirmed nothing that the prover said of these claims"


def check_auditor(auditor: Route, private: Claim, broken: Claim, *, seeds: int = 20, max_pairs: int = 5_000) -> None:
    """Check an auditor's honesty and its power.

    At α = 1/1000 it must not refute `private` at any seed; the same seed must give the same bound; and it must refute
    `broken` at more than half of the seeds.
    """
    from dpwitness.core.budget import Budget
    from dpwitness.core.evidence import LowerBound

    def bound(claim: Claim, seed: int) -> LowerBound:
        found = auditor.run(claim, Budget(1e-3, max_pairs, 60.0, seed, "ideal"))
        assert isinstance(found, LowerBound), f"{claim.target}: an auditor returns a LowerBound, not {found!r}"
        assert found.pairs <= max_pairs, f"{claim.target}: {found.pairs} pairs were drawn of {max_pairs} allowed"
        return found

    for claim in (private, broken):
        assert auditor.supports(claim) is None, f"{claim.target}: {auditor.supports(claim)}"
    one, two = (replace(bound(broken, 0), seconds=0.0, details={}) for _ in range(2))
    assert one == two, "the same seed must give the same bound"
    alarms = [seed for seed in range(seeds) if bound(private, seed).refutes]
    assert not alarms, f"{private.target} is private and was refuted at the seeds {alarms} with α = 1/1000"
    seen = sum(bound(broken, seed).refutes for seed in range(seeds))
    assert 2 * seen > seeds, f"{broken.target} was refuted at {seen} of {seeds} seeds only"


def check_learner(learner: Learner, left: Sequence[Any], right: Sequence[Any], fresh: Sequence[Any]) -> None:
    """Check that a learner's guesses can be bet on: chances strictly between 0 and 1, in cells that cover all outputs.

    Parameters
    ----------
    left, right
        Outputs of two neighbouring inputs, as many of one as of the other.
    fresh
        Other outputs, of any form: a learner must have a cell for what it has never seen.
    """
    import numpy as np

    from dpwitness.auditors.outputs.table import Encoder

    encoder = Encoder()
    seen = encoder.encode(list(left)), encoder.encode(list(right))
    plan = learner.choose(*seen)
    assert math.isclose(sum(plan.shares.values()), 1.0), (
        f"the shares of the wealth add up to {sum(plan.shares.values())}"
    )
    assert all(plan.next_fit(n) > n for n in (1, 10, 1000, 10**6)), "next_fit(n) must exceed n"
    new = encoder.encode(list(fresh))
    partitions = plan.fit(encoder.places, *seen)
    for partition in partitions:
        assert partition.pi.ndim == 2, "pi has one row for each strategy and one column for each cell"
        assert len(partition.names) == len(partition.pi), "pi has one row for each name"
        assert np.all((partition.pi > 0) & (partition.pi < 1)), "a guess of 0 or 1 can lose everything at once"
        for table in (*seen, new):
            cells = partition.cells(table)
            assert cells.shape == (len(table),), "every output has one cell"
            assert np.all((cells >= 0) & (cells < partition.pi.shape[1])), "a cell that pi does not know"
    names = [name for partition in partitions for name in partition.names]
    assert set(names) <= set(plan.shares), f"strategies without a share of the wealth: {set(names) - set(plan.shares)}"
