"""Who may import whom: core ← mechanisms ← {proofs, auditors} ← reports ← cli; proofs and auditors never meet."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# what each part of the package may import, beside itself; docs/architecture.md shows this as a picture
MAY_IMPORT = {
    "core": (),
    "mechanisms": ("core",),
    "corpus": ("core",),
    "importing": ("core",),
    "proofs": ("core",),
    "auditors": ("core",),
    "reports": ("core",),
    "apart": ("auditors", "core"),
    "routes": ("apart", "core"),
    "libraries": ("core",),
    "catalogue": ("core", "corpus", "importing", "libraries", "mechanisms"),
    "rejudging": ("core", "routes"),
    "batch": ("auditors", "catalogue", "core", "rejudging", "routes"),
    "api": ("apart", "core", "proofs", "reports", "routes"),
    "pictures": ("api", "core", "proofs", "reports"),
    "literature": ("core", "proofs"),
    "lessons": ("auditors", "catalogue", "core", "corpus", "importing", "literature", "proofs", "reports", "routes"),
    "testing": ("auditors", "core", "routes"),
    "plugin": ("auditors", "catalogue", "core", "proofs", "reports", "routes"),
    "cli": (
        "auditors",
        "batch",
        "catalogue",
        "core",
        "importing",
        "lessons",
        "libraries",
        "literature",
        "pictures",
        "proofs",
        "reports",
        "routes",
    ),
}
LATE = {("proofs", "dpwitness.pictures.accounts")}  # inside a function: an account draws itself, once it is asked to
ALONE = {"__init__.py", "__main__.py", "py.typed"}  # they import lazily, or start the command line
TOP = (
    "mechanisms",
    "proofs",
    "auditors",
    "reports",
    "lessons",
    "literature",
    "corpus",
)  # folders at the root of the repository
# within auditors/: a package imports itself and packages to its left
LAYERS = ("outputs", "bounds", "learners", "rules", "sampling", "running", "replay", "doubles", "inputs", "search",
          "stability", "training")  # fmt: skip
KERNEL_MAY = {"flint", *sys.stdlib_module_names}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def parts_of(unit: str) -> list[Path]:
    if unit in TOP:
        return files(unit)
    place = ROOT / "src" / "dpwitness" / unit
    return files(f"src/dpwitness/{unit}") if place.is_dir() else [place.with_suffix(".py")]


@pytest.mark.parametrize("unit", MAY_IMPORT)
def test_parts_import_only_what_they_may(unit: str) -> None:
    present = [path for path in parts_of(unit) if path.exists()]
    assert present
    for path in present:
        for name in imports(path):
            late = [where for part, where in LATE if part == unit and name.startswith(where)]
            if late:
                assert f"\nfrom {late[0]} " not in path.read_text(encoding="utf-8")
            elif name.startswith("dpwitness.") and name.split(".")[1] in MAY_IMPORT:
                assert name.split(".")[1] in (unit, *MAY_IMPORT[unit]), f"{path} imports {name}"


def test_every_module_belongs_to_a_part() -> None:
    found = {p.name for p in (ROOT / "src" / "dpwitness").iterdir() if p.name != "__pycache__"}
    assert {name.removesuffix(".py") for name in found - ALONE} <= set(MAY_IMPORT)


def test_proofs_and_auditors_never_meet() -> None:
    """Their independence is what makes their agreement mean something."""
    assert "auditors" not in MAY_IMPORT["proofs"]
    assert "proofs" not in MAY_IMPORT["auditors"]


def picture() -> str:
    """The edges as a Mermaid graph; what follows from others is left out."""
    lines = ["graph BT"]
    for unit, below in MAY_IMPORT.items():
        implied = {far for near in below for far in MAY_IMPORT[near]}
        lines += [f"    {unit} --> {near}" for near in below if near not in implied]
    lines += [f"    subgraph auditors_\n        {' --> '.join(reversed(LAYERS))}\n    end"]
    return "\n".join(lines)


def test_the_picture_of_the_documentation_is_this_one() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{picture()}\n```" in page, f"docs/architecture.md must hold\n{picture()}"


@pytest.mark.parametrize("layer", LAYERS)
def test_packages_of_the_auditors_import_in_one_direction(layer: str) -> None:
    may = LAYERS[: LAYERS.index(layer) + 1]
    if layer == "bounds":  # what carries the promise of an audit can be reviewed alone
        assert may == ("outputs", "bounds")
    if layer == "sampling":  # running a stranger's code needs no statistics
        may = ("outputs", "sampling")
    assert files(f"auditors/{layer}")
    for path in files(f"auditors/{layer}"):
        for name in imports(path):
            if name.startswith("dpwitness.auditors."):
                assert name.split(".")[2] in may, f"{path} imports {name}"


def test_every_file_of_the_auditors_has_a_place() -> None:
    found = {path.parent.name for path in files("auditors")}
    assert found == {*LAYERS, "auditors"}


def test_the_kernel_imports_the_standard_library_and_flint_alone() -> None:
    for path in files("proofs/kernel"):
        for name in imports(path):
            top = name.partition(".")[0]
            assert top in KERNEL_MAY or name.startswith("dpwitness.proofs.kernel") or name == "dpwitness.proofs", (
                f"{path} imports {name}"
            )


def test_text_from_outside_is_never_run() -> None:
    for folder in ("src", *TOP):
        for path in files(folder):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                    assert name not in ("eval", "exec", "sympify", "parse_expr"), f"{path}:{node.lineno} calls {name}"


@pytest.mark.parametrize("module", ["dpwitness", "dpwitness.cli", "dpwitness.catalogue", "dpwitness.core"])
def test_importing_is_cheap(module: str) -> None:
    code = f"import {module}, sys; print([m for m in ('numpy','scipy','sympy','rich','flint') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
