"""Certificates of chains, changed part by part into parts of any kind: what is still accepted must be true."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from tests.proofs.kernel.test_chains import PROOF, VIOLATION
from tests.proofs.kernel.truth_chains import MARGINS

from dpwitness.proofs.kernel.check import examine

VALUES = ["0", "1", "2", "-1", "1/2", "1e3", 0, 1, [], ["1"], {"1": "1"}, {"-1": "1"}, {"0": "3"}, "o0", "o1", "n0",
          "x", "c0", None, True, [["1"], ["1"]]]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every part of a certificate but its type and its inputs."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in entries:
        if name not in ("type", "space", "inputs", "about"):
            yield from places(part, (*path, name))


def changed(certificate: Any, path: tuple[Any, ...], new: Any) -> Any:
    made = copy.deepcopy(certificate)
    part = made
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = new
    return made


@pytest.mark.parametrize("certificate", [PROOF, VIOLATION], ids=["proof", "violation"])
def test_a_changed_chain_that_is_accepted_is_true(certificate: Any) -> None:
    accepted = 0
    for path in places(certificate):
        for new in VALUES:
            made = changed(certificate, path, new)
            if made == certificate or not examine(made):
                continue
            accepted += 1
            value, tolerance = MARGINS[made["type"]](made)
            assert value >= -tolerance, (path, new)
    assert accepted >= 5
