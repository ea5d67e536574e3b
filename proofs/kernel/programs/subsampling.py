r"""Privacy amplification by subsampling: the guarantee of a program that first draws a sample of its records.

Let M be the program on the sample, and write A for the mean of P[M(T) in S] over samples T that do not hold the
record x in question, B for the mean over those that do, and B' for the same with x replaced by x'.

* **Every record with probability q, one record added or removed.** The two laws are A and (1−q)A + qB. Where M has
  loss at most a under add/remove, e^(−a)A ≤ B ≤ e^a A. So the second is at most 1 − q + q·e^a times the first, and the
  first at most 1/(1 − q + q·e^(−a)) times the second, which is less: (1 − q + q·e^a)(1 − q + q·e^(−a)) ≥ 1.
* **Every record with probability q, one record replaced.** The two laws are (1−q)A + qB and (1−q)A + qB'. Where M has
  loss a under add/remove and s ≤ 2a under replacement, B ≤ e^a A and B ≤ e^s B', and the quotient is at most
  (1 − q + q·e^a)/(1 − q + q·e^(a−s)): it grows with B and falls with B', and on B = e^s B' it grows with B'.
* **m of n records in random order, one record replaced.** With γ = m/n the two laws are (1−γ)A + γB and (1−γ)A + γB'.
  Putting another record in the place of x turns a uniform sample with x into one without it, so where M has loss s
  under replacement, B ≤ e^s A and B ≤ e^s B'. With t = 1 + γ(e^s − 1) and β = t·e^(−s), which lies in [γ, 1],
  (1−γ)A + γB − t·[(1−γ)A + γB'] = γ·[B − e^s·((1−β)A + βB')] ≤ 0.

(Balle, Barthe and Gaboardi 2018.) The loss of M is read from a certificate about all inputs of a finite space.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import check, fields
from dpwitness.proofs.kernel.programs.pairs import programs
from dpwitness.proofs.kernel.spaces import Space, read_space
from dpwitness.proofs.kernel.statements import EVERY_EPS, at_eps, epsilon_delta
from dpwitness.proofs.kernel.theorem import Theorem, evaluate, fingerprint

INNER = ("program-finite", "program-pairs")


def inner_spaces(sampling: object, outer: Space) -> dict[str, Space]:
    """The spaces of samples on which the loss of M must be known, by neighbour relation; the last may be left out."""
    kind, size = fields(sampling, "kind", "size")
    if outer.moves is not None:
        raise Rejected("samples are of records")
    if kind == "poisson":
        if not 0 < number(size) <= 1:
            raise Rejected("a rate lies between 0 and 1")
        relations = ("add-remove",) if outer.relation == "add-remove" else ("add-remove", "substitute")
        return {name: Space(outer.points, 0, outer.most, name) for name in relations}
    if kind != "without-replacement" or outer.relation != "substitute":
        raise Rejected("no rule for this kind of sample under this relation")
    m = number(size)
    if m.denominator != 1 or not 1 <= m <= outer.fewest:
        raise Rejected("a sample has at least one record and no more than there are")
    return {"substitute": Space(outer.points, int(m), int(m), "substitute")}


def quotient(sampling: object, outer: Space, losses: Mapping[str, Fraction]) -> tuple[ExpSum, ExpSum]:
    """(t, b) such that P ≤ (t/b)·P' for neighbours of the outer space."""
    kind, size = fields(sampling, "kind", "size")
    one = ExpSum.of(1)
    if kind == "without-replacement":  # where the number of records varies, the smallest has the largest share
        share = number(size) / outer.fewest
        return (1 - share) * one + share * ExpSum.exp(losses["substitute"]), one
    q, a = number(size), losses["add-remove"]
    above = (1 - q) * one + q * ExpSum.exp(a)
    if outer.relation == "add-remove":
        return above, one
    s = min(losses.get("substitute", 2 * a), 2 * a)
    return above, (1 - q) * one + q * ExpSum.exp(a - s)


def proved(certificate: Any, space: Space) -> Theorem:
    """The theorem about all neighbours of `space` that a certificate proves."""
    if not isinstance(certificate, Mapping) or certificate.get("type") not in INNER or "trusts" in certificate:
        raise Rejected(f"the loss on samples is proved by a certificate of type {' or '.join(INNER)}")
    try:
        found = check(certificate)
    except Rejected as error:
        raise Rejected(f"the inner certificate: {error}") from None
    if (found.relation, found.sizes) != (space.stated(), space.sizes()):
        raise Rejected(f"the inner certificate is not about {space.describe()}")
    if found.guarantee["kind"] != "pure":
        raise Rejected("the inner certificate must be about pure privacy")
    return found


def loss_at(theorem: Theorem, eps: Fraction) -> Fraction:
    """The loss at ε that a theorem states."""
    if theorem.open not in ({}, EVERY_EPS, at_eps(eps, "eps")):
        raise Rejected("the inner certificate must be about the same eps")
    return evaluate(theorem.guarantee["epsilon"], {"eps": eps})


def one_program(inner: Mapping[str, Any]) -> bool:
    """Whether the certificates, each valid, are seen to be about one program M: the same on each sample."""
    seen: dict[int, Any] = {}
    if len({proof["type"] for proof in inner.values()}) > 1:
        return False
    for proof in inner.values():
        if proof["type"] == "program-pairs":
            found = programs(read_space(proof["space"]), proof["proofs"], proof["use"])
        else:
            found = {i: proof["trees"][k] for i, k in enumerate(proof.get("use") or [])}
        if any(seen.setdefault(i, program) != program for i, program in found.items()):
            return False
    return True


def check_subsampled(certificate: Mapping[str, Any]) -> Theorem:
    """Check a certificate of type ``subsampled``."""
    _, sampling, space_json, eps_json, epsilon_json, inner = fields(
        certificate, "type", "sampling", "space", "eps", "epsilon", "inner", optional=("target", "program")
    )
    outer, eps, epsilon = read_space(space_json), number(eps_json), number(epsilon_json)
    if eps <= 0 or epsilon < 0:
        raise Rejected("eps must be positive, and the bound must not be negative")
    spaces = inner_spaces(sampling, outer)
    needed = next(iter(spaces))
    if needed not in inner or not set(inner) <= set(spaces):
        raise Rejected(f"certificates about samples are needed for {' and '.join(spaces)}")
    theorems = {name: proved(proof, spaces[name]) for name, proof in inner.items()}
    losses = {name: loss_at(theorem, eps) for name, theorem in theorems.items()}
    if not one_program(inner):
        raise Rejected("the certificates about samples may be about different programs")
    top, bottom = quotient(sampling, outer, losses)
    if (top - ExpSum.exp(epsilon) * bottom).sign() > 0:
        raise Rejected(f"the losses {', '.join(map(text, losses.values()))} on samples amount to more than {epsilon}")
    kind, size = fields(sampling, "kind", "size")
    how = f"each record with probability {size}" if kind == "poisson" else f"{size} records in random order"
    shown = " and ".join(f"{text(value)} ({name})" for name, value in losses.items())
    words = (
        f"{outer.describe()}, sampled ({how}), loss on samples <= {shown} at eps = {eps}: epsilon <= {text(epsilon)}"
    )
    models = {name: theorem.subject for name, theorem in theorems.items()}
    model = fingerprint({"sampling": sampling, "space": space_json, "inner": models})
    left_open = at_eps(eps, "eps" if any(theorem.open for theorem in theorems.values()) else "1")
    relation, sizes = outer.stated(), outer.sizes()
    return Theorem("subsampled", words, model, False, epsilon_delta(epsilon), relation, sizes, left_open)


CHECKERS = {"subsampled": check_subsampled}
