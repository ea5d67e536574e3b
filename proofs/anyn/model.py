"""A program as transitions between loop heads: what the front end hands to the prover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpwitness.core.domains import Domain
from dpwitness.proofs.anyn.source import Source
from dpwitness.proofs.anyn.values import Asked, Draw
from dpwitness.proofs.kernel.laurent import Poly, to_json
from dpwitness.proofs.kernel.loops import END, FAIL, START, Domains


@dataclass(frozen=True)
class Node:
    """A loop head: the loop's number, and the public and private variables that are numbers there."""

    name: str
    loop: int
    public: tuple[str, ...]
    private: tuple[str, ...]


@dataclass(frozen=True)
class Transition:
    """One way from a loop head (or the start) to the next one (or the end).

    Attributes
    ----------
    ways
        The tests with their outcomes; several lists where paths with the same effect were merged.
    public
        Pairs (polynomial, strict) that hold on the transition and contain public values only.
    guards
        Polynomials in private values that are ≥ 0 on the transition.
    effects
        What is appended and returned, in order, public values included.
    """

    source: str
    target: str
    ways: tuple[tuple[Asked, ...], ...]
    public: tuple[tuple[Poly, bool], ...]
    guards: tuple[Poly, ...]
    draws: tuple[Draw, ...]
    released: tuple[Poly, ...]
    reads: tuple[Poly, ...]
    updates: Mapping[str, Poly]
    effects: tuple[Any, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the kernel reads it."""
        return {
            "from": self.source,
            "to": self.target,
            "public": [[to_json(p), strict] for p, strict in self.public],
            "private": [to_json(p) for p in self.guards],
            "draws": [[d.symbol, to_json(d.rate), d.kind] for d in self.draws],
            "released": [to_json(p) for p in self.released],
            "reads": [to_json(p) for p in self.reads],
            "set": {s: to_json(p) for s, p in sorted(self.updates.items())},
        }

    def all_guards(self) -> list[Poly]:
        """The guards, with those that one-sided noise adds."""
        return [*self.guards, *(Poly.symbol(d.symbol) for d in self.draws if d.kind == "exponential")]


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
    atoms
        Meaning ``(operation, left, right)`` of public numbers of which nothing is known.
    """

    source: Source
    domains: Mapping[str, Domain]
    known: Domains
    nodes: dict[str, Node]
    transitions: list[Transition]
    counters: dict[int, str]
    bounds: dict[int, Poly] = field(default_factory=dict)
    atoms: dict[str, tuple[str, Poly, Poly]] = field(default_factory=dict)

    def params_json(self) -> dict[str, dict[str, Any]]:
        """The parameters' domains as the kernel reads them."""
        return domains_json(self.source.params, self.domains)

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


__all__ = ["END", "FAIL", "START", "Model", "Node", "Transition", "domains_json"]
