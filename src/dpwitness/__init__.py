"""dpwitness: decide whether an algorithm is differentially private, with a witness for every verdict.

>>> import dpwitness as dpw
>>> dpw.PureDP("1/2")
PureDP(eps=Exact(1, 2))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker sees; at run time a name is imported on first use
    from dpwitness.api import calibrate, delta, epsilon, prove, verify
    from dpwitness.auditors.api import audit
    from dpwitness.auditors.result import Audit
    from dpwitness.core import (
        ZCDP,
        Answers,
        ApproxDP,
        BlackBox,
        Box,
        Domain,
        Exact,
        GaussianDP,
        Guarantee,
        Interval,
        Mechanism,
        Pair,
        Proved,
        PureDP,
        Records,
        Refuted,
        RenyiDP,
        exact,
        exp,
        log,
        logistic,
        mechanism,
        real,
        sqrt,
        whole,
    )
    from dpwitness.core.budget import Budget
    from dpwitness.core.evidence import Counterexample, Event, LowerBound, Scope, Unsupported, UpperBound
    from dpwitness.core.judge import judge
    from dpwitness.core.verdict import Decision, Verdict
    from dpwitness.proofs.accounting.composition import Bracket, Composition, compose
    from dpwitness.proofs.accounting.events import account
    from dpwitness.proofs.accounting.matrices import matrix, matrix_sensitivity, toeplitz
    from dpwitness.proofs.accounting.peers import compare, peer_accountant
    from dpwitness.proofs.accounting.steps import (
        approximate,
        discrete_gaussian,
        exponential,
        from_table,
        gaussian,
        geometric,
        laplace,
        poisson,
        pure,
        response,
        sample,
        staircase,
        tree,
    )

__version__ = "0.1.0"

__all__ = [
    "ZCDP",
    "Answers",
    "ApproxDP",
    "Audit",
    "BlackBox",
    "Box",
    "Bracket",
    "Budget",
    "Composition",
    "Counterexample",
    "Decision",
    "Domain",
    "Event",
    "Exact",
    "GaussianDP",
    "Guarantee",
    "Interval",
    "LowerBound",
    "Mechanism",
    "Pair",
    "Proved",
    "PureDP",
    "Records",
    "Refuted",
    "RenyiDP",
    "Scope",
    "Unsupported",
    "UpperBound",
    "Verdict",
    "__version__",
    "account",
    "approximate",
    "audit",
    "calibrate",
    "compare",
    "compose",
    "delta",
    "discrete_gaussian",
    "epsilon",
    "exact",
    "exp",
    "exponential",
    "from_table",
    "gaussian",
    "geometric",
    "judge",
    "laplace",
    "log",
    "logistic",
    "matrix",
    "matrix_sensitivity",
    "mechanism",
    "peer_accountant",
    "poisson",
    "prove",
    "pure",
    "real",
    "response",
    "sample",
    "sqrt",
    "staircase",
    "toeplitz",
    "tree",
    "verify",
    "whole",
]

_ELSEWHERE = {
    "dpwitness.api": ("calibrate", "delta", "epsilon", "prove", "verify"),
    "dpwitness.auditors.api": ("audit",),
    "dpwitness.auditors.result": ("Audit",),
    "dpwitness.core.budget": ("Budget",),
    "dpwitness.core.evidence": ("Counterexample", "Event", "LowerBound", "Scope", "Unsupported", "UpperBound"),
    "dpwitness.core.judge": ("judge",),
    "dpwitness.core.verdict": ("Decision", "Verdict"),
    "dpwitness.proofs.accounting.composition": ("Bracket", "Composition", "compose"),
    "dpwitness.proofs.accounting.events": ("account",),
    "dpwitness.proofs.accounting.matrices": ("matrix", "matrix_sensitivity", "toeplitz"),
    "dpwitness.proofs.accounting.peers": ("compare", "peer_accountant"),
    "dpwitness.proofs.accounting.steps": (
        "approximate",
        "discrete_gaussian",
        "exponential",
        "from_table",
        "gaussian",
        "geometric",
        "laplace",
        "poisson",
        "pure",
        "response",
        "sample",
        "staircase",
        "tree",
    ),
}
_HOME = {name: module for module, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    """Names are imported on first use, so that ``import dpwitness`` is quick."""
    if name not in __all__:
        raise AttributeError(f"module 'dpwitness' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME.get(name, "dpwitness.core")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
