"""The page about the kernel names the files that each family of certificates really needs."""

from __future__ import annotations

import re

from tests.proofs.kernel.graph import BASE, PAGE, family_table, imports, lines, names

from dpwitness.proofs.kernel.check import checkers

WRITE = "run `python -m tests.proofs.kernel.graph`"


def rows(mark: str) -> list[list[str]]:
    text = PAGE.read_text().partition(f"<!-- {mark} -->\n")[2].partition("<!--")[0]
    return [[cell.strip() for cell in row.strip("| ").split("|")] for row in text.splitlines()[2:]]


def near(shown: str, real: int) -> bool:
    """Numbers of lines need not follow every small change."""
    return abs(int(shown) - real) <= 10 + real / 10


def test_families() -> None:
    shown = {tuple(re.findall(r"`([^`]*)`", row[0])): (row[1].split(", "), row[2]) for row in rows("families")}
    real = family_table()
    assert {types: set(files) for types, (files, _) in shown.items()} == {
        types: set(files) for types, (files, _) in real.items()
    }, WRITE
    assert all(near(shown[types][1], total) for types, (_, total) in real.items()), WRITE
    assert {type_ for types in real for type_ in types} == set(checkers())


def test_files() -> None:
    shown = {row[0]: row[1] for row in rows("files")}
    assert set(shown) == set(names()), WRITE
    assert all(near(shown[name], lines(name)) for name in names()), WRITE


def test_files_stand_after_what_they_import() -> None:
    for _, (files, _) in family_table().items():
        for i, name in enumerate(files):
            assert imports(name) <= {*files[:i], *BASE}, name
