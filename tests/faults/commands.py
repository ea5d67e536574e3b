"""A correct and a broken target, and running the command line on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCE = """\
from dpwitness import Answers, BlackBox, PureDP

def _enough(data, size, rng):
    return rng.laplace(float(data[0]), 1.0, size)

def _too_little(data, size, rng):
    return rng.laplace(float(data[0]), 0.1, size)

space = Answers("one", 1, size=1)
correct = BlackBox("correct", _enough, space, PureDP(1))
broken = BlackBox("broken", _too_little, space, PureDP(1))
"""
QUICK = ("--max-pairs", "400", "--figures", "none")
USUAL = {"correct": 0, "broken": 1}


def write_targets(folder: Path, more: str = "") -> Path:
    path = folder / "targets.py"
    path.write_text(SOURCE + more)
    return path


_SHORT = """\
import sys
import dpwitness.apart as programs
import dpwitness.auditors.own_process as samplers
import dpwitness.cli

programs.GRACE = programs.LATEST = samplers.GRACE = 2.0
sys.exit(dpwitness.cli.main(sys.argv[1:]))
"""


def run(*words: str, cwd: Path, patient: bool = True, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own; where it is not patient, what hangs is ended soon after its limit."""
    environment = {**os.environ, **options.pop("env", {})}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    begin = ("-m", "dpwitness") if patient else ("-c", _SHORT)
    return subprocess.run(
        [sys.executable, *begin, *words], text=True, cwd=cwd, env=environment, check=False, timeout=300, **streams
    )
