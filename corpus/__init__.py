"""Documented privacy bugs of real libraries, each re-created as a small program beside its repair.

One file for each class of bug. An entry says where the bug was documented, what was wrong, how severe it was, what was
claimed under which neighbour relation, and which routes should find it. Every program here is written anew; none is
the code of the library named. The entries are targets: ``dpwitness verify corpus/opendp-2924``, ``dpwitness verify
@corpus`` (which is no part of a run without targets).

>>> from dpwitness.corpus import bugs
>>> bugs()["opendp-2922"].source
'OpenDP issue 2922'
"""

from __future__ import annotations

from importlib import import_module

from dpwitness.corpus.entry import BUGS, CLASSES, Bug


def bugs() -> dict[str, Bug]:
    """All entries by name."""
    for name in CLASSES:
        import_module(f"{__name__}.{name}")
    return BUGS


__all__ = ["CLASSES", "Bug", "bugs"]
