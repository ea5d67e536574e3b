"""The built wheel holds every package and works from another working directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.packaging.building import ROOT, build_wheel, copy_source


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = build_wheel(copy_source(tmp_path_factory.mktemp("source") / "dpwitness"), folder)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_holds_every_module_and_data_file(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    for folder, place in [("src/dpwitness", "dpwitness"), *((f, f"dpwitness/{f}") for f in
                          ("mechanisms", "proofs", "auditors", "reports", "lessons", "literature",
                           "corpus"))]:  # fmt: skip
        for path in (ROOT / folder).rglob("*"):
            kept = path.suffix in (".py", ".json", ".typed", ".j2", ".css", ".js")
            if kept and path.is_file() and "out" not in path.relative_to(ROOT).parts:
                assert f"{place}/{path.relative_to(ROOT / folder)}" in inside


def test_the_installed_wheel_runs_from_another_directory(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, wheel], check=True
    )
    environment = {**os.environ, "PYTHONPATH": str(place)}
    code = (
        "import dpwitness, sys; print(dpwitness.__file__); from dpwitness.cli import main; "
        "sys.exit(main(['list', '--json', '-']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    where, _, listing = done.stdout.partition("\n")
    assert Path(where).is_relative_to(place)
    assert len(json.loads(listing)) >= 90


def test_a_checkout_without_symbolic_links_is_refused_loudly(tmp_path: Path) -> None:
    if not (ROOT / "src" / "dpwitness" / "proofs").is_symlink():
        pytest.skip("a source distribution holds folders in place of links")
    done = build_wheel(copy_source(tmp_path / "source", links=False), tmp_path / "wheels")
    assert done.returncode != 0
    assert "git config core.symlinks true" in done.stdout + done.stderr
    assert not list(tmp_path.glob("wheels/*.whl"))
