"""The claims by id: register a checker, decide some or all.

A checker is a function ``decide(formula=DEFAULT) -> Finding``; its default argument is the claim's own formula as
data. Deciding a changed formula decides the changed claim.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from dpwitness.literature.finding import Checker, Finding, Formula

KINDS = frozenset(
    {"definition", "identity", "inequality", "privacy claim", "sensitivity", "utility", "algorithm", "example",
     "theorem"}
)  # fmt: skip
SOURCES = {
    "000": "Calibrating noise to sensitivity in private data analysis: lecture slides on the 2006 paper of Dwork, "
    "McSherry, Nissim and Smith",
    "001": "A brief tour of differential privacy: survey talk by Avrim Blum",
    "002": "Lecture slides on singleton and set-wise (ε,δ)-DP, privacy loss and composition",
    "003": "Lecture slides on smooth sensitivity, after Nissim, Raskhodnikova and Smith",
    "004": "Lecture notes on the Laplace mechanism, the Gaussian mechanism and report noisy max",
}


@dataclass(frozen=True)
class Claim:
    """A claim of a source and the checker that decides it."""

    id: str
    title: str
    kind: str
    statement: str
    formula: Formula
    checker: Checker

    @property
    def source(self) -> str:
        """The document that makes the claim."""
        return SOURCES[self.id[:3]]

    def decide(self, formula: Formula | None = None) -> Finding:
        """Decide the claim, or the claim with a changed formula."""
        start = perf_counter()
        found = self.checker(self.formula if formula is None else formula)
        return replace(
            found,
            id=self.id,
            title=self.title,
            kind=self.kind,
            source=self.source,
            statement=self.statement,
            seconds=perf_counter() - start,
        )


_CLAIMS: dict[str, Claim] = {}


def claim(name: str, *, title: str, kind: str, statement: str) -> Callable[[Checker], Checker]:
    """Register a checker for the claim `name`, such as ``"003-C13"``."""
    if re.fullmatch(r"00[0-4]-C[1-9][0-9]?", name) is None:
        raise ValueError(f"name={name!r} is not a claim id such as '003-C13'")
    if kind not in KINDS:
        raise ValueError(f"{name}: kind={kind!r} is not one of {sorted(KINDS)}")

    def register(checker: Checker) -> Checker:
        if name in _CLAIMS:
            if _place(_CLAIMS[name].checker) != _place(checker):
                raise ValueError(f"{name} is registered twice")
            return checker  # the same file under a second module name, as doctest collectors import it
        formula = inspect.signature(checker).parameters["formula"].default
        if not isinstance(formula, Formula):
            raise TypeError(f"{name}: the default of `formula` must be the claim's Formula")
        _CLAIMS[name] = Claim(name, title, kind, statement, formula, checker)
        return checker

    return register


def _place(checker: Checker) -> tuple[str, str]:
    return str(Path(inspect.getfile(checker)).resolve()), checker.__qualname__


def claims() -> dict[str, Claim]:
    """Every claim by id, in the order of the sources."""
    from dpwitness.literature import load

    load()
    return dict(sorted(_CLAIMS.items(), key=lambda item: order(item[0])))


def order(name: str) -> tuple[str, int]:
    """Sort key of an id: by source, then by number."""
    source, _, number = name.partition("-C")
    return source, int(number)


def get(name: str) -> Claim:
    """The claim with this id."""
    found = claims().get(name)
    if found is None:
        raise KeyError(f"no claim {name!r}; ids run from 000-C1 to 004-C14, see `dpwitness claims`")
    return found


def statement(name: str) -> str:
    """The claim in the words of its source.

    >>> from dpwitness.literature import statement
    >>> statement("000-C8")
    'For D = {0,1} and f(x) = Σ_i x_i, S_{L₁}(f) = 1.'
    """
    return get(name).statement


def decide(name: str, formula: Formula | None = None) -> Finding:
    """Decide one claim; with `formula`, the claim as that formula would have it.

    >>> from dpwitness.literature import decide, get
    >>> decide("000-C8").verdict
    'HOLDS'
    >>> decide("000-C8", get("000-C8").formula.but(sensitivity=2)).verdict
    'FALSE'
    """
    return get(name).decide(formula)


def decide_all(ids: Iterable[str] | None = None) -> list[Finding]:
    """Decide the claims with these ids, or all of them."""
    chosen = list(claims()) if ids is None else list(ids)
    return [decide(name) for name in chosen]
