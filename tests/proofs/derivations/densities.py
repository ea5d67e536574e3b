"""Densities with symbols, and what is known of them from the literature or by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A density, its conditions, and the bounds as formulas; None where no finite bound holds."""

    name: str
    formula: str
    where: str
    slide: str | None
    dilate: str | None
    slope: str | None = None  # where the slide has no closed form


KNOWN = (
    Known("Laplace", "exp(-Abs(z)/b)/(2*b)", "b > 0", "Delta/b", None),
    Known("generalised Cauchy", "1/(1+Abs(z)**gamma)", "gamma > 1", "", "Max(1, gamma - 1)*lam",
          slope="(gamma - 1)**((gamma - 1)/gamma)"),
    Known("Gaussian", "exp(-z**2/(2*sigma**2))", "sigma > 0", None, None),
    Known("logistic", "exp(-z/s)/(1+exp(-z/s))**2", "s > 0", "Delta/s", None),
    Known("Student", "(1+z**2/nu)**(-(nu+1)/2)", "nu > 0",
          "(nu + 1)*log(Delta/(2*sqrt(nu)) + sqrt(1 + Delta**2/(4*nu)))", "Max(1, nu)*lam"),
    Known("Cauchy", "1/(s**2+z**2)", "s > 0", "2*log(Delta/(2*s) + sqrt(1 + Delta**2/(4*s**2)))", "lam"),
    Known("exponential", "Heaviside(z)*exp(-z/b)/b", "b > 0", None, None),
    Known("uniform", "Heaviside(z)*Heaviside(b-z)/b", "b > 0", None, None),
    Known("mixture of Laplace laws", "p*exp(-Abs(z)/a)/a + (1-p)*exp(-Abs(z)/b)/b", "0 < p < 1, 0 < a < b",
          "log((p/a + (1-p)/b)/(p*exp(-Delta/a)/a + (1-p)*exp(-Delta/b)/b))", None),
    Known("shifted power", "1/(1+Abs(z))**gamma", "gamma > 1", "gamma*log(1 + Delta)", "Max(1, gamma - 1)*lam"),
    Known("hyperbolic secant", "1/cosh(z/s)", "s > 0", "Delta/s", None),
    Known("Laplace with a jump", "(1+a+(a-1)*sign(z))*exp(-Abs(z)/b)", "a > 1, b > 0", "Delta/b + log(a)", None),
    Known("two scales", "exp(-Max(z/a,-z/b))", "a > 0, b > 0", "Max(Delta/a, Delta/b)", None),
    Known("stretched exponential", "exp(-Abs(z)**p)", "0 < p < 1", "Delta**p", None),
    Known("squared Cauchy", "1/(1+z**2/s**2)**2", "s > 0",
          "4*log(Delta/(2*s) + sqrt(1 + Delta**2/(4*s**2)))", "3*lam"),
    Known("Laplace with a round top", "exp(-Abs(z)/b)*(1+Abs(z)/b)", "b > 0", "Delta/b", None),
    Known("inverse square", "1/(c+Abs(z))**2", "c > 0", "2*log(1 + Delta/c)", "lam"),
    Known("half logistic tails", "1/(1+exp(Abs(z)/s))", "s > 0", "Delta/s", None),
    Known("truncated Laplace", "Heaviside(w-Abs(z))*exp(-Abs(z)/b)", "b > 0, w > 0", None, None),
    Known("half normal", "Heaviside(z)*exp(-z**2/(2*s**2))", "s > 0", None, None),
    Known("hyperbolic cosine", "exp(-cosh(z/s))", "s > 0", None, None),
    Known("fourth power", "1/(s**4+z**4)", "s > 0", "", "3*lam", slope="3**(3/4)/s"),
    Known("Gumbel", "exp(-z/s-exp(-z/s))", "s > 0", None, None),
)  # fmt: skip
