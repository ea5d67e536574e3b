"""Every number of a certificate, changed in every way: also in the text of formulas, in keys and in switches."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

F = Fraction
Path = tuple[Any, ...]
LABELS = {"about", "program", "target", "type"}  # what the certificate is called, not what it proves
_WHOLE = re.compile(r"-?[0-9]+(?:/[0-9]+)?")
_PART = re.compile(r"[0-9]+(?:\.[0-9]+|/[0-9]+)?")


class Key(str):
    """A new name for a key, as the new value of a place."""


def steps(x: Fraction) -> list[Fraction]:
    """+1, −1, the sign, twice, half, a little more, zero."""
    found = dict.fromkeys([x + 1, x - 1, -x, 2 * x, x / 2, x + F(1, 10**6), F(0)])
    return [y for y in found if y != x]


def changed(text: str) -> Iterator[str]:
    """The text with one of its numbers changed; numbers that belong to a name, such as that of n3, stay whole."""
    if _WHOLE.fullmatch(text):
        yield from (str(y) for y in steps(F(text)))
        return
    for found in _PART.finditer(text):
        named = found.start() > 0 and (text[found.start() - 1].isalnum() or text[found.start() - 1] in "~?$#%@_")
        for y in steps(F(found[0])):
            if named and (y < 0 or y.denominator != 1):
                continue
            new = text[: found.start()] + str(y) + text[found.end() :]
            yield new.replace("+-", "-").replace("--", "+").removeprefix("+")


def mutants(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Places and new values; a new value of kind `Key` renames the key of the place."""
    if isinstance(tree, dict):
        for key, item in tree.items():
            if path or key not in LABELS:
                yield from mutants(item, (*path, key))
                yield from (((*path, key), Key(new)) for new in changed(key) if new not in tree)
    elif isinstance(tree, list):
        for i, item in enumerate(tree):
            yield from mutants(item, (*path, i))
    elif isinstance(tree, bool):
        yield path, not tree
    elif isinstance(tree, int):
        yield from ((path, int(y)) for y in steps(F(tree)) if y.denominator == 1)
    elif isinstance(tree, str):
        yield from ((path, new) for new in changed(tree))


def put(certificate: dict[str, Any], path: Path, new: Any) -> dict[str, Any]:
    """The certificate with one change."""
    made = copy.deepcopy(certificate)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    if isinstance(new, Key):
        items = [(str(new) if key == path[-1] else key, item) for key, item in place.items()]
        place.clear()
        place.update(items)
    else:
        place[path[-1]] = new
    return made


def kind(path: Path, new: Any) -> str:
    """The class of a place: its path with all numbers left out, and `nodes` of trees without their depth."""
    words = ["*" if isinstance(key, int) else re.sub(r"[0-9/-]+", "N", key) for key in path]
    if "nodes" in words and "tree" in ".".join(words):
        words = [*words[: words.index("nodes") + 1], "*"]
    return ".".join(words) + (" key" if isinstance(new, Key) else "")
