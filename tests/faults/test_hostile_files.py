"""Files that somebody else wrote: refused in one sentence, soon, and without filling the memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.commands import QUICK, run, write_targets

from dpwitness.cli import main
from dpwitness.core.loading import BadFile, parse_json, read_json
from dpwitness.core.text import line


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 2**20)


def brackets(path: Path) -> None:
    path.write_bytes(b"[" + b"[]," * 2_600_000 + b"1]")


def text(content: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(content, encoding="utf-8", errors="surrogatepass") and None


CHECK = {"claim": "ε = 1", "epsilon": "1", "verdict": "NOT_REFUTED", "lower": "0.5", "upper": None}


def baseline(**change: object) -> str:
    return json.dumps({"schema": "dpwitness.baseline/1", "checks": {"test_it.py::test_it": {**CHECK, **change}}})


FILES = {
    "fifo": fifo,
    "zero": zero,
    "large": large,
    "brackets": brackets,
    "deep": text("[" * 10**6),
    "twice": text('{"schema": 1, "schema": 2}'),
    "huge": text('{"schema": 1e99999999}'),
    "digits": text("1" * 10**6),
    "nan": text('{"schema": NaN}'),
    "not utf-8": lambda path: path.write_bytes(b'{"a": "\xff"}') and None,
    "nonsense": text("nonsense"),
    "empty": text(""),
    "folder": lambda path: path.mkdir(),
}
BASELINES = {
    "number": text(baseline(lower="1e99999999")),
    "fraction": text(baseline(upper="1/" + "9" * 9999)),
    "list": text(baseline(epsilon=[])),
    "no checks": text('{"schema": "dpwitness.baseline/1", "checks": []}'),
    "claim": text(baseline(claim=3)),
}
READER = """
import resource, sys, time
import pytest
from pathlib import Path
from dpwitness.plugin.baseline import load
start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load(Path(sys.argv[1]))
    print("read")
except pytest.UsageError as error:
    print(str(error))
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))


@pytest.mark.parametrize("name", [*FILES, *BASELINES])
def test_a_baseline_from_outside_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    {**FILES, **BASELINES}[name](path)
    done = subprocess.run(
        [sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=False, timeout=60,
        preexec_fn=bounded,
    )  # fmt: skip
    said, figures = done.stdout.strip().splitlines()
    assert "cannot be read" in said, done.stderr
    assert len(said) < 600
    kilobytes = int(figures.split()[1])
    assert kilobytes < 300 * 1024


def test_a_sound_baseline_is_read(tmp_path: Path) -> None:
    from dpwitness.plugin.baseline import load

    path = tmp_path / "b.json"
    path.write_text(baseline())
    assert load(path)["test_it.py::test_it"]["lower"] == "0.5"


@pytest.mark.parametrize("name", FILES)
def test_json_from_outside_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    FILES[name](path)
    if name == "brackets":
        assert len(read_json(path)) == 2_600_001, "odd, but sound and small enough"
        return
    with pytest.raises((BadFile, IsADirectoryError)) as caught:
        read_json(path)
    assert len(str(caught.value)) < 400


def test_numbers_and_keys() -> None:
    assert parse_json('{"a": 12345678901234567890, "b": -1.5e300}') == {"a": 12345678901234567890, "b": -1.5e300}
    for bad in ('{"b": {"a": 1, "a": 1}}', "[-1e400]", "[Infinity]", "1" * 401, "1." + "0" * 400):
        with pytest.raises(BadFile):
            parse_json(bad)


def test_a_checkpoint_that_is_none_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_targets(tmp_path)
    options = ["audit", f"{path}::correct", *QUICK, "--quiet", "--jobs", "1", "--out", str(tmp_path / "o")]
    state = tmp_path / "o" / "unfinished"
    kept: list[Path] = []

    def stop(*_: object) -> None:
        kept.extend(state.glob("*"))
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpwitness.reports.model.Report.of", stop)
        assert main(options) == 130
    (verdict,) = (file for file in kept if file.suffix == ".verdict")
    head = b"".join(verdict.read_bytes().splitlines(keepends=True)[:2])
    damage: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(verdict),
        "device": lambda: verdict.symlink_to("/dev/zero"),
        "huge number": lambda: verdict.write_bytes(head + b'[[0],[["Fraction","1e99999999"]]]\n'),
        "no verdict": lambda: verdict.write_bytes(head + b'[[0],[["list",[1,2]]]]\n'),
        "deep": lambda: verdict.write_bytes(head + b"[" * 10**6),
    }
    for name, make in damage.items():
        capsys.readouterr()
        verdict.unlink()
        make()
        assert main([*options, "--resume"]) == 2, name
        assert capsys.readouterr().err.count("\n") == 1


def test_text_from_outside_forges_no_lines(tmp_path: Path) -> None:
    name = "x\x1b[2J\r\n0 surprises\nreport: fine\x07"
    done = run("verify", f"{name}.py::f", "--out", "o", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not set(done.stderr) & set("\x1b\x07\r")
    source = f"raise ValueError({name!r})"
    (tmp_path / "bad.py").write_text(source)
    done = run("verify", "bad.py::f", "--out", "o", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "\x1b" not in done.stderr
    assert line("a\x1b[31m\nb") == "a b"
