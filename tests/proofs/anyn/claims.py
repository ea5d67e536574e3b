"""Claims about bare test programs: domains and typical values are given here by the parameters' names."""

from __future__ import annotations

from dpwitness.core import Answers, PureDP, mechanism, real, whole

DOMAINS = {
    "cutoff": whole(1), "block": whole(1), "share": real(above=0, below=1), "weight": real(above=0),
    "eps1": real(above=0), "eps2": real(above=0),
}  # fmt: skip
TYPICAL = {
    "eps": 1, "threshold": 0, "cutoff": 2, "block": 3, "share": "1/3", "weight": 2, "low": -1, "high": 1, "sigma": 1,
    "eps1": "1/2", "eps2": "1/2",
}  # fmt: skip


def claim_of(program, moves, multiple=1):
    """The claim that a program is (multiple · ε)-private, or (ε₁ + ε₂)-private where it has two budgets."""
    code = program.__code__
    names = code.co_varnames[2 : code.co_argcount + code.co_kwonlyargcount]
    claim = (lambda eps1, eps2: PureDP(eps1 + eps2)) if "eps1" in names else (lambda eps: PureDP(multiple * eps))
    made = mechanism(
        data=Answers(moves),
        claim=claim,
        typical={n: TYPICAL.get(n, 1) for n in names},
        domains={n: DOMAINS[n] for n in names if n in DOMAINS},
    )(program)
    return made.claims()[0]
