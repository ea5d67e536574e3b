"""Brackets hold what is known in closed form, and both engines meet."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from math import inf

import pytest
from tests.proofs.accounting.made import EXAMPLES, random_composition, sampled

from dpwitness.proofs.accounting.bracket import Bracket
from dpwitness.proofs.accounting.composition import Composition
from dpwitness.proofs.accounting.gridding import grid_hints
from dpwitness.proofs.accounting.steps import (
    approximate,
    discrete_gaussian,
    from_table,
    gaussian,
    geometric,
    laplace,
    poisson,
    pure,
    response,
    sample,
    staircase,
    tree,
)
from dpwitness.proofs.kernel.accounts.compositions import bound
from dpwitness.proofs.kernel.arith import lower, upper
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.laws.composition import optimal_delta
from dpwitness.proofs.laws.privacy_curves.integer_sums import integer_gaussian_power

F = Fraction


def meets(bracket: Bracket, low: Fraction, high: Fraction) -> bool:
    return bracket.low <= high and low <= bracket.high


@pytest.mark.parametrize("times", [1, 7, 100])
def test_gaussian_steps_are_one_gaussian_step(times: int) -> None:
    for eps in (F(0), F(1), F(5)):
        exact = normal(F(times, 25), eps)()  # type: ignore[operator]
        found = (gaussian(5) * times).delta(eps)
        assert meets(found, lower(exact), upper(exact))
        assert found.relative < 1e-12


@pytest.mark.parametrize(("eps0", "times"), [(F(1, 10), 100), (F(1), 20), (F(1, 3), 7)])
def test_randomized_responses_compose_to_the_binomial_sum(eps0: Fraction, times: int) -> None:
    for share in (F(0), F(1, 7), F(1, 2), F(9, 10)):
        eps = share * eps0 * times
        low, high = optimal_delta(times, eps0, eps)
        found = (response(eps0) * times).delta(eps)
        assert meets(found, low, high)
        assert found.relative < 1e-9
        assert (pure(eps0) * times).delta(eps) == found


def test_approximate_steps_compose_to_the_known_optimum() -> None:
    low, high = optimal_delta(20, "1/5", 2, "1e-6")
    found = (approximate("1/5", "1e-6") * 20).delta(2)
    assert meets(found, low, high)
    assert found.relative < 1e-9
    assert (approximate("1/5", "1e-6") * 20).epsilon("1e-6").low == inf  # the mass at infinity alone is larger


@pytest.mark.parametrize(
    ("losses", "eps"), [([F(1, 10)] * 50, F(2)), ([F(1)] * 5, F(3)), ([F(1, 2), F(1, 3)], F(1, 4))]
)
def test_laplace_steps_meet_the_exact_sum(losses: list[Fraction], eps: Fraction) -> None:
    exact = laplace_product(losses, eps).ball()
    whole: Composition | None = None
    for loss in losses:
        one = laplace(1 / loss)
        whole = one if whole is None else whole + one
    assert whole is not None
    found = whole.delta(eps)
    assert meets(found, lower(exact), upper(exact))
    assert found.relative < 1e-4


def test_integer_gaussian_steps_meet_the_convolution() -> None:
    exact = integer_gaussian_power(1, F(9), 10, F(2))()  # type: ignore[operator]
    found = (discrete_gaussian(3) * 10).delta(2)
    assert meets(found, lower(exact), upper(exact))
    assert found.relative < 1e-9


def test_geometric_noise_with_shift_one_is_randomized_response() -> None:
    a, b = (geometric(4) * 9).delta(1), (response("1/4") * 9).delta(1)
    assert meets(a, Fraction(b.low), Fraction(b.high))
    assert a.relative < 1e-9


def test_a_table_of_two_outcomes_is_randomized_response() -> None:
    found = from_table(["3/4", "1/4"], ["1/4", "3/4"]).delta(0)
    assert F(1, 2) in found
    assert found.relative < 1e-6


def test_the_table_in_the_other_order_has_the_same_bracket() -> None:
    p, q = ["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]
    one, other = (from_table(p, q) * 3).delta(1), (from_table(q, p) * 3).delta(1)
    assert meets(one, Fraction(other.low), Fraction(other.high))


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in ("sampled laplace", "without replacement")])
def test_epsilon_and_delta_are_inverse(name: str) -> None:
    whole, eps = EXAMPLES[name]
    delta = whole.delta(eps)
    assert 0 < delta.low <= delta.high < 1
    assert whole.epsilon(delta.high).low <= F(eps) <= whole.epsilon(delta.low).high


def test_delta_falls_with_epsilon_and_epsilon_with_delta() -> None:
    whole = sampled("0.02", "1.5", 300)
    curve = whole.curve([0, "1/2", 1, 2, 3])
    assert all(a.low > b.high for (_, a), (_, b) in itertools.pairwise(curve))
    values = [whole.epsilon(d) for d in ("1e-3", "1e-6", "1e-9", "1e-20")]
    assert all(a.high < b.low for a, b in itertools.pairwise(values))


def test_more_steps_less_noise_and_a_higher_rate_cost_more() -> None:
    base = sampled("0.02", "1", 200).epsilon("1e-5")
    for worse in (sampled("0.02", "1", 201), sampled("0.02", "0.99", 200), sampled("0.021", "1", 200)):
        assert worse.epsilon("1e-5").low > base.high


def test_the_worst_order_is_taken_after_composing() -> None:
    whole = sampled("0.01", "1", 1000)
    found = whole.delta(1)
    orders = [order.bounds(1.0, 1e-3) for order in whole._orders()]
    assert len(orders) == 2
    assert meets(found, max(o.low(F(1)) for o in orders), max(o.high(F(1)) for o in orders))


@pytest.mark.parametrize(
    "seed", [seed if seed < 6 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(34)]
)
def test_both_engines_meet(seed: int) -> None:
    compare_engines(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_both_engines_meet_on_many_compositions(seed: int) -> None:
    compare_engines(1000 + seed)


def compare_engines(seed: int) -> None:
    """One order of a random composition by the sum, to nine digits, and on a grid: the brackets meet."""
    draw = random.Random(seed)
    whole = random_composition(draw)
    size = F(1, 10 ** draw.choice([3, 6, 10, 14]))
    order = draw.choice(whole._orders())
    eps = F(round(max(order.guess(float(size)), 0.05) * 64), 64)
    found = order.bounds(float(eps), float(size))
    assert found.engine == "moments"
    moments = Bracket(found.low(eps), found.high(eps))
    assert moments.relative < 1e-9
    for fine in (1 / 4, 1.0):  # a coarse grid takes a second and is nearly always enough
        hints = grid_hints(order.parts, float(size), fine)
        low, high = lower(bound(order.parts, hints, False)(eps)), upper(bound(order.parts, hints, True)(eps))
        assert meets(moments, low, high), (str(whole), eps)
        if high < moments.low * F(11, 10) and low > moments.high / 10:
            return
    pytest.fail(f"{whole} at {eps}: the grid gives {float(low)}..{float(high)}, the sum {moments}")


def test_without_a_delta_only_the_largest_loss_counts() -> None:
    assert (laplace(2) * 3 + response(1)).epsilon(0) == Bracket(F(5, 2), F(5, 2))
    assert gaussian(1).epsilon(0) == Bracket(inf, inf)
    assert (laplace(2) * 3).delta("3/2") == Bracket(F(0), F(0))


def test_without_replacement_the_lower_end_is_that_of_steps_that_exist() -> None:
    (order,) = (sample(gaussian(2), 10, 100) * 10)._orders()
    bounds = order.bounds(1.0, 1e-3, 1 / 8)
    found = Bracket(bounds.low(F(1)), bounds.high(F(1)))
    attained = (poisson(gaussian(2), "1/10") * 10)._orders()[0].bounds(1.0, 1e-3)  # only the replaced record counts
    assert found.low <= attained.high(F(1)) < found.high  # the dominating curve is that of no such step
    assert found.low > attained.low(F(1)) * F(99, 100)
    (one,), exact = sample(gaussian(2), 10, 100)._orders(), poisson(gaussian(2), "1/10")._orders()[0]
    near, other = one.bounds(1.0, 1e-3, 1 / 8), exact.bounds(1.0, 1e-3, 1 / 8)
    assert near.low(F(1)) <= other.high(F(1))  # one step alone has that curve for ε ≥ 0
    assert other.low(F(1)) <= near.high(F(1)) < near.low(F(1)) * F(101, 100)


def test_a_sample_without_replacement_of_two_is_enumerated() -> None:
    # one of two records, released by randomized response: one record 0 or 1, the other always 0
    a, b = 0.7310585786300049, 0.2689414213699951
    p, q = (a + b) / 2, b  # probabilities of the answer 1
    laws = [[p * p, p * (1 - p), (1 - p) * p, (1 - p) ** 2], [q * q, q * (1 - q), (1 - q) * q, (1 - q) ** 2]]
    truth = sum(max(x - y * 1.5, 0.0) for x, y in zip(*laws, strict=True))
    found = (sample(response(1), 1, 2) * 2).delta(F(4054651081081644, 10**16))
    assert float(found.low) <= truth * (1 + 1e-6)
    assert truth <= float(found.high)


def test_a_sampled_table_is_the_mixed_table() -> None:
    p, q, rate = [F(1, 2), F(1, 3), F(1, 6)], [F(1, 4), F(1, 4), F(1, 2)], F(1, 4)
    mixed = [rate * a + (1 - rate) * b for a, b in zip(p, q, strict=True)]
    one, other = (poisson(from_table(p, q), rate) * 3).delta("1/10"), (from_table(mixed, q) * 3).delta("1/10")
    assert meets(one, Fraction(other.low), Fraction(other.high))
    assert one.relative < 1e-4


def test_a_sampled_step_with_a_guarantee_is_the_sampled_response() -> None:
    eps, q, e = F(1, 4), 0.1, 2.718281828459045
    truth = q * max(e / (1 + e) - (1 + (1.2840254166877414 - 1) / q) / (1 + e), 0.0)
    found = poisson(pure(1), "1/10").delta(eps)
    assert found.low <= truth * (1 + 1e-9) + 1e-12
    assert truth <= float(found.high) + 1e-12


@pytest.mark.parametrize("share", ["1/5", "1/2", "7/10"])
def test_staircase_noise_is_that_of_its_density(share: str) -> None:
    gamma, b, eps = float(F(share)), 0.36787944117144233, 0.25
    heights = [(1.0 if (i + 0.5) / 1000 < gamma else b) for i in range(1000)]
    density = [b ** (i // 1000) * heights[i % 1000] for i in range(40_000)]
    total = 2 * sum(density)
    right = [x / total for x in density]
    whole = [*reversed(right), *right]
    truth = sum(max(whole[i] - 1.2840254166877414 * whole[i + 1000], 0.0) for i in range(len(whole) - 1000))
    assert staircase(1, share).delta(F(eps)).low <= truth + 1e-9
    assert abs(float(staircase(1, share).delta(F(eps)).high) - truth) < 1e-9


def test_randomized_response_among_many_answers_is_its_table() -> None:
    p = F(4, 4 + 9)  # ten answers, the true one four times as likely
    table = from_table([p, p / 4, 8 * p / 4], [p / 4, p, 8 * p / 4]) * 3
    eps = F(1386294361119890618, 10**18)  # ln 4
    found, other = (response(eps, 10) * 3).delta(1), table.delta(1)
    assert abs(float(found.high - other.high)) < 1e-6


def test_a_tree_is_a_gaussian_step_per_level() -> None:
    assert tree(4, 8).steps == (gaussian(4) * 4).steps


def test_the_trade_off_lies_between_its_bounds() -> None:
    found = gaussian(1).tradeoff("1/10", points=40)  # Φ(Φ⁻¹(9/10) − 1) = 0.6108…
    assert found.low <= F("0.61086") <= found.high
    assert float(found.width) < 0.1


def test_digits_are_those_that_the_width_justifies() -> None:
    assert str(Bracket(F("0.12345"), F("0.12346"))) == "0.12345..6"
    assert str(Bracket(F("9.99"), F("10.01"))) == "9.99..10.01"
    assert str(Bracket(F("1.5e-9"), F("1.6e-9"))) == "1.5..6e-09"
    with pytest.raises(ArithmeticError, match="exceeds"):
        Bracket(F(2), F(1))
