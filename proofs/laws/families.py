r"""The densities 1/(1+\|z\|^γ) for all γ > 1 at once: closed forms in γ.

**Slope.** :math:`|(\ln h)'| = \gamma x^{\gamma-1}/(1+x^\gamma)` with x = \|z\|. The weighted mean inequality, with
weights 1/γ and (γ−1)/γ for 1 and :math:`x^\gamma/(\gamma-1)`, says

.. math:: \frac{1+x^\gamma}{\gamma} \ge \Bigl(\frac{x^\gamma}{\gamma-1}\Bigr)^{(\gamma-1)/\gamma}
          = x^{\gamma-1} (\gamma-1)^{-(\gamma-1)/\gamma},

so the slope is at most :math:`(\gamma-1)^{1-1/\gamma}`, with equality where :math:`x^\gamma = \gamma-1`.

**Dilation.** :math:`1 + z(\ln h)' = 1 - \gamma x^\gamma/(1+x^\gamma)` falls from 1 at x = 0 to 1−γ in the limit, so its
size is at most max(1, γ−1), which is approached.

**Normaliser.** :math:`\int dz/(1+|z|^\gamma) = (2\pi/\gamma)/\sin(\pi/\gamma)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.algebra.expr import call, num, parse, var
from dpwitness.proofs.kernel.arith import Rejected


@dataclass(frozen=True)
class Family:
    """1/(1+|z|^γ) with the exponent `name` kept symbolic, at a pure ε."""

    name: str
    eps: Fraction

    def lines(self) -> list[str]:
        """The closed forms, each valid for every γ > 1."""
        g, half = self.name, self.eps / 2
        slope, stretch = f"({g} - 1)**(1 - 1/{g})", f"Max(1, {g} - 1)"
        return [
            f"h(z) proportional to 1/(1+Abs(z)**{g}), for every {g} > 1",
            f"integral (2*pi/{g})/sin(pi/{g})",
            f"sup |(ln h)'| = {slope}, reached where Abs(z)**{g} = {g} - 1 (weighted mean inequality)",
            f"sup |1 + z (ln h)'| = {stretch}, at z = 0 or in the limit",
            f"slides up to ({half})/({slope}) are (ε, δ) = ({half}, 0)-close",
            f"largest dilation at (ε, δ) = ({half}, 0): ({half})/{stretch}",
            f"f(x) + S(x)/alpha · Z is ε-private for beta-smooth S where alpha*{slope} + beta*{stretch} <= {self.eps}",
        ]


def family(formula: str, eps: object = 1) -> Family | None:
    """The family that a formula names, or None: 1/(1+|z|^γ) up to a factor, with one name besides z in the exponent.

    >>> family("1/(1+Abs(z)**gamma)").name
    'gamma'
    >>> family("1/(1+Abs(z)**4)") is None
    True
    """
    try:
        expr = parse(formula)
    except Rejected:
        return None
    names = sorted(expr.variables() - {"z"})
    if len(names) != 1 or "z" not in expr.variables() or expr.op != "/" or expr.args[0].op != "num":
        return None
    power = call("Abs", var("z")) ** var(names[0])
    if expr.args[0].value <= 0 or expr.args[1] not in (num(1) + power, power + num(1)):
        return None
    e = Fraction(exact(eps, "eps"))
    if e <= 0:
        raise BadInput(f"eps={e} must be positive")
    return Family(names[0], e)
