"""The source distribution holds the tests and all that they read, and they pass there."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from tests.packaging.building import ROOT, build_wheel, copy_source

pytestmark = pytest.mark.slow
QUICK = ["tests/core", "tests/reports", "tests/packaging/test_wheel.py", "tests/test_import_edges.py",
         "tests/test_documentation.py", "tests/cli/test_growth.py"]  # fmt: skip


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = copy_source(tmp_path_factory.mktemp("source") / "dpwitness")
    folder = tmp_path_factory.mktemp("sdist")
    code = "from setuptools.build_meta import build_sdist; import sys; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=source, check=True, capture_output=True)
    (made,) = folder.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(folder, filter="data")
    (place,) = (path for path in folder.iterdir() if path.is_dir())
    return place


def test_it_holds_every_file_of_the_project(unpacked: Path) -> None:
    for folder in (
        "tests",
        "mechanisms",
        "proofs",
        "auditors",
        "reports",
        "lessons",
        "literature",
        "corpus",
        "docs",
        "benchmarks",
    ):
        for path in (ROOT / folder).rglob("*"):
            inside = path.relative_to(ROOT)
            if path.is_file() and not {"__pycache__", "out"} & set(inside.parts):
                assert (unpacked / inside).is_file(), inside
                assert folder in ("tests", "docs", "benchmarks") or (unpacked / "src" / "dpwitness" / inside).is_file()


def test_its_tests_pass(unpacked: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *QUICK],
        cwd=unpacked, env={**environment, "PYTHONPATH": f"{unpacked / 'src'}{os.pathsep}{unpacked}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]


def test_a_wheel_can_be_built_from_it(unpacked: Path, tmp_path: Path) -> None:
    done = build_wheel(unpacked, tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("*.whl"))
