"""Who may import whom: core ← mechanisms ← {proofs, auditors} ← reports ← cli; proofs and auditors never meet."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FORBIDDEN = {
    "src/dpwitness/core": ["dpwitness.mechanisms", "dpwitness.proofs", "dpwitness.auditors", "dpwitness.reports",
                           "dpwitness.cli", "dpwitness.api", "dpwitness.routes", "dpwitness.batch"],
    "mechanisms": ["dpwitness.proofs", "dpwitness.auditors", "dpwitness.reports", "dpwitness.cli", "dpwitness.api"],
    "proofs": ["dpwitness.auditors", "dpwitness.reports", "dpwitness.cli", "dpwitness.api"],
    "auditors": ["dpwitness.proofs", "dpwitness.reports", "dpwitness.cli", "dpwitness.api"],
    "reports": ["dpwitness.cli", "dpwitness.api", "dpwitness.proofs", "dpwitness.auditors"],
    "lessons": ["dpwitness.cli", "dpwitness.plugin"],
}  # fmt: skip
for _folder in ("src/dpwitness/core", "mechanisms", "proofs", "auditors", "reports"):
    FORBIDDEN[_folder].append("dpwitness.lessons")
# within auditors/: a package imports itself and packages to its left
LAYERS = ("outputs", "bounds", "learners", "rules", "sampling", "running", "replay", "doubles", "search")
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


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_folders_import_only_what_they_may(folder: str) -> None:
    assert files(folder)
    for path in files(folder):
        for name in imports(path):
            for bad in FORBIDDEN[folder]:
                assert name != bad, f"{path} imports {name}"
                assert not name.startswith(bad + "."), f"{path} imports {name}"


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
    for folder in ("src", "mechanisms", "proofs", "auditors", "reports", "lessons"):
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
