"""A project of somebody else: a fresh environment, ``pip install``, six lines of tests. Run with ``pytest -m slow``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.packaging.test_wheel import wheel as wheel  # noqa: PLC0414

SIX_LINES = """\
import numpy as np
def correct(data): return sum(data) + np.random.laplace(0, 1.0)
def broken(data): return sum(data) + np.random.laplace(0, 0.5)
def test_correct(assert_private): assert_private(correct, [0, 1], [1, 1], epsilon=1.0)
def test_broken(assert_private): assert_private(broken, [0, 1], [1, 1], epsilon=1.0)
"""


@pytest.mark.slow
def test_a_project_outside_the_repository(wheel: Path, tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel, "pytest", "pytest-xdist"], check=True)
    project = tmp_path / "project"
    project.mkdir()
    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "test_mine.py").write_text(SIX_LINES)
    assert len(SIX_LINES.splitlines()) <= 6
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHONPATH"))}
    found = {}
    for name, more in (("serial", []), ("parallel", ["-n", "2"])):
        words = [python, "-m", "pytest", f"--dp-json={name}.json", *more]
        done = subprocess.run(words, cwd=project, env=clean, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "1 failed, 1 passed" in done.stdout
        for part in ("broken is not private as claimed", "left x = (0, 1)", "right x′ = (1, 1)", "event S: output"):
            assert part in done.stdout
        found[name] = (project / f"{name}.json").read_bytes()
    assert found["serial"] == found["parallel"]
