"""dpwitness: decide whether an algorithm is differentially private, with a witness for every verdict.

>>> import dpwitness as dpw
>>> dpw.PureDP("1/2")
PureDP(eps=Exact(1, 2))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    **dict.fromkeys(
        ["ZCDP", "Answers", "ApproxDP", "BlackBox", "Domain", "Exact", "GaussianDP", "Guarantee", "Interval",
         "Mechanism", "Pair", "Proved", "PureDP", "Records", "Refuted", "RenyiDP", "exact", "exp", "log", "logistic",
         "mechanism", "real", "sqrt", "whole"],
        "dpwitness.core",
    ),
    **dict.fromkeys(["Decision", "Verdict"], "dpwitness.core.verdict"),
    "judge": "dpwitness.core.judge",
    **dict.fromkeys(["verify", "prove", "audit", "delta", "epsilon", "calibrate"], "dpwitness.api"),
    **dict.fromkeys(["Counterexample", "Event", "LowerBound", "Scope", "Unsupported", "UpperBound"],
                    "dpwitness.core.evidence"),
    **dict.fromkeys(["approximate", "discrete_gaussian", "exponential", "from_table", "gaussian", "geometric",
                     "laplace", "poisson", "pure", "response", "sample", "staircase", "tree"],
                    "dpwitness.proofs.accounting.steps"),
    **dict.fromkeys(["matrix", "matrix_sensitivity", "toeplitz"], "dpwitness.proofs.accounting.matrices"),
    **dict.fromkeys(["Bracket", "Composition", "compose"], "dpwitness.proofs.accounting.composition"),
    **dict.fromkeys(["compare", "peer_accountant"], "dpwitness.proofs.accounting.peers"),
    "account": "dpwitness.proofs.accounting.events",
}  # fmt: skip

__all__ = ["__version__", *_WHERE]  # noqa: PLE0604

if TYPE_CHECKING:
    from dpwitness.core import (
        ZCDP as ZCDP,
    )
    from dpwitness.core import (
        Answers as Answers,
    )
    from dpwitness.core import (
        ApproxDP as ApproxDP,
    )
    from dpwitness.core import (
        BlackBox as BlackBox,
    )
    from dpwitness.core import (
        GaussianDP as GaussianDP,
    )
    from dpwitness.core import (
        Guarantee as Guarantee,
    )
    from dpwitness.core import (
        Mechanism as Mechanism,
    )
    from dpwitness.core import (
        PureDP as PureDP,
    )
    from dpwitness.core import (
        Records as Records,
    )
    from dpwitness.core import (
        RenyiDP as RenyiDP,
    )
    from dpwitness.core import (
        mechanism as mechanism,
    )


def __getattr__(name: str) -> Any:
    """Names are imported on first use, so that ``import dpwitness`` is quick."""
    if name not in _WHERE:
        raise AttributeError(f"module 'dpwitness' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
