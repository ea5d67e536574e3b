"""A program as transitions between loop heads: what the front end hands to the prover."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dpwitness.core.domains import Domain
from dpwitness.proofs.anyn.reading.source import Source
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.loops.heads import Domains
from dpwitness.proofs.kernel.loops.trees import END, FAIL, START, Node, Step, merged


@dataclass
class Model:
    """A program as transitions, with what its domains say.

    Attributes
    ----------
    known
        Facts, positive and whole symbols (those of the public variables are proposals that the kernel re-checks).
    counters
        For each loop the symbol at which its queries are read.
    bounds
        For each ``for`` loop its number of iterations.
    json
        The decision trees, as they stand in certificates; `transitions` are read from there by the kernel's own reader.
    lines
        For leaves on which the program fails, the line.
    plain
        The model before transitions with the same effect were merged; None where they were not.
    """

    source: Source
    domains: Mapping[str, Domain]
    known: Domains
    nodes: dict[str, Node]
    transitions: list[Step]
    counters: dict[int, str]
    bounds: dict[int, Poly] = field(default_factory=dict)
    json: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, int | None] = field(default_factory=dict)
    plain: Model | None = None

    def merged(self, dead: Collection[int]) -> Model | None:
        """The model without impossible transitions and with those of the same effect merged; None where none is."""
        alive = [t for k, t in enumerate(self.transitions) if k not in dead]
        steps = list(merged(tuple(alive)))
        return None if len(steps) == len(alive) else replace(self, transitions=steps, plain=self)

    def states(self) -> set[str]:
        """All public variables."""
        return {s for node in self.nodes.values() for s in node.public}


def domains_json(params: tuple[str, ...], domains: Mapping[str, Domain]) -> dict[str, dict[str, Any]]:
    """Domains of the parameters as the kernel reads them."""
    result: dict[str, dict[str, Any]] = {}
    for name in params:
        domain = domains.get(name, Domain())
        entry: dict[str, Any] = {"whole": True} if domain.whole else {}
        for key in ("above", "least", "below"):
            limit = getattr(domain, key)
            if limit is not None:
                entry[key] = str(limit)
        result[name] = entry
    return result


__all__ = ["END", "FAIL", "START", "Model", "Node", "Step", "domains_json"]
