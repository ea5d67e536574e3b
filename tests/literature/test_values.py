"""Numbers inside the findings, against independent computations."""

import math
from fractions import Fraction
from itertools import product

import pytest
from scipy import integrate, stats

from dpwitness.literature.composition.advanced import hockey_power, tail
from dpwitness.literature.composition.sets import SETS, SINGLE, homework, private_on, worst_pair
from dpwitness.literature.finding import Finding
from dpwitness.literature.output_perturbation.mechanisms import adjacent, gaussian_delta
from dpwitness.literature.output_perturbation.selection import difference_tail, reach, survival
from dpwitness.literature.smooth_sensitivity.laplace import BOTH, DILATION, largest_epsilon
from dpwitness.literature.smooth_sensitivity.local_and_smooth import QUERIES, closure, local_table, smooth_table
from dpwitness.literature.smooth_sensitivity.median import entry
from dpwitness.literature.tools import at, hockey_stick, joint, randomized_response

F = Fraction


def middle(enclosure: tuple[Fraction, Fraction]) -> float:
    return float(sum(enclosure) / 2)


@pytest.mark.parametrize(("g", "k"), [(F(2), 3), (F(3, 2), 5)])
def test_k_responses_by_enumeration(g: Fraction, k: int) -> None:
    p, q = (joint(*(randomized_response(x, g) for _ in range(k))) for x in (0, 1))
    for growth in (F(1), g, g**2, g**k):
        assert hockey_power(g, k, growth) == hockey_stick(p, q, growth)
    assert tail(g, k, k) == (g / (1 + g)) ** k
    assert tail(g, k, 0) == 1


def test_the_dominating_pair_is_tight() -> None:
    p, q = worst_pair(F(2), F(1, 10))
    assert sum(p.values()) == sum(q.values()) == 1
    assert hockey_stick(p, q, F(2)) == hockey_stick(q, p, F(2)) == F(1, 10)


def test_the_homework_mechanism_at_its_edge() -> None:
    d = F(1, 10)
    assert private_on(SINGLE, homework(d), F(9, 8), d)
    assert not private_on(SINGLE, homework(d), F(112, 100), d)
    assert not private_on(SETS, homework(d), F(9, 8), d)


@pytest.mark.parametrize(("eps", "lam"), [(1.0, 0.2), (4.0, 2.0), (0.5, 1.0)])
def test_laplace_with_another_scale_by_quadrature(eps: float, lam: float) -> None:
    shift = eps / 2 * math.exp(-lam)

    def positive_part(z: float, delta: float, budget: float) -> float:
        p = 0.5 * math.exp(-abs(z))
        q = 0.5 * math.exp(lam) * math.exp(-math.exp(lam) * abs(z - delta))
        return max(0.0, p - math.exp(budget) * q)

    point = {"e": F(eps), "l": F(lam)}
    both = sum(integrate.quad(positive_part, a, b, (shift, eps), limit=400)[0] for a, b in ((-60, 0), (0, 60)))
    half = sum(integrate.quad(positive_part, a, b, (0.0, eps / 2), limit=400)[0] for a, b in ((-60, 0), (0, 60)))
    assert middle(at(BOTH, point)) == pytest.approx(both, rel=1e-6)
    assert middle(at(DILATION, point)) == pytest.approx(half, rel=1e-6)


@pytest.mark.parametrize(("eps", "big"), [(0.5, 12.0), (0.9, 5.0)])
def test_the_gaussian_curve(eps: float, big: float) -> None:
    r = math.sqrt(big)
    want = stats.norm.cdf(eps / (2 * r) - r) - math.exp(eps) * stats.norm.cdf(-eps / (2 * r) - r)
    assert middle(gaussian_delta("L", F(eps), F(big))) == pytest.approx(want, rel=1e-9)


def test_laplace_tails() -> None:
    for s in (-2.0, -0.5, 0.0, 1.5):
        assert float(survival(F(s)).ball()) == pytest.approx(stats.laplace.sf(s))

    def wins(t: float) -> float:
        return float(integrate.quad(lambda r: stats.laplace.pdf(r) * stats.laplace.sf(t + r), -40, 40, limit=400)[0])

    for t in (0.0, 1.0, 3.0, -1.0):
        assert float(difference_tail(F(t)).ball()) == pytest.approx(wins(t), rel=1e-5)


def test_how_far_a_threshold_moves() -> None:
    assert reach("add-remove") == 1
    assert reach("substitute") == 2


def test_adjacent_databases() -> None:
    assert {(len(a), len(b)) for a, b in adjacent("add-remove", (0, 1), 3)} == {(3, 2)}
    assert all(len(a) == len(b) for a, b in adjacent("substitute", (0, 1), 3))


def test_the_least_smooth_bound() -> None:
    for name, u in product(QUERIES, (F(1, 2), F(9, 10))):
        ls = local_table(name)
        assert closure(ls, u) == smooth_table(ls, lambda k, u=u: u**k)  # type: ignore[misc]


def test_entries_outside_the_data() -> None:
    x = entry((3, 1, 2))
    assert [x(i) for i in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(IndexError):
        entry((1,), outside=False)(2)


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("000-C21", "-1", "1/2"),
        ("004-C7", "0.048770694403…", "19/20"),
        ("003-C12", "0.149776321372…", "0.152447676693…"),
    ],
)
def test_witnesses_show_both_sides(findings: dict[str, Finding], name: str, left: str, right: str) -> None:
    assert findings[name].witness["left"] == left
    assert findings[name].witness["right"] == right


def test_the_gaussian_witness(findings: dict[str, Finding]) -> None:
    seen = findings["004-C8"].witness
    assert float(seen["left"].rstrip("…")) > 2 * float(seen["right"].rstrip("…"))


def test_report_noisy_max_loses_more_than_eps_under_substitution(findings: dict[str, Finding]) -> None:
    seen = findings["004-C12"].witness
    values = sorted(float(F(seen[side].rstrip("…"))) for side in ("left", "right"))
    assert seen["adjacency"] == "substitute"
    assert values[1] > math.e * values[0]


def test_the_loss_of_report_noisy_max_under_substitution_is_the_formula(findings: dict[str, Finding]) -> None:
    assert "2ε − ln((2+nε)/(2+(n−2)ε))" in findings["004-C12"].repaired

    def chance(distance: float) -> float:
        tail = math.exp(-abs(distance)) * (0.5 + abs(distance) / 4)
        return tail if distance >= 0 else 1 - tail

    for eps in (0.1, 1.0, 3.0):
        for n in (2, 5, 40):
            worst = max(math.log(chance(eps * gap) / chance(eps * (gap + 2))) for gap in range(-n, n - 1))
            assert math.isclose(worst, 2 * eps - math.log((2 + n * eps) / (2 + (n - 2) * eps)), rel_tol=1e-9)


def test_laplace_noise_stops_being_admissible_where_the_finding_says(findings: dict[str, Finding]) -> None:
    check, (low, high) = largest_epsilon()
    assert check.ok
    assert 0 < high - low < F(1, 10**9)
    assert f"{float(low):.9f}"[:-1] in findings["003-C17"].condition

    def excess(eps: float, delta: float) -> float:
        beta = eps / (2 * math.log(2 / delta))
        return (1 - math.exp(-beta)) * math.exp(-(eps / 2 + beta) / math.expm1(beta)) - delta / 2

    deltas = [1 - 10.0**-k for k in range(1, 12)] + [10.0**-k for k in range(1, 12)] + [k / 100 for k in range(1, 100)]
    assert max(excess(float(low) - 1e-6, delta) for delta in deltas) < 0
    assert max(excess(float(high) + 1e-6, delta) for delta in deltas) > 0
