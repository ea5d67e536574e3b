"""Bad input gets a clear error, and text is never run."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from pathlib import Path

import pytest

from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.proofs.accounting import steps
from dpwitness.proofs.accounting.composition import Composition, compose
from dpwitness.proofs.accounting.config import read_config
from dpwitness.proofs.accounting.expressions import read_composition
from dpwitness.proofs.accounting.steps import NoProvedPair

F = Fraction


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gaussian(0)", "sigma=0 must be above 0"),
        ("gaussian(-1)", "must be above 0"),
        ("poisson(0, gaussian(1))", "rate=0 must be above 0"),
        ("poisson(1.5, gaussian(1))", r"must lie in \(0, 1\]"),
        ("gaussian(1) * 0", "at least 1"),
        ("gaussian(1) * 1.5", "not a whole number"),
        ("laplace(1) * 1000000000000", "whole number from 1 to"),
        ("unknown(1)", "is not a step; known"),
        ("shuffle(1, 100)", "upper bounds that no randomizer need have"),
        ("zcdp(1)", "no single one of them is the worst"),
        ("laplace(0)", "scale=0 must be above 0"),
        ("geometric(1, 1/2)", "whole number"),
        ("approximate(1, 1)", "must be below 1"),
        ("tree(1, 0)", "positive whole number"),
        ("poisson(-0.1, gaussian(1))", "rate=-1/10 must be above 0"),
        ("__import__('os').system('true')", "numbers, steps"),
        ("gaussian(1).steps", "numbers, steps"),
        ("(lambda: 1)()", "numbers, steps"),
        ("gaussian(1) - gaussian(2)", "composed by"),
        ("gaussian(1) + 1", "composed by"),
        ("3", "is a number"),
        ("gaussian(1", "not well formed"),
        ("gaussian(1, 2, 3)", "other arguments"),
        ("gaussian(sigma=1, other=2)", "other arguments"),
        ("gaussian(1/0)", "division by zero"),
        ("gaussian(10**9)", "composed by"),
        ("poisson(0.1, laplace(1) * 2)", "takes one step"),
        ("poisson(0.1, poisson(0.1, pure(1)))", "multiply the rates"),
        ("sample(from_table([1, 0], [0, 1]), 1, 10)", "no pair is proved"),
        ("staircase(1, 1)", "strictly between"),
        ("sample(poisson(0.1, gaussian(1)), 1, 10)", "added records"),
        ("poisson(0.1, gaussian(1)) + sample(gaussian(1), 1, 10)", "different relations"),
        ("sample(gaussian(1), 11, 10)", "1 ≤ m ≤ n"),
        ("from_table([1/2, 1/2], [1/2, 1/3])", "the sum 1"),
        ("response(1, 1)", "at least 2"),
        ("(" * 100 + "gaussian(1)" + ")" * 100, ""),
        ("+".join(["gaussian(1)"] * 400), "characters"),
    ],
)
def test_errors_say_what_is_wrong(text: str, said: str) -> None:
    if not said:
        assert read_composition(text).steps
        return
    with pytest.raises(BadInput, match=said):
        read_composition(text)


def test_numbers_are_read_as_they_are_written() -> None:
    assert read_composition("poisson(0.1, gaussian(0.3))").steps == steps.poisson(steps.gaussian("3/10"), "1/10").steps
    assert read_composition("laplace(1e1) * 1_000").steps == (steps.laplace(10) * 1000).steps


@pytest.mark.parametrize("delta", [-1, 1, 2, "nan", "x"])
def test_delta_is_a_probability_below_one(delta: object) -> None:
    with pytest.raises(BadInput):
        steps.gaussian(1).epsilon(delta)


def test_a_rate_of_one_is_no_sampling() -> None:
    assert steps.poisson(steps.gaussian(2), 1).steps == steps.gaussian(2).steps


def test_equal_steps_are_counted_and_gaussian_ones_become_one() -> None:
    whole = steps.laplace(2) + steps.gaussian(1) + steps.laplace(2) * 3 + steps.gaussian("1/2")
    assert whole.steps == ((("gaussian", F(5)), 1), (("laplace", F(1, 2)), 4))


def test_too_many_different_steps_are_refused_at_once() -> None:
    with pytest.raises(BadInput, match="different steps"):
        compose(*(steps.laplace(k) for k in range(1, 2000)))


def test_a_million_steps_of_different_kinds_are_refused_before_any_work() -> None:
    many = ((("laplace", F(1)), 1),) * 1_000_000
    with pytest.raises(BadInput, match="1000000 different steps are more than"):
        Composition(many)


def test_without_a_delta_there_is_a_closed_form_or_infinity() -> None:
    assert (steps.laplace(4) * 10).epsilon(0).high == F(5, 2)
    assert steps.poisson(steps.gaussian(1), "1/2").epsilon(0).low == inf
    assert steps.approximate(1, "1e-9").epsilon(0).low == inf
    assert (steps.gaussian(1) + steps.laplace(1)).epsilon(0).low == inf
    assert (steps.staircase(1) * 3).epsilon(0).high == 3


def test_where_the_mass_at_infinity_is_just_enough_the_largest_loss_bounds_epsilon() -> None:
    found = (steps.approximate("1/10", "1e-17") * 100).epsilon("1e-15")  # 1 − (1 − 1e-17)^100 is a little less
    assert 9 < found.low <= found.high == 10


def test_what_no_engine_encloses_is_said_with_the_trivial_bracket(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["account", "laplace(1/100000) * 100000000 + from_table([1/3, 2/3], [1/2, 1/2])", "--delta", "1e-5"]
    assert main([*given, "--epsilon", "1", "--strict"]) in (1, 3)
    out = capsys.readouterr().out
    assert "0..inf" in out
    assert "no engine encloses" in out


def test_relations_are_checked() -> None:
    whole = steps.poisson(steps.gaussian(1), "1/10")
    with pytest.raises(BadInput, match="different relations"):
        compose(whole, relation="replace")
    with pytest.raises(BadInput, match="must be one of"):
        compose(whole, relation="other")
    assert isinstance(compose(steps.gaussian(1), relation="replace"), Composition)


RUN = '[account]\nsampling = "poisson"\nbatch_size = 10\ndata_size = 1000\nepochs = 2\nnoise_multiplier = 1.1\n'


def test_a_training_run_is_read_without_defaults(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(RUN + "epsilon = 1.5\ndelta = 1e-5\n")
    found = read_config(path)
    assert found.whole.steps == ((("poisson-gaussian", F(1, 100), F(100, 121)), 200),)
    assert (found.epsilon, found.delta) == (F(3, 2), F(1, 100_000))
    for text, said in [
        (RUN, "needs delta"),
        (RUN.replace("epochs = 2\n", "") + "delta = 1e-5", "needs epochs"),
        (RUN + "delta = 1e-5\nsigma = 1", "unknown fields"),
        (RUN.replace("poisson", "fixed") + "delta = 1e-5", "sampling='fixed'"),
        (RUN.replace("10\n", "0\n", 1) + "delta = 1e-5", "batch_size=0"),
        ("[other]", "needs a table"),
        ("[", "is not TOML"),
    ]:
        path.write_text(text)
        with pytest.raises(BadInput, match=said):
            read_config(path)
    path.write_text(RUN.replace("poisson", "shuffle") + "delta = 1e-5")
    with pytest.raises(NoProvedPair, match="not Poisson samples"):
        read_config(path)
