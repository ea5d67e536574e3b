"""The conditions of docs/exactness.md, one test each: what is exact, what is a bound, what must not be claimed."""

from __future__ import annotations

import copy
import itertools
import math
import random
from fractions import Fraction

import pytest

from dpwitness.core.budget import Budget
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.spaces import Answers
from dpwitness.core.verdict import Decision
from dpwitness.proofs.kernel.algebra.polyhedra import Row, parse
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.integrate import probability
from dpwitness.proofs.kernel.programs.trees import Draw, Leaf
from dpwitness.proofs.kernel.programs.witness import event_probability
from dpwitness.proofs.programs.alignment import Alignment, Event
from dpwitness.proofs.programs.floor import lower_bound
from dpwitness.proofs.programs.points import Empty, decide
from dpwitness.proofs.programs.rays import Inside
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.shift import bound
from dpwitness.proofs.programs.tables import read_table
from dpwitness.routes import decide as decide_claim

F = Fraction


def event(texts, scales, values=()):
    rows = tuple(Row(parse(t), False) for t in texts)
    leaf = Leaf(0, rows, tuple(Draw("laplace", F(s)) for s in scales), (), 0, tuple(parse(v) for v in values))
    return Event(rows, leaf, (0,))


def loss(ev, q, d, eps):
    q = [F(x) for x in q]
    here, _ = probability(ev.rows, ev.leaf.draws, q)
    there, _ = probability(ev.rows, ev.leaf.draws, [a + F(b) for a, b in zip(q, d, strict=True)])
    with precision(256):
        return float((here.at(F(eps)).ball() / there.at(F(eps)).ball()).log().mid()) / float(eps)


SINGLE = {
    "noisy max": (["n0+q0-n1-q1", "n0+q0-n2-q2"], [2, 2, 2], (-1, 1, 1), F(1)),
    "sparse vector 001": (["n0-n1-q0", "n0-n2-q1", "n3+q2-n0"], [2, 4, 4, 4], (1, 1, -1), F(3, 4)),
    "sum of two draws": (["n0+n1-q0"], [1, 1], (1,), F(1)),
}


@pytest.mark.parametrize("name", list(SINGLE))
@pytest.mark.parametrize("eps", [F(1), F(1, 4), F(3)])
def test_single_polyhedron_loss_rises_to_the_value_for_every_eps(name, eps):
    texts, scales, d, value = SINGLE[name]
    ev = event(texts, scales)
    assert Alignment(ev).solve([F(x) for x in d]).value == value
    steps = [loss(ev, [t * x for x in d], d, eps) for t in (0, 1, 4, 16, 64)]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(steps))
    assert all(step <= float(value) + 1e-12 for step in steps)
    assert steps[-1] > float(value) - 4 / (64 * float(eps)) - 1e-9


@pytest.mark.parametrize("seed", range(25))
def test_random_polyhedra(seed):
    rng = random.Random(seed)
    texts = []
    for _ in range(rng.randint(1, 3)):
        a, b, c, d = (rng.choice([-1, 0, 1]) for _ in range(4))
        form = {"n0": a, "n1": b, "q0": c, "q1": d, "": rng.randint(-1, 1)}
        texts.append("".join(f"{v:+d}*{k}" if k else f"{v:+d}" for k, v in form.items() if v) or "0")
    ev = event([t.lstrip("+") for t in texts], [1, 2])
    start = decide([row.open(ev.leaf.continuous) for row in ev.rows])
    if isinstance(start, Empty) or start is None:
        return
    q0 = [start.get("q0", F(0)), start.get("q1", F(0))]
    d = [F(rng.choice([-1, 1])), F(rng.choice([-1, 0, 1]))]
    value = Alignment(ev).solve(d).value
    if value is None:  # somewhere on the ray the event becomes impossible
        assert any(
            not probability(ev.rows, ev.leaf.draws, [a + t * b for a, b in zip(q0, d, strict=True)])[0].terms
            for t in range(1, 20)
        )
        return
    losses = [loss(ev, [a + t * b for a, b in zip(q0, d, strict=True)], d, 1) for t in (0, 2, 8, 32)]
    assert all(x <= float(value) + 1e-12 for x in losses)
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(losses))
    assert losses[-1] > float(value) - 3 / 32 - 1e-9


def test_real_outputs_are_boxes_of_any_width():
    ev = event(["n0-n1-q0", "n0-n2-q1", "n3+q2-n0"], [3, 6, 6, 6, 3], ["n4+q2"])
    d = [F(1), F(1), F(-1)]
    value = Alignment(ev).solve(d).value
    for width in (F(1), F(1, 50)):
        boxed = event(["n0-n1-q0", "n0-n2-q1", "n3+q2-n0", f"n4+q2+{width}", f"{width}-n4-q2"], [3, 6, 6, 6, 3])
        assert Alignment(boxed).solve(d).value == value == F(5, 6)


def test_event_that_never_happens_has_no_say():
    # {n0 >= q0 and n0 <= q0} is null: its value means nothing, and the tree drops it
    def program(noise, q, *, eps):
        x = q[0] + noise.laplace(1 / eps)
        if x >= 0:
            return "b" if x <= 0 else "c"
        return "a"

    from dpwitness.core.guarantees import PureDP
    from dpwitness.core.mechanism import mechanism

    made = mechanism(data=Answers("all", 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    table = read_table(made.claims()[0], 1)
    assert len(table.tree.leaves) == 2
    assert bound(table, Moves("linf", F(1), 1)).upper == 1


def xor(noise, q, *, eps):
    return (q[0] + noise.laplace(1 / eps) >= 0) != (noise.laplace(1 / eps) < -1 / eps)


def test_union_gives_an_interval_and_never_a_refutation(programs):
    made = programs.make(xor, name="xor", factor=F(99, 100))
    table = read_table(made.claims()[0], 1)
    found = bound(table, Moves("linf", F(1), 1))
    assert found.upper == 1
    assert not found.exact
    assert found.lower is None or found.lower.value == 0
    evidence = ProgramProver(queries=1).run(made.claims()[0])
    assert isinstance(evidence, UpperBound)  # what is known, not what was claimed
    assert not evidence.guarantee.implies(made.claims()[0].guarantee)
    assert not evidence.exact


def test_two_signs_under_xor_bracket_the_truth(programs):
    def program(noise, q, *, eps):
        return (q[0] + noise.laplace(1 / eps) >= 0) != (q[1] + noise.laplace(1 / eps) >= 0)

    found = bound(read_table(programs.make(program, name="p").claims()[0], 2), Moves("linf", F(1), 2))
    assert found.upper == 2  # path by path; the truth is 1
    assert found.lower is not None
    assert found.lower.value is not None
    assert found.lower.value <= 1


def test_vertices_beat_one_affine_shift():
    ev = event(["n0-q0-q1", "n0+q0+q1", "n1-q0+q1", "n1+q0-q1"], [1, 1])
    alignment = Alignment(ev)
    part = Moves("linf", F(1), 2).parts()[0]
    assert max(alignment.solve(v).value for v in part.vertices()) == 2


@pytest.mark.parametrize("space", [Answers(low=0, high=1), Answers(values=(0, 1)), Answers(whole=True, by="1/2")])
def test_restricted_inputs_give_an_upper_bound_only(programs, space):
    made = programs.make(programs.svt(), name="p", data=space)
    evidence = ProgramProver(queries=2).run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert not evidence.exact


def test_bounded_inputs_are_not_refuted_by_unbounded_ones(programs):
    # P[n0 + q0 >= 0] for q0 in [0, 1]: the true loss is ln(2 - e^-eps)/eps < 1 in one class and 1 in the other
    def program(noise, q, *, eps):
        return q[0] + noise.laplace(1 / (2 * eps)) >= 0

    made = programs.make(program, name="p", data=Answers(low=0, high=1, size=1))
    evidence = ProgramProver().run(made.claims()[0])
    # on [0, 1] with scale 1/2: ln((1 - e^-2/2)/(1/2)) = 0.62 and ln(1/e^-2) = 2 > 1: refuted, by inputs inside
    assert not isinstance(evidence, UpperBound)
    assert all(0 <= x <= 1 for x in (*evidence.left, *evidence.right))
    assert evidence.p_left_decimal > math.e * evidence.p_right_decimal


def test_deterministic_guards_keep_their_strictness(programs):
    def program(noise, q, *, eps):
        if q[0] > 0:
            return "up"
        if q[0] >= 0:
            return "zero"
        return "down"

    table = read_table(programs.make(program, name="p").claims()[0], 1)
    assert len(table.tree.leaves) == 3  # {q0 = 0} is one point of the inputs, not a null set of the draws
    assert bound(table, Moves("linf", F(1), 1)).upper is None


def test_scale_of_eps_in_place_of_one_over_eps_is_caught(programs):
    made = programs.make(programs.histogram(1, 1), "one", name="p")
    whole = decide_claim(made.claims()[0], Budget(), "prove")
    assert whole.decision is Decision.REFUTED
    assert isinstance(whole.lower, Counterexample)
    assert whole.lower.params["eps"] < 1  # it is true at 1 and above
    assert decide_claim(made.claims(eps=1)[0], Budget(), "prove").decision is Decision.PROVED
    assert decide_claim(made.claims(eps="1/2")[0], Budget(), "prove").decision is Decision.REFUTED


def test_constants_with_epsilon(programs):
    # a margin of 5/eps: the shift does not see it, and the strictly feasible point is one for every eps
    def program(noise, q, *, eps):
        t = noise.laplace(2 / eps)
        return [x + noise.laplace(4 / eps) >= t + 5 / eps for x in q]

    table = read_table(programs.make(program, name="p").claims()[0], 2)
    assert table.epsilon is None
    found = bound(table, Moves("linf", F(1), 2))
    assert found.exact
    assert found.upper == F(1, 2)


@pytest.mark.parametrize(
    ("moves", "low", "high", "exact"),
    [("up", 0, None, True), ("up", 0, 9, False), ("all", None, None, True), ("all", 0, None, True)],
)
def test_half_bounded_inputs_keep_the_value_where_the_line_stays_inside(programs, moves, low, high, exact):
    """From q = 0 without a step downwards the line never leaves q >= 0, so the supremum is the same there."""
    space = Answers(moves, 1, size=2, low=low, high=high)
    found = ProgramProver().run(programs.make(programs.svt(), data=space, name="p").claims()[0])
    assert found.guarantee.eps == Fraction(1, 2)
    assert found.exact is exact
    if exact:
        assert low is None or all(Fraction(d) >= 0 for d in found.certificate["lower"]["move"])


RAYS = {
    "noisy max": (lambda programs: programs.noisy_max(2), Answers(low=0, size=2), F(1)),
    "noisy max below": (lambda programs: programs.noisy_max(2), Answers(high=5, size=3), F(1)),
    "whole counts": (lambda programs: programs.noisy_max(2), Answers(low=0, size=3, whole=True), F(1)),
    "sparse vector": (lambda programs: programs.svt(), Answers(low=0, size=2), F(1, 2)),
    "gap": (lambda programs: _gap, Answers(low=0, size=2), F(1)),
}


def _gap(noise, q, *, eps):
    a, b = (x + noise.laplace(2 / eps) for x in q)
    return a - b


@pytest.mark.parametrize("name", list(RAYS))
def test_half_bounded_inputs_keep_the_value_along_a_bent_line(programs, name):
    """A step outwards is no obstacle where a ray inwards leaves the event as likely as it must."""
    program, space, value = RAYS[name]
    claim = programs.make(program(programs), data=space, name="p").claims()[0]
    found = ProgramProver().run(claim)
    assert (found.guarantee.eps, found.exact) == (value, True)
    lower = found.certificate["lower"]
    ray, move = (
        [F(x) for x in lower["inside"][k]] if k == "ray" else [F(x) for x in lower[k]] for k in ("ray", "move")
    )
    point = [F(lower["point"][f"q{i}"]) for i in range(len(move))]
    # steps along the line, computed exactly: all inside, none above the value, the best of them near it
    tree, box = read_table(claim, len(move)).tree, [(F(a), F(b)) for a, b in lower["box"]]
    best, n = 0.0, 40
    for j in (0, n // 2, n - 2, n - 1):
        q = [p + n * u + j * d for p, u, d in zip(point, ray, move, strict=True)]
        there = [a + b for a, b in zip(q, move, strict=True)]
        space.validate(q), space.validate(there)
        one, other = (event_probability(tree, lower["output"], box, side)[0] for side in (q, there))
        with precision(256):
            best = max(best, float((one.at(F(1)).ball() / other.at(F(1)).ball()).log().mid()))
    assert float(value) - 0.1 < best <= float(value) + 1e-12


def test_half_bounded_inputs_may_lose(programs):
    """The class that needs the largest shift becomes certain along every line that stays inside."""
    made = programs.make(programs.svt(), data=Answers(low=0, size=3), name="p")
    assert not ProgramProver().run(made.claims()[0]).exact  # False, False, True reaches 0.72 of its 3/4 on a grid

    def positive(noise, q, *, eps):
        return 1 if q[0] + noise.laplace(1 / eps) >= 0 else 0

    table = read_table(programs.make(positive, name="p").claims()[0], 1)
    events = [(e.event, e.alignment) for e in bound(table, Moves("linf", F(1), 1)).events]
    below = next(e for e, _ in events if e.rows[0].form["n0"] < 0)
    # from q = -1 to q = 0 the output 0 loses ln((1 - 1/(2e))/(1/2)) = 0.49, and everywhere else below 0 less
    assert lower_bound(table.tree, events, below, (F(1),), Inside(high=F(0))) is None
    assert lower_bound(table.tree, events, below, (F(1),), Inside(low=F(0))).value == 1


def test_the_kernel_asks_for_a_line_that_stays_inside(programs):
    space = Answers(low=0, size=2)
    proof = ProgramProver().run(programs.make(programs.noisy_max(2), data=space, name="p").claims()[0]).certificate
    assert examine(proof)
    inside = proof["lower"]["inside"]
    assert any(F(x) < 0 for x in proof["lower"]["move"]), "a ray is needed"
    for change in (
        {"ray": ["0", "0"]},
        {"ray": ["-1", "-1"]},
        {"ray": inside["ray"][:1]},
        {"low": "100"},
        {"along": {"n0": "1"}},
        {"along": {"n9": "0"}},
        {"whole": "yes"},
        {"whole": True, "ray": ["1/2", "3/2"]},
        {"high": "0"},
    ):
        wrong = copy.deepcopy(proof)
        wrong["lower"]["inside"].update(change)
        assert not examine(wrong), change


@pytest.mark.parametrize("seed", range(30))
def test_lower_bounds_in_random_half_bounded_spaces_are_reached_inside(programs, seed):
    """Random tests of two draws and two answers: the mean loss along the bent line comes near the stated bound."""
    rng = random.Random(seed)
    rows = [[rng.choice([-1, 0, 1]) for _ in range(4)] + [rng.randint(-1, 1)] for _ in range(rng.randint(1, 3))]
    scales = [1, rng.choice([1, 2])]
    inside = rng.choice([Inside(low=F(0)), Inside(high=F(1)), Inside(low=F(-1), whole=True)])

    def program(noise, q, *, eps):
        draws = [noise.laplace(s / eps) for s in scales]
        for *weights, constant in rows:
            if sum(w * x for w, x in zip(weights, [*draws, *q], strict=True)) + constant < 0:
                return 0
        return 1

    table = read_table(programs.make(program, name="p").claims()[0], 2)
    floor = bound(table, Moves("linf", F(1), 2), inside=inside).lower
    if floor is None or floor.inside != inside or floor.value is None:
        return
    start = [floor.point[f"q{i}"].get("", F(0)) for i in range(2)]
    n = 60
    first = [a + n * u for a, u in zip(start, floor.ray, strict=True)]
    last = [a + n * d for a, d in zip(first, floor.move, strict=True)]
    for q in (first, last):
        assert all(inside.low is None or x >= inside.low for x in q)
        assert all(inside.high is None or x <= inside.high for x in q)
    one, other = (event_probability(table.tree, floor.output, floor.box, q)[0] for q in (first, last))
    with precision(512):
        mean = float((one.at(F(1)).ball() / other.at(F(1)).ball()).log().mid()) / n
    assert mean > float(floor.value) - 0.25
