"""Other people's libraries as targets: ``dpwitness scan NAME`` audits what an adapter says that a library claims.

An adapter is one file with ``items()`` (releases, each with its claim and its inputs) and ``maps()`` (deterministic
functions with the stability that the library declares). Loading an adapter loads its library; nothing else does.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import importlib.util
from functools import cache
from importlib import import_module

from dpwitness.core.errors import UnknownTarget
from dpwitness.core.mechanism import BlackBox
from dpwitness.core.stability.claim import Stable
from dpwitness.libraries.adapter import Item, black_box

ADAPTERS: dict[str, tuple[str, str]] = {
    "diffprivlib": ("diffprivlib", "diffprivlib"),
    "opendp": ("opendp", "opendp"),
    "pydp": ("pydp", "python-dp"),
    "opacus": ("opacus", "opacus"),
    "smartnoise": ("snsql", "smartnoise-sql"),
    "tumult": ("tmlt.core", "tmlt.core"),
    "tally": ("dpwitness.libraries.sample.tally", ""),
}
"""Name of an adapter: the module that must be there, and the distribution whose version is told."""


def installed(name: str) -> bool:
    """Whether the library of an adapter is there; it is not imported for this."""
    try:
        return importlib.util.find_spec(ADAPTERS[name][0]) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False


def version(name: str) -> str:
    """The installed version of a library, or that of dpwitness for its own sample."""
    distribution = ADAPTERS[name][1] or "dpwitness"
    try:
        return f"{distribution} {importlib.metadata.version(distribution)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{distribution} (version unknown)"


@cache
def items(name: str) -> tuple[Item, ...]:
    """The releases of a library."""
    return tuple(_adapter(name).items())


@cache
def maps(name: str) -> tuple[Stable, ...]:
    """The deterministic functions of a library, with the stability that it declares."""
    return tuple(_adapter(name).maps())


def targets(name: str, *, controls: bool = False) -> list[BlackBox]:
    """The releases as targets ``library/NAME/item``; with `controls` also with half of the noise, as ``…/half``."""
    found: list[BlackBox] = []
    for item in items(name):
        found.append(black_box(name, item))
        if controls and item.has_control:
            found.append(black_box(name, item, half=True))
    return found


def _adapter(name: str):  # type: ignore[no-untyped-def]
    if name not in ADAPTERS:
        near = difflib.get_close_matches(name, ADAPTERS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(ADAPTERS)}"
        raise UnknownTarget(f"there is no adapter for a library {name!r}; {hint}")
    if not installed(name):
        raise UnknownTarget(f"{name} is not installed: python -m pip install 'dpwitness[{name}]'")
    try:
        return import_module(f"dpwitness.libraries.{name}")
    except ImportError as error:
        raise UnknownTarget(f"{name} is installed and cannot be imported: {error}") from error
