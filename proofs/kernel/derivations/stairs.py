r"""The staircase density with symbols: :math:`h(z) \propto e^{-\varepsilon_0 n(|z|)}`, n the number of stairs.

:math:`n(t) = \lfloor t/s + 1 - g\rfloor` is ⌊t/s⌋, and one more from the share g of a stair on, 0 ≤ g ≤ 1.

**Slide.** Let Δ > 0 and d = ⌈Δ/s⌉. As \|\|z+Δ\| − \|z\|\| ≤ Δ ≤ ds and n(t + ds) = n(t) + d, the numbers of stairs at
z and z + Δ differ by at most d. Write Δ = ds − r with 0 ≤ r < s. For z > 0 and x = z/s + 1 − g, ⌊x + Δ/s⌋ = ⌊x⌋ + d
where the fractional part of x is at least r/s, which is so on a set of positive measure. So the loss is exactly
:math:`\varepsilon_0\lceil\Delta/s\rceil`.

**Dilation.** For λ > 0, n(e^λ t) − n(t) ≥ (e^λ − 1)t/s − 1 grows beyond all bounds: no finite bound holds.

**Normaliser.** :math:`2\sum_k e^{-\varepsilon_0 k}` times the widths of stair k: gs for k = 0, then s for each k, is
:math:`2s(g + \frac{x}{1-x})` with :math:`x = e^{-\varepsilon_0}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import exp
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import cases
from dpwitness.proofs.kernel.derivations.ring import ONE, number
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem

SAID = {
    "slide": "a slide by Delta > 0, either way, changes ln h by at most rate times Delta/width rounded up, and no less",
    "dilate": "no finite bound holds for a dilation",
}


def check_stairs(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "derived-stairs", "rate", "width", "split", "where", "claim", "total"}``.

    The rate, the width and the split are formulas; that rate and width are positive and 0 ≤ split ≤ 1 is seen in the
    region. `claim` is ``slide``, ``dilate`` or ``total``; `total` is the normaliser as a formula, else None.
    """
    rate, width, split, where, claim, total = fields(
        certificate, "type", "rate", "width", "split", "where", "claim", "total"
    )[1:]
    parts = [parse(x) for x in (rate, width, split)]
    stated = None if total is None else parse(total)
    names = sorted(frozenset().union(*(p.variables() for p in parts), stated.variables() if stated else ()))
    if claim not in ("slide", "dilate", "total") or (claim == "total") != (stated is not None):
        raise Rejected("a claim is slide, dilate or total, and only total has a formula")
    for values in cases(names, where):
        r, s, g = (read(p, values) for p in parts)
        if r.sign != 1 or s.sign != 1 or g.sign not in (0, 1) or (ONE - g).sign not in (0, 1):
            raise Rejected("a rate and a width are positive, and a split lies in [0, 1]")
        if stated is not None:
            x = exp(-r)
            if read(stated, values) != number(2) * s * (g + x / (ONE - x)):
                raise Rejected("the normaliser is another one")
    law = f"staircase density with rate {rate}, width {width} and split {split}"
    said = f"{law}, for all {', '.join(where)}: " + (SAID[claim] if stated is None else f"its integral is {total}")
    model = subject(certificate, "rate", "width", "split", "where", "claim")
    domains = {name: {"where": ", ".join(where)} for name in names}
    return Theorem("derived-stairs", said, model, claim == "dilate", {}, NO_INPUTS, "any", domains)


CHECKERS = {"derived-stairs": check_stairs}
