"""Programs with two-sided geometric noise beside plain enumeration of their draws, which shares no code with proofs.

Ties are likely and shifts must be whole, so ≥ against >, halves of answers and multiples of noise all matter.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.spaces import Answers
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.programs.route import ProgramProver

EPS = 3
REACH = 16  # draws beyond it have a probability of e^(-12) at the widest scale below, 4/eps
RARE = 1e-2  # outputs that the missing tails could change are left out


def first_above(noise, q, *, eps):
    threshold = noise.discrete_laplace(2 / eps)
    return q[0] + noise.discrete_laplace(4 / eps) > threshold


def first_at_least(noise, q, *, eps):
    threshold = noise.discrete_laplace(2 / eps)
    return q[0] + noise.discrete_laplace(4 / eps) >= threshold


def tie_hidden(noise, q, *, eps):
    value = q[0] + noise.discrete_laplace(1 / eps)
    if value > 0:
        return 1
    return 0 if value >= 0 else 1


def tie_against_the_rest(noise, q, *, eps):
    left, right = q[0] + noise.discrete_laplace(1 / eps), q[1] + noise.discrete_laplace(1 / eps)
    if left > right:
        return "apart"
    return "equal" if left >= right else "apart"


def threshold_between(noise, q, *, eps):
    return q[0] + noise.discrete_laplace(2 / eps) >= noise.discrete_laplace(4 / eps) + Fraction(1, 2)


def half_an_answer(noise, q, *, eps):
    return Fraction(1, 2) * q[0] + noise.discrete_laplace(1 / eps)


def half_an_answer_tested(noise, q, *, eps):
    return Fraction(1, 2) * q[0] + noise.discrete_laplace(1 / eps) > 0


def half_of_two(noise, q, *, eps):
    return Fraction(1, 2) * (q[0] + q[1]) + noise.discrete_laplace(1 / eps) >= 0


def even_noise(noise, q, *, eps):
    return q[0] + 2 * noise.discrete_laplace(1 / eps)


def even_noise_tested(noise, q, *, eps):
    return q[0] + 2 * noise.discrete_laplace(2 / eps) > 0


def narrow(noise, q, *, eps):
    return q[0] + q[1] + noise.discrete_laplace(Fraction(2, 3) / eps)


def largest(noise, q, *, eps):
    return noise.argmax([q[0] + noise.discrete_laplace(2 / eps), q[1] + noise.discrete_laplace(3 / eps)])


def largest_with_a_head_start(noise, q, *, eps):
    return noise.argmax(
        [q[0] + noise.discrete_laplace(2 / eps) + Fraction(1, 2), q[1] + noise.discrete_laplace(2 / eps)]
    )


def last_of_ties(noise, q, *, eps):
    best, place = q[0] + noise.discrete_laplace(2 / eps), 0
    value = q[1] + noise.discrete_laplace(2 / eps)
    if value >= best:
        place = 1
    return place


def ties_named(noise, q, *, eps):
    best, value = q[0] + noise.discrete_laplace(2 / eps), q[1] + noise.discrete_laplace(2 / eps)
    if value > best:
        return 1
    return -1 if value >= best else 0


def met_exactly(noise, q, *, eps):
    value = q[0] + noise.discrete_laplace(1 / eps)
    return value >= q[1] and value <= q[1]


def inside(noise, q, *, eps):
    value = q[0] + noise.discrete_laplace(1 / eps)
    return value > 0 and value < 2


def never_inside(noise, q, *, eps):
    value = q[0] + noise.discrete_laplace(1 / eps)
    return value > 0 and value < 1


def opposite(noise, q, *, eps):
    draw = noise.discrete_laplace(2 / eps)
    return q[0] + draw > 0, q[1] - draw > 0


def reused(noise, q, *, eps):
    draw = noise.discrete_laplace(1 / eps)
    return q[0] + draw > 0, q[1] + draw > 0


def either(noise, q, *, eps):
    return q[0] + noise.discrete_laplace(2 / eps) > 0 or q[1] + noise.discrete_laplace(2 / eps) > 0


def one_of_two(noise, q, *, eps):
    left, right = q[0] + noise.discrete_laplace(2 / eps), q[1] + noise.discrete_laplace(2 / eps)
    return (left > 0) != (right > 0)


def clipped(noise, q, *, eps):
    return max(0, min(2, q[0] + noise.discrete_laplace(1 / eps)))


def lead(noise, q, *, eps):
    threshold = noise.discrete_laplace(2 / eps)
    value = q[0] + noise.discrete_laplace(4 / eps)
    return value - threshold if value > threshold else None


def answer_of_a_hit(noise, q, *, eps):
    threshold = noise.discrete_laplace(2 / eps)
    value = q[0] + noise.discrete_laplace(4 / eps)
    return value if value > threshold else None


PROGRAMS = [
    first_above, first_at_least, tie_hidden, tie_against_the_rest, threshold_between, half_an_answer,
    half_an_answer_tested, half_of_two, even_noise, even_noise_tested, narrow, largest, largest_with_a_head_start,
    last_of_ties, ties_named, met_exactly, inside, never_inside, opposite, reused, either, one_of_two, clipped, lead,
    answer_of_a_hit,
]  # fmt: skip


class Enumerated:
    """Noise that hands out given draws and multiplies their probabilities; asks for one more where they end."""

    def __init__(self, draws):
        self.draws, self.used, self.weight = draws, 0, 1.0

    def discrete_laplace(self, scale):
        if self.used == len(self.draws):
            raise LookupError
        base, value = math.exp(-1 / scale), self.draws[self.used]
        self.used += 1
        self.weight *= (1 - base) / (1 + base) * base ** abs(value)
        return value

    def argmax(self, values):
        return max(range(len(values)), key=lambda i: (values[i], -i))


def law(program, data, eps):
    """The probability of every output, but for far draws."""
    found, todo = {}, [()]
    while todo:
        noise = Enumerated(todo.pop())
        try:
            output = repr(program(noise, list(data), eps=eps))
        except LookupError:
            todo += [(*noise.draws, k) for k in range(-REACH, REACH + 1)]
            continue
        found[output] = found.get(output, 0.0) + noise.weight
    return found


def neighbours(moves):
    for move in itertools.product((-1, 0, 1), repeat=2):
        if moves == "all" or sum(map(abs, move)) == 1:
            yield move


@pytest.mark.parametrize("moves", ["all", "one"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_bounds_and_counterexamples_agree_with_enumeration(programs, program, moves):
    claim = programs.make(program, data=Answers(moves, size=2, whole=True)).claims(eps=EPS)[0]
    laws = {}

    def at(data, eps=EPS):
        key = (*data, eps)
        if key not in laws:
            laws[key] = law(program, data, eps)
        return laws[key]

    worst = 0.0
    for data in itertools.product((-1, 0, 1), repeat=2):
        for move in neighbours(moves):
            there = at((data[0] + move[0], data[1] + move[1]))
            for output, chance in at(data).items():
                if chance > RARE:
                    other = there.get(output, 0.0)
                    worst = max(worst, math.log(chance / other) if other else math.inf)
    for prover in (ProgramProver(seconds=5), AnyNProver(seconds=5)):
        found = prover.run(claim)
        if isinstance(found, UpperBound):
            assert worst <= float(found.guarantee.eps) + 1e-2
        elif isinstance(found, Counterexample) and found.event.words.removeprefix("output ") in at((0, 0)):
            name = found.event.words.removeprefix("output ")
            for side, stated in ((found.left, found.p_left_decimal), (found.right, found.p_right_decimal)):
                assert at(tuple(map(int, side))).get(name, 0.0) == pytest.approx(stated, abs=1e-3)
