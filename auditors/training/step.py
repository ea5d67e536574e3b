r"""`audit_step`: one training step as a mechanism. It clips, sums and adds noise, and is cheap to call.

Four things are looked at, in this order.

1. *Sensitivity*, exactly. With the same seed, a step on the batch and on the batch with one example more differ by what
   the example adds: the noise is the same. Its norm must be at most the clipping norm. This is an identity and has no
   error probability; it is repeated with a second seed, because it fails where the noise depends on the batch, and
   with more before an accusation, because outputs may be rounded.
2. *Noise*: over calls with fresh noise, the sum of squares about the mean over σ²C² is χ².
3. *Freshness*: no two calls return the same vector, unless they are rounded to few numbers.
4. *Privacy*: Gaussian noise of deviation σC on a sum that moves by at most C is 1/σ-GDP. Steps with and without the
   example are ranked along the line of their difference, with looks at growing numbers of calls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import GaussianCurve
from dpwitness.auditors.bounds.ledger import Ledger
from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.auditors.training.freshness import freshness
from dpwitness.auditors.training.looks import schedule_for
from dpwitness.auditors.training.outputs import flat, guarded, nudged, own_copy, variants, with_example
from dpwitness.auditors.training.reading import read_budget
from dpwitness.core.errors import BadInput, ProgramFailed

SIZES = (25, 50, 100, 200, 400, 800, 1600, 3200)
NOISE_CALLS = 40
CLOSE = 1e-3  # of the clipping norm: what rounding may do to a difference
MOST_EXAMPLES, ASCENT = 64, 24
SEEDS = (1, 20_011)
MORE_SEEDS, ERRORS = range(30_011, 30_027), 8  # before an accusation; how many times its own error a mean may err
LEAST_LEVEL = 4e-4  # of one schedule of looks: what its draws can show


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what, whether it is as it should be, and in words what was seen."""

    name: str
    passed: bool
    words: str
    exact: bool = False
    p_value: float | None = None

    def __str__(self) -> str:
        return f"{'ok  ' if self.passed else 'FAIL'} {self.name}: {self.words}"


@dataclass(frozen=True)
class StepAudit:
    """The result of an audit of one step.

    Parameters
    ----------
    refuted
        Whether a finding speaks against the step: an exact counterexample to the clipping norm, noise that comes again,
        or a rejection at level `alpha`.
    p_value
        Of the privacy claim 1/σ-GDP.
    sensitivity
        The largest norm, over the examples that were tried, of what one example adds, in units of the clipping norm;
        None where two calls with one seed could not be compared.
    noise
        The deviation of the noise over the one that is claimed.
    calls
        Steps that were run.
    """

    refuted: bool
    p_value: float
    sensitivity: float | None
    noise: float
    fresh: bool
    findings: tuple[Finding, ...]
    example: Any = field(repr=False)
    calls: int
    alpha: float
    seed: int
    claim: str
    epsilon_lower: float = 0.0
    certificate: None = None
    assumes: str = "the step depends on the batch and on the generator that reseed seeds alone"
    ledger: tuple[tuple[str, float], ...] = ()
    warnings: tuple[str, ...] = ()
    figure: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def verdict(self) -> str:
        """One line: what was decided, and what it rests on."""
        word = "REFUTED" if self.refuted else "NOT_REFUTED"
        why = "; ".join(f.words for f in self.findings if not f.passed) if self.refuted else "nothing was found"
        return f"{word}: {self.claim}: {why}, assuming {self.assumes}"

    def __str__(self) -> str:
        lines = [self.verdict, *map(str, self.findings), f"{self.calls} calls, α = {self.alpha:g}, seed {self.seed}"]
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])


class _Step:
    """The user's step, counted, with errors that say which call failed. Each call gets a batch of its own."""

    def __init__(self, step: Callable[[Any], Any], reseed: Callable[[int], Any] | None) -> None:
        self.step, self.reseed, self.calls, self.size = step, reseed, 0, 0

    def __call__(self, batch: Any, seed: int | None = None) -> Floats:
        if seed is not None and self.reseed is not None:
            guarded(f"reseed({seed})", self.reseed, seed)
        self.calls += 1
        found = flat(guarded(f"call {self.calls} of the step", self.step, own_copy(batch)))
        self.size = self.size or found.size
        if found.size != self.size:
            raise BadInput(f"the step returns {self.size} numbers on one batch and {found.size} on another")
        return found


def audit_step(
    step: Callable[[Any], Any],
    batch: Any,
    examples: Iterable[Any],
    *,
    noise_multiplier: float,
    clip: float = 1.0,
    reseed: Callable[[int], Any] | None = None,
    add: Callable[[Any, Any], Any] | None = None,
    search: bool = True,
    alpha: float = 1e-3,
    runs: int = 800,
    seed: int = 0,
) -> StepAudit:
    """Audit one step of private training on a batch with and without one example.

    Parameters
    ----------
    step
        ``step(batch)`` returns the noisy *sum* of the clipped gradients: an array, tensors, or a list or dictionary of
        them. Multiply a mean by the expected size of a batch first.
    batch
        A list or an array of examples, or a tuple of arrays.
    examples
        Candidates for the one example more.
    noise_multiplier, clip
        σ and C: the noise is claimed to have deviation σC, and an example to move the sum by at most C.
    reseed
        ``reseed(seed)`` seeds the generator of the step, such as ``torch.manual_seed``. Without it the sensitivity
        cannot be measured exactly, and the line of the example is learnt from calls.
    add
        ``add(batch, example)`` makes the batch with the example, where `batch` is of another kind.
    search
        Whether examples made from the given ones are tried as well: scaled, one coordinate alone, and an ascent on the
        norm.
    alpha
        Probability of a false accusation.
    runs
        Calls on each side at most, for the test of privacy.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def half_the_noise(batch):
    ...     clipped = [x / max(1.0, float(np.linalg.norm(x))) for x in batch]
    ...     return np.sum(clipped, axis=0) + 0.5 * rng.standard_normal(3)
    >>> result = audit_step(half_the_noise, [np.ones(3)], [np.array([5.0, 0, 0])], noise_multiplier=1.0)
    >>> result.refuted, round(result.noise, 1)
    (True, 0.5)
    """
    alpha, seed = read_budget(alpha, seed)
    sigma, norm = _positive("noise_multiplier", noise_multiplier), _positive("clip", clip)
    sizes = tuple(n for n in SIZES if n <= runs)
    if not sizes:
        raise BadInput(f"runs={runs!r} must be at least {SIZES[0]}")
    if not callable(step) or (reseed is not None and not callable(reseed)):
        raise BadInput("step and reseed must be functions")
    try:
        listed = list(itertools.islice(examples, MOST_EXAMPLES))
    except TypeError:
        raise BadInput(f"examples is a {type(examples).__name__}: a list of examples to add is needed") from None
    if not listed:
        raise BadInput("examples is empty: at least one example to add is needed")
    run = _Step(step, reseed)

    def join(batch: Any, example: Any) -> Any:
        return guarded("adding an example to the batch", add or with_example, batch, example)

    join(batch, listed[0])  # refuses a batch of a kind that cannot be extended, before anything is run
    ledger = Ledger(alpha)
    rng = np.random.default_rng([seed, 60])
    sensitivity, measured, direction, example = _sensitivity(
        run, batch, listed, join, norm, reseed is not None, search, rng
    )
    levels = ledger.spend("size of the noise", alpha / 4), ledger.spend("noise that comes again", alpha / 4)
    noise, fresh, ratio = _noise(run, batch, sigma * norm, levels, seed)
    more = join(batch, example)
    if direction is None:
        direction = _learnt(run, batch, more)
    privacy, p, used = _privacy(run, batch, more, direction, 1 / sigma, sizes, ledger.spend("looks", alpha / 2), seed)
    findings = (sensitivity, noise, fresh, privacy)
    failed = [f for f in findings if not f.passed and f.name != "sensitivity, not measured"]
    warnings = tuple(f.words for f in findings if not f.passed and f.name == "sensitivity, not measured")
    if ratio > 1.1:
        warnings += (
            f"the noise is {ratio:.2f} times what is claimed: more private than accounted for, and less useful",
        )
    return StepAudit(
        bool(failed), p, measured, ratio, fresh.passed, findings, example, run.calls, alpha, seed,
        f"a sum of clipped gradients with noise multiplier {sigma:g}, 1/σ-GDP", ledger=ledger.entries,
        warnings=warnings, figure=used,
    )  # fmt: skip


def _sensitivity(
    run: _Step, batch: Any, examples: list[Any], join: Callable[[Any, Any], Any], clip: float, seeded: bool,
    search: bool, rng: np.random.Generator,
) -> tuple[Finding, float | None, Floats | None, Any]:  # fmt: skip
    """The largest move of the sum by one example, found with one seed and confirmed with another."""
    if not seeded:
        return Finding("sensitivity, not measured", True, "not measured: there is no reseed"), None, None, examples[0]
    still = [run(batch, SEEDS[0]) for _ in range(2)]
    if not _agree(still[0], still[1], clip):
        words = (
            "not measured: two calls with one seed on one batch differ, so reseed does not reach the noise, or the "
            "step keeps something from call to call"
        )
        return Finding("sensitivity, not measured", False, words), None, None, examples[0]

    def gap(example: Any, seed: int) -> Floats:
        return run(join(batch, example), seed) - (still[0] if seed == SEEDS[0] else run(batch, seed))

    tried = [(f"example {k}", example, gap(example, SEEDS[0])) for k, example in enumerate(examples)]
    confirmed = gap(examples[0], SEEDS[1])
    if not _agree(tried[0][2], confirmed, clip):
        words = ("not measured: with another seed the same example moves the sum otherwise, so the noise depends on "
                 "the batch; draw it after the sum, in one call")  # fmt: skip
        return Finding("sensitivity, not measured", False, words), None, None, examples[0]
    if search:
        tried += _searched(tried, gap, rng)
    name, example, moved = max(tried, key=lambda item: float(np.linalg.norm(item[2])))
    size = float(np.linalg.norm(moved)) / clip
    second = float(np.linalg.norm(gap(example, SEEDS[1]))) / clip
    beyond = min(size, second) > 1 + CLOSE
    words = f"adding one example moves the sum by {min(size, second):.2f}·C ({name}, {len(tried)} tried)"
    if beyond and not _moves_far([gap(example, seed) for seed in MORE_SEEDS], clip):
        beyond, words = False, f"{words}, which rounding explains: it differs between seeds"
    if not np.any(moved):
        words += ": no example that was tried changes it at all"
    direction = moved / np.linalg.norm(moved) if np.any(moved) else None
    return Finding("sensitivity", not beyond, words, True), min(size, second), direction, example


def _searched(
    tried: list[tuple[str, Any, Floats]], gap: Callable[[Any, int], Floats], rng: np.random.Generator
) -> list[tuple[str, Any, Floats]]:
    """Variants of the best example, and an ascent on the norm from the best of those."""
    found: list[tuple[str, Any, Floats]] = []
    name, example, _ = max(tried, key=lambda item: float(np.linalg.norm(item[2])))
    for how, variant in variants(example, rng):
        try:
            found.append((f"{name}, {how}", variant, gap(variant, SEEDS[0])))
        except (BadInput, ProgramFailed):  # not an example that the step takes
            continue
    name, best, moved = max([*tried, *found], key=lambda item: float(np.linalg.norm(item[2])))
    size = 0.5
    for _ in range(ASCENT):
        other = nudged(best, size, rng)
        try:
            step = gap(other, SEEDS[0])
        except (BadInput, ProgramFailed):
            break
        if np.linalg.norm(step) > np.linalg.norm(moved):
            best, moved, size = other, step, 1.5 * size
        else:
            size *= 0.7
    return [*found, (f"{name}, after an ascent", best, moved)]


def _moves_far(gaps: list[Floats], clip: float) -> bool:
    """Whether the mean of what one example adds under several seeds is too long, beyond what rounding makes of it.

    Outputs that are rounded behind the noise, as by single or half precision, differ by the example's part and an error
    that depends on the noise, and has mean 0. The mean's own error is told by how far the seeds lie apart.
    """
    mean = np.mean(gaps, axis=0)
    error = math.sqrt(sum(float(((gap - mean) ** 2).sum()) for gap in gaps) / (len(gaps) - 1) / len(gaps))
    return float(np.linalg.norm(mean)) - ERRORS * error > (1 + CLOSE) * clip


def _agree(a: Floats, b: Floats, clip: float) -> bool:
    return float(np.linalg.norm(a - b)) <= CLOSE * clip


def _noise(
    run: _Step, batch: Any, deviation: float, levels: tuple[float, float], seed: int
) -> tuple[Finding, Finding, float]:
    """The size of the noise, and whether it comes again, each at its level."""
    from scipy.special import chdtr

    first = run(batch, 12_345 + seed)
    calls = np.array([first, *(run(batch) for _ in range(NOISE_CALLS - 1))])
    degrees = (len(calls) - 1) * calls.shape[1]
    squares = float(((calls - calls.mean(axis=0)) ** 2).sum()) / deviation**2
    ratio, p = math.sqrt(squares / degrees), float(chdtr(degrees, squares))
    again, exact, words = freshness(calls, deviation)
    fresh = Finding("fresh noise", again > levels[1], words, exact, again)
    words = f"the noise is {ratio:.3g} times what is claimed"
    return Finding("noise", p >= levels[0], words, False, p), fresh, ratio


def _learnt(run: _Step, batch: Any, more: Any) -> Floats:
    """The line of the example from the means of calls: calls that the test does not use."""
    moved = np.mean([run(more) for _ in range(NOISE_CALLS)], axis=0) - np.mean(
        [run(batch) for _ in range(NOISE_CALLS)], axis=0)  # fmt: skip
    size = float(np.linalg.norm(moved))
    found: Floats = moved / size if size else np.ones_like(moved) / math.sqrt(moved.size)
    return found


def _privacy(
    run: _Step,
    batch: Any,
    more: Any,
    direction: Floats,
    mu: float,
    sizes: tuple[int, ...],
    alpha: float,
    seed: int,
) -> tuple[Finding, float, dict[str, Any]]:
    """Looks along the line of the example.

    A p-value by simulation is not small, so where α is, the claim must fall several times, on fresh calls each time: K
    independent p-values are all at most t with probability at most t to the K.
    """
    blocks = max(1, math.ceil(math.log(alpha) / math.log(LEAST_LEVEL) - 1e-9))
    level, worst, used = alpha ** (1 / blocks), 0.0, 0
    figure: dict[str, Any] = {}
    run(batch, 54_321 + seed)
    for block in range(blocks):
        p, runs, found = _block(run, batch, more, direction, mu, sizes, level, seed + block)
        figure, worst, used = figure or found, max(worst, p), used + runs
        if p > level:
            break
    refuted, p = worst <= level, min(1.0, worst**blocks)
    words = (
        f"the output tells the example: 1/σ-GDP is refuted after {used} runs a side"
        if refuted
        else f"1/σ-GDP stands after {used} runs a side"
    )
    return Finding("privacy", not refuted, words, False, p), p, figure


def _block(
    run: _Step,
    batch: Any,
    more: Any,
    direction: Floats,
    mu: float,
    sizes: tuple[int, ...],
    level: float,
    seed: int,
) -> tuple[float, int, dict[str, Any]]:
    """One schedule of looks: its p-value, the calls on each side, and what a picture shows."""
    looks = schedule_for(GaussianCurve(mu), sizes, level, seed)
    inside, outside = np.empty(0), np.empty(0)
    p, used, path = 1.0, sizes[-1], []
    for look, size in enumerate(sizes):
        need = size - len(inside)
        inside = np.append(inside, [run(more) @ direction for _ in range(need)])
        outside = np.append(outside, [run(batch) @ direction for _ in range(need)])
        path.append([size, looks.statistic(look, inside, outside)])
        p = min(p, looks.p_value(look, inside, outside))
        if p <= level:
            used = size
            break
    figure = {
        "looks": path,
        "boundary": looks.boundary,
        "schedule": list(sizes),
        "inside": inside.round(5).tolist(),
        "outside": outside.round(5).tolist(),
    }
    return p, used, figure


def _positive(name: str, value: Any) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(float(value))
    if not number or not value > 0:
        raise BadInput(f"{name}={value!r} must be a positive number")
    return float(value)
