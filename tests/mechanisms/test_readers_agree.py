"""Every catalogue entry: all readers see the same program.

The batched sampler is run on a version of the program that releases, beside its output, every number that it drew. From
these recorded runs the tests check that

* each draw follows the law that the program asked for (exact binomial tests, α = 10⁻⁶); a wrong scale is rejected;
* the scalar reader gives the same output on the same draws;
* exactly one symbolic path contains the draws, and its output is the one that was released;
* where the law of the output is finite, sampled frequencies agree with the exact law, and a wrong law is rejected;
* the same seed gives the same outputs in any batch size.
"""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from tests.exact_tests import ALPHA, counts_agree, draws_agree, scaled
from tests.mechanisms.recorded import (
    NAMES,
    RUNS,
    SHARED,
    Given,
    constant,
    draws_of,
    mechanism,
    recorded,
    typical_input,
    weights_of,
)

from dpwitness.catalogue import catalogue
from dpwitness.core.errors import DPWitnessWarning, OutsideFragment
from dpwitness.core.forms import Form, Symbol, floating
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.finite import FiniteLaw, finite_law
from dpwitness.core.readers.outputs import put_together, take_apart
from dpwitness.core.readers.paths import Path, PathTable


@pytest.mark.parametrize("name", NAMES)
def test_draws_follow_the_laws_that_the_program_asks_for(name: str) -> None:
    out, laws = recorded(name)
    by_law: dict[Law, list[np.ndarray]] = {}
    for k, law in enumerate(laws[0]):
        # only draws that every run makes, from the same law: a draw on one branch alone is still checked by replay
        if constant(law) and all(len(ls) > k and constant(ls[k]) and ls[k] == law for ls in laws):
            by_law.setdefault(law, []).append(draws_of(out, k))
    share = ALPHA / max(1, len(by_law))
    for law, values in by_law.items():
        draws = np.concatenate(values)
        if law.name in SHARED:
            outcomes, weights = weights_of(law)
            counts = [int((draws == o).sum()) for o in outcomes]
            assert counts_agree(counts, weights, share)
        else:
            assert draws_agree(law, draws, share)
            if draws.size >= RUNS:
                assert not draws_agree(scaled(law, 1.3), draws, share)


def same(one: Any, two: Any) -> bool:
    """Equal outputs, numbers up to rounding."""
    if isinstance(one, list | tuple):
        return type(one) is type(two) and len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, int | float) and isinstance(two, int | float):
        return isinstance(one, bool) == isinstance(two, bool) and one == pytest.approx(two, rel=1e-9, abs=1e-9)
    return bool(one == two)


def normal(output: Any) -> Any:
    """An output with numpy numbers and rationals as plain numbers."""
    skeleton, _ = take_apart(output, lambda _: False)
    return put_together(skeleton, iter(()))


@pytest.mark.parametrize("name", NAMES)
def test_scalar_and_batched_runs_agree_on_the_same_draws(name: str) -> None:
    made = mechanism(name)
    program = made.bind(typical_input(made), made.params())
    for output, draws in recorded(name)[0][:60].values():
        assert same(normal(program(Given(draws))), output)


@pytest.mark.parametrize("name", NAMES)
def test_symbolic_paths_agree_with_sampled_outputs(name: str) -> None:
    made = mechanism(name)
    table = paths_of(made)
    if isinstance(table, OutsideFragment):  # the reader refuses the program, and says why and where
        assert table.reason
        assert table.line is None or table.line in lines_of(made)
        return
    eps = made.params().get("eps")
    for output, draws in recorded(name)[0][:25].values():
        matching = [p for p in table.paths if on_path(p, draws, eps)]
        # a table that was cut short may miss paths, but holds none twice and none that is wrong
        assert len(matching) == 1 or (not matching and not table.complete), f"{len(matching)} paths contain {draws}"
        for path in matching:
            values = [evaluate(v, path, draws, eps) for v in path.values]
            assert same(put_together(path.output, iter(values)), output)


def paths_of(made: Mechanism) -> PathTable | OutsideFragment:
    try:
        return made.paths(typical_input(made), max_paths=600)
    except OutsideFragment as refusal:
        return refusal


def lines_of(made: Mechanism) -> range:
    """The lines of the file in which the program stands: helpers of the same file may be named too."""
    source = inspect.getsourcefile(inspect.unwrap(made.program))
    assert source is not None
    return range(1, 1 + len(FilePath(source).read_text(encoding="utf-8").splitlines()))


def continuous(path: Path, draws: Sequence[Any]) -> list[Fraction] | None:
    """The draws that are symbols of the path, or None where the finite choices differ."""
    kinds = len(path.draws) + len(path.choices)
    if kinds != len(draws):
        return None
    picks = iter(path.choices)
    result: list[Fraction] = []
    order = [step[0] for step in path.trace if step[0] in ("draw", "choice")]
    for what, value in zip(order, draws, strict=True):
        if what == "draw":
            result.append(Fraction(value))
        else:
            law, pick = next(picks)
            outcome = [True, False][pick] if law.name in ("bernoulli", "logit") else pick
            if value != outcome:
                return None
    return result


def evaluate(form: Any, path: Path, draws: Sequence[Any], eps: Any) -> Any:
    numbers = continuous(path, draws)
    assert numbers is not None

    def value(symbol: Symbol) -> Any:
        if symbol.kind == "draw":
            return numbers[symbol.index]
        if symbol.kind == "param":
            return Fraction(eps)
        return floating(Form.of_symbol(symbol), {"eps": eps})

    return float(form.evaluate(value))


def on_path(path: Path, draws: Sequence[Any], eps: Any) -> bool:
    if continuous(path, draws) is None:
        return False
    signs = [(evaluate(c.form, path, draws, eps), c.strict) for c in path.conditions]
    return all(x > 0 or (x == 0 and not strict) for x, strict in signs)


@cache
def exact_law(name: str) -> FiniteLaw | None:
    """The law of the output where it is finite and small."""
    made = mechanism(name)
    try:
        return finite_law(made.bind(typical_input(made), made.params()), max_runs=2000)
    except OutsideFragment:
        return None


FINITE = [name for name in NAMES if exact_law(name) is not None]


def test_many_laws_are_finite() -> None:
    assert len(FINITE) >= 40


@pytest.mark.parametrize("name", FINITE)
def test_sampled_frequencies_agree_with_the_exact_finite_law(name: str) -> None:
    made = mechanism(name)
    data, law = typical_input(made), exact_law(name)
    assert law is not None
    total = sum((float(p) for _, p in law.table), 0.0)
    assert total == pytest.approx(1)
    outcomes, expected = law.outputs(), [float(p) for _, p in law.table]
    seen = Counter(map(repr, made.stream(data, 11).take(RUNS).values()))
    counts = [seen[repr(outcome)] for outcome in outcomes]
    assert sum(counts) == RUNS
    assert counts_agree(counts, expected)
    top = max(range(len(expected)), key=expected.__getitem__)
    if len(expected) > 1 and 0.1 < expected[top] < 0.95:
        tilted = [p * (1.25 if i == top else 1) for i, p in enumerate(expected)]
        assert not counts_agree(counts, [p / sum(tilted) for p in tilted])


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_outputs_in_any_batch_size(name: str) -> None:
    made = mechanism(name)
    data = typical_input(made)
    size = 600 if made.batched else 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DPWitnessWarning)
        whole = made.stream(data, 5).take(size).values()
        stream = made.stream(data, 5)
        pieces = [x for step in (1, size // 3, size - 1 - size // 3) for x in stream.take(step).values()]
    assert repr(pieces) == repr(whole)


def test_every_correct_mechanism_has_a_broken_twin() -> None:
    for target in catalogue().values():
        if isinstance(target, Mechanism) and target.parent is None and target.claims()[0].expected_to_hold:
            broken = [t for t in target.twins if not all(c.expected_to_hold for c in t.claims())]
            also = [c for c in target.claims() if not c.expected_to_hold]
            assert broken or also, f"{target.name} has no broken twin"


def test_the_catalogue_is_complete_and_described() -> None:
    assert len(catalogue()) >= 90
    tags = {tag for target in catalogue().values() for tag in target.tags}
    assert {"checkdp", "statdp", "lyu", "dipc", "sources"} <= tags
    for target in catalogue().values():
        assert target.cites, f"{target.name} cites nothing"
        if isinstance(target, Mechanism):
            assert target.summary, f"{target.name} has no docstring"
