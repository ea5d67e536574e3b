"""Executors that survive the death of a worker: process pools, threads, Dask clusters."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, TypeVar

from dpwitness.core.errors import BadInput, DPWitnessError, LimitReached, ProgramTimeout
from dpwitness.core.limits import Deadline
from dpwitness.core.processes import end_with_parent

Result = TypeVar("Result")
_GRACE = 30.0
_NOT_SENT = (
    "the sampler, its inputs or its outputs cannot be sent to another process ({}); define the sampler at the top of a "
    "module, or use threads"
)


class Lost(Exception):
    """The worker died before it answered."""


class Processes(Executor):
    """A process pool that is opened when it is first used and can be replaced when it breaks.

    Workers leave Ctrl-C to their parent, and stop by themselves when it is gone.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Run a call in a worker."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, initializer=settle, initargs=(os.getpid(),))
        return self._pool.submit(fn, *args, **kwargs)

    def renew(self) -> None:
        """Start afresh after a worker has died."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the workers; those that are not waited for are ended: one that hangs would keep Python from ending."""
        if self._pool is None:
            return
        workers = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)
        for worker in workers if not wait else ():
            worker.kill()


def settle(parent: int) -> None:
    """Begin the life of a worker process: leave Ctrl-C to the parent, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)  # nobody is left to answer to

    threading.Thread(target=watch, daemon=True).start()


class Cluster(Executor):
    """A Dask cluster: a local one, or the one at an address."""

    def __init__(self, address: str, workers: int) -> None:
        try:
            import distributed
        except ImportError:
            raise BadInput(
                "executor='dask=...' needs the package `distributed`: pip install 'dpwitness[dask]'"
            ) from None
        make: Any = distributed.Client
        local = {"n_workers": workers or None, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        try:
            self._client: Any = make(**local) if address == "local" else make(address, timeout=10)
        except (OSError, ValueError) as error:
            raise BadInput(f"executor='dask={address}' cannot be reached: {error}") from None
        self.workers = max(1, sum(self._client.ncores().values()))
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Run a call on the cluster."""
        return self._executor.submit(fn, *args, **kwargs)

    def renew(self) -> None:
        """Nothing to do: the scheduler replaces its workers."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; a local one is stopped."""
        self._executor.shutdown(wait=False)
        self._client.close()


def check_sendable(executor: Executor, *what: Any) -> None:
    """Refuse what cannot be pickled before a process pool sees it: its own way of failing can leave it hanging."""
    if isinstance(executor, Processes | ProcessPoolExecutor):
        try:
            pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # whatever the __reduce__ of foreign objects raises
            raise BadInput(_NOT_SENT.format(error)) from None


def send(executor: Executor, fn: Callable[..., Result], *args: Any) -> Future[Result]:
    """Submit a call; an executor that is already broken is noticed when the result is asked for."""
    try:
        return executor.submit(fn, *args)
    except RuntimeError as error:
        future: Future[Result] = Future()
        future.set_exception(BrokenExecutor(str(error)))
        return future


def width(executor: Executor) -> int:
    """How many calls the executor runs at once, as far as it tells."""
    found = getattr(executor, "workers", None) or getattr(executor, "_max_workers", None)
    return found if isinstance(found, int) else 2


def patience(timeout: float | None, calls: int) -> float | None:
    """How long to wait for a worker that makes `calls` calls of at most `timeout` seconds each."""
    return None if timeout is None else timeout * calls + _GRACE


def wait_for(future: Future[Result], limit: float | None, deadline: Deadline | None = None) -> Result:
    """The result; `Lost` where the worker died, and a clear error for what cannot be sent or does not come back."""
    ends = deadline or Deadline()
    try:
        return future.result(min(limit or ends.remaining(), ends.remaining()) if limit or ends.limited else None)
    except DPWitnessError:
        raise
    except TimeoutError:
        if ends.passed or limit is None:
            raise LimitReached("seconds") from None
        raise ProgramTimeout(f"a worker has not answered for {limit:g} seconds: the sampler hangs") from None
    except (BrokenExecutor, CancelledError) as error:
        raise Lost(str(error)) from error
    except Exception as error:
        if isinstance(error, pickle.PicklingError) or "pickle" in str(error):
            raise BadInput(_NOT_SENT.format(error)) from None
        # a cluster has its own names for a worker that died
        raise Lost(f"{type(error).__name__}: {error}") from error


def open_executor(
    name: str | Executor | int | None, jobs: int | None = None
) -> tuple[Executor | None, Callable[[], None]]:
    """An executor and how to close it.

    Parameters
    ----------
    name
        A number of worker processes, ``"processes"``, ``"threads"``, ``"dask=local"``, ``"dask=ADDRESS"``, an executor,
        or None for none.
    jobs
        How many workers, where `name` does not say; None or 0: one for each core.

    Notes
    -----
    Sampler and inputs are sent to other processes, so they must be picklable: functions at the top of a module.
    """
    check_executor(name)
    if name is None:
        return None, lambda: None
    if isinstance(name, Executor):
        return name, lambda: None
    kind = name if isinstance(name, str) else ""
    if isinstance(name, int) and not isinstance(name, bool) and name >= 1:
        kind, jobs = "processes", name
    workers = jobs or os.cpu_count() or 1
    if kind == "processes":
        return _closing(Processes(workers)) if workers > 1 else (None, lambda: None)
    if kind == "threads":
        return _closing(ThreadPoolExecutor(workers))
    if kind.startswith("dask="):
        return _closing(Cluster(kind.removeprefix("dask="), jobs or 0))
    lookalike: Any = name  # anything that looks like an executor, such as a Dask client's
    return lookalike, lambda: None


@contextlib.contextmanager
def opened(name: str | Executor | int | None) -> Iterator[Executor | None]:
    """An executor for the time of a block."""
    pool, close = open_executor(name)
    try:
        yield pool
    finally:
        close()


def check_executor(name: Any) -> None:
    """An error where `open_executor` would not know what is meant."""
    number = isinstance(name, int) and not isinstance(name, bool) and name >= 1
    word = isinstance(name, str) and (
        name in ("processes", "threads") or (name.startswith("dask=") and name != "dask=")
    )
    if name is None or number or word or hasattr(name, "submit"):
        return
    raise BadInput(
        f"executor={name!r} must be a number of workers, 'processes', 'threads', 'dask=local', 'dask=ADDRESS' or an "
        "Executor"
    )


def _closing(executor: Executor) -> tuple[Executor, Callable[[], None]]:
    def close() -> None:
        with contextlib.suppress(Exception):  # whatever a dying pool says, the audit is over
            executor.shutdown(wait=False, cancel_futures=True)

    return executor, close
