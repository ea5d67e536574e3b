"""Mistakes that a derivation could make, put into certificates that are right."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Certificate = dict[str, Any]
# the density, its conditions, the change, and formulas that a wrong derivation could arrive at
WRONG_BOUNDS: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("exp(-Abs(z)/b)", "b > 0", "slide"): (
        "Delta/(2*b)", "-Delta/b", "Delta*b", "0", "Delta", "2*Delta/b", "Delta/b + 1",
    ),
    ("exp(-Abs(z)/b)", "b > 0", "slope"): ("1/(2*b)", "b", "0", "-1/b", "2/b"),
    ("1/(1+Abs(z)**gamma)", "gamma > 1", "slope"): (
        "(gamma - 1)**(1/gamma)", "gamma - 1", "1", "gamma", "(gamma - 1)**((gamma - 1)/gamma)/2",
        "gamma**((gamma - 1)/gamma)", "(gamma - 1)**(gamma/(gamma - 1))",
    ),
    ("1/(1+Abs(z)**gamma)", "gamma > 1", "stretch"): (
        "1", "gamma - 1", "Min(1, gamma - 1)", "Max(1, gamma)", "gamma", "0",
    ),
    ("1/(1+Abs(z)**gamma)", "gamma > 1", "dilate"): (
        "lam", "lam*(gamma - 1)", "Min(lam, lam*(gamma - 1))", "gamma*lam",
    ),
    ("exp(-z/s)/(1+exp(-z/s))**2", "s > 0", "slide"): ("Delta/(2*s)", "2*Delta/s", "Delta*s", "log(1 + Delta/s)"),
    ("(1+z**2/nu)**(-(nu+1)/2)", "nu > 0", "stretch"): ("1", "nu", "nu + 1", "Max(1, nu + 1)"),
    ("(1+z**2/nu)**(-(nu+1)/2)", "nu > 0", "slope"): (
        "(nu + 1)/2", "(nu + 1)/(4*sqrt(nu))", "sqrt(nu)", "nu/(2*sqrt(nu))",
    ),
    ("1/(s**2+z**2)", "s > 0", "slide"): (
        "Delta/s", "log(Delta/(2*s) + sqrt(1 + Delta**2/(4*s**2)))", "2*log(1 + Delta/s)", "2*log(Delta/s)",
        "log(1 + Delta**2/s**2)", "4*log(Delta/(2*s) + sqrt(1 + Delta**2/(4*s**2)))",
    ),
    ("1/(1+Abs(z))**gamma", "gamma > 1", "slide"): ("gamma*Delta", "log(1 + Delta)", "gamma*log(Delta)"),
    ("(1+a+(a-1)*sign(z))*exp(-Abs(z)/b)", "a > 1; b > 0", "slide"): (
        "Delta/b", "log(a)", "Delta/b - log(a)", "a*Delta/b",
    ),
    ("exp(-Max(z/a,-z/b))", "a > 0; b > 0", "slide"): ("Delta/a", "Delta/b", "Min(Delta/a, Delta/b)", "Delta/(a + b)"),
    ("exp(-Abs(z)**p)", "p > 0; p < 1", "slide"): ("p*Delta", "Delta", "Delta**(2*p)", "p*Delta**p"),
}  # fmt: skip


def injected(certificate: Certificate) -> Iterator[tuple[str, Certificate]]:
    """The same certificate with one mistake in its reasoning, or in what it is about."""
    proof = certificate["proof"]
    if isinstance(proof, list) or proof.get("by") != "pieces":
        return
    dropped = copy.deepcopy(certificate)
    dropped["proof"]["bounds"].pop()
    yield "a piece without a proof", dropped
    fewer = copy.deepcopy(certificate)
    if len(fewer["proof"]["cuts"]) > 1:
        fewer["proof"]["cuts"].pop()
        fewer["proof"]["bounds"].pop()
        yield "a cut left out", fewer
    lost = copy.deepcopy(certificate)
    lost["where"] = lost["where"][:-1]
    yield "a lost condition", lost
    wider = copy.deepcopy(certificate)
    wider["where"] = [c.replace("> 1", "> 1/2").replace("> 0", "> -1") for c in wider["where"]]
    yield "a wider condition", wider
    for side in ("upper", "lower"):
        empty = copy.deepcopy(certificate)
        empty["proof"]["bounds"][0][side] = {"by": "trust me"}
        yield f"an unknown rule ({side})", empty
    sharp = proof["sharp"]
    if sharp is not None:
        turned = copy.deepcopy(certificate)
        turned["proof"]["sharp"]["side"] = "lower" if sharp["side"] == "upper" else "upper"
        yield "reached from the wrong side", turned
        beyond = copy.deepcopy(certificate)
        beyond["proof"]["sharp"]["piece"] = len(proof["bounds"])
        yield "reached on a piece that is not there", beyond
    if "Abs(z)" in certificate["density"]:
        branch = copy.deepcopy(certificate)
        branch["density"] = branch["density"].replace("Abs(z)", "z")
        yield "a wrong branch of the absolute value", branch
