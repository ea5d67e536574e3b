"""The literature's claims, decided.

Each claim of the founding documents has one checker, found by its id: ``000-C21`` is decided in a file ``s000_*.py`` by
the function below the decorator ``@claim("000-C21", ...)``. The claim's formula is data, the default argument of the
checker; the verdict is computed from it, so a changed formula gets the verdict of the changed claim.

>>> from dpwitness.proofs.literature import decide
>>> decide("000-C21").verdict
'FALSE'
"""

from importlib import import_module

from dpwitness.proofs.literature.finding import Check, Finding, Formula
from dpwitness.proofs.literature.registry import Claim, claims, decide, decide_all, get, statement

FILES: tuple[str, ...] = (
    "s000_noise",
    "s000_sensitivity",
    "s000_metric",
    "s000_parity",
    "s000_subsets",
    "s000_separation",
    "s001_tour",
    "s001_methods",
    "s001_outputs",
    "s002_sets",
    "s002_composition",
    "s003_sensitivity",
    "s003_median",
    "s003_admissible",
    "s003_laplace",
    "s004_mechanisms",
    "s004_selection",
)


def load() -> None:
    """Import every checker, which registers it."""
    for name in FILES:
        import_module(f"{__name__}.{name}")


__all__ = [
    "FILES",
    "Check",
    "Claim",
    "Finding",
    "Formula",
    "claims",
    "decide",
    "decide_all",
    "get",
    "load",
    "statement",
]
