"""Outputs that are equal and not the same, and other ways to tell something by an output."""

from __future__ import annotations

from tests.deceptive.kit import INF, SINGLE, TWO, Answers, F, holds, leaks

WHOLE = Answers("all", 1, size=1, whole=True)
TELLING = {
    "signed_zeros": (0.0, -0.0),
    "one_and_true": (1, True),
    "zero_and_false": (0, False),
    "int_and_float": (1, 1.0),
    "list_and_tuple": ([1], (1,)),
    "text_and_number": ("1", 1),
    "fraction_and_float": (F(1, 2), 0.5),
    "fraction_and_int": (F(3), 3),
    "none_and_its_text": (None, "None"),
    "empty_list_and_tuple": ([], ()),
    "nan_and_zero": (float("nan"), 0.0),
    "infinities": (float("inf"), -float("inf")),
    "zeros_in_a_list": ([[0]], [[0.0]]),
    "truth_in_a_tuple": ((1, (True,)), (1, (1,))),
    "signed_zero_in_a_list": ([1, -0.0], [1, 0.0]),
    "empty_text_and_none": ("", None),
    "lengths": ([0], [0, 0]),
}
SAME = {
    "two_ways_to_one": (1, 2 - 1),
    "two_ways_to_a_text": ("ab", "a" + "b"),
    "two_ways_to_a_tuple": ((1, 2), tuple([1, 2])),
    "two_ways_to_a_half": (0.5, 1 / 2),
    "two_ways_to_nan": (float("nan"), float("inf") - float("inf")),
    "two_ways_to_a_fraction": (F(1, 2), F(2, 4)),
}


def _tell(name, one, two, words):
    def program(noise, q, *, eps):
        return one if q[0] > 0 else two

    program.__name__, program.__doc__ = name, words
    return program


for _name, (_one, _two) in TELLING.items():
    leaks(SINGLE, INF)(_tell(_name, _one, _two, f"not private: an observer tells {_one!r} from {_two!r}."))
for _name, (_one, _two) in SAME.items():
    holds(SINGLE, 0)(_tell(_name, _one, _two, f"private: {_one!r} comes out either way."))


@leaks(SINGLE, INF)
def sign_of_zero(noise, q, *, eps):
    """not private: 0.0 times a negative answer is -0.0."""
    return 0.0 * q[0]


@leaks(SINGLE, INF)
def text_of_a_test(noise, q, *, eps):
    """not private: the text of a test of the data."""
    return str(q[0] > 0)


@leaks(SINGLE, INF)
def formatted_test(noise, q, *, eps):
    """not private: the text of a test of the data, formatted."""
    return f"{q[0] > 0}"


@holds(SINGLE)
def text_of_a_noisy_number(noise, q, *, eps):
    """private: the text of a noisy number."""
    return str(q[0] + noise.laplace(1 / eps))


@leaks(SINGLE, INF)
def dictionary_of_a_test(noise, q, *, eps):
    """not private: the test stands in a dictionary."""
    return {"noisy": q[0] + noise.laplace(1 / eps), "positive": q[0] > 0}


@holds(SINGLE, 1)
def dictionary_of_a_noisy_number(noise, q, *, eps):
    """private: a noisy number in a dictionary."""
    return {"noisy": q[0] + noise.laplace(1 / eps)}


@leaks(SINGLE, INF)
def key_of_a_dictionary(noise, q, *, eps):
    """not private: the key tells whether the answer is positive."""
    return list({"high" if q[0] > 0 else "low": 1})


@leaks(SINGLE, INF)
def failure(noise, q, *, eps):
    """not private: it fails where the answer is positive."""
    return 1 // 0 if q[0] > 5 else 0


@leaks(SINGLE, INF)
def failure_of_an_index(noise, q, *, eps):
    """not private: the index is out of range where the answer is above 5."""
    return [0, 0][2 if q[0] > 5 else 1]


@leaks(WHOLE, INF)
def integer_noise_as_a_float(noise, q, *, eps):
    """not private: 3 and 3.0 are told apart."""
    k = noise.discrete_laplace(1 / eps)
    return k * 1.0 if q[0] > 0 else k


@leaks(WHOLE, INF)
def noisy_truth_value_as_a_number(noise, q, *, eps):
    """not private: True and 1 are told apart."""
    positive = noise.discrete_laplace(1 / eps) > 0
    return positive if q[0] > 0 else int(positive)


@leaks(TWO, INF)
def number_of_entries(noise, q, *, eps):
    """not private: the number of entries is the number of positive answers."""
    return [noise.laplace(1 / eps) for x in q if x > 0]


@holds(SINGLE, 0)
def nothing_is_left(noise, q, *, eps):
    """private: noise alone."""
    return noise.laplace(1 / eps)


@leaks(SINGLE, INF)
def noise_that_cancels(noise, q, *, eps):
    """not private: the draw is added and subtracted again."""
    z = noise.laplace(1 / eps)
    return round(q[0] + z - z)


@leaks(SINGLE, INF)
def integral_part_in_the_clear(noise, q, *, eps):
    """not private: the integral part stands beside the noisy number."""
    return [int(q[0] > 1) + int(q[0] > 2), q[0] + noise.laplace(1 / eps)]
