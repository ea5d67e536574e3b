"""Re-check a certificate with nothing but this kernel.

Every module of the kernel may offer ``CHECKERS``, a map from a certificate's type to a function that takes the
certificate, recomputes all that it claims and returns the `Theorem` that it verified, or raises `Rejected`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.limits import SECONDS, inspect, limited
from dpwitness.proofs.kernel.theorem import Theorem, checking

PATIENCE = 60.0
LABELS = ("about", "program", "target", "trusts")
Checker = Callable[[Mapping[str, Any]], Theorem]


@dataclass(frozen=True)
class Checked:
    """The outcome of a check that does not raise: the theorem, or the reason why there is none."""

    type: str
    theorem: Theorem | None = None
    reason: str = ""

    @property
    def valid(self) -> bool:
        """Whether the certificate was accepted."""
        return self.theorem is not None

    @property
    def statement(self) -> str:
        """What was verified, in words; empty where nothing was."""
        return "" if self.theorem is None else self.theorem.statement

    def __bool__(self) -> bool:
        return self.valid


@cache
def checkers() -> dict[str, Checker]:
    """All checkers of the kernel by certificate type."""
    import dpwitness.proofs.kernel as package

    found: dict[str, Checker] = {}
    prefix = f"{package.__name__}."
    for info in sorted(pkgutil.walk_packages(package.__path__, prefix), key=lambda module: module.name):
        module = importlib.import_module(info.name)
        for name, function in getattr(module, "CHECKERS", {}).items():
            if found.get(name, function) is not function:  # a package may name those of its files
                raise RuntimeError(f"two checkers claim the certificate type {name!r}")
            found[name] = function
    return found


def check(certificate: Mapping[str, Any], *, seconds: float = SECONDS) -> Theorem:
    """Recompute everything that `certificate` claims.

    Parameters
    ----------
    certificate
        A JSON object with a ``type``; numbers are exact text such as ``"3/4"``.
    seconds
        How much processor time the check may take. Whoever made the certificate may grant more (`PATIENCE`).

    Returns
    -------
    Theorem
        What was verified. `Rejected` is raised for every certificate that is not valid, and nothing else.

    >>> check({"type": "positive", "formula": "exp(x) - 1 - x", "box": {"x": ["1", "2"]}, "strict": True,
    ...        "proof": {"by": "split", "variable": "x", "at": "3/2", "parts": [{"by": "mean"}, {"by": "mean"}]}}
    ...       ).statement
    'exp(x) - 1 - x > 0 for x in [1, 2]'
    """
    if not isinstance(certificate, Mapping):
        raise Rejected("a certificate is a JSON object")
    kind = certificate.get("type")
    if not isinstance(kind, str) or kind not in checkers():
        raise Rejected(f"unknown certificate type; known: {', '.join(sorted(checkers()))}")
    try:
        with limited(seconds), checking():
            inspect(certificate)
            return checkers()[kind]({k: v for k, v in certificate.items() if k != "trusts"})
    except Undecided as error:
        raise Rejected(str(error)) from None
    except MemoryError:
        raise Rejected("the check needs too much memory") from None
    except (
        ArithmeticError, AssertionError, LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration
    ) as error:  # fmt: skip
        raise Rejected(f"malformed: {type(error).__name__}: {error}") from error


def examine(certificate: Mapping[str, Any], *, seconds: float = PATIENCE) -> Checked:
    """As `check`, but a refusal is an outcome and not an error: for whoever made the certificate.

    >>> examine({"type": "positive"}).reason[:14]
    'fields missing'
    """
    kind = str(certificate.get("type"))[:40] if isinstance(certificate, Mapping) else ""
    try:
        return Checked(kind, check(certificate, seconds=seconds))
    except Rejected as error:
        return Checked(kind, None, str(error))


def fields(certificate: object, *required: str, optional: tuple[str, ...] = ()) -> list[Any]:
    """The values of the required fields in order; a missing or an unknown field is rejected.

    >>> fields({"type": "a", "x": 1, "y": 2}, "type", "x", "y")
    ['a', 1, 2]
    """
    if not isinstance(certificate, Mapping):
        raise Rejected("an object with named fields is expected")
    missing = [name for name in required if name not in certificate]
    unknown = [name for name in certificate if name not in required and name not in optional]
    if missing or unknown:
        raise Rejected(f"fields missing: {missing}; fields unknown: {[str(name)[:40] for name in unknown]}")
    return [certificate[name] for name in required]
