"""Does a theorem speak of this claim? Relation, sizes, parameters and guarantee are compared, field by field.

A theorem (`dpwitness.proofs.kernel.theorem.Theorem`) is what a checker verified about a model. Nothing here trusts what
a prover says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.domains import Domain
from dpwitness.core.errors import BadInput, DPWitnessError
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from dpwitness.core.judging import claimed
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Answers, Box, Interval, Records

Label = Callable[[Any], str]
FIELDS = {
    "pure": {"epsilon": "eps"},
    "approximate": {"epsilon": "eps", "delta": "delta"},
    "zcdp": {"rho": "rho"},
    "renyi": {"order": "order", "epsilon": "eps"},
    "gaussian": {"mu": "mu"},
}
BOUNDS = {"equals", "above", "least", "below", "whole"}
"""How a theorem says which values of a parameter it speaks of; what is said otherwise is not taken for silence."""

KINDS: dict[str, Callable[..., Guarantee]] = {
    "pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP, "renyi": RenyiDP, "gaussian": GaussianDP,
}  # fmt: skip


def foreign_reason(theorem: Any, claim: Claim, label: Label) -> str | None:
    """Why a theorem is not about the inputs, sizes and parameters of a claim; None where it is."""
    reason = _other_relation(theorem.relation, claim, label)
    return reason or _other_sizes(theorem, claim) or _other_values(theorem, claim)


def _other_relation(relation: Mapping[str, Any], claim: Claim, label: Label) -> str | None:
    space = claim.space
    kind = relation.get("inputs")
    if isinstance(space, Answers) and kind == "answers":
        return _other_answers(relation, space)
    if isinstance(space, Records) and kind == "records":
        return _other_records(relation, space, label)
    if kind == "none":
        return "the theorem speaks of laws or formulas and of no inputs"
    return f"the theorem speaks of {kind}, and the claim of {space.describe()}"


def _other_answers(relation: Mapping[str, Any], space: Answers) -> str | None:
    by, moves = Fraction(relation["by"]), relation["moves"]
    wider = {"one": {"one", "all", "l1", "l2"}, "up": {"up", "down", "all"}, "down": {"up", "down", "all"},
             "l1": {"l1", "l2", "all"}, "l2": {"l2", "all"}, "all": {"all"}}  # fmt: skip
    if moves not in wider[space.moves] or by < space.by:
        return f"the theorem's answers move by {moves} ≤ {by}, the claim's by {space.moves} ≤ {space.by}"
    values = relation.get("values")
    if relation.get("whole") and values is None and not space.whole:
        return "the theorem speaks of whole answers only"
    if values is not None:
        known = {Fraction(v) for v in values}
        if space.values is None or not set(space.values) <= known:
            return "the theorem speaks of fewer values than the claim"
    low, high = relation.get("low"), relation.get("high")
    least = min(space.values) if space.values is not None else space.low
    most = max(space.values) if space.values is not None else space.high
    if low is not None and (least is None or least < Fraction(low)):
        return f"the theorem speaks of answers from {low} on"
    if high is not None and (most is None or most > Fraction(high)):
        return f"the theorem speaks of answers up to {high}"
    return None


def _other_records(relation: Mapping[str, Any], space: Records, label: Label) -> str | None:
    if relation["relation"] != space.relation:
        return f"the theorem's neighbours are {relation['relation']}, the claim's {space.relation}"
    if isinstance(space.domain, Interval):
        low, high = relation.get("low"), relation.get("high")
        if low is None or high is None or Fraction(low) > space.domain.low or Fraction(high) < space.domain.high:
            return "the theorem speaks of other records than the claim"
        return None
    if isinstance(space.domain, Box):
        return _other_box(relation, space.domain)
    points = relation.get("points")
    if points is None:
        return "the theorem speaks of other records than the claim"
    missing = {label(record) for record in space.domain} - set(points)
    return f"the theorem does not speak of the record {sorted(missing)[0]}" if missing else None


def _other_box(relation: Mapping[str, Any], domain: Box) -> str | None:
    stated = [(Fraction(low), Fraction(high)) for low, high in relation.get("box", ())]
    inside = len(stated) == len(domain.sides) and all(
        low <= side.low and side.high <= high for (low, high), side in zip(stated, domain.sides, strict=True)
    )
    return None if inside else "the theorem speaks of other records than the claim"


def _other_sizes(theorem: Any, claim: Claim) -> str | None:
    if theorem.sizes == "any":
        return None
    missing = sorted(sizes_of(claim) - set(theorem.sizes))
    what = "answers" if isinstance(claim.space, Answers) else "records"
    return f"the theorem does not speak of {missing[0]} {what}" if missing else None


def sizes_of(claim: Claim) -> set[int]:
    """The numbers of answers or records that a proof of the claim must cover."""
    space = claim.space
    if isinstance(space, Records):  # a dataset without records has no neighbour in which one is replaced
        least = max(space.fewest, 1) if space.relation == "substitute" else space.fewest
        return set(range(least, space.most + 1))
    return {claim.queries}


def _other_values(theorem: Any, claim: Claim) -> str | None:
    """Why the claim's parameters are not among those that the theorem leaves open."""
    for name, domain in theorem.open.items():
        if name not in claim.params:
            return f"the theorem has a parameter {name}, which the program does not have"
        value = Fraction(claim.params[name])
        inside = (
            set(domain) <= BOUNDS
            and (domain.get("equals") is None or value == Fraction(domain["equals"]))
            and (domain.get("above") is None or value > Fraction(domain["above"]))
            and (domain.get("least") is None or value >= Fraction(domain["least"]))
            and (domain.get("below") is None or value < Fraction(domain["below"]))
            and (not domain.get("whole") or value.denominator == 1)
        )
        if not inside:
            return f"{name}={value} is outside the domain of the theorem"
    return None


def guarantee_at(theorem: Any, params: Mapping[str, Fraction]) -> Guarantee | None:
    """The theorem's guarantee at given parameters; None where it is that the output does not depend on the data.

    Raises
    ------
    BadInput
        Where the numbers make no guarantee.
    """
    kind = theorem.guarantee["kind"]
    values = {to: claimed.evaluate(theorem.guarantee[name], params) for name, to in FIELDS[kind].items()}
    if kind in ("pure", "approximate") and not any(values.values()):
        return None
    if kind in ("zcdp", "gaussian") and not any(values.values()):
        return None
    return KINDS[kind](**values)


GROWING = {"pure": ("eps", "delta"), "approximate": ("eps", "delta"), "zcdp": ("rho",), "gaussian": ("mu",)}
"""The numbers of guarantees that say less the larger they are; kinds with the same numbers may be compared."""


def covered_parameters(theorem: Any, claim: Claim) -> frozenset[str]:
    """The parameters for all of whose values the theorem implies the claim, the others being as they are.

    All parameters of which the claim is a function are tried together, then those that the theorem leaves open, then ε.
    """
    if not isinstance(claim.mechanism, Mechanism):
        return frozenset()
    varied = frozenset(claim.varies)
    for names in dict.fromkeys(
        (varied, varied & frozenset(theorem.open), frozenset({"eps"}) & frozenset(claim.params))
    ):
        if names and _holds_for_all(theorem, claim, claim.mechanism.domains, names):
            return names
    return frozenset()


def _holds_for_all(theorem: Any, claim: Claim, domains: Mapping[str, Domain], names: frozenset[str]) -> bool:
    """Whether claimed minus proved is a sum of terms none of which is negative, whatever the values of `names`."""
    kind = theorem.guarantee["kind"]
    if GROWING.get(kind) is None or GROWING.get(kind) != GROWING.get(claim.guarantee.kind):
        return False
    if any(name not in domains or not _contains(theorem.open.get(name), domains[name]) for name in names):
        return False
    wanted = claimed.claimed_formulas(claim)
    if wanted is None:
        return False
    others = {name: Fraction(value) for name, value in claim.params.items() if name not in names}
    proved = {to: claimed.put_in(theorem.guarantee[name], others) for name, to in FIELDS[kind].items()}
    for name in GROWING[kind]:
        here, there = proved.get(name, ()), claimed.put_in(wanted.get(name, ()), others)
        for coefficient, powers in claimed.add(there, here, -1):
            if coefficient < 0 or not all(_positive(domains[symbol]) for symbol, _ in powers):
                return False
    return True


def _positive(domain: Domain) -> bool:
    return (domain.above is not None and domain.above >= 0) or (domain.least is not None and domain.least > 0)


def _contains(stated: Mapping[str, Any] | None, declared: Domain) -> bool:
    """Whether a theorem's domain of a parameter holds every value that is declared."""
    if (
        stated is None
        or not set(stated) <= BOUNDS
        or stated.get("equals") is not None
        or (stated.get("whole") and not declared.whole)
    ):
        return False
    least = declared.above if declared.above is not None else declared.least
    open_end = declared.above is not None
    for name in ("above", "least"):
        low = stated.get(name)
        if low is None:
            continue
        inside = least is not None and (
            least > Fraction(low) or (least == Fraction(low) and (open_end or name == "least"))
        )
        if not inside:
            return False
    high = stated.get("below")
    return high is None or (declared.below is not None and declared.below <= Fraction(high))


def _numeric(claim: Claim) -> bool:
    """Whether inputs are known by their numbers: answers, and records of an interval."""
    return isinstance(claim.space, Answers) or isinstance(claim.space.domain, Interval)


def _same_input(stated: Sequence[str], data: Sequence[Any], numbers: bool, label: Label) -> bool:
    """Whether a theorem names this input: by its numbers, or by the labels of its records."""
    if numbers:
        return [Fraction(x) for x in stated] == [Fraction(x) for x in data]
    return list(stated) == [label(x) for x in data]


def violation_reason(theorem: Any, claim: Claim, left: Any, right: Any, label: Label) -> str | None:
    """Why a violation is not one of this claim on these two inputs; None where it is."""
    if not theorem.refutes:
        return "the theorem is a guarantee, not a violation"
    try:
        one, two = claim.space.validate(left, "left"), claim.space.validate(right, "right")
    except DPWitnessError as error:
        return str(error)
    if not claim.space.adjacency.related(one, two):
        return "the two inputs are not neighbours"
    relation = theorem.relation
    if relation.get("inputs") != "pair":
        return "the theorem does not name the two inputs"
    for stated, data in ((relation["left"], one), (relation["right"], two)):
        if not _same_input(stated, data, _numeric(claim), label):
            return "the theorem is about two other inputs"
    other = _other_values(theorem, claim)  # a guarantee that is broken at one value of ε may hold at another one
    if other is not None:
        return other
    broken = guarantee_at(theorem, claim.params)
    try:
        weaker = broken is not None and claim.guarantee.implies(broken)
    except BadInput as error:
        return str(error)
    return None if weaker else f"what is broken is {broken}, and the claim is {claim.guarantee}"
