"""The literature's claims, decided.

Each claim of the founding documents has one checker, found by its id: ``000-C21`` is decided in
``noise_calibration`` by the function below the decorator ``@claim("000-C21", ...)``. The claim's formula is data, the
default argument of the checker; the verdict is computed from it, so a changed formula gets the verdict of the changed
claim.

>>> from dpwitness.literature import decide
>>> decide("000-C21").verdict
'FALSE'
"""

from importlib import import_module

from dpwitness.literature.finding import Check, Finding, Formula
from dpwitness.literature.registry import Claim, claims, decide, decide_all, get, statement

FILES: tuple[str, ...] = (
    "noise_calibration.indistinguishability",
    "noise_calibration.sensitivity",
    "noise_calibration.metric",
    "noise_calibration.parity",
    "noise_calibration.subsets",
    "noise_calibration.separation",
    "survey.tour",
    "survey.methods",
    "survey.outputs",
    "composition.sets",
    "composition.advanced",
    "smooth_sensitivity.local_and_smooth",
    "smooth_sensitivity.median",
    "smooth_sensitivity.admissible",
    "smooth_sensitivity.laplace",
    "output_perturbation.mechanisms",
    "output_perturbation.selection",
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
