"""Reports made by hand: one of every verdict, and one whose every text is hostile."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.judging import believe

from dpwitness.core import Answers, ApproxDP, PureDP, Records, Refuted, mechanism
from dpwitness.core.evidence import Counterexample, Event, LowerBound, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import ZCDP
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.reports.model import Report

RUN = {
    "version": "0.1.0",
    "command": "verify",
    "alpha": 0.001,
    "seed": 0,
    "max_pairs": 200000,
    "claims": 8,
    "seconds": 3.2,
}

HOSTILE = [
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m\x07\x9b31m",
    "two\nlines\r\nand\ttabs\u2028here",
    "]]> & \" ' ` $x$ \\input{/etc/passwd} | @everyone ::error::x",
    "A" * 10_000_000,
    "\ud800 \uffff \u202e gnihtemos",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
]


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0},
    cites="Dwork and Roth 2014, section 3.6",
)
def sparse(noise: Any, queries: Any, *, eps: Any, threshold: Any) -> Any:
    r"""Index of the first answer with :math:`q_i + \mathrm{Lap}(4/\varepsilon) \ge t`."""
    t = threshold + noise.laplace(2 / eps)
    return next((i for i, q in enumerate(queries) if q + noise.laplace(4 / eps) >= t), None)


@sparse.twin("no-query-noise", expected=Refuted)
def _(noise: Any, queries: Any, *, eps: Any, threshold: Any) -> Any:
    """The answers are compared as they are."""
    t = threshold + noise.laplace(2 / eps)
    return next((i for i, q in enumerate(queries) if q >= t), None)


@mechanism(data=Records(range(3), 2, "add-remove"), claim=lambda eps: PureDP(eps), typical={"eps": "1/2"})
def count(noise: Any, records: Any, *, eps: Any) -> Any:
    """How many records there are, with noise."""
    return len(records) + noise.laplace(1 / eps)


count.also(data=Records(range(3), 2), claim=lambda eps: ApproxDP(eps, "1e-5"), notes="a second claim")
count.also(data=Records(range(3), 2), claim=lambda eps: ZCDP(eps), notes="in another currency")

LEFT, RIGHT = (Fraction(0), Fraction(1, 3)), (Fraction(1), Fraction(4, 3))


def exact(eps: int | None = 2) -> Counterexample:
    return Counterexample(
        LEFT, RIGHT, Event("output = 0"), "1/2", "1/2·exp(-2)", 0.5, 0.0677,
        None if eps is None else Fraction(eps), Scope(2, "1"), {"type": "test", "n": 1}, "exact law", 0.2,
    )  # fmt: skip


def audit(
    eps: float, *, refutes: bool = False, detectable: float | None = None, event: str = "output > 0.53"
) -> LowerBound:
    return LowerBound(
        eps, 1.25e-4, 20_000, 7, refutes, LEFT, RIGHT, "right", Event(event), Scope(2, "1"), detectable,
        (("screening", 0.0), ("e-process, both orders", 1.25e-4)), "e-process", 0.8,
    )  # fmt: skip


def proof(eps: object, **more: Any) -> UpperBound:
    certificate = {"type": "alignment", "steps": [1, 2]}
    return UpperBound(
        PureDP(eps), Scope("any", "all"), certificate, method="shift of the noise", formula="eps", seconds=0.1, **more
    )


def verdicts(*, surprise: bool = True) -> list[Verdict]:
    svt, (twin,), counts = sparse.claims()[0], sparse.twins[0].claims(), count.claims()
    mine = replace(svt, index=3)
    return [
        believe(svt, [proof(1, exact=True), audit(0.93)]),
        believe(twin, [Unsupported("too many paths", 12, "Paths", 0.1), exact(None)]),
        believe(counts[0], [proof("1/3"), audit(0.3)]),
        believe(counts[1], [audit(0.21, detectable=0.61)]),
        believe(counts[2], [UpperBound(ZCDP("1/4"), Scope(), method="moments")]),
        believe(mine, [Unsupported("an unbounded loop", 4, "Alignment")]),
        *([believe(mine, [audit(1.87, refutes=True)]), believe(mine, [proof(1), exact(2)])] if surprise else []),
    ]


def sample(*, surprise: bool = True) -> Report:
    found = verdicts(surprise=surprise)
    return Report.of(found, RUN, [("as doubles the claim is refuted",) if i == 0 else () for i in range(len(found))])


def hostile(text: str) -> Report:
    """Every text that comes from outside is `text`."""

    def program(noise: Any, answers: Any, *, eps: Any) -> Any:
        return answers[0] + noise.laplace(1 / eps)

    program.__doc__ = text
    made = mechanism(
        data=Answers(size=2), claim=lambda eps: PureDP(eps), typical={"eps": 1}, name=text, cites=text, notes=text
    )(program)
    claim = replace(made.claims()[0], notes=text)
    ledger = ((text, 1e-4),)
    found = replace(audit(2.0, refutes=True, event=text), ledger=ledger, method=text, left=(text,), right=(text, text))
    shown = replace(exact(3), event=Event(text), p_left=text, p_right=text, method=text, left=(text,))
    upper = replace(proof(1), method=text, formula=text)
    silent = (Unsupported(text, 3, text),)
    return Report.of(
        [
            Verdict(claim, Decision.REFUTED, None, found, silent),
            Verdict(claim, Decision.CONTRADICTION, upper, shown, silent),
            Verdict(claim, Decision.PROVED, upper, None, silent),
            Verdict(claim, Decision.UNDECIDED, None, None, silent),
        ],
        {**RUN, "note": text},
        [(text,)] * 4,
    )
