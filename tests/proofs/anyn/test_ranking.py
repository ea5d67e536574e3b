"""Rankings for any number of queries: what is proved, what must not be, and false certificates."""

from __future__ import annotations

import copy
import types
from fractions import Fraction

import pytest
from tests.proofs.anyn.test_mutants import try_mutants

from dpwitness.catalogue import catalogue
from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.domains import whole
from dpwitness.core.evidence import UpperBound
from dpwitness.core.verdict import Decision
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.kernel.check import examine
from dpwitness.reports.model import explain
from dpwitness.routes import decide

CASES = [(name, i) for name in ("noisy-max-with-gap", "noisy-top-k") for i in range(3)]


@pytest.mark.parametrize(("name", "index"), CASES)
def test_gap_and_top_k_are_proved_for_any_number_of_queries(name, index):
    claim = catalogue()[name].claims()[index]
    found = AnyNProver().run(claim)
    assert isinstance(found, UpperBound)
    assert found.scope.queries == "any"
    assert found.guarantee.implies(claim.guarantee)
    assert found.certificate["type"] == "ranking-shift"
    assert examine(found.certificate)


def gap(noise, counts, *, eps):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


def top(noise, counts, *, eps, cutoff):
    noisy = [c + noise.laplace(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


def top_doubled(noise, counts, *, eps, cutoff):
    seen = [2 * c - noise.laplace(4 * cutoff / eps) + noise.exponential(1 / eps) for c in counts]
    left = list(range(len(counts)))
    found = []
    for turn in range(cutoff):  # noqa: B007
        best = noise.argmax([seen[j] for j in left])
        found.append(left.pop(best))
    return found


def top_exponential(noise, counts, *, eps, cutoff):
    noisy = [c + noise.exponential(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


def top_whole(noise, counts, *, eps, cutoff):
    noisy = [c + noise.discrete_laplace(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


def claim_of(program, moves="all", data=None, eps=1):
    many = "cutoff" in program.__code__.co_varnames[: program.__code__.co_argcount + program.__code__.co_kwonlyargcount]
    return mechanism(
        data=data or Answers(moves),
        claim=lambda eps: PureDP(eps),
        typical={"eps": eps, **({"cutoff": 2} if many else {})},
        domains={"cutoff": whole(1)} if many else {},
        name="p",
    )(program).claims()[0]


PRIVATE = [
    (gap, Answers("all"), 1), (gap, Answers("up"), Fraction(1, 2)), (gap, Answers("l1"), Fraction(1, 2)),
    (top, Answers("all"), 1), (top, Answers("down"), Fraction(1, 2)), (top, Answers("all", 2), 2),
    (top_doubled, Answers("all"), 1), (top_exponential, Answers("all"), 1),
    (top_whole, Answers("all", whole=True), 1),
]  # fmt: skip


@pytest.mark.parametrize(("program", "data", "value"), PRIVATE)
def test_value_and_replay(program, data, value):
    claim = claim_of(program, data=data)
    found = AnyNProver().run(claim)
    assert isinstance(found, UpperBound)
    assert found.guarantee.eps == value
    run = replay(claim, found.certificate, runs=60)
    assert run, run
    assert run.ratio > Fraction(1, 2)


# programs that look like a ranking and are none, or whose noise does not suffice


def third_value(noise, counts, *, eps):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second, second


def gap_to_any(noise, counts, *, eps):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i == winner])
    return winner, noisy[winner] + second


def gap_to_the_counts(noise, counts, *, eps):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(counts) if i != winner])
    return winner, noisy[winner] - second


def winner_of_the_counts(noise, counts, *, eps):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(counts)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


def gap_shadowed(noise, counts, *, eps):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([winner for i, winner in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


def gap_one_sided(noise, counts, *, eps):
    noisy = [c + noise.exponential(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


def gap_whole(noise, counts, *, eps):
    noisy = [c + noise.discrete_laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


def gap_without_noise(noise, counts, *, eps):
    noisy = [c for c in counts]  # noqa: C416
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


def top_of_the_counts(noise, counts, *, eps, cutoff):
    noisy = [c + noise.laplace(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([counts[i] for i in rest])
        winners.append(rest.pop(place))
    return winners if noisy else []


def top_values(noise, counts, *, eps, cutoff):
    noisy = [c + noise.laplace(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(noisy[rest.pop(place)])
    return winners


def top_of_all_but_k(noise, counts, *, eps, cutoff):
    noisy = [c + noise.laplace(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(len(counts)):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


def top_with_the_noise_of_one(noise, counts, *, eps, cutoff):
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


def top_one_draw(noise, counts, *, eps, cutoff):
    z = noise.laplace(2 * cutoff / eps)
    noisy = [c + z for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


def top_leaks_the_rest(noise, counts, *, eps, cutoff):
    noisy = [c + noise.laplace(2 * cutoff / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(cutoff):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return noisy


NOT_PROVED = [
    third_value, gap_to_any, gap_to_the_counts, winner_of_the_counts, gap_shadowed, gap_one_sided, gap_without_noise,
    top_of_the_counts, top_values, top_of_all_but_k, top_with_the_noise_of_one, top_one_draw, top_leaks_the_rest,
]  # fmt: skip


@pytest.mark.parametrize("program", NOT_PROVED)
@pytest.mark.parametrize("moves", ["all", "one"])
def test_what_only_looks_like_a_ranking_is_not_proved(program, moves):
    claim = claim_of(program, moves)
    found = AnyNProver(seconds=5).run(claim)
    if moves == "one" and program in (top_with_the_noise_of_one,):
        assert found.guarantee.eps == Fraction(1, 2)  # a single answer is followed by its own noise
        return
    assert not isinstance(found, UpperBound) or not found.guarantee.implies(claim.guarantee)


def test_whole_noise_needs_whole_answers_and_releases_no_lead():
    assert not isinstance(AnyNProver(seconds=5).run(claim_of(top_whole, data=Answers("all"))), UpperBound)
    assert not isinstance(AnyNProver(seconds=5).run(claim_of(gap_whole, data=Answers("all", whole=True))), UpperBound)


def test_shadowed_builtin_is_noticed():
    namespace = dict(globals())
    namespace["list"] = lambda x: [0, 0, 0]
    fooled = types.FunctionType(top.__code__, namespace, "top")
    fooled.__kwdefaults__ = None
    assert not isinstance(AnyNProver(seconds=5).run(claim_of(fooled)), UpperBound)


@pytest.mark.parametrize("program", [gap, top])
def test_false_certificates_are_rejected(program):
    proof = AnyNProver().run(claim_of(program)).certificate
    assert examine(proof)
    model = proof["model"]
    ((rate, kind), *more) = model["draws"]

    def other(**parts):
        return {"model": {**model, **parts}}

    def value(**parts):
        return other(value={**model["value"], **{{"a": "?0", "b": "~0"}[k]: v for k, v in parts.items()}})

    changes = [
        {"bound": {**proof["bound"], next(iter(proof["bound"])): "1/2"}},
        value(a="2"),
        value(a="-3"),
        value(b="1/2"),
        value(b="0"),
        other(value={"~0": "1"}),
        other(value={"?0": "1"}),
        other(value={**model["value"], "%best": "1"}),
        other(draws=[[rate, "gaussian"], *more]),
        other(draws=[[dict.fromkeys(rate, "2"), kind], *more]),
        other(draws=[]),
        other(lead="yes"),
        other(params={}),
        other(params={name: {} for name in model["params"]}),
        {"shifted": 7},
        {"shifted": -1},
        {"shifted": True},
        {"adjacency": {"moves": "all", "by": "2"}},
        {"adjacency": {"moves": "sideways", "by": "1"}},
        {"adjacency": {"moves": "all", "by": "-1"}},
    ]
    if program is top:
        changes += [
            other(count=dict.fromkeys(model["count"], "2")),
            other(draws=[[rate, "exponential"]], value={**model["value"], "~0": "-1"}),
        ]
    else:
        changes += [other(draws=[[rate, "exponential"]]), other(draws=[[rate, "discrete_laplace"]])]
    for change in changes:
        assert not examine({**copy.deepcopy(proof), **change}), change


@pytest.mark.parametrize("name", ["k-min-max", "m-range"])
def test_where_no_lemma_applies_the_verdict_names_the_number_of_queries(name):
    claim = catalogue()[name].claims()[0]
    verdict = decide(claim, Budget(seconds=20), "prove")
    assert verdict.decision is Decision.PROVED
    assert verdict.upper.scope.queries == claim.queries
    assert f"N = {claim.queries}" in explain(verdict)


def test_some_mutants(tmp_path):
    tried, proved, failures = try_mutants(tmp_path, [gap, top_doubled], range(8, 20), ("one", "all"))
    assert not failures, failures[0]
    assert tried > 30
    assert proved > 0


@pytest.mark.slow
def test_many_mutants(tmp_path):
    ranked = [gap, top, top_doubled, top_exponential]
    tried, proved, failures = try_mutants(tmp_path, ranked, range(20, 120), ("one", "all", "up"))
    assert not failures, failures[0]
    assert tried > 1000
    assert proved > 80
