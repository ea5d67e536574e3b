"""The prover of programs with finitely many outcomes on finitely many inputs: every neighbouring pair, exactly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment, ProgramTimeout
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Event, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import ApproxDP, PureDP, epsilon_delta
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.chains import has_loops
from dpwitness.core.readers.finite import FiniteLaw, finite_law
from dpwitness.core.readers.outputs import put_together
from dpwitness.core.readers.pictures import HiddenState, TooLarge
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, Undecided, enclose, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.tables import Row, hockey_stick, pure_loss, within
from dpwitness.proofs.labels import labels
from dpwitness.proofs.laws.chains import ChainTables
from dpwitness.proofs.laws.stamps import about as stamp
from dpwitness.proofs.spaces import finite_space, names

METHOD = "exact finite law"
MAX_INPUTS = 3_000


@dataclass(frozen=True)
class FiniteProver:
    """Decides pure and approximate claims about programs whose only noise is finite choices, on finite spaces.

    Parameters
    ----------
    max_runs
        Limit on the sequences of outcomes of one input.
    """

    max_runs: int = 5_000
    name: str = "finite"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if epsilon_delta(claim.guarantee) is None:
            return f"no rule for {claim.guarantee.kind} guarantees of finite laws"
        return None if claim.space.finite else "the input space is not finite, or too large to enumerate"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """Evidence about the claim: an upper bound with its certificate, a counterexample, or why neither was found."""
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is None:
            try:
                return self._decide(claim, start, float(getattr(budget, "seconds", 60.0)))
            except OutsideFragment as error:
                return Unsupported(error.reason, error.line, METHOD, time.monotonic() - start)
            except (DPWitnessError, Rejected, Undecided) as error:
                reason = str(error)
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _decide(self, claim: Claim, start: float, limit: float) -> Evidence:
        table = laws_of(claim, self.max_runs, start + limit)
        pair = epsilon_delta(claim.guarantee)
        assert pair is not None
        eps, delta = Fraction(pair[0]), Fraction(pair[1])
        scope = Scope(claim.queries, text(eps), IDEAL_REALS)
        worst = Fraction(0)
        for (i, j), (left, right) in table.pairs.items():
            p, q = table.rows[i], table.rows[j]
            if time.monotonic() - start > limit:
                raise ProgramTimeout("the comparison of all pairs did not end in time")
            for a, b, x, y in ((p, q, left, right), (q, p, right, left)):
                if not within(a, b, eps, delta):
                    order = (i, j) if a is p else (j, i)
                    return self._refuted(table, order, (x, y), (eps, delta), claim, scope, start)
            if delta == 0:
                worst = max(worst, (pure_loss(p, q) or (worst, worst))[1])
        certificate: dict[str, Any] = {
            "type": table.kind,
            **table.model(),
            "epsilon": text(eps),
            "delta": text(delta),
            "about": stamp(claim),
        }
        verdict = examine(certificate)
        if not verdict:
            return Unsupported(f"the kernel refused: {verdict.reason}", method=METHOD)
        exact = delta == 0 and worst == eps
        guarantee = PureDP(eps) if delta == 0 else ApproxDP(eps, delta)
        return UpperBound(guarantee, scope, certificate, exact, table.method, None, time.monotonic() - start)

    def _refuted(
        self,
        table: Tables | ChainTables,
        order: tuple[int, int],
        inputs: tuple[Any, Any],
        broken: tuple[Fraction, Fraction],
        claim: Claim,
        scope: Scope,
        start: float,
    ) -> Evidence:
        p, q, (eps, delta) = table.rows[order[0]], table.rows[order[1]], broken
        factor = ExpSum.exp(eps) * p.total
        better = [
            i
            for i, (a, b) in enumerate(zip(p.weights, q.weights, strict=True))
            if (a * q.total - factor * b).sign() > 0
        ]
        certificate: dict[str, Any] = {
            **table.sides(*order, inputs),
            "event": better,
            "epsilon": text(eps),
            "delta": text(delta),
            "about": stamp(claim),
        }
        words = "output is one of " + ", ".join(repr(put_together(table.outputs[i], iter(()))) for i in better[:6])
        tops = [sum((row.weights[i] for i in better), ExpSum.of(0)) for row in (p, q)]
        shown = [_show(top, row.total) for top, row in zip(tops, (p, q), strict=True)]
        numbers = [_decimal(top, row.total) for top, row in zip(tops, (p, q), strict=True)]
        reached = _reached(p, q, delta)
        return Counterexample(
            left=inputs[0],
            right=inputs[1],
            event=Event(words + (", …" if len(better) > 6 else "")),
            p_left=shown[0],
            p_right=shown[1],
            p_left_decimal=numbers[0],
            p_right_decimal=numbers[1],
            epsilon_lower=reached,
            scope=scope,
            certificate=certificate,
            method=table.method,
            seconds=time.monotonic() - start,
        )


def _reached(p: Row, q: Row, delta: Fraction) -> Fraction | None:
    """An ε that the pair is proved to reach at this δ, rounded down; None where it is unbounded."""
    from dpwitness.proofs.laws.privacy_curves.curves import threshold

    far = hockey_stick(p, q, Fraction(10**4))
    if (far[0] - delta * far[1]).sign() > 0:
        return None
    if delta == 0:
        loss = pure_loss(p, q)
        return None if loss is None else loss[0]
    return threshold(lambda e: within(p, q, e, delta))[0]


def _show(top: ExpSum, bottom: ExpSum) -> str:
    return str(top) if bottom.rational == 1 else f"({top})/({bottom})"


def _decimal(top: ExpSum, bottom: ExpSum) -> float:
    return float(enclose(lambda: top.ball() / bottom.ball())[0]) if top.sign() else 0.0


def laws_of(claim: Claim, max_runs: int, deadline: float) -> Tables | ChainTables:
    """The laws of all inputs: of all sequences of outcomes, or as chains where a loop ends by chance."""
    assert isinstance(claim.mechanism, Mechanism)
    if has_loops(claim.mechanism.program):
        try:
            found = ChainTables(claim, deadline)
        except TooLarge:
            raise
        except HiddenState as error:  # it may be a loop that is over after some rounds
            now = time.monotonic()
            try:  # that takes few runs, or has no end
                return Tables(claim, max_runs, now + (deadline - now) / 12)
            except (OutsideFragment, ProgramTimeout):
                raise error from None
        if found.circular:
            found.solve(deadline)
            return found
    return Tables(claim, max_runs, deadline)


class Tables:
    """The laws of all inputs over a common list of outputs; equal laws and mirrored pairs are kept once.

    Input i of the space has the law ``rows[use[i]]``. `pairs` maps the places of two laws to two neighbours that have
    them; it is empty where all neighbours have equal laws.
    """

    kind, method = "tables", METHOD

    def __init__(self, claim: Claim, max_runs: int, deadline: float) -> None:
        assert isinstance(claim.mechanism, Mechanism)
        self.claim = claim
        self.space, inputs = finite_space(claim.space)
        if len(inputs) > MAX_INPUTS:
            raise OutsideFragment(f"more than {MAX_INPUTS} inputs")
        laws: list[FiniteLaw] = []
        for data in inputs:
            if time.monotonic() > deadline:
                raise ProgramTimeout(f"the laws of all inputs were not found: {len(laws)} done")
            laws.append(finite_law(claim.mechanism.bind(data, claim.params), max_runs=max_runs, end=deadline))
        self.outputs = sorted({skeleton for law in laws for skeleton, _ in law.table}, key=repr)
        self.names = list(labels([put_together(skeleton, iter(())) for skeleton in self.outputs]))
        places: dict[tuple[Any, ...], int] = {}
        self.rows: list[Row] = []
        self.use: list[int] = []
        for law in laws:
            row = _row(law, self.outputs)
            key = tuple(tuple(sorted(w.terms.items())) for w in row.weights)
            if key not in places:
                places[key] = len(self.rows)
                self.rows.append(row)
            self.use.append(places[key])
        self.pairs: dict[tuple[int, int], tuple[Any, Any]] = {}
        neighbours = self.space.pairs()
        if not neighbours:
            raise OutsideFragment("the space has no neighbouring pairs")
        for a, b in neighbours:
            i, j = self.use[a], self.use[b]
            if i < j:
                self.pairs.setdefault((i, j), (inputs[a], inputs[b]))
            elif i > j:
                self.pairs.setdefault((j, i), (inputs[b], inputs[a]))

    def model(self) -> dict[str, Any]:
        """The laws of all inputs as certificates state them."""
        return {
            "space": self.space.to_json(),
            "outputs": self.names,
            "rows": [[weight.to_json() for weight in row.weights] for row in self.rows],
            "use": self.use,
        }

    def sides(self, one: int, other: int, inputs: tuple[Any, Any]) -> dict[str, Any]:
        """Two inputs and their laws as certificates of violations state them."""
        return {
            "type": "table-violation",
            "inputs": [names(data, self.claim.space) for data in inputs],
            "outputs": self.names,
            "left": [w.to_json() for w in self.rows[one].weights],
            "right": [w.to_json() for w in self.rows[other].weights],
        }


def _row(law: FiniteLaw, outputs: Sequence[Any]) -> Row:
    """The law as weights over a common denominator; the weights must add up to it exactly."""
    table = dict(law.table)
    bottoms = {probability.bottom for probability in table.values()}
    denominators = {bottom: ExpSum(dict(bottom.terms)) for bottom in bottoms}
    common = ExpSum.of(1)
    for factor in denominators.values():
        common = common * factor
    weights = []
    for output in outputs:
        probability = table.get(output)
        if probability is None:
            weights.append(ExpSum.of(0))
            continue
        weight = ExpSum(dict(probability.top.terms))
        for bottom, value in denominators.items():
            if bottom != probability.bottom:
                weight = weight * value
        weights.append(weight)
    row = Row.weighted(weights)
    if (row.total - common).sign() != 0:
        raise Rejected("the probabilities of a program's outputs do not sum to 1")
    return row
