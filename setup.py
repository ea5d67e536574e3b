"""A check before the build: the packages are reached through symbolic links, which some checkouts do not have."""

from __future__ import annotations

from pathlib import Path

from setuptools import setup

PACKAGES = ("mechanisms", "proofs", "auditors", "reports", "lessons", "literature", "corpus")
missing = [
    name for name in PACKAGES if not (Path(__file__).parent / "src" / "dpwitness" / name / "__init__.py").is_file()
]
if missing:
    raise SystemExit(
        f"dpwitness cannot be built: src/dpwitness/{missing[0]} must be a link to ../../{missing[0]}, or a folder with "
        "its files, and is neither. This checkout has no symbolic links: run `git config core.symlinks true` and "
        "`git checkout -- src/dpwitness`, then build again."
    )

setup()
