"""An entry of the corpus: a broken program, its repair, and what is known of the bug."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dpwitness.core import BlackBox, Guarantee, Mechanism, Proved, Refuted, mechanism
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.spaces import Space
from dpwitness.core.stability.claim import Stable

Severity = Literal["critical", "serious", "theoretical", "negligible"]
Program = Callable[..., Any]
CLASSES: dict[str, str] = {
    "noise_scale": "The scale of the noise",
    "sensitivity": "Sensitivity",
    "clipping": "Clipping",
    "contributions": "Bounding contributions",
    "stability": "Stability of transformations",
    "neighbours": "The neighbour relation",
    "data_dependent": "Domains and bounds that come from the data",
    "thresholding": "Thresholds",
    "budget": "Budgets",
    "accounting": "Accountants",
    "batches": "Batches and sampling",
    "samplers": "Samplers",
    "special_values": "NaN, missing values and exceptions",
    "overflow": "Overflow and integer division",
    "floating_point": "Floating point",
    "mechanisms": "Mechanisms",
    "randomness": "Randomness, order and time",
    "invalid_audits": "Audits that are wrong themselves",
}
"""File of a class, and its title."""
ROUTES = {
    "P": "proof or exact counterexample", "A": "audit", "D": "doubles", "G": "replay of the noise",
    "S": "stability fuzzer", "K": "accountant", "T": "running time as an output",
}  # fmt: skip


@dataclass(frozen=True)
class Bug:
    """One documented bug.

    Parameters
    ----------
    name
        ``library-number``; the targets are ``corpus/name`` and ``corpus/name/repaired``.
    kind
        The class: the name of the file.
    source
        Where it was documented.
    about
        What was wrong, in a sentence.
    severity
        critical (data can be read off), serious (off by a factor, or on natural inputs), theoretical (contrived inputs
        or tiny δ), negligible.
    routes
        Letters of `ROUTES` that are expected to find it.
    hidden
        Why the default `verify` is not expected to find it; empty where it is.
    doubles
        Whether the claim breaks for doubles only, so that `verify` warns in place of refuting.
    stable, stable_repaired
        The claim about the deterministic part, where there is one.
    control
        For an audit that is wrong itself: what to run in its place (see `dpwitness.corpus.invalid_audits`).
    """

    name: str
    kind: str
    source: str
    about: str
    severity: Severity
    routes: str
    broken: Mechanism | BlackBox | None
    repaired: Mechanism | BlackBox | None = None
    hidden: str = ""
    doubles: bool = False
    stable: Stable | None = None
    stable_repaired: Stable | None = None
    control: tuple[Program, Program] | None = field(default=None, repr=False)


BUGS: dict[str, Bug] = {}


def add(entry: Bug) -> Bug:
    """Put an entry into the corpus."""
    if BUGS.setdefault(entry.name, entry) is not entry:
        raise DPWitnessError(f"two entries of the corpus are called {entry.name!r}")
    return entry


def bug(
    name: str, source: str, about: str, severity: Severity, routes: str, *, data: Space, claim: Guarantee,
    hidden: str = "", doubles: bool = False,
) -> Callable[[Program], Mechanism]:  # fmt: skip
    """Declare a broken program ``(noise, data)`` and what was claimed of it."""

    def decorate(program: Program) -> Mechanism:
        kind = program.__module__.rpartition(".")[2]
        make = mechanism(
            data=data, claim=lambda: claim, typical={}, expected=Proved if doubles or hidden else Refuted,
            name=f"corpus/{name}", tags=("corpus", kind), cites=source,
        )  # fmt: skip
        made = make(program)
        add(Bug(name, kind, source, about, severity, routes, made, hidden=hidden, doubles=doubles))
        return made

    return decorate


def repaired(broken: Mechanism, **changed: Any) -> Callable[[Program], Mechanism]:
    """Declare the repair of a broken program; `changed` are a claim or data of its own."""

    def decorate(program: Program) -> Mechanism:
        made = broken.twin("repaired", expected=Proved, tags=("corpus-repaired",), **changed)(program)
        name = broken.name.removeprefix("corpus/")
        BUGS[name] = replace(BUGS[name], repaired=made)
        return made

    return decorate


def black_box(
    name: str, source: str, about: str, severity: Severity, routes: str, *, data: Space, claim: Guarantee,
    broken: Program, fixed: Program, hidden: str = "", doubles: bool = False,
) -> Bug:  # fmt: skip
    """Declare a bug as a pair of samplers ``(data, size, rng)``."""
    kind = inspect.getmodule(broken).__name__.rpartition(".")[2]  # type: ignore[union-attr]
    expected = Proved if doubles or hidden else Refuted
    one = BlackBox(f"corpus/{name}", broken, data, claim, expected, ("corpus", kind), source)
    two = BlackBox(f"corpus/{name}/repaired", fixed, data, claim, Proved, ("corpus-repaired",), source)
    return add(Bug(name, kind, source, about, severity, routes, one, two, hidden, doubles))


def deterministic(
    broken: Mechanism | str, space: Any, distance: Any, bound: Any, function: Program, fixed: Program | None,
    *, fixed_bound: Any = None, domain: Any = None, numerics: str = "ideal",
) -> None:  # fmt: skip
    """Note the claim about the deterministic part of an entry, and the claim that its repair makes.

    Parameters
    ----------
    fixed
        The repaired function; None: the same function, with `fixed_bound`.
    """
    name = broken if isinstance(broken, str) else broken.name.removeprefix("corpus/")
    limit = bound if fixed_bound is None else fixed_bound
    BUGS[name] = replace(
        BUGS[name],
        stable=Stable.of(function, space, distance, bound, domain, numerics, f"corpus/{name}"),
        stable_repaired=Stable.of(
            fixed or function, space, distance, limit, domain, numerics, f"corpus/{name}/repaired"
        ),
    )
