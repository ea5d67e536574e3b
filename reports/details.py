"""What unfolds under a row, as plain text: every rendering that shows details shows these."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpwitness.core.adjacency import Ball, Monotone, OneAnswer
from dpwitness.core.evidence import Counterexample, LowerBound, UpperBound, beyond, foreseen
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP, epsilon_delta
from dpwitness.core.numbers import show
from dpwitness.core.spaces import Space
from dpwitness.core.text import show_data
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.reports.model import Report, Row, at_values, clean, elsewhere, line, lower_text
from dpwitness.reports.origin import reproduce
from dpwitness.reports.references import reference_of
from dpwitness.reports.sampling import by_sampling


@dataclass(frozen=True)
class Details:
    """The parts of a row's explanation; a part that there is nothing to say about is empty.

    Parameters
    ----------
    about
        What the mechanism does (first line of its docstring), and who says so.
    statement
        The claim spelled out.
    adjacency
        Which inputs are neighbours.
    argument
        How it was proved.
    counterexample
        The failure in words and numbers.
    audit
        What sampling saw.
    reference
        The usual intervals of the event's counts, which are no part of α.
    ledger
        How α was spent: what, and which share.
    noticed
        What does not decide the claim but should be known.
    silent
        What could not be done, and why.
    command
        The command that repeats the verdict.
    """

    about: tuple[str, ...]
    statement: tuple[str, ...]
    adjacency: str
    argument: tuple[str, ...]
    counterexample: tuple[str, ...]
    audit: tuple[str, ...]
    reference: tuple[str, ...]
    ledger: tuple[tuple[str, str], ...]
    noticed: tuple[str, ...]
    silent: tuple[str, ...]
    command: str


def details(row: Row, report: Report) -> Details:
    """Everything there is to say about one row."""
    verdict = row.verdict
    lower = verdict.lower
    return Details(
        about=_about(verdict),
        statement=_statement(verdict),
        adjacency=_neighbours(verdict.claim.space),
        argument=_argument(verdict.upper),
        counterexample=counterexample_lines(verdict),
        audit=_audit(lower) if isinstance(lower, LowerBound) else (),
        reference=_reference(verdict),
        ledger=tuple((line(what, 200), f"{share:.3g}") for what, share in getattr(lower, "ledger", ())),
        noticed=tuple(line(text, 600) for text in row.notes),
        silent=_silent(verdict),
        command=reproduce(row, report),
    )


def _silent(verdict: Verdict) -> tuple[str, ...]:
    """What each route could not do; routes with the same reason are named together."""
    reasons: dict[str, list[str]] = {}
    for s in verdict.silent:
        where = "" if s.line is None else f"line {s.line}: "
        reasons.setdefault(line(f"{where}{s.reason}", 600), []).append(line(s.method, 100))
    return tuple(line(f"{', '.join(filter(None, names))}: {why}".lstrip(": "), 900) for why, names in reasons.items())


def in_words(guarantee: Guarantee) -> str:
    """The inequality that a guarantee stands for.

    >>> from dpwitness.core.guarantees import PureDP
    >>> in_words(PureDP("1/2"))
    'P[M(x) ∈ S] ≤ exp(1/2) · P[M(x′) ∈ S] for every event S'
    """
    if isinstance(guarantee, PureDP):
        return f"P[M(x) ∈ S] ≤ exp({show(guarantee.eps)}) · P[M(x′) ∈ S] for every event S"
    if isinstance(guarantee, ApproxDP):
        return f"P[M(x) ∈ S] ≤ exp({show(guarantee.eps)}) · P[M(x′) ∈ S] + {show(guarantee.delta)} for every event S"
    if isinstance(guarantee, ZCDP):
        return f"D_a(M(x) ‖ M(x′)) ≤ {show(guarantee.rho)} · a for every Rényi order a > 1"
    if isinstance(guarantee, RenyiDP):
        return f"D_a(M(x) ‖ M(x′)) ≤ {show(guarantee.eps)} at the Rényi order a = {show(guarantee.order)}"
    if isinstance(guarantee, GaussianDP):
        return f"M(x) and M(x′) are at least as hard to tell apart as N(0, 1) and N({show(guarantee.mu)}, 1)"
    return line(guarantee)


def _neighbours(space: Space) -> str:
    """The neighbour relation in a sentence."""
    relation = getattr(space, "adjacency", None)
    inside = f" ({line(space.describe(), 200)})"
    if isinstance(relation, OneAnswer):
        return f"one answer moves, by at most {show(relation.by)}{inside}"
    if isinstance(relation, Monotone):
        return f"all answers move the same way, each by at most {show(relation.by)}{inside}"
    if isinstance(relation, Ball) and relation.norm == "linf":
        return f"every answer moves by at most {show(relation.by)}{inside}"
    if isinstance(relation, Ball):
        return f"the answers move by at most {show(relation.by)} in the norm {relation.norm.replace('l', 'ℓ')}{inside}"
    return line(relation.describe() if relation is not None else space.describe(), 200)


def _about(verdict: Verdict) -> tuple[str, ...]:
    mechanism = verdict.claim.mechanism
    doc = (getattr(getattr(mechanism, "sampler", None), "__doc__", None) or "").strip().partition("\n")[0]
    parts = (getattr(mechanism, "summary", doc), getattr(mechanism, "cites", ""))
    return tuple(clean(part, 600) for part in parts if part)


def _statement(verdict: Verdict) -> tuple[str, ...]:
    claim = verdict.claim
    params = ", ".join(f"{line(name, 60)} = {line(value, 60)}" for name, value in claim.params.items())
    numbers = "real-valued noise" if claim.numerics == "ideal-reals" else "doubles"
    return tuple(
        part
        for part in (
            f"{in_words(claim.guarantee)} and all neighbours x, x′ ({line(claim.space.describe(), 200)})",
            f"{'at ' + params + '; ' if params else ''}about {numbers}",
            line(claim.notes, 400),
            *tried_lines(verdict),
        )
        if part
    )


def _argument(bound: UpperBound | None) -> tuple[str, ...]:
    if bound is None:
        return ()
    size = "any number of queries" if bound.scope.queries == "any" else f"up to {bound.scope.queries} queries"
    values = "every ε > 0" if bound.scope.epsilon == "all" else f"ε = {line(bound.scope.epsilon, 60)}"
    tight = " (the smallest possible)" if bound.exact else ""
    return tuple(
        part
        for part in (
            f"proved: {bound.guarantee}{tight}, for {values} and {size}",
            f"formula: {line(bound.formula, 400)}" if bound.formula else "",
            f"by: {clean(bound.method, 600)}" if bound.method else "",
            *_confirmed(bound),
        )
        if part
    )


def _confirmed(bound: UpperBound | Counterexample) -> tuple[str, ...]:
    """What was verified, and how the model was compared with the program."""
    known = bound.confirmed
    if known is None:
        return ()
    reached = f"; {known.reached} of {known.places} places of the model were reached" if known.places else ""
    return tuple(
        part
        for part in (
            f"verified by the kernel: {line(known.statement, 600)}",
            f"the model was run beside the program {known.runs} times, without a difference{reached}",
            f"uses without proof: {line(', '.join(known.assumptions), 400)}" if known.assumptions else "",
        )
        if part
    )


def tried_lines(verdict: Verdict) -> tuple[str, ...]:
    """Other values of the parameters at which a claim about a function was tried."""
    if not verdict.tried:
        return ()
    held = [at_values(params) for params, decision in verdict.tried if decision is not Decision.REFUTED]
    return (f"tried at other values, and not refuted there: {'; '.join(held)}",) if held else ()


def counterexample_lines(verdict: Verdict) -> tuple[str, ...]:
    """The failure in words and numbers; empty where the claim was not refuted."""
    lower = verdict.lower
    if lower is None or (isinstance(lower, LowerBound) and not lower.refutes):
        return ()
    head: tuple[str, ...] = (f"left x = {show_data(lower.left)}", f"right x′ = {show_data(lower.right)}")
    event = f"event S: {line(lower.event, 400)}"
    goal = verdict.claim.guarantee
    pair = epsilon_delta(goal)
    exceeds = isinstance(lower, LowerBound) and pair is not None and lower.epsilon <= float(pair[0])  # and was refuted
    bound = f"so ε {'>' if exceeds else '≥'} {lower_text(lower, goal) or 0}, and the claim is {goal}"
    if isinstance(lower, Counterexample):
        chances = (
            f"P[M(x) ∈ S] = {_chance(lower.p_left, lower.p_left_decimal)}",
            f"P[M(x′) ∈ S] = {_chance(lower.p_right, lower.p_right_decimal)}",
            _ratio(lower.p_left_decimal, lower.p_right_decimal),
            by_sampling(lower, goal),
        )
        where = elsewhere(verdict)
        if where:  # the bound is about another claim: that of these parameters
            head = (f"at {where}", *head)
            bound = f"so ε ≥ {lower_text(lower) or 0} there, and less is claimed"
        return (*head, event, *(c for c in chances if c), bound, *_confirmed(lower))
    sure = (
        f"with probability at least {1 - lower.alpha:.6g}, from {lower.pairs} pairs of samples with seed {lower.seed}"
    )
    return (*head, f"{event}, more likely on {lower.direction}", f"{bound} ({sure})")


def _chance(exact: str, decimal: float) -> str:
    text = line(exact, 300)
    short = f"{decimal:.6g}"
    return text if text == short else f"{text} ≈ {short}"


def _ratio(left: float, right: float) -> str:
    if min(left, right) <= 0:
        return "one of the two is impossible: the loss is infinite"
    ratio = max(left, right) / min(left, right)
    return f"a ratio of {ratio:.6g} = exp({math.log(ratio):.6g})"


def _reference(verdict: Verdict) -> tuple[str, ...]:
    found = reference_of(verdict)
    return () if found is None else found.lines()


def _audit(lower: LowerBound) -> tuple[str, ...]:
    return tuple(
        part
        for part in (
            f"{lower.pairs} pairs of samples, seed {lower.seed}, α = {lower.alpha:.3g}",
            f"lower bound: ε ≥ {lower_text(lower) or 0}",
            f"most telling event: {line(lower.event, 400)} (more likely on {lower.direction})",
            f"inputs: {show_data(lower.left)} and {show_data(lower.right)}",
            foreseen(lower.detectable, lower.details),
            beyond(lower.details),
            f"by: {line(lower.method, 400)}" if lower.method else "",
        )
        if part
    )
