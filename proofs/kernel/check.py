"""Re-check a certificate with nothing but this kernel.

Every module of the kernel may offer ``CHECKERS``, a map from a certificate's type to a function that takes the
certificate, recomputes all that it claims and returns the verified statement in words, or raises `Rejected`.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.theorem import Theorem

MAX_CERTIFICATE = 4_000_000
Checker = Callable[[Mapping[str, Any]], str | Theorem]


@dataclass(frozen=True)
class Checked:
    """The outcome of a check: `statement` is what was verified; `reason` says why a certificate was refused."""

    valid: bool
    type: str
    statement: str = ""
    reason: str = ""
    trusts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.valid


@cache
def checkers() -> dict[str, Checker]:
    """All checkers of the kernel by certificate type."""
    import dpwitness.proofs.kernel as package

    found: dict[str, Checker] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for name, function in getattr(module, "CHECKERS", {}).items():
            if name in found:
                raise RuntimeError(f"two checkers claim the certificate type {name!r}")
            found[name] = function
    return found


def check(certificate: Mapping[str, Any]) -> Checked:
    """Recompute everything that `certificate` claims.

    Parameters
    ----------
    certificate
        A JSON object with a ``type``; numbers are exact text such as ``"3/4"``. A field ``trusts`` (a list of names)
        is carried through: it names outside solvers on whose word the certificate still rests.

    Returns
    -------
    Checked
        True in a condition exactly when the certificate is valid. Nothing is raised for a bad certificate.

    >>> check({"type": "positive", "formula": "exp(x) - 1 - x", "box": {"x": ["1", "2"]}, "strict": True,
    ...        "proof": {"by": "split", "variable": "x", "at": "3/2", "parts": [{"by": "mean"}, {"by": "mean"}]}})
    Checked(valid=True, type='positive', statement='exp(x) - 1 - x > 0 for x in [1, 2]', reason='', trusts=())
    """
    if not isinstance(certificate, Mapping):
        return Checked(False, "", reason="a certificate is a JSON object")
    kind = certificate.get("type")
    if not isinstance(kind, str) or kind not in checkers():
        known = ", ".join(sorted(checkers()))
        return Checked(False, str(kind)[:40], reason=f"unknown certificate type; known: {known}")
    trusts = certificate.get("trusts", [])
    if not isinstance(trusts, list | tuple) or not all(isinstance(name, str) for name in trusts):
        return Checked(False, kind, reason="trusts must be a list of names")
    try:
        if len(json.dumps(certificate)) > MAX_CERTIFICATE:
            raise Rejected(f"larger than {MAX_CERTIFICATE} characters")
        found = checkers()[kind]({k: v for k, v in certificate.items() if k != "trusts"})
        statement = found if isinstance(found, str) else found.statement
    except (Rejected, Undecided) as error:
        return Checked(False, kind, reason=str(error))
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration) as error:
        return Checked(False, kind, reason=f"malformed: {type(error).__name__}: {error}")
    return Checked(True, kind, statement, trusts=tuple(trusts))


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
