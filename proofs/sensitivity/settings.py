"""What is asked: formulas, neighbours, interval and sizes, as the kernel's setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.numbers import exact
from dpwitness.core.records import Interval, Records
from dpwitness.proofs.kernel.arith import Rejected, text
from dpwitness.proofs.kernel.sensitivity.setting import Setting, read_setting
from dpwitness.proofs.sensitivity.reading import ADVICE, read_python, read_text

Function = str | Sequence[str] | Callable[..., Any]


def read_function(f: Function, params: tuple[str, ...]) -> list[str]:
    """The canonical formulas of a function."""
    if callable(f):
        return read_python(f)
    if isinstance(f, str):
        return [read_text(f, params)]
    if isinstance(f, Sequence) and f and all(isinstance(part, str) for part in f):
        return [read_text(part, params) for part in f]
    raise BadInput(f"f={f!r} must be a formula, a list of formulas or a function of the records")


def read_space(space: Records | None, n: object) -> tuple[str, tuple[Fraction, Fraction], Sequence[int] | None]:
    """Neighbours, interval and the numbers of records that are asked for; None where these are all."""
    relation, ends = "substitute", (Fraction(0), Fraction(1))
    sizes: Sequence[int] | None = None
    if space is not None:
        if not isinstance(space, Records) or not isinstance(space.domain, Interval):
            raise BadInput(
                "the sensitivity of a function is found for records of an interval or of a box: "
                "Records(Interval(0, 1), 3) or Records(Box((0, 1), (0, 1)), 3)"
            )
        relation, ends = space.relation, (Fraction(space.domain.low), Fraction(space.domain.high))
        first = space.fewest if relation == "add-remove" else max(space.fewest, 1)
        sizes = range(first, space.most + (relation == "substitute"))
    if n == "any":
        return relation, ends, None
    if n is not None:
        if type(n) is not int or n < (relation == "substitute"):
            raise BadInput(f"n={n!r} must be 'any' or a positive number of records")
        sizes = [n]
    return relation, ends, sizes


def make_setting(
    texts: Sequence[str],
    params: Mapping[str, tuple[object, object]] | None = None,
    ends: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1)),
    relation: str = "substitute",
    norm: str = "l1",
) -> Setting:
    """The setting of a certificate; formulas that the kernel does not read are refused with advice."""
    given = {
        name: [text(exact(low, name)), "inf" if high is None else text(exact(high, name))]
        for name, (low, high) in (params or {}).items()
    }
    try:
        return read_setting(
            {
                "formula": list(texts),
                "params": given,
                "records": [text(e) for e in ends],
                "relation": relation,
                "norm": norm,
            }
        )
    except Rejected as error:
        raise OutsideFragment(f"{error}. {ADVICE}") from None


def as_json(setting: Setting) -> dict[str, Any]:
    """The fields of a certificate that say what it speaks of."""
    params = {k: [text(a or 0), "inf" if b is None else text(b)] for k, (a, b) in setting.params.items()}
    return {
        "formula": list(setting.texts),
        "params": params,
        "records": [text(e) for e in setting.ends],
        "relation": setting.relation,
        "norm": setting.norm,
    }
