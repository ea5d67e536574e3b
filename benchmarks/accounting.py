"""Certified accounts beside other accountants: brackets, widths, seconds, and where the others' upper bounds lie.

Run with ``python -m benchmarks.accounting [--quick] [--only NAME] [--no-peers] [--limit 100]``. Each setting is
accounted at three values of δ. Of every library the value is shown relative to the bracket: ``in`` (inside), a plus
(loose: value minus the upper end) or a minus with an exclamation mark (below the lower end, so wrong as an upper
bound); ``inf`` where it gave up. Each question runs in a process of its own, which tells seconds and peak memory.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

SETTINGS = {
    "sg .01 1 x1e3": "poisson(0.01, gaussian(1)) * 1000",
    "sg .01 .8 x1e4": "poisson(0.01, gaussian(0.8)) * 10000",
    "sg .001 .6 x1e5": "poisson(0.001, gaussian(0.6)) * 100000",
    "sg .05 2 x5e3": "poisson(0.05, gaussian(2)) * 5000",
    "g 10 x100": "gaussian(10) * 100",
    "sg .01 1 x100": "poisson(0.01, gaussian(1)) * 100",
    "sg .1 1 x10": "poisson(0.1, gaussian(1)) * 10",
    "sg .004 1.1 x15e3": "poisson(0.004, gaussian(1.1)) * 15000",
    "sg .02 1.5 x3e3": "poisson(0.02, gaussian(1.5)) * 3000",
    "sg .001 1 x1e6": "poisson(0.001, gaussian(1)) * 1000000",
    "sg .5 5 x500": "poisson(0.5, gaussian(5)) * 500",
    "sg 1e-4 .5 x1e4": "poisson(0.0001, gaussian(0.5)) * 10000",
    "lap .1 x100": "laplace(10) * 100",
    "lap 1 x10": "laplace(1) * 10",
    "lap .01 x1e4": "laplace(100) * 10000",
    "rr .1 x1000": "response(0.1) * 1000",
    "rr 1 x100": "response(1) * 100",
    "lap .1 x100 + g 2": "laplace(10) * 100 + gaussian(2)",
    "lap .5 x10 + sg + g": "laplace(2) * 10 + poisson(0.01, gaussian(1)) * 1000 + gaussian(5) * 4",
    "rr .1 x100 + g 2": "response(0.1) * 100 + gaussian(2)",
    "lap .3 x20 + rr .2": "laplace(10/3) * 20 + response(0.2) * 50",
    "sg .1 1 x1": "poisson(0.1, gaussian(1))",
    "sg .1 1 x3": "poisson(0.1, gaussian(1)) * 3",
    "sg .25 4 x2000": "poisson(0.25, gaussian(4)) * 2000",
    "sg .0002 .7 x5e5": "poisson(0.0002, gaussian(0.7)) * 500000",
    "sg .9 20 x1e4": "poisson(0.9, gaussian(20)) * 10000",
    "two rates": "poisson(0.01, gaussian(1)) * 500 + poisson(0.02, gaussian(1.3)) * 700",
    "pure .05 x400": "pure(0.05) * 400",
    "approx .1 1e-17 x100": "approximate(0.1, 1e-17) * 100",
    "geometric 3 by 2 x50": "geometric(3, 2) * 50",
    "integer g 5 x200": "discrete_gaussian(5) * 200",
    "table x100": "from_table([1/2, 1/3, 1/6], [5/12, 1/3, 1/4]) * 100",
    "sampled laplace x50": "poisson(0.1, laplace(1)) * 50",
    "10 of 100 g 1 x50": "sample(gaussian(1), 10, 100) * 50",
    "tree g 8, 1e6 leaves": "tree(8, 1000000)",
    "staircase .2 x100": "staircase(0.2, 1/3) * 100",
    "rr of 10, .3 x50": "response(0.3, 10) * 50",
    "sampled geometric x30": "poisson(0.2, geometric(2)) * 30",
    "sampled pure .5 x50": "poisson(0.1, pure(0.5)) * 50",
}
DELTAS = ("1e-5", "1e-8", "1e-15")
QUICK = ("sg .01 1 x1e3", "g 10 x100", "rr .1 x1000", "lap .1 x100 + g 2")


def ours(text: str, delta: str) -> dict[str, Any]:
    """The certified bracket of ε(δ)."""
    from dpwitness.proofs.accounting.expressions import read_composition

    whole = read_composition(text)
    begun = time.perf_counter()
    found = whole.epsilon(delta)
    return {"low": found.low, "high": found.high, "shown": str(found), "relative": found.relative,
            "seconds": time.perf_counter() - begun, "memory": _memory()}  # fmt: skip


def theirs(text: str, delta: str, name: str) -> dict[str, Any]:
    """One library's upper bound."""
    import warnings

    warnings.simplefilter("ignore")
    from dpwitness.proofs.accounting.expressions import read_composition
    from dpwitness.proofs.accounting.peers import PEERS

    begun = time.perf_counter()
    try:
        value: Any = float(PEERS[name](read_composition(text), float(delta)))
    except Exception as error:
        return {"value": None, "note": type(error).__name__, "seconds": time.perf_counter() - begun}
    return {"value": value, "seconds": time.perf_counter() - begun, "memory": _memory()}


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(work: Callable[..., dict[str, Any]], limit: float, *given: str) -> dict[str, Any]:
    """A question in a fresh process, with a limit of time."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(there, work, given))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(limit) else {"value": None, "note": f"> {limit:g} s"}
    except EOFError:
        return {"value": None, "note": "died"}
    finally:
        process.terminate()
        process.join()


def _send(pipe: Any, work: Callable[..., dict[str, Any]], given: tuple[str, ...]) -> None:
    pipe.send(work(*given))


def place(value: float | None, found: dict[str, Any]) -> str:
    """Where a peer's value lies.

    >>> [place(value, {"low": Fraction(1), "high": Fraction(2)}) for value in (0.5, 1.5, 2.5)]
    ['-5.0e-01!', 'in', '+5.0e-01']
    """
    if value is None or math.isnan(value):
        return "-"
    if value == float("inf"):
        return "inf" if found["high"] < value else "in"
    if value > found["high"]:
        return f"+{float(Fraction(value) - found['high']):.1e}"
    return f"-{float(found['low'] - Fraction(value)):.1e}!" if value < found["low"] else "in"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="four settings, one delta each")
    parser.add_argument("--only", default="", help="settings whose name contains this")
    parser.add_argument("--no-peers", action="store_true", help="leave the other libraries out")
    parser.add_argument("--limit", type=float, default=100.0, help="seconds for each question")
    options = parser.parse_args()
    names = [n for n in (QUICK if options.quick else SETTINGS) if options.only in n]
    from dpwitness.proofs.accounting.peers import LIBRARIES, PEERS

    peers = () if options.no_peers else tuple(name for name in PEERS if find_spec(LIBRARIES[name]))
    print("not installed:", ", ".join(name for name in PEERS if not find_spec(LIBRARIES[name])) or "none", flush=True)
    head = f"{'steps':22} {'delta':6} {'certified epsilon':32} {'width':8} {'s':>6} {'MB':>5}"
    print(head + "".join(f" | {p[:22]:>22} {'s':>5}" for p in peers), flush=True)
    counts = {"below": 0, "asked": 0, "wide": 0, "slow": 0}
    for name in names:
        for delta in DELTAS[:1] if options.quick else DELTAS:
            found = alone(ours, options.limit, SETTINGS[name], delta)
            if "low" not in found:
                print(f"{name:22} {delta:6} {found['note']}", flush=True)
                continue
            line = f"{name:22} {delta:6} {found['shown']:32} {found['relative']:8.1e}"
            line += f" {found['seconds']:6.2f} {found['memory']:5.0f}"
            counts["wide"] += found["relative"] > 1e-6
            counts["slow"] += found["seconds"] > 15
            for peer in peers:
                other = alone(theirs, options.limit, SETTINGS[name], delta, peer)
                where = place(other["value"], found) if other.get("value") is not None else other["note"][:22]
                counts["asked"] += other.get("value") is not None
                counts["below"] += where.endswith("!")
                line += f" | {where:>22} {other.get('seconds', options.limit):5.1f}"
            print(line, flush=True)
    print(f"brackets wider than 1e-6: {counts['wide']}; slower than 15 s: {counts['slow']}; "
          f"peers' values below the lower end: {counts['below']} of {counts['asked']}")  # fmt: skip


if __name__ == "__main__":
    main()
