"""Certificates about programs that release one thing after the other.

``{"type": "program-composition", "inputs", "open", "guarantee", "transcript", "parts"}``: `inputs` as
`inputs.read_inputs` reads them, `open` the parameters that stay symbols, `guarantee` with forms in them, `transcript` a
list of steps, `parts` certificates about mechanisms that are run, and `account`, which may be left out, the proof that
rule 6 needs. The subject of the theorem is all but the
guarantee.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, fields
from dpwitness.proofs.kernel.composition.costs import Cost, conclude, larger
from dpwitness.proofs.kernel.composition.inputs import read_inputs
from dpwitness.proofs.kernel.composition.knowledge import Knowledge
from dpwitness.proofs.kernel.composition.scope import Scope
from dpwitness.proofs.kernel.composition.spans import read_form
from dpwitness.proofs.kernel.composition.walk import Walk
from dpwitness.proofs.kernel.statements import subject
from dpwitness.proofs.kernel.theorem import Formula, Theorem

MAX_PARTS, MAX_OPEN = 50, 4
ABOVE_0 = {"above": "0"}
NUMBERS = {
    "pure": ("epsilon",),
    "approximate": ("epsilon", "delta"),
    "zcdp": ("rho",),
    "renyi": ("order", "epsilon"),
    "gaussian": ("mu",),
}


def worst_cost(inputs: Any, params: tuple[str, ...], transcript: Any, parts: list[Theorem]) -> Cost:
    """The largest sum of costs along a path, over all moves."""
    read = read_inputs(inputs)
    walk = Walk(Scope(read, Knowledge(params)), parts, corners=read.moves == "l1")
    fallen = walk.run(transcript)
    worst = Cost()
    for costs in (walk.ended, fallen):
        for cost in () if costs is None else costs.values():
            worst = larger(worst, cost)
    return worst


def read_parts(parts: Any) -> list[Theorem]:
    """The theorems about mechanisms that are run."""
    if not isinstance(parts, list) or len(parts) > MAX_PARTS:
        raise Rejected(f"up to {MAX_PARTS} mechanisms that are run")
    return [check(part) for part in parts]


def read_guarantee(stated: Any, params: tuple[str, ...]) -> dict[str, Any]:
    """A guarantee with forms in the open parameters."""
    kind = stated.get("kind") if isinstance(stated, Mapping) else None
    if kind not in NUMBERS:
        raise Rejected(f"the guarantee {str(kind)[:40]!r} is unknown")
    _, *given = fields(stated, "kind", *NUMBERS[kind])
    claim: dict[str, Any] = {"kind": kind}
    for name, data in zip(NUMBERS[kind], given, strict=True):
        form = read_form(data)
        if not form.symbols() <= set(params) or any(c < 0 for c in form.terms.values()):
            raise Rejected("the numbers of a guarantee are forms in the open parameters, and not negative")
        claim[name] = form
    if kind == "renyi" and (claim["order"].value() is None or claim["order"].value() <= 1):
        raise Rejected("an order is a number above 1")
    if kind == "approximate" and (claim["delta"].value() is None or claim["delta"].value() >= 1):
        raise Rejected("δ is a number below 1")
    return claim


def read_open(names: Any) -> tuple[str, ...]:
    """The parameters that stay symbols: each may be any number above 0.

    >>> read_open(["rho"])
    ('rho',)
    """
    if not isinstance(names, list) or len(names) > MAX_OPEN or len(set(map(str, names))) < len(names):
        raise Rejected(f"up to {MAX_OPEN} different parameters stay open")
    if any(not isinstance(name, str) or not name.isascii() or not name.isidentifier() for name in names):
        raise Rejected("a parameter that stays open has a name")
    return tuple(names)


def check_transcript(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``program-composition``."""
    inputs, opened, stated, transcript, given = fields(
        certificate,
        "type",
        "inputs",
        "open",
        "guarantee",
        "transcript",
        "parts",
        optional=("about", "target", "program", "account"),
    )[1:]
    params = read_open(opened)
    parts, claim = read_parts(given), read_guarantee(stated, params)
    read = read_inputs(inputs)
    found = conclude(worst_cost(inputs, params, transcript, parts), claim,
                     corners=read.moves == "l1", account=certificate.get("account"))  # fmt: skip
    if found is None:
        raise Rejected("the releases cost more than is claimed")
    rule, assumed = found
    held = {name: value if name == "kind" else _formula(value) for name, value in claim.items()}
    shown = ", ".join(f"{name} = {value}" for name, value in claim.items() if name != "kind")
    where = f"{read.relation.get('relation', read.moves)} {read.relation['inputs']}"
    many = "any number" if read.sizes() == "any" else read.sizes()[0]
    words = f"a transcript of releases, {where}, {many}: {claim['kind']}, {shown}"
    model = subject(certificate, "inputs", "open", "transcript", "parts")
    trusts = tuple(dict.fromkeys((*assumed, *(name for part in parts for name in part.assumptions))))
    left = dict.fromkeys(params, ABOVE_0)
    return Theorem(
        "program-composition", f"{words} ({rule})", model, False, held, dict(read.relation), read.sizes(), left, trusts  # type: ignore[arg-type]
    )  # fmt: skip


def _formula(form: Poly) -> Formula:
    return tuple((Fraction(c), mono) for mono, c in sorted(form.terms.items()))


CHECKERS = {"program-composition": check_transcript}

__all__ = ["CHECKERS", "check_transcript", "read_guarantee", "read_parts", "worst_cost"]
