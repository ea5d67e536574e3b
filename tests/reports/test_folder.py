"""A report's folder: nothing of anybody else's is touched, one run at a time, and kills leave nothing that stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.reports.samples import RUN, sample, verdicts

from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite, ToolFailure
from dpwitness.core.files import LOCK, locked, write_whole
from dpwitness.reports.folder import FRESH, MANIFEST, opened
from dpwitness.reports.model import Report
from dpwitness.reports.writer import write


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "mine.json").write_text("mine")
    with pytest.raises(BadInput, match="did not write, such as 'certificates'"):
        write(sample(), tmp_path, figures=False)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["certificates", "mine.json"]


def test_with_force_other_files_stay(tmp_path: Path) -> None:
    for name in ("certificates/mine.json", "figures/mine.svg", "notes.txt", "index.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    write(sample(), tmp_path, figures=False, force=True)
    write(Report.of(verdicts()[3:4], RUN), tmp_path, figures=False)
    for name in ("certificates/mine.json", "figures/mine.svg", "notes.txt"):
        assert (tmp_path / name).read_text() == "mine"
    assert [p.name for p in (tmp_path / "certificates").iterdir()] == ["mine.json"], "the old report's are gone"
    assert (tmp_path / "index.html").read_text().startswith("<!DOCTYPE html>")


def test_what_is_put_beside_a_report_is_not_replaced(tmp_path: Path) -> None:
    write(Report.of(verdicts()[3:4], RUN), tmp_path / "out", figures=False)
    stray = tmp_path / "out" / "certificates"
    name = next(n for n in json.loads(_certificates(tmp_path)) if n.startswith("certificates/"))
    (tmp_path / "out" / name).write_text("mine")
    before = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    with pytest.raises(CannotWrite, match="was not written by dpwitness"):
        write(sample(), tmp_path / "out", figures=False)
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == before
    assert stray.is_dir()


def _certificates(tmp_path: Path) -> str:
    write(sample(), tmp_path / "other", figures=False)
    return json.dumps(json.loads((tmp_path / "other" / MANIFEST).read_text())["files"])


@pytest.mark.parametrize("name", ["../victim", "/etc/passwd", "certificates/../../victim", "a/b/c", ".git", 3, "x\n"])
def test_a_forged_manifest_removes_nothing(name: object, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    write(sample(), tmp_path / "out", figures=False)
    (tmp_path / "out" / MANIFEST).write_text(json.dumps({"schema": "dpwitness.folder/1", "files": [name]}))
    with pytest.raises(BadInput, match="which no report holds"):
        write(sample(), tmp_path / "out", figures=False)
    assert victim.read_text() == "mine"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write(Report.of(verdicts()[3:4], RUN), tmp_path / "out", figures=False)
    (tmp_path / "out" / "certificates").rmdir()
    (tmp_path / "out" / "certificates").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotWrite, match="is a link"):
        write(sample(), tmp_path / "out", figures=False)
    assert list((tmp_path / "elsewhere").iterdir()) == []


HOLD = """
import sys, time
from pathlib import Path
from dpwitness.reports.folder import fill, opened

def make(fresh):
    (fresh / "figures").mkdir()
    (fresh / "figures" / "half.svg").write_text("half")
    print("drawing", flush=True)
    time.sleep(600)

with opened(Path(sys.argv[1])) as place:
    fill(place, make)
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    """A process that holds a folder, and has drawn half of its figures."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "drawing\n"
    return holder


def test_two_runs_in_one_folder_and_a_kill_while_figures_are_drawn(tmp_path: Path) -> None:
    holder = hold(tmp_path / "out")
    try:
        with pytest.raises(ToolFailure, match=rf"in use by another run \(process {holder.pid}\)"):
            write(sample(), tmp_path / "out", figures=False)
    finally:
        holder.kill()
        holder.wait()
        assert holder.stdout is not None
        holder.stdout.close()
    assert (tmp_path / "out" / FRESH / "figures" / "half.svg").exists()
    assert (tmp_path / "out" / LOCK).exists(), "a killed run leaves its lock, which holds nobody off"
    write(sample(), tmp_path / "out", figures=False)
    names = {p.name for p in (tmp_path / "out").rglob("*")}
    assert not names & {LOCK, FRESH, "half.svg"}
    assert [p.name for p in tmp_path.iterdir()] == ["out"], "nothing lies beside the folder"


def test_a_worker_that_outlives_its_run_keeps_nobody_out(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # takes the lock, leaves a child of its own behind, and dies
        with locked(tmp_path):
            if os.fork() == 0:
                os.write(writing, b"+")
                time.sleep(20)
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    assert os.read(reading, 1) == b"+"
    with locked(tmp_path):
        assert (tmp_path / LOCK).read_text() == str(os.getpid())
    assert not (tmp_path / LOCK).exists()


def test_a_block_that_writes_nothing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), opened(tmp_path / "a" / "b"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_files_are_written_whole_with_the_mode_of_the_umask(tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    before = os.umask(0o027)
    try:
        write_whole(place, "one")
        write_whole(place, "two")
    finally:
        os.umask(before)
    assert place.read_text() == "two"
    assert place.stat().st_mode & 0o777 == 0o640
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / f".r.json.{dead.pid}.0123abcd.tmp").write_text("half")
    (tmp_path / f".r.json.{os.getpid()}.0123abcd.tmp").write_text("somebody writes this now")
    write_whole(place, "three")
    assert {p.name for p in tmp_path.iterdir()} == {"r.json", f".r.json.{os.getpid()}.0123abcd.tmp"}
    (tmp_path / "link.json").symlink_to(place)
    write_whole(tmp_path / "link.json", "four")
    assert (tmp_path / "link.json").is_symlink()
    assert place.read_text() == "four"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    place.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(place, "\ud800")
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]
    assert place.read_text() == "old"
    with pytest.raises(BadInput, match="is a folder"):
        write_whole(tmp_path, "x")
