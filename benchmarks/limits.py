"""``python -m benchmarks.limits``: the time that was asked for, and the time that was taken.

Samplers from a microsecond to two seconds a run, and one that hangs in code outside Python, are audited at a claim that
is exactly tight, so that nothing but the limit ends the audit; by the Python interface, by the command line, and in a
test. A cell is marked where it took more than 1.1 times the limit and one run, or, of the one that hangs, more than the
limit and ten seconds. The command line and pytest start Python and load what they need: what the same command takes,
just before, for an audit of a hundred pairs without pictures is taken off; the last line has its extremes.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from dpwitness.auditors import audit
from dpwitness.core.errors import ProgramTimeout

COSTS: dict[str, float] = {"1 µs": 0.0, "1 ms": 1e-3, "20 ms": 0.02, "0.2 s": 0.2, "2 s": 2.0, "hangs": float("inf")}
SECONDS = (2.0, 10.0, 30.0)
QUICK = (("1 µs", "20 ms", "0.2 s", "hangs"), (2.0,))
SLACK, HUNG = 1.1, 10.0
PAIRS, FEW = 10**9, 100

_SOURCE = '''
import ctypes
import time

import numpy as np

from dpwitness import Answers, BlackBox, PureDP

COST = {cost}
_runs = [0]
_library, _mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)


def release(data):
    """Laplace noise of scale 1, as slowly as told; one that hangs does so in C, with the interpreter's lock."""
    _runs[0] += 1
    if COST == float("inf") and _runs[0] > 40:
        _library.pthread_mutex_lock(_mutex)
        _library.pthread_mutex_lock(_mutex)
    if 0 < COST < float("inf"):
        time.sleep(COST)
    return float(np.sum(data)) + float(np.random.laplace())


def many(data, size, rng):
    return np.array([release(data) for _ in range(size)])


slow = BlackBox("slow", many, Answers(moves="one", by=1, size=1), PureDP(1))
quick = BlackBox("quick", lambda data, size, rng: rng.laplace(float(data[0]), 1.0, size),
                 Answers(moves="one", by=1, size=1), PureDP(1))
'''

_TEST = """
import pytest
from target import release


def test_release(assert_private):
    assert_private({name}, {inputs}, epsilon=1, seconds={seconds}, max_pairs={pairs})
"""


def by_interface(folder: Path, cost: float, seconds: float) -> float:
    """Seconds that `audit` takes."""
    space: dict[str, object] = {}
    exec(_SOURCE.format(cost=_text(cost)), space)
    release: Callable[[float], float] = space["release"]  # type: ignore[assignment]
    started = time.monotonic()
    with contextlib.suppress(ProgramTimeout):  # not a single pair could be drawn
        audit(release, 0.0, 1.0, epsilon=1, seconds=seconds, max_pairs=PAIRS)
    return time.monotonic() - started


def by_command(folder: Path, cost: float, seconds: float, target: str = "slow") -> float:
    """Seconds that ``dpwitness audit`` takes."""
    file = _written(folder, cost)
    effort = ["--max-pairs", str(PAIRS)] if target == "slow" else ["--max-pairs", str(FEW), "--figures", "none"]
    command = ["-m", "dpwitness", "audit", f"{file}::{target}", "--seconds", f"{seconds:g}", "--out",
               str(folder / "out"), "--quiet", *effort]  # fmt: skip
    return _timed(command, folder, seconds)


def by_test(folder: Path, cost: float, seconds: float, target: str = "slow") -> float:
    """Seconds that a test with ``assert_private`` takes."""
    _written(folder, cost)
    pairs = PAIRS if target == "slow" else FEW
    text = _TEST.format(name="release", inputs="0.0, 1.0", seconds=seconds, pairs=pairs)
    (folder / "test_target.py").write_text(textwrap.dedent(text))
    return _timed(["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_target.py"], folder, seconds)


def _written(folder: Path, cost: float) -> Path:
    file = folder / "target.py"
    file.write_text(_SOURCE.format(cost=_text(cost)))
    return file


def _text(cost: float) -> str:
    return 'float("inf")' if cost == float("inf") else repr(cost)


def _timed(command: list[str], folder: Path, seconds: float) -> float:
    started = time.monotonic()
    try:
        subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, check=False,
                       timeout=20 * seconds + 120)  # fmt: skip
    except subprocess.TimeoutExpired:
        return float("inf")
    return time.monotonic() - started


def allowed(cost: float, seconds: float) -> float:
    """The longest that an audit may take."""
    return seconds + HUNG if cost == float("inf") else SLACK * seconds + cost


def measure(names: Iterable[str], limits: Iterable[float], ways: Iterable[str]) -> int:
    """Print the table; how many cells took too long."""
    how = {"interface": by_interface, "command": by_command, "test": by_test}
    starting = {"command": by_command, "test": by_test}
    late, starts = 0, dict[str, list[float]]()
    chosen = list(ways)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'a run':>8}  {'asked':>6}  " + "  ".join(f"{way:>10}" for way in chosen))
        for label in names:
            for seconds in limits:
                cells = []
                for way in chosen:
                    begin = starting[way](folder, 0.0, 60.0, "quick") if way in starting else 0.0
                    starts.setdefault(way, []).append(begin)
                    taken = how[way](folder, COSTS[label], seconds) - begin
                    over = taken > allowed(COSTS[label], seconds)
                    late += over
                    cells.append(f"{taken:8.1f} {'!' if over else ' '}")
                print(f"{label:>8}  {seconds:6g}  " + "  ".join(cells), flush=True)
    off = (f"{way} {min(found):.1f} to {max(found):.1f} s" for way, found in starts.items() if way in starting)
    print(f"taken off: {', '.join(off)}")
    print(f"{late} of the cells: longer than 1.1 times the limit and one run" if late else "all within their limits")
    return late


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="a few rows only")
    options.add_argument("--ways", default="interface,command,test", help="which columns, separated by commas")
    options.add_argument("--asked", type=float, nargs="+", default=SECONDS, metavar="SECONDS", help="which limits")
    given = options.parse_args()
    names, limits = QUICK if given.quick else (tuple(COSTS), tuple(given.asked))
    sys.exit(1 if measure(names, limits, given.ways.split(",")) else 0)


if __name__ == "__main__":
    main()
