"""Chunks are the same wherever they are drawn, and a killed run goes on where it stopped."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from dpwitness.auditors import audit, checkpoint, sequential, service
from dpwitness.auditors.checkpoint import Checkpoint
from dpwitness.auditors.pools import open_executor
from dpwitness.auditors.sampling import Sampler, as_sampler, stream
from dpwitness.auditors.service import Job, chunks
from dpwitness.core.errors import BadInput


def laplace(data, size, rng):
    return rng.laplace(data, 0.95, size)


def job(left=3000, right=2900):
    return Job(Sampler(np.random.Generator.laplace, True), 0.0, 1.0, left, right, seed=4)


def evidence(result):
    kept = {k: v for k, v in vars(result).items() if k != "seconds"}
    return pickle.dumps(kept)


def test_spans_cover_everything_once():
    spans = list(job().spans())
    assert spans[0][0] == 0
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))
    assert spans[-1][1] == 3000


def test_streams_of_different_keys_differ_and_repeat():
    draws = {key: stream(3, *key).random() for key in ((0, 0), (0, 1), (1, 0), (1, 0, 0))}
    assert len(set(draws.values())) == 4
    assert stream(3, 1, 0).random() == draws[(1, 0)]


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks small enough that a few thousand pairs are sent to workers, and digested there."""
    monkeypatch.setattr(service, "LARGEST_BATCHED", 256)
    monkeypatch.setattr(sequential, "MOST_PAIRS_KEPT", 500)


def needs_dask():
    pytest.importorskip("distributed", reason="the extra [dask] is not installed")


@pytest.mark.parametrize("kind", ["threads", "processes", 2, "dask=local"])
@pytest.mark.parametrize("epsilon", [1, None])
def test_any_executor_gives_the_same_evidence(kind, epsilon, small_chunks):
    if kind == "dask=local":
        needs_dask()
    here = audit(laplace, 0.0, 1.0, epsilon=epsilon, max_pairs=4000)
    pools = {"threads": lambda: ThreadPoolExecutor(3), "processes": lambda: ProcessPoolExecutor(2)}
    pool = pools[kind]() if kind in pools else None
    try:
        there = audit(laplace, 0.0, 1.0, epsilon=epsilon, max_pairs=4000, executor=pool or kind)
    finally:
        if pool is not None:
            pool.shutdown()
    assert evidence(there) == evidence(here)


def vectors(data, size, rng):
    return rng.laplace(data, 0.9, (size, 2))


def new_forms(data, size, rng):
    return [None if x > 7.5 else (x if x > 0 else "below") for x in rng.laplace(data, 0.97, size)]


def just_broken(data, size, rng):
    return rng.laplace(data, 0.9, size)


@pytest.mark.parametrize("sampler", [vectors, new_forms, just_broken, laplace])
def test_digests_lose_nothing(sampler, small_chunks):
    """Workers send back counts; rare forms and crossings inside a chunk make them send the outputs."""
    for delta in (0.0, 0.01):
        here = audit(sampler, 0.0, 1.0, epsilon=1, delta=delta, max_pairs=6000)
        there = audit(sampler, 0.0, 1.0, epsilon=1, delta=delta, max_pairs=6000, executor="threads")
        assert evidence(there) == evidence(here)


def kills_its_worker(data, size, rng):
    """Ends the process once (the flag says whether it has happened), or always where there is no flag."""
    flag = os.environ["DPWITNESS_TEST_FLAG"]
    if os.environ["DPWITNESS_TEST_PARENT"] != str(os.getpid()) and size > 200 and not os.path.exists(flag):
        if flag != "/never":
            pathlib.Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.laplace(data, 0.95, size)


@pytest.mark.parametrize("own", [True, False])
def test_a_killed_worker_loses_nothing(own, monkeypatch, tmp_path, small_chunks):
    monkeypatch.setenv("DPWITNESS_TEST_PARENT", str(os.getpid()))
    monkeypatch.setenv("DPWITNESS_TEST_FLAG", str(tmp_path / "killed"))
    here = audit(kills_its_worker, 0.0, 1.0, epsilon=1, max_pairs=2000)
    executor = ProcessPoolExecutor(2) if own else 2
    there = audit(kills_its_worker, 0.0, 1.0, epsilon=1, max_pairs=2000, executor=executor)
    assert (tmp_path / "killed").exists()
    assert evidence(there) == evidence(here)


def test_a_sampler_that_always_ends_its_process_ends_the_audit_alone(monkeypatch, small_chunks):
    monkeypatch.setenv("DPWITNESS_TEST_PARENT", str(os.getpid()))
    monkeypatch.setenv("DPWITNESS_TEST_FLAG", "/never")
    result = audit(kills_its_worker, 0.0, 1.0, epsilon=1, max_pairs=2000, executor=2)
    assert "a worker died twice while drawing runs" in result.details["cut"]
    assert not result.refuted


def test_what_cannot_be_sent_never_reaches_a_process_pool(small_chunks):
    """A pool that fails to pickle a call can keep the interpreter from ending."""
    unsendable = lambda data, size, rng: rng.laplace(data, 1, size)  # noqa: E731
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(BadInput, match="cannot be sent"):
            audit(unsendable, 0.0, 1.0, epsilon=1, max_pairs=2000, executor=pool)
        assert pool._processes == {}


def test_what_cannot_be_sent_is_said_clearly(small_chunks):
    with pytest.raises(BadInput, match="cannot be sent to another process"):
        audit(lambda data, size, rng: rng.laplace(data, 1, size), 0.0, 1.0, epsilon=1, max_pairs=2000, executor=2)


def test_a_killed_run_resumes_to_the_same_bytes(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent("""
        import pickle, sys, time
        from dpwitness.auditors import audit, checkpoint
        checkpoint._EVERY_SECONDS = 0.0

        def slow(data, size, rng):
            time.sleep(float(sys.argv[2]))
            return rng.laplace(data, 0.97, size)

        result = audit(slow, 0.0, 1.0, epsilon=1, max_pairs=6000, checkpoint=sys.argv[1])
        kept = {k: v for k, v in vars(result).items() if k != "seconds"}
        sys.stdout.buffer.write(pickle.dumps(kept))
        """)
    )

    def command(name, pause):
        return [sys.executable, str(script), str(tmp_path / name), str(pause)]

    whole = subprocess.run(command("a", 0), capture_output=True, check=True).stdout
    running = subprocess.Popen(command("b", 0.3), stdout=subprocess.PIPE)
    for _ in range(200):
        if (tmp_path / "b").exists():
            break
        time.sleep(0.1)
    time.sleep(0.7)
    running.kill()
    running.communicate()
    assert (tmp_path / "b").exists()
    resumed = subprocess.run(command("b", 0), capture_output=True, check=True).stdout
    assert resumed == whole


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = tmp_path / "state"
    audit(laplace, 0.0, 1.0, epsilon=1, max_pairs=300, checkpoint=path)
    with pytest.raises(BadInput, match="other arguments"):
        audit(laplace, 0.0, 1.0, epsilon=1, max_pairs=301, checkpoint=path)
    path.write_bytes(b"something else")
    with pytest.raises(BadInput, match="not a checkpoint"):
        Checkpoint(path, "x").load()


def test_chunks_can_start_anywhere():
    sampler = as_sampler(laplace)
    task = Job(sampler, 0.0, 1.0, 2000, 1900, 7)
    whole = list(chunks(task))
    for chunk, again in zip(whole[3:], chunks(task, position=whole[3].start), strict=True):
        assert np.array_equal(chunk.left, again.left)
        assert np.array_equal(chunk.right, again.right)
    assert sum(len(c.left) for c in whole) == 2000
    assert sum(len(c.right) for c in whole) == 1900


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("builtins", "eval"), ("dpwitness.auditors.pools", "os"), ("dpwitness.auditors.state", "pack"),
     ("dpwitness.auditors..state", "_Reader"), ("dpwitness.core.evidence", "Fraction")],
)  # fmt: skip
def test_a_checkpoint_holds_nothing_but_state(module, name, tmp_path):
    path = tmp_path / "state"
    path.write_bytes(b"dpwitness checkpoint 3\nrun\n" + json.dumps([[0], [["object", module, name, []]]]).encode())
    with pytest.raises(BadInput, match="which no checkpoint needs"):
        Checkpoint(path, "run").load()


def test_a_checkpoint_of_something_else_than_an_audit_is_refused(tmp_path):
    path = tmp_path / "state"
    audit(laplace, 0.0, 1.0, epsilon=1, max_pairs=300, checkpoint=path)
    _, run, _ = path.read_bytes().split(b"\n", 2)
    Checkpoint(path, run.decode()).save({"engine": None}, force=True)
    with pytest.raises(BadInput, match="does not hold the state of an audit"):
        audit(laplace, 0.0, 1.0, epsilon=1, max_pairs=300, checkpoint=path)


def test_a_broken_checkpoint_is_an_error_and_not_a_traceback(tmp_path):
    path = tmp_path / "state"
    Checkpoint(path, "run").save({"a": np.arange(3)}, force=True)
    whole = path.read_bytes()
    assert Checkpoint(path, "run").load()["a"].tolist() == [0, 1, 2]
    path.write_bytes(whole[:-9])
    with pytest.raises(BadInput, match="cannot be read"):
        Checkpoint(path, "run").load()
    with pytest.raises(BadInput, match="cannot be written"):
        Checkpoint(tmp_path / "none" / "state", "run").save(1, force=True)


@pytest.mark.parametrize("sampler", [vectors, new_forms])
def test_every_kind_of_learner_can_be_resumed(sampler, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_EVERY_SECONDS", 0.0)
    path = tmp_path / "state"
    whole = audit(sampler, 0.0, 1.0, epsilon=1, max_pairs=3000, checkpoint=path)
    assert evidence(audit(sampler, 0.0, 1.0, epsilon=1, max_pairs=3000, checkpoint=path)) == evidence(whole)


@pytest.mark.parametrize("name", [0, -1, "ray", True, 1.5, "dask="])
def test_unknown_executors_are_refused(name):
    with pytest.raises(BadInput, match="executor"):
        open_executor(name)


def test_dask_is_imported_only_when_asked_for():
    try:
        import distributed  # noqa: F401
    except ImportError:
        with pytest.raises(BadInput, match="distributed"):
            open_executor("dask=local")


@pytest.mark.parametrize(
    ("function", "batched"),
    [
        (lambda data, size, rng: 0, True), (lambda data: 0, False), (lambda data, eps=1, bound=2: 0, False),
        (lambda d, n, g: 0, True), (lambda *args: 0, True), (len, False), (lambda d, n, g, scale=1: 0, True),
    ],
)  # fmt: skip
def test_signatures(function, batched):
    assert as_sampler(function).batched is batched
