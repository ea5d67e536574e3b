"""Reports of one record: what is proved of known mechanisms, and brute force beside random ones."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proofs.kernel.truth_local import Law, Wrong, log_ratio
from tests.proofs.models.side_by_side import decide_and_compare

from dpwitness import Interval, PureDP, Records, exp, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.local import reading
from dpwitness.proofs.laws.local.prover import LocalProver
from dpwitness.routes import decide, kernel_checker

WIDE, UNIT = Records(Interval(-1, 1), 1), Records(Interval(0, 1), 1)


def claim_of(program: Any, space: Any = UNIT, claim: Any = None) -> Any:
    made = mechanism(data=space, claim=claim or (lambda eps: PureDP(eps)), typical={"eps": 1})(program)
    return made.claims()[0]


def piecewise(noise, data, *, eps):
    """As it is usually written: at large ε the ends are differences of numbers that doubles hardly tell apart."""
    h = exp(eps / 2)
    c = (h + 1) / (h - 1)
    left = (c + 1) / 2 * data[0] - (c - 1) / 2
    if noise.bernoulli(h / (h + 1)):
        return noise.uniform(left, left + c - 1)
    outside = noise.uniform(-c, 1)
    return outside if outside < left else outside + c - 1


def piecewise_without_differences(noise, data, *, eps):
    """The same law; no end is the difference of numbers that are nearly equal, however large ε is."""
    h = exp(eps / 2)
    left, width = (h * data[0] - 1) / (h - 1), 2 / (h - 1)
    if noise.bernoulli(h / (h + 1)):
        return noise.uniform(left, left + width)
    outside = noise.uniform(-1 - width, 1)
    return outside if outside < left else outside + width


def sides_by_a_coin(noise, data, *, eps):
    """The two parts outside of the piece, each with its share of the length, which is 0 at the ends."""
    h = exp(eps / 2)
    c = (h + 1) / (h - 1)
    left = (c + 1) / 2 * data[0] - (c - 1) / 2
    if noise.bernoulli(h / (h + 1)):
        return left + (c - 1) * noise.uniform()
    if noise.bernoulli((left + c) / (c + 1)):
        return noise.uniform(-c, left)
    return noise.uniform(left + c - 1, c)


def square_wave(noise, data, *, eps):
    e = exp(eps)
    b = (eps * e - e + 1) / (2 * e * (e - 1 - eps))
    if noise.bernoulli(2 * b * e / (2 * b * e + 1)):
        return data[0] + b * (2 * noise.uniform() - 1)
    far = noise.uniform() - b
    return far if far < data[0] - b else far + 2 * b


def moving_wave(noise, data, *, eps):
    """As above, with a draw between two ends: at large ε doubles cannot tell the ends apart, and the program fails."""
    e = exp(eps)
    b = (eps * e - e + 1) / (2 * e * (e - 1 - eps))
    if noise.bernoulli(2 * b * e / (2 * b * e + 1)):
        return noise.uniform(data[0] - b, data[0] + b)
    far = noise.uniform() - b
    return far if far < data[0] - b else far + 2 * b


def two_answers(noise, data, *, eps):
    p = F(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    far = (exp(eps) + 1) / (exp(eps) - 1)
    return far if noise.bernoulli(p) else -far


def hybrid(noise, data, *, eps):
    return two_answers(noise, data, eps=eps) if noise.bernoulli(exp(-eps / 2)) else piecewise(noise, data, eps=eps)


@pytest.mark.parametrize(
    ("program", "space", "scope"),
    [(piecewise, WIDE, "1"), (piecewise_without_differences, WIDE, "all"), (sides_by_a_coin, WIDE, "all"),
     (square_wave, UNIT, "all"), (hybrid, WIDE, "all"), (two_answers, WIDE, "all"), (moving_wave, UNIT, "1")],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_known_mechanisms_are_proved(program: Any, space: Any, scope: str) -> None:
    claim = claim_of(program, space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = judge(claim, [LocalProver(opened=True).run(claim), LocalProver().run(claim)], kernel_checker())
    assert verdict.decision.value == "PROVED"
    assert verdict.upper is not None
    assert verdict.upper.scope.epsilon == scope


@pytest.mark.parametrize("program", [piecewise, sides_by_a_coin, square_wave, moving_wave, hybrid])
def test_nothing_less_is_proved(program: Any) -> None:
    space = UNIT if program in (square_wave, moving_wave) else WIDE
    for opened in (True, False):
        assert isinstance(LocalProver(opened=opened).run(claim_of(program, space)), UpperBound)
        tight = claim_of(program, space, lambda eps: PureDP(eps * F(9999, 10000)))
        assert not isinstance(LocalProver(opened=opened).run(tight), UpperBound)
    found = LocalProver().run(claim_of(program, space, lambda eps: PureDP(eps * F(9, 10))))
    assert isinstance(found, Counterexample)
    assert examine(found.certificate)  # type: ignore[arg-type]
    assert found.epsilon_lower is not None
    assert F(9, 10) < found.epsilon_lower <= 1


def test_the_counterexample_is_what_sampling_shows() -> None:
    import numpy as np

    claim = claim_of(piecewise, WIDE, lambda eps: PureDP(eps / 2))
    found = LocalProver().run(claim)
    assert isinstance(found, Counterexample)
    ends = [float(F(end)) for end in found.certificate["between"]]  # type: ignore[index]
    rng = np.random.default_rng(1)
    for data, p in ((found.left, found.p_left_decimal), (found.right, found.p_right_decimal)):
        outputs = np.asarray(claim.mechanism.sample(list(data), 40_000, rng).array())
        hits = float(np.mean((outputs > ends[0]) & (outputs < ends[1])))
        assert abs(hits - p) < 5 * math.sqrt(p / 40_000)


def test_other_spaces_are_left_to_others() -> None:
    for space in (Records(Interval(0, 1), 2), Records(Interval(0, 1), 1, "add-remove"), Records((0, 1), 1)):
        assert LocalProver().supports(claim_of(square_wave, space)) is not None


TENTHS = st.integers(-10, 10).map(lambda k: F(k, 10))
ENDS = st.tuples(TENTHS, st.sampled_from([F(0), F(0), F(1), F(-1), F(1, 2)]))


@st.composite
def mixtures(draw: Any) -> dict[str, Any]:
    """A coin between two pieces, of which the second leaves a gap that a test cuts out."""
    (a, slope), width = draw(ENDS), F(draw(st.integers(1, 10)), 10)
    low, span = draw(TENTHS), F(draw(st.integers(11, 30)), 10)
    chance = F(draw(st.integers(1, 9)), 10), draw(st.sampled_from([F(0), F(0), F(1, 20), F(-1, 20)]))
    gap = draw(st.sampled_from([width, width, F(0), width / 2]))
    return {"a": a, "slope": slope, "width": width, "low": low, "span": span, "chance": chance, "gap": gap,
            "loss": F(draw(st.integers(1, 30)), 10)}  # fmt: skip


def loss_of(tree: dict[str, Any]) -> float:
    """The pure loss on a grid of records, by brute force."""
    try:
        laws = [Law(tree, k / 24, F(1)) for k in range(25)]
    except Wrong:
        return math.inf
    return max(log_ratio(one, two) for one in laws for two in laws)


@settings(max_examples=40, deadline=None)
@given(mixtures())
def test_brute_force_agrees(made: dict[str, Any]) -> None:
    a, slope, width, low, span = (made[name] for name in ("a", "slope", "width", "low", "span"))
    (p, tilt), gap, loss = made["chance"], made["gap"], made["loss"]

    def program(noise, data):
        start = a + slope * data[0]
        if noise.bernoulli(p + tilt * data[0]):
            return noise.uniform(start, start + width)
        far = noise.uniform(low, low + span - gap)
        return far if far < start else far + gap

    claim = mechanism(data=UNIT, claim=lambda: PureDP(loss), typical={})(program).claims()[0]
    tree = reading.read_tree(claim, opened=False)
    truth, found = loss_of(tree), LocalProver().run(claim)
    if isinstance(found, UpperBound):
        assert truth <= float(loss) + 1e-9
        assert decide_and_compare(claim, LocalProver())
    elif isinstance(found, Counterexample):
        assert truth > float(loss)
        assert found.epsilon_lower is None or float(found.epsilon_lower) <= truth + 1e-9
    elif not tilt:
        assert truth > float(loss) - 1e-9  # densities that do not depend on the record are compared exactly


def test_forms_that_are_not_linear_are_refused() -> None:
    from dpwitness.core.forms import Form, Symbol

    x, u, v = (Form.of_symbol(Symbol(kind, k, "")) for kind, k in (("input", 0), ("draw", 0), ("draw", 1)))
    assert reading.form_json(x * u + 2 * v - 1) == {"1": "-1", "v1": "2", "x v0": "1"}
    for form in (x * x, u * u, u * v, x * u * v):
        with pytest.raises(OutsideFragment):
            reading.form_json(form)


def test_words_of_what_is_not_followed() -> None:
    def words(program: Any) -> str:
        found = LocalProver().run(claim_of(program))
        assert isinstance(found, Unsupported)
        return found.reason

    assert "noise.binomial with a chance" in words(lambda noise, data, *, eps: noise.binomial(3, data[0] / 2))
    assert "only choices and uniform draws" in words(lambda noise, data, *, eps: data[0] + noise.laplace(1))
    assert "e to the power of the record" in words(lambda noise, data, *, eps: noise.bernoulli(log_odds=data[0]))
    assert "not linear in the record" in words(lambda noise, data, *, eps: noise.uniform() + data[0] * data[0])
    assert "more than one number" in words(lambda noise, data, *, eps: [noise.uniform(), noise.uniform()])


def test_a_truth_value_is_no_number() -> None:
    """True comes out only where the rounded record is 1, and 1 only where it is 0."""

    def rounded(noise, data, *, eps):
        bit = noise.bernoulli(data[0])
        return bit if noise.bernoulli(exp(eps) / (exp(eps) + 1)) else 1 - bit

    def as_number(noise, data, *, eps):
        bit = 1 if noise.bernoulli(data[0]) else 0
        return bit if noise.bernoulli(exp(eps) / (exp(eps) + 1)) else 1 - bit

    assert isinstance(LocalProver().run(claim_of(rounded)), Counterexample)
    assert isinstance(LocalProver(opened=True).run(claim_of(as_number)), UpperBound)


def at_one_record(noise, data, *, eps):
    return noise.uniform(0, 5) if data[0] >= 1 else noise.uniform(0, 1)


def test_single_records_are_looked_at() -> None:
    verdict = decide(claim_of(at_one_record, WIDE), Budget(seconds=10), "prove")
    assert verdict.decision.value == "REFUTED"
    assert not isinstance(LocalProver(opened=True).run(claim_of(at_one_record, WIDE)), UpperBound)
    assert isinstance(LocalProver().run(claim_of(lambda n, d, *, eps: d[0] + n.gaussian(1), WIDE)), Unsupported)
