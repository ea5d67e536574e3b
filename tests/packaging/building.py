"""Building from a copy, so that the checkout stays clean."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "*.egg-info", "build", "dist", "out", ".*_cache", ".venv*")


def copy_source(to: Path, *, links: bool = True) -> Path:
    """The project in another folder; without `links` each of them is a small text file, as on some systems."""
    own = (ROOT / ".git").exists()
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False) if own else None
    if listed is None or listed.returncode != 0:  # an unpacked source distribution
        shutil.copytree(ROOT, to, symlinks=True, ignore=_LEFT_OUT)
        return to
    for name in filter(None, listed.stdout.split("\n")):
        here, there = ROOT / name, to / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_symlink() and links:
            there.symlink_to(os.readlink(here))
        elif here.is_symlink():
            there.write_text(os.readlink(here))
        elif here.is_file():
            there.write_bytes(here.read_bytes())
    return to


def build_wheel(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """``pip wheel`` with the tools that are installed here."""
    return subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, source],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
