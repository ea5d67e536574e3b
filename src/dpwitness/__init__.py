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
    from dpwitness.auditors.bounds.curves import TradeoffCurve
    from dpwitness.auditors.planning import Plan, plan
    from dpwitness.auditors.result import Audit
    from dpwitness.auditors.stability.api import stability
    from dpwitness.auditors.stability.result import Stability
    from dpwitness.auditors.training.one_run import audit_one_run
    from dpwitness.auditors.training.plan import plan_one_run
    from dpwitness.auditors.training.runs import audit_runs
    from dpwitness.auditors.training.scores import audit_scores
    from dpwitness.auditors.training.specification import check_batch_sizes, check_noise
    from dpwitness.auditors.training.step import audit_step
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
    from dpwitness.core.judging.judge import judge
    from dpwitness.core.stability.claim import stable
    from dpwitness.core.stability.columns import choices, reals, wholes
    from dpwitness.core.stability.rows import Rows
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
    from dpwitness.proofs.derivations.law import NoiseLaw, noise_law
    from dpwitness.proofs.sensitivity.result import Sensitivity
    from dpwitness.proofs.sensitivity.searching import sensitivity

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
    "NoiseLaw",
    "Pair",
    "Plan",
    "Proved",
    "PureDP",
    "Records",
    "Refuted",
    "RenyiDP",
    "Rows",
    "Scope",
    "Sensitivity",
    "Stability",
    "TradeoffCurve",
    "Unsupported",
    "UpperBound",
    "Verdict",
    "__version__",
    "account",
    "approximate",
    "audit",
    "audit_one_run",
    "audit_runs",
    "audit_scores",
    "audit_step",
    "calibrate",
    "check_batch_sizes",
    "check_noise",
    "choices",
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
    "noise_law",
    "peer_accountant",
    "plan",
    "plan_one_run",
    "poisson",
    "prove",
    "pure",
    "real",
    "reals",
    "response",
    "sample",
    "sensitivity",
    "sqrt",
    "stability",
    "stable",
    "staircase",
    "toeplitz",
    "tree",
    "verify",
    "whole",
    "wholes",
]

_ELSEWHERE = {
    "dpwitness.api": ("calibrate", "delta", "epsilon", "prove", "verify"),
    "dpwitness.auditors.api": ("audit",),
    "dpwitness.auditors.planning": ("Plan", "plan"),
    "dpwitness.auditors.result": ("Audit",),
    "dpwitness.auditors.stability.api": ("stability",),
    "dpwitness.auditors.stability.result": ("Stability",),
    "dpwitness.auditors.bounds.curves": ("TradeoffCurve",),
    "dpwitness.auditors.training.one_run": ("audit_one_run",),
    "dpwitness.auditors.training.plan": ("plan_one_run",),
    "dpwitness.auditors.training.runs": ("audit_runs",),
    "dpwitness.auditors.training.scores": ("audit_scores",),
    "dpwitness.auditors.training.specification": ("check_batch_sizes", "check_noise"),
    "dpwitness.auditors.training.step": ("audit_step",),
    "dpwitness.core.budget": ("Budget",),
    "dpwitness.core.evidence": ("Counterexample", "Event", "LowerBound", "Scope", "Unsupported", "UpperBound"),
    "dpwitness.core.judging.judge": ("judge",),
    "dpwitness.core.stability.claim": ("stable",),
    "dpwitness.core.stability.columns": ("choices", "reals", "wholes"),
    "dpwitness.core.stability.rows": ("Rows",),
    "dpwitness.core.verdict": ("Decision", "Verdict"),
    "dpwitness.proofs.accounting.composition": ("Bracket", "Composition", "compose"),
    "dpwitness.proofs.accounting.events": ("account",),
    "dpwitness.proofs.accounting.matrices": ("matrix", "matrix_sensitivity", "toeplitz"),
    "dpwitness.proofs.accounting.peers": ("compare", "peer_accountant"),
    "dpwitness.proofs.derivations.law": ("NoiseLaw", "noise_law"),
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
    "dpwitness.proofs.sensitivity.result": ("Sensitivity",),
    "dpwitness.proofs.sensitivity.searching": ("sensitivity",),
}
_HOME = {name: module for module, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    """Names are imported on first use, so that ``import dpwitness`` is quick."""
    if name not in __all__:
        raise AttributeError(f"module 'dpwitness' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME.get(name, "dpwitness.core")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
