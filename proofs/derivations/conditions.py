"""Conditions as people write them, and whether a formula is a density under them; messages that say what is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dpwitness.core.errors import BadInput
from dpwitness.core.text import line
from dpwitness.proofs.derivations.bounds import back
from dpwitness.proofs.derivations.bridge import simplified
from dpwitness.proofs.derivations.lines import kinks, ordered
from dpwitness.proofs.derivations.quotients import points, roots, show, value
from dpwitness.proofs.kernel.algebra.expr import FUNCTIONS, Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.derivations.functions import Unseen, put
from dpwitness.proofs.kernel.derivations.losses import Pieces, integrable
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import RESERVED, Empty, Values, cases
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, variable

TAKEN = frozenset(("ln", "abs", "min", "max", "Heaviside", "eps", "delta", "alpha", "beta", "move", "more"))
_ORDER = re.compile(r"(<=|>=|<|>)")


def conditions(where: str | Sequence[str]) -> tuple[str, ...]:
    """Single comparisons from text such as ``"0 < p < 1, a > 0"``.

    >>> conditions("0 < p < 1, a > 0")
    ('0 < p', 'p < 1', 'a > 0')
    """
    given = [where] if isinstance(where, str) else list(where)
    made: list[str] = []
    for text in given:
        if not isinstance(text, str):
            raise BadInput(f"where={text!r} must be text such as 'b > 0'")
        for part in re.split(r",|\band\b|&", text):
            if not part.strip():
                continue
            pieces = _ORDER.split(part)
            if len(pieces) < 3:
                raise BadInput(f"where={line(part.strip(), 60)!r} compares nothing: write for example 'b > 0'")
            for i in range(0, len(pieces) - 2, 2):
                made.append(f"{pieces[i].strip()} {pieces[i + 1]} {pieces[i + 2].strip()}")
    return tuple(made)


def check_density(source: str, where: Sequence[str]) -> None:
    """Raise `BadInput` unless the formula is non-negative and integrable for all parameters, as far as can be seen."""
    expr = parse(source)
    if "z" not in expr.variables():
        raise BadInput(f"{line(source, 60)!r} does not depend on z: a density is a formula in z")
    names = sorted(expr.variables() - {"z"})
    for name in names:
        if name in RESERVED or name in FUNCTIONS or name in TAKEN:
            raise BadInput(f"a parameter cannot be called {name!r}, which has another meaning here: rename it")
    try:
        regions = cases(names, where)
    except Empty as error:
        raise BadInput(f"where={', '.join(where)!r}: {error}; change the conditions") from None
    except Rejected as error:
        raise BadInput(f"where={', '.join(where)!r}: {error}") from None
    for values in regions:
        _case(source, expr, names, where, values)


def _case(source: str, expr: Expr, names: Sequence[str], where: Sequence[str], values: Values) -> None:
    cuts = ordered([read(k, values) for k in kinks(expr)] or [ZERO])
    for z in Pieces(cuts).z:
        h = read(expr, {**values, "z": z})
        if h and h.sign != 1:
            _negative(h, z, names, where)
        try:
            good = integrable(h, z)
        except Unseen as error:
            needed = _solved(error.of, names, where)
            raise BadInput(
                f"the integral of {line(source, 60)!r} is finite only where {needed}: add this condition"
            ) from None
        if not good:
            raise BadInput(f"the integral of {line(source, 60)!r} over the line is infinite, whatever the parameters")


def _negative(h: Quotient, z: Quotient, names: Sequence[str], where: Sequence[str]) -> None:
    """Say where a formula is negative; where no such place is found, it is only not seen to be positive."""
    for at in points(h.variables | z.variables, 60):
        try:
            if value(h, at) < -1e-12:
                text = back(names, where)
                inside = ", ".join(
                    f"{n} with {t} = {at[n]:.3g}" if t != n else f"{n} = {at[n]:.3g}"
                    for n, t in text.items()
                    if n in at
                )
                raise BadInput(
                    f"the density is negative, for instance at z = {value(z, at):.3g}{', ' + inside if inside else ''}"
                )
        except (OverflowError, ZeroDivisionError, ValueError) as error:
            if isinstance(error, BadInput):
                raise
    raise Undecided("the density is not seen to be positive for all parameters")


def _solved(of: Quotient, names: Sequence[str], where: Sequence[str]) -> str:
    """A condition under which a formula is negative."""
    text = back(names, where)
    for name in sorted(of.variables & set(names)):
        for root in roots(of, name):
            at = simplified(show(put(cases(names, where)[0][name], {name: root}), text))
            below = put(of, {name: root / (ONE + variable("t"))})
            return f"{name} {'<' if below.sign == -1 else '>'} {at}"
    return f"{show(of, text)} < 0"
