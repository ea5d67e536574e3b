"""What the checks of exercises share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import exact

Cases = Iterable[tuple[Sequence[Any], Any]]


def values(answer: Callable[..., Any], cases: Cases, tolerance: float = 1e-9) -> str | None:
    """Compare numbers with what the library says; None where all agree.

    >>> values(lambda x: 2 * x, [((1,), 2), ((3,), 6)]) is None
    True
    >>> values(lambda x: x, [((1,), 2)])
    'for (1) it gives 1, and 2 is right'
    """
    for arguments, right in cases:
        got = answer(*arguments)
        shown = ", ".join(map(_text, arguments))
        if got is None or got is Ellipsis:
            return f"for ({shown}) it gives nothing"
        if isinstance(right, bool) or not isinstance(right, int | float | Fraction):
            agree = got == right
        elif not isinstance(got, int | float | Fraction):
            agree = False
        elif math.isinf(right):
            agree = float(got) == right
        else:
            agree = math.isclose(float(got), float(right), rel_tol=tolerance, abs_tol=tolerance * 1e-6)
        if not agree:
            return f"for ({shown}) it gives {_text(got)}, and {_text(right)} is right"
    return None


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def proved(answer: Any, name: str, original: Mechanism, params: Iterable[dict[str, Any]]) -> str | None:
    """A program is solved when the library proves its claim, and the claim is still that of the starter."""
    from dpwitness.lessons.run import verdict

    if not isinstance(answer, Mechanism):
        return f"{name} is not decorated with @mechanism any more"
    for point in params:
        wanted = original.claims(**point)[0]
        found = verdict(answer, **point)
        if (found.claim.guarantee, found.claim.space) != (wanted.guarantee, wanted.space):
            return "the claim or the data were changed; only the body is yours"
        at = ", ".join(f"{key} = {exact(value, key)}" for key, value in point.items())
        if found.decision.value != "PROVED":
            return f"at {at} the claim is {found.decision.value}"
    return None


def useful(answer: Mechanism, data: Sequence[Any], right: Any, **params: Any) -> str | None:
    """Where the noise is tiny, a program must give nearly the true answer: silence is private and useless."""
    import numpy as np

    from dpwitness.core.readers.recorder import record

    got = record(answer.program, np.random.default_rng(0), list(data), **params).output
    if _near(got, right):
        return None
    at = ", ".join(f"{key} = {value}" for key, value in params.items())
    return f"it is private, but on {list(data)} with {at} it gives {got} and not about {right}"


def _near(got: Any, right: Any) -> bool:
    if isinstance(right, list | tuple):
        same = isinstance(got, list | tuple) and len(got) == len(right)
        return same and all(_near(a, b) for a, b in zip(got, right, strict=True))
    if isinstance(right, bool) or not isinstance(got, int | float | Fraction):
        return bool(got == right)
    return abs(float(got) - float(right)) < 0.5
