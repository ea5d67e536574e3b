from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from dpwitness.core.errors import BadInput, ImpureProgram, OutsideFragment, ProgramFailed
from dpwitness.core.forms import Form, floating
from dpwitness.core.functions import log, sqrt
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.paths import PathTable, symbolic_paths, unknown_inputs


def read(program: Any, size: int = 2, **params: Any) -> PathTable:
    return symbolic_paths(program, unknown_inputs(size), {"eps": Fraction(1), **params})


def above(noise: Any, queries: Any, *, eps: Any) -> Any:
    t = noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return i
    return None


def test_every_way_through_the_program_is_one_path() -> None:
    table = read(above, 3)
    assert table.complete
    assert [p.output[2] for p in table.paths] == [0, 1, 2, None]
    assert [len(p.draws) for p in table.paths] == [2, 3, 4, 4]


def test_conditions_are_exact_linear_forms_with_symbolic_epsilon() -> None:
    first = read(above).paths[0]
    assert str(first.conditions[0]) == "-η0 + η1 + q0 >= 0"
    assert str(first.draws[1].law.params()["scale"]) == "4·eps^-1"
    assert first.conditions[0].line is not None


def test_the_negation_of_a_weak_inequality_is_strict() -> None:
    last = read(above).paths[-1]
    assert all(c.strict for c in last.conditions)


def test_argmax_forks_once_for_each_winner() -> None:
    table = read(lambda noise, q, eps: noise.argmax([x + noise.laplace(1 / eps) for x in q]), 4)
    assert len(table.paths) == 4
    assert [c.strict for c in table.paths[2].conditions] == [True, True, False]


def test_a_repeated_test_is_not_asked_twice() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        x = q[0] + noise.laplace(1 / eps)
        return (x > 0, x > 0, x >= 0, x < 0, x <= 0)

    table = read(program)
    outputs = {tuple(part[2] for part in p.output[1:]) for p in table.paths}
    assert (True, True, True, False, False) in outputs
    assert all(o[0] == o[1] and o[0] != o[4] and o[2] != o[3] for o in outputs)


def test_outputs_keep_real_values_as_forms() -> None:
    (path,) = read(lambda noise, q, eps: [q[0] - q[1] + noise.laplace(1 / eps), "done"]).paths
    assert str(path.values[0]) == "η0 + q0 - q1"
    assert path.output[0] == "list"


def test_finite_choices_fork() -> None:
    table = read(lambda noise, q, eps: q[0] if noise.bernoulli(log_odds=eps) else 0)
    assert [p.choices[0][1] for p in table.paths] == [0, 1]


def test_functions_of_parameters_are_kept_as_atoms() -> None:
    def gaussian(noise: Any, q: Any, *, eps: Any, delta: Any) -> Any:
        return q[0] + noise.gaussian(sqrt(2 * log(Fraction(5, 4) / delta)) / eps)

    (path,) = read(gaussian, delta=Fraction(1, 100)).paths
    assert str(path.draws[0].law) == "gaussian(std=sqrt(2·log(125))·eps^-1)"
    std = path.draws[0].law.params()["std"]
    assert floating(std, {"eps": 2}) == pytest.approx(math.sqrt(2 * math.log(125)) / 2)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (lambda noise, q, eps: noise.laplace(q[0]), "scale depends on the data"),
        (lambda noise, q, eps: 1 / q[0], "division by a value that depends on the data"),
        (lambda noise, q, eps: f"{q[0]}", "to text"),
        (lambda noise, q, eps: float(q[0]), "conversion to float"),
        (lambda noise, q, eps: q[0] == noise.laplace(1), "equality"),
        (lambda noise, q, eps: {q[0]: 1}[0], "key"),
        (lambda noise, q, eps: [1, 2][q[0]], "index"),
        (lambda noise, q, eps: int(noise.laplace(1)), "conversion to int"),
        (lambda noise, q, eps: round(q[0]), "rounding"),
        (lambda noise, q, eps: q[0] % 2, "%"),
        (lambda noise, q, eps: q[0] > float("inf"), "inf"),
        (lambda noise, q, eps: 1 if eps > 2 else 0, "depends on the parameters"),
        (lambda noise, q, eps: sqrt(q[0]), "sqrt of a value"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_line_and_reason(program: Any, reason: str) -> None:
    with pytest.raises(OutsideFragment, match=reason) as refusal:
        read(lambda noise, q, eps: bool(program(noise, q, eps)))
    assert refusal.value.reason


def test_the_line_of_the_reason_is_given() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        x = noise.laplace(1 / eps)
        return x / q[0]

    with pytest.raises(OutsideFragment) as refusal:
        read(program)
    assert refusal.value.line == program.__code__.co_firstlineno + 2


def test_a_nonlinear_condition_is_kept_and_recognised() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return q[0] * noise.laplace(1 / eps) > 1

    assert read(program).paths[0].conditions[0].form.linear() is None


def test_a_known_sign_does_not_fork() -> None:
    table = read(lambda noise, q, eps: 1 if eps > 0 and 2 / eps > 0 else 0)
    assert [p.output[2] for p in table.paths] == [1]


def test_negative_scale_is_an_error() -> None:
    with pytest.raises(BadInput, match="scale="):
        read(lambda noise, q, eps: noise.laplace(-1 / eps))


def test_impurity_is_detected_and_named() -> None:
    source = list(range(100))

    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return q[0] + noise.laplace(1 / eps) > source.pop()

    with pytest.raises(ImpureProgram, match=r"in the returned value.*something other than its arguments"):
        read(program)


def test_the_programs_own_error_is_reported() -> None:
    with pytest.raises(ProgramFailed, match="IndexError"):
        read(lambda noise, q, eps: q[10])


def test_limits_keep_what_was_found() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return [noise.laplace(1 / eps) > 0 for _ in range(20)]

    table = symbolic_paths(program, [], {"eps": Fraction(1)}, max_paths=50)
    assert not table.complete
    assert len(table.paths) == 50


def test_infeasible_branches_are_not_followed_where_the_caller_knows() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        x = noise.laplace(1 / eps)
        return (x > 1, x > 2)

    def feasible(conditions: Any, draws: Any) -> bool:
        bounds = [(c.form.linear(), c.strict) for c in conditions]
        low = max((-(r.value()) for (k, r), _ in bounds if next(iter(k.values())).value() > 0), default=-99)
        high = min((r.value() for (k, r), _ in bounds if next(iter(k.values())).value() < 0), default=99)
        return bool(low <= high)

    assert len(symbolic_paths(program, [], {"eps": Fraction(1)}, feasible=feasible).paths) == 3
    assert len(symbolic_paths(program, [], {"eps": Fraction(1)}).paths) == 4


def test_the_input_list_is_fresh_for_every_run() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        q.append(0)
        return (len(q), q[0] + noise.laplace(1 / eps) > 0)

    assert {p.output[1][2] for p in read(program).paths} == {3}


def test_form_of_a_constant_condition_is_decided_at_once() -> None:
    table = read(lambda noise, q, eps: "yes" if q[0] - q[0] + 1 > 0 else "no")
    assert [p.output[2] for p in table.paths] == ["yes"]
    assert table.paths[0].conditions == ()
    assert Form().value() == 0


def test_a_loop_that_unknown_data_ends_is_refused() -> None:
    def program(noise, q, *, eps):
        k = 0
        while k < q[0]:
            k += 1
        return k

    with pytest.raises(OutsideFragment, match="does the loop end"):
        symbolic_paths(program, unknown_inputs(1), {"eps": Exact(1)}, max_paths=2)
