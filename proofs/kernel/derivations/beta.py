r"""Normalisers of power laws with symbols, by Euler's integral.

For :math:`h(z) = c\,(1 + (|z|/s)^g)^{-r}` with s, g > 0 and gr > 1, the substitution :math:`x = (z/s)^g` gives

.. math:: \int_{-\infty}^\infty h = \frac{2cs}{g}\int_0^\infty \frac{x^{1/g - 1}}{(1+x)^r}\,dx
          = \frac{2cs}{g}\,\mathrm B\Bigl(\frac1g,\, r - \frac1g\Bigr),

which for r = 1 is :math:`(2\pi cs/g)/\sin(\pi/g)` by Euler's reflection formula. The last steps are theorems of
calculus; everything else is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import power
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import cases
from dpwitness.proofs.kernel.derivations.ring import ONE, variable
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem


def check_beta(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "derived-beta", "density", "where", "factor", "scale", "power", "exponent"}``."""
    source, where, *parts = fields(certificate, "type", "density", "where", "factor", "scale", "power", "exponent")[1:]
    density = parse(source)
    c, s, g, r = (parse(part) for part in parts)
    names = sorted(density.variables().union(*(p.variables() for p in (c, s, g, r))) - {"z"})
    t = variable("t")
    for values in cases(names, where):
        factor, scale, order, exponent = (read(p, values) for p in (c, s, g, r))
        if any(x.sign != 1 for x in (factor, scale, order, exponent, order * exponent - ONE)):
            raise Rejected("factor, scale, power and exponent are positive, and power times exponent exceeds 1")
        wanted = factor * power(ONE + power(t / scale, order), -exponent)
        if any(read(density, {**values, "z": side}) != wanted for side in (t, -t)):
            raise Rejected("the density is not of the form c*(1 + (|z|/s)**g)**(-r)")
    total = f"2*({parts[0]})*({parts[1]})/({parts[2]})*B(1/({parts[2]}), {parts[3]} - 1/({parts[2]}))"
    said = f"the integral of {source} over z is {total}, B Euler's Beta function, for all {', '.join(where)}"
    model = subject(certificate, "density", "where", "factor", "scale", "power", "exponent")
    domains = {name: {"where": ", ".join(where)} for name in names}
    euler = ("Euler's integral of x^(a-1) (1+x)^(-a-b) over x > 0 is B(a, b)",)
    return Theorem("derived-beta", said, model, False, {}, NO_INPUTS, "any", domains, euler)


CHECKERS = {"derived-beta": check_beta}
