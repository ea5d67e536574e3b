"""Public numbers of a program that its tree leaves open, since they are not rational: read from the program again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Unfaithful
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Monomial
from dpwitness.core.laws import Law
from dpwitness.proofs.models.formulas import law_at, lookup, monomial
from dpwitness.proofs.programs.tables import read_table


@dataclass(frozen=True)
class Constants:
    """The monomials that the names w0, w1, … stand for, and the laws of choices whose weights are not rational."""

    public: Mapping[str, Monomial] = field(default_factory=dict)
    laws: Mapping[tuple[str, ...], Law] = field(default_factory=dict)

    def values(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The numbers at given parameters."""
        value = lookup((), (), params)
        return {name: monomial(mono, value) for name, mono in self.public.items()}

    def choice(self, weights: Sequence[str], params: Mapping[str, Any]) -> Law:
        """The law of a choice at given parameters."""
        return law_at(self.laws[tuple(weights)], lookup((), (), params))


def leaves_open(tree: Mapping[str, Any]) -> bool:
    """Whether a tree has public constants or weights without a value."""
    text = json.dumps([tree["tests"], tree["maxima"], tree["choices"], tree["nodes"]])
    return "w" in text or "?" in text


def read_constants(claim: Claim, tree: Mapping[str, Any], eps: Fraction | None = None) -> Constants:
    """What a tree on unknown answers leaves open; reading the program again must give the same tree."""
    if not leaves_open(tree):
        return Constants()
    if not tree["queries"]:
        raise OutsideFragment("a tree on given data with numbers that are not rational")
    table = read_table(claim, tree["queries"], epsilon=eps if tree["unit"] == "1" and "eps" in claim.params else None)
    if table.json != tree:
        raise Unfaithful(f"{claim.target}: the program as read now does not give the tree of the certificate")
    return Constants(table.public, table.laws)
