"""What every certificate of this package carries: whom it is about, and the program's fingerprint.

A fingerprint is equal after a refactoring and different after a change of meaning, so a proof goes stale by itself
when the code changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import islice
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.guarantees import Guarantee
from dpwitness.core.identity import distinct
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.fingerprint import fingerprint, of_paths
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs
from dpwitness.core.spaces import Answers

MAX_DATASETS, MAX_PATHS = 16, 256


def about(claim: Claim) -> dict[str, Any]:
    """Target, adjacency, size and fingerprint of the program."""
    words: dict[str, Any] = {"target": claim.target, "adjacency": claim.space.describe(), "size": claim.queries}
    if isinstance(claim.mechanism, Mechanism):
        words["program"] = program_print(claim)
    return words


def at_epsilon(claim: Claim) -> str:
    """The ε at which a proof speaks that read the program at given parameters, whatever its budget is called."""
    known = claim.params.get("eps", getattr(claim.guarantee, "eps", None))
    return "all" if known is None else str(known)


def program_print(claim: Claim) -> str:
    """The fingerprint of the claim's program: on unknown answers, or on typical datasets taken together.

    Where there are too many paths, or the program cannot be read, the hash of its source stands in.
    """
    assert isinstance(claim.mechanism, Mechanism)
    program, space = claim.mechanism.program, claim.space
    if isinstance(space, Answers):
        inputs: list[Any] = [unknown_inputs(space.size)]
    else:
        both = distinct(data for pair in space.typical_pairs() for data in (pair.left, pair.right))
        inputs = list(islice(both, MAX_DATASETS))
    prints = []
    for data in inputs:
        try:
            table = symbolic_paths(program, data, claim.params, max_paths=MAX_PATHS)
        except DPWitnessError:
            return source_print(program)
        if not table.complete:
            return source_print(program)
        prints.append(of_paths(table))
    return "paths:" + (prints[0] if len(prints) == 1 else hashlib.sha256("\n".join(prints).encode()).hexdigest())


def source_print(program: Callable[..., Any]) -> str:
    """The hash of the program's source: without data it cannot be read by its paths."""
    return fingerprint(program, (), {})


def guarantee_json(guarantee: Guarantee) -> dict[str, str]:
    """The guarantee as certificates carry it."""
    return {key: str(value) for key, value in guarantee.to_json().items()}
