"""Grey-box audit: the same noise on two neighbouring inputs shows what no number of samples shows as well.

Each run on the left input is repeated on the right one with the same draws. Findings need no statistics:

- the kind, scale or shape of the draws differs between the inputs although it is the same for every seed on each: the
  noise, or the control flow before it, depends on the data;
- the number of draws, or the form of the output, differs in the same way;
- the output on one input is a multiple of the output on the other, plus a constant: the scale of the noise depends on
  the data, whatever the noise is made of;
- the output is a shift plus noise of a known law (`dpwitness.auditors.replay.shift_losses`), and the shift is larger
  than the claim allows: for Laplace draws of scales b the loss is :math:`\\sum_k |s_k|/b_k`, s the shift of the draws
  that imitates the change of input; for Gaussian ones δ(ε) is that of :math:`\\mu = \\|s/\\sigma\\|_2`.

A number of draws that varies from seed to seed (a loop that ends at a noisy comparison) is no finding, nor is one that
grows with the number of records. Whatever "for every seed" rests on is looked at with many more seeds before it is
reported, and code whose output is not a function of the recorded draws is left alone.

The structure is seen on some runs and not proved, so a finding explains and warns; it does not refute by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.table import Encoder, show_form
from dpwitness.auditors.replay.recorder import Draw, Hook, Recording, record
from dpwitness.auditors.replay.shift_losses import SLACK, Finding, Runner, loss_of_shift, vector

__all__ = ["Finding", "compare", "replay_audit"]

_CONFIRM = 60
_ALIKE = 1e-9


def replay_audit(
    function: Callable[[Any], Any],
    left: Any,
    right: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    sensitivity: float | None = None,
    runs: int = 6,
    seed: int = 0,
    hooks: Sequence[Hook] = (),
    home: Callable[..., Any] | None = None,
) -> tuple[Finding, ...]:
    """Run unmodified code on both inputs with the same noise and compare.

    Parameters
    ----------
    epsilon, delta
        The claim, for the comparison of the measured shift with the scale of the noise.
    sensitivity
        The declared largest change of the noiseless output (in any coordinate), where there is a declaration.
    runs
        Seeds to try.
    hooks
        Further noise functions to record, as ``(module, name)``.
    home
        The function whose module and object may hold generators, where it is not `function` itself.

    Examples
    --------
    A sum that forgets to clip:

    >>> def noisy_sum(values):
    ...     return sum(values) + np.random.laplace(0, 1.0)
    >>> [str(f) for f in replay_audit(noisy_sum, [1, 0], [1, 9], epsilon=1.0)]
    ['the same noise moves the output by 9; with noise of scale 1 the privacy loss is 9, above 1']
    """

    def run(data: Any, number: int, draws: Sequence[Draw]) -> Recording:
        return record(function, data, seed=seed * 1_000_003 + number, replay=draws, hooks=hooks, home=home)

    return compare(run, left, right, epsilon=epsilon, delta=delta, sensitivity=sensitivity, runs=runs)


def compare(
    run: Runner, left: Any, right: Any, *, epsilon: float | None, delta: float, sensitivity: float | None, runs: int
) -> tuple[Finding, ...]:
    """The findings on one pair of inputs, for any way of running a program with given draws."""
    lefts, rights = _both(run, left, right, range(runs))
    if not repeatable(run, left, lefts):
        return ()
    found = _structure(left, right, lefts, rights)
    if not found:
        shift = _shift(run, left, lefts, rights, epsilon, delta, sensitivity)
        return () if shift is None else (shift,)
    more = _both(run, left, right, range(runs, runs + _CONFIRM))
    return tuple(f for f in _structure(left, right, lefts + more[0], rights + more[1]) if f in found)


def _both(run: Runner, left: Any, right: Any, numbers: range) -> tuple[list[Recording], list[Recording]]:
    lefts = [run(left, number, ()) for number in numbers]
    return lefts, [run(right, number, first.draws) for number, first in zip(numbers, lefts, strict=True)]


def repeatable(run: Runner, left: Any, lefts: list[Recording]) -> bool:
    """Whether the recorded draws are all the randomness there is."""
    again = [run(left, number, first.draws) for number, first in enumerate(lefts)]
    if not lefts[0].draws:  # nothing was drawn: the output must not change at all
        again += [run(left, len(lefts) + number, ()) for number in range(4 * len(lefts))]
        return len({_key(r.output) for r in lefts + again}) == 1
    return all(_key(a.output) == _key(b.output) for a, b in zip(lefts, again, strict=True))


def _key(output: Any) -> tuple[str, bytes]:
    """The output up to rounding: its form and its numbers."""
    encoder = Encoder()
    table = encoder.encode([output])
    numbers = np.where(np.isfinite(table.columns), table.columns, 0.0)
    unit = 1e-9 * (1.0 + np.abs(numbers).max(initial=0.0))
    return repr(encoder.forms[int(table.codes[0])]), np.rint(numbers / unit).tobytes()


def _structure(left: Any, right: Any, lefts: list[Recording], rights: list[Recording]) -> tuple[Finding, ...]:
    options = (_signatures(lefts, rights), _counts(left, right, lefts, rights), _forms(lefts, rights))
    return tuple(finding for finding in options if finding is not None)


def _signatures(lefts: list[Recording], rights: list[Recording]) -> Finding | None:
    shortest = min(len(r.draws) for r in lefts + rights)
    for k in range(shortest):
        one, two = ({r.draws[k].signature for r in side} for side in (lefts, rights))
        if len(one) == len(two) == 1 and one != two:
            return Finding("draws", f"draw {k} is {one.pop()} on left but {two.pop()} on right, whatever the noise")
    return None


def _counts(left: Any, right: Any, lefts: list[Recording], rights: list[Recording]) -> Finding | None:
    one, two = ({len(r.draws) for r in side} for side in (lefts, rights))
    if len(one) != 1 or len(two) != 1 or one == two:
        return None
    a, b = one.pop(), two.pop()
    if _by_record(left, right, a, b):
        return None
    words = f"{a} draws are made on left but {b} on right, whatever the noise"
    return Finding("noise" if 0 in (a, b) else "count", words)


def _by_record(left: Any, right: Any, a: int, b: int) -> bool:
    """Whether the records that only one input has explain the draws that are made only on it."""
    try:
        m, n = len(left), len(right)
    except TypeError:
        return False
    if m == n or (a - b) * (m - n) <= 0 or (a - b) % (m - n):
        return False
    return min(a, b) > 0 or min(m, n) == 0


def _forms(lefts: list[Recording], rights: list[Recording]) -> Finding | None:
    encoder = Encoder()
    one, two = ({int(c) for c in encoder.encode([r.output for r in side]).codes} for side in (lefts, rights))
    if len(one) == len(two) == 1 and one != two:
        a, b = (show_form(encoder.forms[next(iter(x))]) for x in (one, two))
        return Finding("form", f"the output has the form {a} on left but {b} on right, whatever the noise", np.inf)
    return None


def _shift(
    run: Runner, left: Any, lefts: list[Recording], rights: list[Recording],
    epsilon: float | None, delta: float, sensitivity: float | None,
) -> Finding | None:  # fmt: skip
    pairs = [(vector(a.output), vector(b.output)) for a, b in zip(lefts, rights, strict=True)]
    if any(a is None or b is None for a, b in pairs) or len({x.shape for p in pairs for x in p if x is not None}) > 1:
        return None
    if (stretched := _stretch(pairs)) is not None:
        return stretched
    with np.errstate(invalid="ignore"):
        shifts = np.array([b - a for a, b in pairs if a is not None and b is not None])
    size = 1.0 + float(np.abs(shifts).max())
    if not np.isfinite(size) or float(np.ptp(shifts, axis=0).max(initial=0.0)) > SLACK * size:
        return None  # the change of output depends on the noise: not a shift
    shift = shifts[0]
    largest = float(np.abs(shift).max(initial=0.0))
    if largest <= SLACK:
        return None
    if not lefts[0].draws:
        return Finding("noise", f"no noise is drawn, and the output changes by {largest:g}", np.inf)
    if sensitivity is not None and largest > sensitivity * (1 + SLACK):
        return Finding("sensitivity", f"the same noise moves the output by {largest:g}; declared was {sensitivity:g}")
    return None if epsilon is None else loss_of_shift(run, left, lefts[0], shift, epsilon, delta)


def _stretch(pairs: Sequence[tuple[Any, Any]]) -> Finding | None:
    """Whether the output on right is a fixed linear function of the one on left, other than a shift."""
    x, y = (np.concatenate([np.atleast_1d(pair[side]) for pair in pairs]) for side in (0, 1))
    if len(x) != len(pairs) or len(np.unique(x)) < len(x) or not np.isfinite([x, y]).all():
        return None  # one number that is always another one
    slope = (y.max() - y.min()) / (x.max() - x.min()) * (1.0 if y[np.argmax(x)] > y[np.argmin(x)] else -1.0)
    size = float(np.abs(x - x[0]).max()) * max(1.0, abs(slope)) + _ALIKE * float(np.abs([x, y]).max())
    straight = float(np.abs(y - y[0] - slope * (x - x[0])).max()) <= _ALIKE * size
    if not straight or abs(slope - 1) < SLACK or slope <= 0:
        return None
    return Finding(
        "noise", f"the same noise is {slope:.4g} times as large on right as on left: its scale depends on the data"
    )
