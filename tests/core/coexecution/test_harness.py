"""`coexecute`: a faithful model passes, and every way of being wrong is seen and shown."""

from fractions import Fraction

import pytest
from tests.core.coexecution.programs import ByHand, make, signed_sum

from dpwitness import Answers
from dpwitness.core import laws
from dpwitness.core.coexecution import NoWay, Scoped, Trace, Unfaithful, UnknownInput, coexecute

CLAIM = make(signed_sum)


def test_a_faithful_model_passes_and_says_how_far_it_was_compared():
    done = coexecute(CLAIM, ByHand())
    assert done.runs > 64
    assert done.lanes > 16
    assert done.inputs > 16
    assert (done.places, done.reached) == (2, 2)
    assert "2 of 2 places" in str(done)


def test_the_same_seed_compares_the_same_runs():
    assert coexecute(CLAIM, ByHand(), seed=3) == coexecute(CLAIM, ByHand(), seed=3)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ByHand(scale=1), "the model draws from laplace(scale=1), the program from laplace(scale=2)"),
        (ByHand(law=laws.Exponential), "the model draws from exponential"),
        (ByHand(draws=2), "the model makes draw 1, from laplace(scale=2), which the program does not make"),
        (ByHand(strict=False), "the output of the model is [True, "),
        (ByHand(offset=Fraction(1, 10**4)), "the output of the model is"),
        (ByHand(sign=int), "the output of the model is"),
        (ByHand(form=tuple), "the output of the model is ("),
        (ByHand(more=("nowhere",)), "the model has a leaf that no run reaches: nowhere"),
    ],
    ids=["scale", "law", "more draws", "strictness", "offset", "type", "tuple", "place"],
)
def test_a_model_that_is_wrong_in_one_thing_is_unfaithful(model, words):
    with pytest.raises(Unfaithful) as error:
        coexecute(CLAIM, model)
    assert words in str(error.value)


def test_the_message_shows_the_run():
    with pytest.raises(Unfaithful) as error:
        coexecute(CLAIM, ByHand(offset=Fraction(7)))
    message = str(error.value)
    for part in ("signed-sum", "on the input (", "with eps = 1", "and the draws (", "that of the program ["):
        assert part in message


def test_a_draw_that_the_model_does_not_make_is_a_difference():
    def two(noise, q, *, eps):
        noise.laplace(2 / eps)
        return signed_sum(noise, q, eps=eps)

    with pytest.raises(Unfaithful, match="draw 1"):
        coexecute(make(two), ByHand(draws=1))


def test_an_error_that_the_model_does_not_have_is_a_difference():
    def fails(noise, q, *, eps):
        if q[0] == 0:
            raise ValueError("no zeros")
        return signed_sum(noise, q, eps=eps)

    with pytest.raises(Unfaithful, match="the program raised ValueError: no zeros"):
        coexecute(make(fails), ByHand())


class Forgets(ByHand):
    """Knows only inputs that are not negative."""

    def run(self, data, params, source):
        if data[0] < 0:
            raise UnknownInput("negative")
        return super().run(data, params, source)


def test_a_model_that_does_not_know_an_input_of_the_space_is_unfaithful():
    with pytest.raises(Unfaithful, match="does not know this input: negative"):
        coexecute(CLAIM, Forgets())


def test_a_model_of_two_inputs_is_tried_on_them_alone():
    sides = ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))
    coexecute(CLAIM, Scoped(Forgets(), sides))
    with pytest.raises(Unfaithful):
        coexecute(CLAIM, Scoped(ByHand(scale=1), sides))


class Cuts(ByHand):
    """Calls it impossible that the sum is far below zero."""

    doubt = False

    def run(self, data, params, source):
        trace = super().run(data, params, source)
        if trace.output[1].value < -3:
            raise NoWay("far below zero", doubt=self.doubt)
        return trace


def test_a_branch_that_a_model_calls_impossible_must_not_be_taken():
    with pytest.raises(Unfaithful, match="calls impossible what the program does"):
        coexecute(CLAIM, Cuts())


class CutsOnce(Cuts):
    """Is in doubt, and right about draws that lie a little elsewhere."""

    doubt = True

    def run(self, data, params, source):
        drawn = []

        def moved(law):
            drawn.append(source(law))
            return drawn[-1]

        try:
            return super().run(data, params, moved)
        except NoWay:
            if drawn[0] % Fraction(1, 2):
                return ByHand.run(self, data, params, lambda law: drawn[0])
            raise


def test_where_rounding_may_decide_a_difference_says_nothing_and_is_counted():
    assert coexecute(CLAIM, CutsOnce()).doubtful > 0


def test_a_difference_that_stays_where_draws_are_moved_is_none_of_rounding():
    model = Cuts()
    model.doubt = True
    with pytest.raises(Unfaithful, match="calls impossible what the program does"):
        coexecute(CLAIM, model)


def test_a_program_that_differs_on_plain_numbers_alone_is_seen():
    def plain(noise, q, *, eps):
        total = q[0] + q[1] + noise.laplace(2 / eps)
        return [total > 0, total + 1] if type(q[0]) is float else [total > 0, total]

    with pytest.raises(Unfaithful, match="the output of the model"):
        coexecute(make(plain), ByHand())


def test_a_program_that_differs_on_plain_parameters_alone_is_seen():
    def plain(noise, q, *, eps):
        return signed_sum(noise, q, eps=eps if isinstance(eps, Fraction) else 2 * eps)

    with pytest.raises(Unfaithful, match="draw 0"):
        coexecute(make(plain), ByHand())


def test_a_program_that_differs_in_the_batched_reader_alone_is_seen():
    def wide(noise, q, *, eps):
        drawn = noise.laplace(2 / eps)
        total = q[0] + q[1] + drawn
        return [total > 0, total if type(drawn) is float else total + 1]

    with pytest.raises(Unfaithful, match="in the batched reader"):
        coexecute(make(wide), ByHand())


def test_a_program_that_draws_otherwise_in_the_batched_reader_is_seen():
    def wide(noise, q, *, eps):
        if "Lanes" in str(type(noise)):
            noise.laplace(1 / eps)
        return signed_sum(noise, q, eps=eps)

    with pytest.raises(Unfaithful, match="batched reader"):
        coexecute(make(wide), ByHand())


def test_the_memory_of_the_program_must_be_the_same_afterwards():
    seen = []

    def remembers(noise, q, *, eps):
        seen.append(1)
        return signed_sum(noise, q, eps=eps)

    claim = make(remembers)
    coexecute(claim, ByHand())
    with pytest.raises(Unfaithful, match="outside of its arguments"):
        coexecute(claim, ByHand(), memory=lambda: list(seen))
    coexecute(claim, ByHand(), memory=lambda: "the same")


def test_whole_answers_are_tried_as_whole_numbers():
    space = Answers("one", 1, size=2, whole=True)
    with pytest.raises(Unfaithful):
        coexecute(make(signed_sum, data=space), ByHand(strict=False))
    coexecute(make(signed_sum, data=space), ByHand())


def test_a_model_that_is_always_in_doubt_is_unfaithful():
    class Vague(ByHand):
        def run(self, data, params, source):
            trace = super().run(data, params, source)
            return Trace(trace.laws, ["something else"], trace.places, True)

    with pytest.raises(Unfaithful, match="the output of the model is"):
        coexecute(CLAIM, Vague())


def test_a_model_that_cannot_be_run_is_unfaithful():
    class Broken(ByHand):
        def run(self, data, params, source):
            return {}["nothing"]

    with pytest.raises(Unfaithful, match="the model fails with KeyError"):
        coexecute(CLAIM, Broken())


def test_numbers_that_the_program_names_are_tried_as_data_and_as_draws():
    def turns(noise, q, *, eps):
        total = q[0] + q[1] + noise.laplace(2 / eps)
        return [total > 0, total + (1 if 37 < q[0] < 38 else 0)]

    def shy(noise, q, *, eps):
        drawn = noise.laplace(2 / eps)
        total = q[0] + q[1] + drawn
        return [total > 0, total + (1 if 61 < drawn < 62 else 0)]

    for program in (turns, shy):
        with pytest.raises(Unfaithful, match="the output of the model"):
            coexecute(make(program), ByHand())
