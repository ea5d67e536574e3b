"""Notebooks: valid files whose cells run; where a Jupyter kernel is installed, in a kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpwitness.cli import main
from dpwitness.lessons import TITLES, load
from dpwitness.lessons.model import Predict
from dpwitness.lessons.notebook import Notebook

IN_A_KERNEL = ("definition", "sets", "accounting")  # the labs of all lessons run in test_terminal


def notebook(name: str, folder: Path) -> dict[str, Any]:
    place = folder / f"{name}.ipynb"
    assert main(["lesson", name, "--notebook", str(place)]) == 0
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """One kernel for all notebooks: every notebook begins with its own imports."""
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    made = nbclient.NotebookClient(nbformat.v4.new_notebook(), timeout=300)
    made.create_kernel_manager()
    made.start_new_kernel()
    made.start_new_kernel_client()
    yield made
    made._cleanup_kernel()


@pytest.mark.parametrize("name", TITLES)
def test_notebooks_are_valid(name: str, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    made = nbformat.from_dict(notebook(name, tmp_path))
    nbformat.validate(made)
    for cell in made.cells:
        if cell.cell_type == "code":
            compile(cell.source, name, "exec")


@pytest.mark.parametrize(
    "name", [name if name in IN_A_KERNEL else pytest.param(name, marks=pytest.mark.slow) for name in TITLES]
)
def test_notebooks_run_in_a_kernel(name: str, tmp_path: Path, client: Any) -> None:
    import nbformat

    made = nbformat.from_dict(notebook(name, tmp_path))
    client.nb = made
    for i, cell in enumerate(made.cells):
        if cell.cell_type == "code":
            client.execute_cell(cell, i)
    text = json.dumps(made)
    assert "<svg" in text, "labs show their figures"
    assert "not written yet" in text, "exercises are left for later"


def test_cells_run_as_a_plain_script(tmp_path: Path) -> None:
    cells = notebook("definition", tmp_path)["cells"]
    script = tmp_path / "script.py"
    script.write_text("\n".join(c["source"] for c in cells if c["cell_type"] == "code"), encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "PROVED" in done.stdout


def test_predictions_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    made = Notebook("definition")
    first = next(step for step in load("definition").steps if isinstance(step, Predict))
    made.predict(1)
    made.predict(1, first.answer + 1)
    made.predict(1, len(first.choices) if first.answer == 0 else 1)
    said = capsys.readouterr().out
    assert said.count("Right.") == said.count("Not quite.") == 1
