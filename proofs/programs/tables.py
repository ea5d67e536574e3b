r"""From a program to the decision tree that its proofs are about.

The symbolic reader runs the program once for every way through its tests. Here its paths become one tree in the
kernel's format, with ε eliminated: where every scale is a multiple of 1/ε and every test is, up to a positive power
of ε, a rational form in draws and answers, the tree holds for all ε > 0 at once (a constant such as σ/ε becomes a
multiple of ``u``). Where that is not so the program is read again at one value of ε.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Monomial, Symbol
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.core.readers.fingerprint import of_paths
from dpwitness.core.readers.paths import Path, PathTable, SymbolicRun, hand_out, unknown_inputs
from dpwitness.core.readers.where import program_code
from dpwitness.proofs.kernel.programs.trees import LAWS, Tree, read_tree
from dpwitness.proofs.programs.building import Builder, NotHomogeneous
from dpwitness.proofs.programs.exploring import explore
from dpwitness.proofs.programs.pruning import drop_empty
from dpwitness.proofs.programs.quoting import returned_at

MAX_PATHS = 3000


@dataclass(frozen=True)
class Table:
    """A program on `queries` unknown answers.

    Attributes
    ----------
    tree, json
        The decision tree, as the kernel reads it and as it stands in certificates.
    epsilon
        None where the tree holds for every ε > 0, else the value at which it was read.
    paths
        How many ways through the program there are.
    fingerprint
        The hash of its paths: the same after a refactoring, another after a change of meaning.
    public, laws
        What the names of irrational constants in the tree stand for, and the laws of choices with irrational weights.
    """

    tree: Tree
    json: dict[str, Any]
    epsilon: Fraction | None
    paths: int
    seconds: float = 0.0
    fingerprint: str = ""
    public: Mapping[str, Monomial] = field(default_factory=dict)
    laws: Mapping[tuple[str, ...], Law] = field(default_factory=dict)


def read_table(
    claim: Claim,
    queries: int,
    *,
    epsilon: Fraction | None = None,
    max_paths: int = MAX_PATHS,
    seconds: float | None = None,
    laws: Collection[str] = tuple(LAWS),
) -> Table:
    """The tree of a claim's program on `queries` answers, for all ε where possible.

    Parameters
    ----------
    epsilon
        Read at this value of ε only.
    """
    return _read(claim, list(unknown_inputs(queries)), queries, epsilon, max_paths, seconds, laws=laws)


def read_data(
    claim: Claim,
    data: Sequence[Any],
    *,
    epsilon: Fraction | None = None,
    prune: bool = True,
    seconds: float | None = None,
) -> Table:
    """The tree of a claim's program on given data: a tree without answers."""
    return _read(claim, list(data), 0, epsilon, MAX_PATHS, seconds, prune=prune)


def _read(
    claim: Claim,
    data: Sequence[Any],
    queries: int,
    epsilon: Fraction | None,
    max_paths: int,
    seconds: float | None,
    *,
    prune: bool = True,
    laws: Collection[str] = tuple(LAWS),
) -> Table:
    assert isinstance(claim.mechanism, Mechanism)
    start = time.monotonic()
    params = dict(claim.params)
    if epsilon is not None:
        params["eps"] = type(params["eps"])(epsilon)
    program = claim.mechanism.program
    with reading(program):
        for symbolic in [("eps",)] * (epsilon is None and "eps" in params) + [()]:
            try:
                look = Builder(queries, symbolic, None, laws).look
                raw, cuts = explore(program, data, params, symbolic, max_paths, _rest(seconds, start), look)
                builder = Builder(queries, symbolic, cuts, laws, _where(program, data, raw))
                json = builder.build(raw)
            except (NotHomogeneous, OutsideFragment):
                if symbolic:
                    continue
                raise
            at = None if symbolic or "eps" not in params else Fraction(params["eps"])
            if prune:
                drop_empty(json, seconds=_rest(seconds, start))
            print_ = "paths:" + of_paths(raw)
            tree, spent = read_tree(json, laws), time.monotonic() - start
            public = {name: mono for mono, name in builder.public.items()}
            return Table(tree, json, at, len(raw.paths), spent, print_, public, builder.laws_of)
        raise AssertionError("unreachable")


def _where(program: Callable[..., Any], data: Sequence[Any], raw: PathTable) -> Callable[[Path], int | None]:
    """Finds the line at which a path returns, by following it again."""

    def find(path: Path) -> int | None:
        run = SymbolicRun(list(path.answers), list(path.trace), program_code(program), None)
        symbols = {name: v for name, v in raw.params.items() if isinstance(v, Symbol)}
        given, named = hand_out(run, data, raw.values, symbols)
        return returned_at(program, lambda: program(run, given, **named))

    return find


def _rest(seconds: float | None, start: float) -> float | None:
    return None if seconds is None else max(0.05, seconds - (time.monotonic() - start))
