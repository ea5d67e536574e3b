"""Which files of the kernel a family of certificates needs, and how long they are.

``python -m tests.proofs.kernel.graph`` writes the tables of ``docs/kernel.md`` anew.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from dpwitness.proofs import kernel

FOLDER = Path(kernel.__path__[0])
PREFIX = kernel.__name__ + "."
PAGE = Path(__file__).parents[3] / "docs" / "kernel.md"
BASE = ("limits", "arith", "theorem", "check", "statements")  # every family needs these, but for the last perhaps


def place(name: str) -> Path:
    """The file of a module, which may stand in a folder of the kernel."""
    return FOLDER / f"{name.replace('.', '/')}.py"


@cache
def parsed(name: str) -> ast.Module:
    return ast.parse(place(name).read_text())


def names() -> list[str]:
    """All files of the kernel."""
    found = (path.relative_to(FOLDER).with_suffix("") for path in FOLDER.rglob("*.py") if path.stem != "__init__")
    return sorted(".".join(path.parts) for path in found)


@cache
def imports(name: str) -> set[str]:
    """Files of the kernel that a file imports."""
    nodes = (node for node in ast.walk(parsed(name)) if isinstance(node, ast.ImportFrom))
    found: set[str] = set()
    for node in nodes:
        module = (node.module or "").removeprefix(PREFIX)
        if (node.module or "").startswith(PREFIX):
            whole = place(module).exists()  # else a part of the kernel, of which files are named
            found |= {module} if whole else {f"{module}.{alias.name}" for alias in node.names}
    return found


def needed(name: str) -> set[str]:
    """The file, and all that it imports directly or not."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += imports(one)
    return seen


@cache
def lines(name: str) -> int:
    """Lines of code: neither blank nor comment nor docstring."""
    words: set[int] = set()
    for node in ast.walk(parsed(name)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            words |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    source = place(name).read_text().splitlines()
    return sum(bool(line.strip()) and line.strip()[0] != "#" and i not in words for i, line in enumerate(source, 1))


def families() -> dict[str, tuple[str, ...]]:
    """The file of each family, and the types of certificates that it checks."""
    found = {}
    for name in names():
        for node in parsed(name).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CHECKERS":
                assert isinstance(node.value, ast.Dict)
                found[name] = tuple(key.value for key in node.value.keys if isinstance(key, ast.Constant))
    return found


def order(name: str) -> list[str]:
    """The files of a family, each after those that it imports, without those that all need."""
    done: list[str] = []

    def visit(one: str) -> None:
        for other in sorted(imports(one)):
            visit(other)
        if one not in done:
            done.append(one)

    visit(name)
    return [one for one in done if one not in BASE]


def promise(name: str) -> str:
    """The first sentence of a file about itself, as Markdown in one cell of a table."""
    first = (ast.get_docstring(parsed(name)) or "").partition("\n")[0]
    return re.sub(r":math:`([^`]*)`", r"$\1$", first).replace("|", "∣")


def family_table() -> dict[tuple[str, ...], tuple[list[str], int]]:
    """Types of certificates, the files to read in order, and their lines together, the shortest family first."""
    found = {types: (order(name), sum(map(lines, needed(name)))) for name, types in families().items()}
    return dict(sorted(found.items(), key=lambda item: item[1][1]))


def page(text: str) -> str:
    """The page with both tables as they are now."""
    first = ["| certificates | files, in the order in which to read them | lines |", "|---|---|---|"]
    for types, (files, total) in family_table().items():
        first.append(f"| {', '.join(f'`{t}`' for t in types)} | {', '.join(files)} | {total} |")
    second = ["| file | lines | what it decides |", "|---|---|---|"]
    second += [f"| {name} | {lines(name)} | {promise(name)} |" for name in names()]
    for mark, table in (("families", first), ("files", second)):
        start, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
        before, _, rest = text.partition(start)
        text = before + start + "\n".join(table) + "\n" + end + rest.partition(end)[2]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
