r"""Certificates about the sensitivity of a function of records: how far it moves between neighbours, for every n.

``{"type": "sensitivity", "formula", "params", "records", "relation", "norm", "cases": [{"sizes", "bound", "proof",
"witness"}]}``. Each case has its sizes and its bound, a formula in n and the public parameters; the proof is one of the
rules of `bounds`. The witness says that the bound cannot be lowered: null, a family of pairs (`families`), ``"order"``
(the bound of an order statistic is attained), ``"none"`` (the bound is 0) or two datasets on which the function moves
by at least ``move``, a number.

The release of a function and selections are certified in `releases`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dpwitness.proofs.kernel.algebra.expr import Expr, num
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.sensitivity.bounds import check_bound, only_output, read_bound, start
from dpwitness.proofs.kernel.sensitivity.families import attains, describe, read_family
from dpwitness.proofs.kernel.sensitivity.orders import order_bounds
from dpwitness.proofs.kernel.sensitivity.setting import FIELDS, Setting, Sizes, model_of, read_setting, read_sizes
from dpwitness.proofs.kernel.sensitivity.values import sign_of, simplify, value_at
from dpwitness.proofs.kernel.theorem import Theorem

MAX_CASES = 12


@dataclass(frozen=True)
class Bounded:
    """A verified case: |f(x) − f(x')| ≤ bound for these sizes, and whether it is attained."""

    sizes: Sizes
    bound: Expr
    shown: str
    sharp: str

    def describe(self) -> str:
        """In words."""
        return f"{self.sizes.describe()}: {self.shown} ({self.sharp})"


def check_cases(certificate: Mapping[str, Any]) -> tuple[Setting, list[Bounded]]:
    """Verify all cases of a certificate of type ``sensitivity``."""
    fields(certificate, "type", *FIELDS, "cases", optional=("about",))
    setting, items = read_setting(certificate), certificate["cases"]
    if not isinstance(items, list) or not 1 <= len(items) <= MAX_CASES:
        raise Rejected(f"1 to {MAX_CASES} cases")
    found = []
    for item in items:
        sizes_json, shown, proof, witness = fields(item, "sizes", "bound", "proof", "witness")
        sizes, bound = read_sizes(sizes_json), read_bound(setting, shown)
        check_bound(setting, sizes, bound, proof)
        found.append(Bounded(sizes, bound, shown, _sharp(setting, sizes, bound, witness)))
    return setting, found


def _sharp(setting: Setting, sizes: Sizes, bound: Expr, witness: Any) -> str:
    if witness is None:
        return "not known to be attained"
    if not isinstance(witness, Mapping) or "left" not in witness:
        return attained(setting, sizes, bound, witness)
    left, right, move = fields(witness, "left", "right", "move")
    sides = read_datasets(setting, sizes, left, right)
    if sign_of(simplify("-", (moved(setting, *sides), num(number(move))))) < 0:
        raise Rejected("the function does not move as far as the witness says")
    return f"at least {move} on ({', '.join(left)}) and ({', '.join(right)})"


def attained(setting: Setting, sizes: Sizes, bound: Expr, witness: Any) -> str:
    """Raise unless the bound is attained for all these n (and public parameters); returns how."""
    convert = start(setting, sizes, frozenset(), {})
    if witness == "none":
        if convert.ratio(bound).top:
            raise Rejected("the bound is not 0")
        return "constant"
    if witness == "order":
        if setting.relation != "substitute":
            raise Rejected("order statistics are compared for one replaced record")
        weight, _ = order_bounds(only_output(setting), sizes)
        convert.show(convert.ratio(num(weight * (setting.ends[1] - setting.ends[0]))), convert.ratio(bound))
        return "attained: one record crosses the whole interval between its sorted neighbours"
    attains(setting, sizes, bound, read_family(witness, setting, sizes))
    return f"attained: {describe(witness, setting.relation)}"


def read_datasets(setting: Setting, sizes: Sizes, left: Any, right: Any) -> tuple[list[Fraction], list[Fraction]]:
    """Two neighbouring datasets of these sizes."""
    one, two = ([number(v) for v in side] for side in (left, right))
    if any(not setting.ends[0] <= v <= setting.ends[1] for v in (*one, *two)):
        raise Rejected("a record lies outside its interval")
    if min(len(one), len(two)) not in sizes:
        raise Rejected("the witness has another number of records")
    if setting.relation == "substitute":
        near = len(one) == len(two) and sum(a != b for a, b in zip(one, two, strict=True)) == 1
    else:
        small, large = sorted((one, two), key=len)
        near = len(large) == len(small) + 1 and any(large[:i] + large[i + 1 :] == small for i in range(len(large)))
    if not near:
        raise Rejected("the two datasets are not neighbours")
    return one, two


def moved(setting: Setting, left: list[Fraction], right: list[Fraction]) -> Expr:
    """How far the function moves between two datasets, in the norm; parameters must not occur."""
    if setting.params:
        raise Rejected("parameters are put in as numbers before two datasets are compared")
    moves = [simplify("-", (value_at(f, right, {}), value_at(f, left, {}))) for f in setting.outputs]
    sizes = [m if sign_or_zero(m) >= 0 else simplify("neg", (m,)) for m in moves]
    if len(sizes) == 1:
        return sizes[0]
    if setting.norm == "linf":
        best = sizes[0]
        for m in sizes[1:]:
            best = m if sign_or_zero(simplify("-", (m, best))) > 0 else best
        return best
    total = num(0)
    for m in sizes:
        total = simplify("+", (total, m if setting.norm == "l1" else simplify("*", (m, m))))
    return total if setting.norm == "l1" else simplify("sqrt", (total,))


def sign_or_zero(value: Expr) -> int:
    """The sign, 0 where it is not decided: then the number is as good as 0."""
    try:
        return sign_of(value)
    except Rejected:
        return 0


def numbers_of(cases: Sequence[Sizes]) -> tuple[tuple[int, ...] | Literal["any"], dict[str, Mapping[str, Any]]]:
    """The numbers of records of a theorem: listed, or any that the parameter n may take."""
    if all(sizes.only is not None for sizes in cases):
        return tuple(sizes.first for sizes in cases), {}
    if len(cases) == 1:
        return "any", {"n": cases[0].stated()}
    return "any", {"n": {"one of": "; ".join(sizes.describe() for sizes in cases)}}


def check_sensitivity(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``sensitivity``."""
    setting, found = check_cases(certificate)
    said = f"{setting.describe()}: {setting.norm} sensitivity at most " + "; ".join(b.describe() for b in found)
    sizes, numbers = numbers_of([b.sizes for b in found])
    everything = {**setting.open(), **numbers}
    return Theorem("sensitivity", said, model_of(certificate), False, {}, setting.stated(), sizes, everything)


CHECKERS = {"sensitivity": check_sensitivity}
