r"""The derivation behind each law of additive noise: what `UpperBound` certificates use of it, for all parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.proofs.derivations.finite import geometric
from dpwitness.proofs.derivations.law import noise_law
from dpwitness.proofs.derivations.model import Derivation, Step
from dpwitness.proofs.derivations.stairs import staircase
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check

DENSITIES = {
    "laplace": ("exp(-Abs(z)/b)/(2*b)", "b > 0"),
    "exponential": ("Heaviside(z)*exp(-z/b)/b", "b > 0"),
    "uniform": ("Heaviside(z)*Heaviside(w - z)/w", "w > 0"),
    "admissible": ("1/(1 + Abs(z)**gamma)", "gamma > 1"),
    "gaussian": ("exp(-z**2/(2*sigma**2))/(sigma*sqrt(2*pi))", "sigma > 0"),
}


@lru_cache(maxsize=32)
def of_law(name: str) -> Derivation:
    """The derivation of a law of `dpwitness.proofs.kernel.laws.noise`.

    >>> of_law("discrete_laplace").steps[0].formula
    '-log(a)'
    """
    if name == "discrete_laplace":
        return geometric()
    if name == "staircase":
        return staircase()
    if name == "discrete_gaussian":
        return _integer_gaussian()
    if name not in DENSITIES:
        raise BadInput(f"name={name!r} is no law with a derivation; known: {', '.join(LAWS)}")
    found = noise_law(*DENSITIES[name]).derivation
    if name == "gaussian":
        return Derivation(found.subject, found.conditions, (*found.steps, *_renyi()))
    return found


LAWS = (*DENSITIES, "discrete_laplace", "staircase", "discrete_gaussian")


def of_certificate(certificate: Mapping[str, Any] | None) -> tuple[Derivation, ...]:
    """The derivations of the laws that an additive certificate names, each law once."""
    if certificate is None or certificate.get("type") != "noise":
        return ()
    names = [law.get("name") for law in certificate.get("laws", ()) if isinstance(law, Mapping)]
    return tuple(of_law(str(name)) for name in dict.fromkeys(names) if name in LAWS)


_SQUARES = "alpha*z**2 + (1 - alpha)*(z + Delta)**2"


def _renyi() -> tuple[Step, ...]:
    """The Rényi divergence of a slide, as an integral."""
    where = ["sigma > 0", "alpha > 1", "Delta > 0"]
    density = f"exp(-({_SQUARES})/(2*sigma**2))/(sigma*sqrt(2*pi))"
    moved = "-erfc((z + (1 - alpha)*Delta)/(sigma*sqrt(2)))/2"
    rise = "alpha*(alpha - 1)*Delta**2/(2*sigma**2)"
    total = f"exp({rise})"
    cert = {
        "type": "derived-mass", "density": density, "where": [w.replace("Delta", "move") for w in where], "cuts": ["0"],
        "antiderivatives": [f"{total}*({moved})".replace("Delta", "move")] * 2, "total": total.replace("Delta", "move"),
    }  # fmt: skip
    cert["density"] = density.replace("Delta", "move")
    try:
        check(cert, seconds=5.0)
    except Rejected:
        return ()
    return (
        Step("∫ h(z)^α h(z + Δ)^(1−α) dz", "the exponent is a square in z + (1−α)Δ", total, ("alpha > 1",), cert),
        Step("so the Rényi divergence of order α is", "its logarithm over α − 1", "alpha*Delta**2/(2*sigma**2)",
             ("alpha > 1",), _identity(f"log({total})/(alpha - 1)", "alpha*Delta**2/(2*sigma**2)", where)),
    )  # fmt: skip


def _identity(left: str, right: str, where: list[str]) -> dict[str, Any] | None:
    left, right, where = (
        left.replace("Delta", "move"), right.replace("Delta", "move"), [w.replace("Delta", "move") for w in where]
    )  # fmt: skip
    cert = {"type": "derived-identity", "where": where, "left": left, "right": right}
    check(cert, seconds=5.0)
    return cert


def _integer_gaussian() -> Derivation:
    where = ["alpha > 1", "move > 0", "k > 0"]
    squares = "alpha*z**2 + (1 - alpha)*(z + move)**2"
    right = "(z + (1 - alpha)*move)**2 + alpha*(1 - alpha)*move**2"
    cert = {"type": "derived-identity", "where": where,
            "left": squares.replace("z", "k"), "right": right.replace("z", "k")}  # fmt: skip
    check(cert, seconds=5.0)
    steps = (
        Step("the exponent of P(k)^α P(k + n)^(1−α), times −2σ²", "a square is completed",
             right.replace("z", "k"), ("alpha > 1",), cert),
        Step("so the Rényi divergence of order α is at most", "over the integers, a moved square has at most the sum "
             "of the square itself (Canonne, Kamath and Steinke 2020, proposition 5)", "alpha*move**2/(2*sigma**2)",
             ("alpha > 1",), None),
    )  # fmt: skip
    return Derivation("exp(-z**2/(2*sigma**2))", ("sigma > 0", "z a whole number"), steps)
