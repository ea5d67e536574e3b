r"""What a statement about a function speaks of: records, public parameters, neighbours, and the numbers of records.

``{"formula": [text, …], "params": {"mu": ["0", "1"]}, "records": ["0", "1"], "relation": "substitute", "norm": "l1"}``;
a parameter may be unbounded above (``"inf"``). Sizes are ``{"only": 2}``, ``{"from": 3}`` or ``{"from": 1, "step": 2}``
(1, 3, 5, …). With add-remove, n counts the records of the smaller dataset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.cells import Box, box_from_json
from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.arith import Rejected, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.sensitivity.language import merged, parse_function, products, squares
from dpwitness.proofs.kernel.sensitivity.ratios import Range
from dpwitness.proofs.kernel.spaces import RELATIONS, read_ends
from dpwitness.proofs.kernel.theorem import fingerprint

NORMS = ("l1", "l2", "linf")
FIELDS = ("formula", "params", "records", "relation", "norm")
MAX_OUTPUTS, MAX_SIZE, MAX_STEP = 6, 1000, 64
_NAME = re.compile(r"[a-zA-Z][a-zA-Z_0-9]{0,15}", re.ASCII)


@dataclass(frozen=True)
class Sizes:
    """The numbers of records first, first + step, … (step 0: first alone)."""

    first: int
    step: int = 0

    @property
    def only(self) -> int | None:
        """The number of records, where it is one."""
        return None if self.step else self.first

    def __contains__(self, n: int) -> bool:
        return n == self.first if not self.step else n >= self.first and (n - self.first) % self.step == 0

    def describe(self) -> str:
        """In a few words.

        >>> Sizes(3, 1).describe(), Sizes(2).describe(), Sizes(2, 2).describe()
        ('every n >= 3', 'n = 2', 'every n = 2, 4, 6, ...')
        """
        if not self.step:
            return f"n = {self.first}"
        if self.step == 1:
            return f"every n >= {self.first}"
        return f"every n = {self.first}, {self.first + self.step}, {self.first + 2 * self.step}, ..."

    def to_json(self) -> dict[str, int]:
        """As it stands in certificates."""
        if not self.step:
            return {"only": self.first}
        return {"from": self.first} if self.step == 1 else {"from": self.first, "step": self.step}

    def stated(self) -> dict[str, Any]:
        """The numbers of records as a parameter that a theorem leaves open."""
        if not self.step:
            return {"equals": str(self.first)}
        return {"least": str(self.first), "whole": True} | ({"step": str(self.step)} if self.step > 1 else {})


def read_sizes(value: object) -> Sizes:
    """Read the sizes of a certificate."""
    if isinstance(value, Mapping) and "only" in value:
        (first,) = fields(value, "only")
        step = 0
    else:
        (first,) = fields(value, "from", optional=("step",))
        step = value.get("step", 1) if isinstance(value, Mapping) else 1
        if type(step) is not int or not 1 <= step <= MAX_STEP:
            raise Rejected(f"a step is a whole number from 1 to {MAX_STEP}")
    if type(first) is not int or not 0 <= first <= MAX_SIZE:
        raise Rejected(f"a number of records is whole and at most {MAX_SIZE}")
    return Sizes(first, step)


@dataclass(frozen=True)
class Setting:
    """A function, its public parameters, its records and neighbours."""

    outputs: tuple[Expr, ...]
    texts: tuple[str, ...]
    params: Box
    ends: tuple[Fraction, Fraction]
    relation: str
    norm: str

    @property
    def whole(self) -> Expr:
        """All outputs as one formula."""
        return Expr("outputs", self.outputs)

    def ranges(self) -> dict[str, Range | None]:
        """The parameters as symbols with ranges."""
        return {name: None if low is None else (low, high) for name, (low, high) in self.params.items()}

    def describe(self) -> str:
        """In words."""
        shown = self.texts[0] if len(self.texts) == 1 else "(" + ", ".join(self.texts) + ")"
        where = f"records in [{text(self.ends[0])}, {text(self.ends[1])}]"
        held = "".join(
            f", every {name} from {text(low or 0)} {'on' if high is None else 'to ' + text(high)}"
            for name, (low, high) in self.params.items()
        )
        how = "one record replaced" if self.relation == "substitute" else "one record added or removed"
        return f"{shown}; {where}{held}; {how}"

    def stated(self) -> dict[str, Any]:
        """The inputs of a theorem about the function."""
        low, high = map(text, self.ends)
        return {"inputs": "function of records", "relation": self.relation, "low": low, "high": high}

    def open(self) -> dict[str, Mapping[str, Any]]:
        """The parameters that a theorem leaves open."""
        return {
            name: {"least": text(low or 0)} | ({} if high is None else {"most": text(high)})
            for name, (low, high) in self.params.items()
        }


def read_setting(value: Mapping[str, Any]) -> Setting:
    """Read the fields of a certificate that say what it speaks of."""
    texts, params, records, relation, norm = (value[name] for name in FIELDS)
    if not isinstance(texts, list) or not 1 <= len(texts) <= MAX_OUTPUTS:
        raise Rejected(f"a function has 1 to {MAX_OUTPUTS} outputs, each a formula")
    if relation not in RELATIONS or norm not in NORMS:
        raise Rejected(f"relation is one of {', '.join(RELATIONS)}, norm one of {', '.join(NORMS)}")
    box = box_from_json(params) if params else {}
    for name, (low, _) in box.items():
        if _NAME.fullmatch(name) is None or name in ("n", "x", "z", "m", "pi", "E", "eps") or low is None:
            raise Rejected(f"the parameter {name[:20]!r} needs another name, or a lower end")
    names = tuple(sorted(box))
    return Setting(
        tuple(merged(products(squares(parse_function(source, names)))) for source in texts),
        tuple(texts),
        box,
        read_ends(records),
        relation,
        norm,
    )


def model_of(value: Mapping[str, Any]) -> str:
    """The fingerprint of the function and its neighbours."""
    return fingerprint({name: value[name] for name in FIELDS})
