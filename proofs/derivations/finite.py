"""Laws on outcomes with symbols: where single outcomes keep (ε,δ) and sets do not, and relatives of this example."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.proofs.derivations.model import Derivation, Step
from dpwitness.proofs.derivations.search import Search, Tree
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Undecided
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.derivations.functions import exp
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases
from dpwitness.proofs.kernel.derivations.ring import ZERO, Quotient

Row = Mapping[str, str]
CHECKING = 10.0


def outcome(count: str, left: str, right: str, ratio: str | None = None) -> dict[str, str]:
    """A class of outcomes as certificates state it."""
    return {"count": count, "left": left, "right": right, **({} if ratio is None else {"ratio": ratio})}


def certify(
    classes: Sequence[Row], where: Sequence[str], claim: str, formula: str | None = None, order: str = "both",
    chosen: Sequence[int] = (),
) -> dict[str, Any]:  # fmt: skip
    """A certificate of one statement about two laws; raises `Undecided` where no proof is found."""
    names = frozenset().union(*(parse(v).variables() for c in classes for v in c.values()))
    names |= parse(formula).variables() if formula else frozenset()
    names |= {"eps"} if claim != "loss" else frozenset()
    names |= {"delta"} if claim in ("singles", "fails") else frozenset()
    regions = cases(sorted(names), where)
    cert: dict[str, Any] = {
        "type": "derived-outcomes", "where": list(where), "classes": [dict(c) for c in classes], "claim": claim,
        "formula": formula, "order": order,
    }  # fmt: skip
    proofs = []
    for values in regions:
        rows = [tuple(read(parse(c[side]), values) for side in ("left", "right")) for c in classes]
        proofs.append(_proof(rows, values, claim, formula, order, chosen))
    cert["proof"] = proofs if len(proofs) > 1 else proofs[0]
    check(cert, seconds=CHECKING)
    return cert


def _proof(
    rows: Sequence[tuple[Quotient, ...]], values: Values, claim: str, formula: str | None, order: str,
    chosen: Sequence[int],
) -> dict[str, Any]:  # fmt: skip
    if claim == "fails":
        return {"classes": list(chosen)}
    if claim == "loss":
        growth = exp(read(parse(str(formula)), values))
        gaps = [(growth * q - p, growth * p - q) for p, q in rows]
        i, side = next(((i, k) for i, pair in enumerate(gaps) for k in (0, 1) if pair[k] == ZERO), (0, 0))
        trees = [{"left": found(a), "right": found(b)} for a, b in gaps]
        return {"trees": trees, "equal": {"class": i, "order": ("left", "right")[side]}}
    growth = exp(values["eps"])
    if claim == "singles":
        delta = values["delta"]
        return {
            "trees": [{"left": found(growth * q + delta - p), "right": found(growth * p + delta - q)} for p, q in rows]
        }
    signs: list[dict[str, Any]] = []
    for p, q in rows:
        gap = p - growth * q if order == "left" else q - growth * p
        up = Search(200).prove(gap)
        signs.append({"sign": 1, "tree": up} if up is not None else {"sign": -1, "tree": found(-gap)})
    return {"trees": signs}


def found(gap: Quotient) -> Tree:
    """A proof that a gap is ≥ 0."""
    tree = Search(300).prove(gap)
    if tree is None:
        raise Undecided("an inequality was not proved")
    return tree


def single_outcomes_and_sets() -> Derivation:
    """m outcomes of mass δ that the other law never gives: each keeps (ε,δ), all of them together do not.

    >>> [step.formula for step in single_outcomes_and_sets().steps][:1]
    ['log((1 - delta)/(1 - m*delta))']
    """
    classes = [outcome("m", "delta", "0"), outcome("1", "1 - m*delta", "1")]
    least = "log((1 - delta)/(1 - m*delta))"
    inside = ("m >= 2", "delta > 0", "delta < 1/m", f"eps >= {least}")
    outside = ("m >= 2", "delta > 0", "delta < 1/m", f"eps < {least}", "eps > 0")
    general_where = ("m >= 1", "eps > 0", "q > 0", "q < exp(-eps)/m", "delta > 0", "delta < 1/m - q*exp(eps)")
    general = [outcome("m", "q*exp(eps) + delta", "q"), outcome("1", "1 - m*(q*exp(eps) + delta)", "1 - m*q")]
    two = ("delta > 0", "delta < 1/2", "eps >= log((1 - delta)/(1 - 2*delta))")
    pair = [outcome("2", "delta", "0"), outcome("1", "1 - 2*delta", "1")]
    steps = [
        Step("single outcomes keep (ε, δ) from this ε on", "each class of outcomes, in both orders", least, inside,
             certify(classes, inside, "singles")),
        Step("and there the set of all m outcomes breaks it", "P(S) = m·δ and Q(S) = 0", "m*delta", inside,
             certify(classes, inside, "fails", order="left", chosen=[0])),
        Step("below, the common outcome breaks it already", "Q − e^ε P exceeds δ there", least, outside[:4],
             certify(classes, outside[:4], "fails", order="right", chosen=[1])),
        Step("for two outcomes: single outcomes keep (ε, δ) from this ε on", "m = 2", "log((1 - delta)/(1 - 2*delta))",
             two, certify(pair, two, "singles")),
        Step("δ(ε) of the pair of laws, P against Q", "the sum of the positive parts of P − e^ε Q", "m*delta",
             inside, certify(classes, inside, "delta", "m*delta", "left")),
        Step("with masses q on the m outcomes and singles at their limit p = e^ε q + δ, δ(ε) is still m·δ",
             "the sum of the positive parts", "m*delta", general_where,
             certify(general, general_where, "delta", "m*delta", "left")),
    ]  # fmt: skip
    return Derivation(
        "P: m outcomes of mass delta, rest 1 - m*delta; Q: rest 1", ("m >= 2", "0 < delta < 1/m"), tuple(steps)
    )


def randomized_response() -> Derivation:
    """One of k answers: the true one with weight e^η, each other one with weight 1."""
    total = "(exp(eta) + k - 1)"
    classes = [
        outcome("1", f"exp(eta)/{total}", f"1/{total}"), outcome("1", f"1/{total}", f"exp(eta)/{total}"),
        outcome("k - 2", f"1/{total}", f"1/{total}"),
    ]  # fmt: skip
    where = ("k >= 2", "eta > 0")
    curve = f"(exp(eta) - exp(eps))/{total}"
    near = (*where, "eps >= 0", "eps <= eta")
    steps = [
        Step(
            "the pure loss",
            "p/q takes the values e^η, e^−η and 1",
            "eta",
            where,
            certify(classes, where, "loss", "eta"),
        ),
        Step("δ(ε) for ε ≤ η", "one answer has p > e^ε q", curve, near, certify(classes, near, "delta", curve, "left")),
    ]
    return Derivation("exp(eta)/(exp(eta) + k - 1)", where, tuple(steps))


def geometric() -> Derivation:
    """Two-sided geometric noise on counts that differ by 1: masses (1−a)/(1+a)·a^∣k∣."""
    first = "(1 - a)/(1 + a)"
    classes = [outcome("1", first, f"a*{first}", "a"), outcome("1", f"a*{first}", first, "a")]
    where = ("a > 0", "a < 1")
    near = ("eps > 0", "a > 0", "a <= exp(-eps)")
    curve = "(1 - a*exp(eps))/(1 + a)"
    steps = [
        Step("the pure loss", "p/q is 1/a at the outcomes up to the first count, and a beyond", "-log(a)", where,
             certify(classes, where, "loss", "-log(a)")),
        Step("δ(ε) for ε ≤ ln(1/a)", "geometric sums over both sides", curve, near,
             certify(classes, near, "delta", curve, "left")),
    ]  # fmt: skip
    return Derivation("(1 - a)/(1 + a)*a**Abs(z)", where, tuple(steps))


def exponential_mechanism() -> Derivation:
    """One option's score rises by 1 at weight e^(η·score); w is the weight of all others beside its own."""
    classes = [outcome("1", "exp(eta)/(exp(eta) + w)", "1/(1 + w)"), outcome("1", "w/(exp(eta) + w)", "w/(1 + w)")]
    where = ("w > 0", "eta > 0")
    curve = "exp(eta)/(exp(eta) + w) - exp(eps)/(1 + w)"
    most = "eta + log((1 + w)/(exp(eta) + w))"
    other = "log((exp(eta) + w)/(1 + w))"
    near = ("eta > 0", "eps >= 0", "eps < eta", "w >= exp(eta)*(exp(eps) - 1)/(exp(eta) - exp(eps))")
    small = ("eta > 0", "w > 0", "w <= exp(eta/2)")
    large = ("eta > 0", "w >= exp(eta/2)")
    steps = [
        Step("the pure loss, where the others weigh more", "the option that rises", most, large,
             certify(classes, large, "loss", most)),
        Step("the pure loss, where they weigh less", "the options that do not", other, small,
             certify(classes, small, "loss", other)),
        Step("δ(ε), one order", "the option that rises", curve, near, certify(classes, near, "delta", curve, "left")),
    ]  # fmt: skip
    return Derivation("exp(eta)/(exp(eta) + w)", where, tuple(steps))


NAMED: dict[str, Callable[[], Derivation]] = {
    "sets": single_outcomes_and_sets,
    "randomized-response": randomized_response,
    "geometric": geometric,
    "exponential-mechanism": exponential_mechanism,
}


def named(name: str) -> Derivation:
    """A derivation by its name."""
    if name not in NAMED:
        raise BadInput(f"name={name!r} is unknown; known: {', '.join(NAMED)}")
    return NAMED[name]()
