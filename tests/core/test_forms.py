from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dpwitness.core.forms import Form, Symbol, floating

SYMBOLS = [Symbol("param", 0, "eps"), Symbol("input", 0, "q0"), Symbol("draw", 0, "η0"), Symbol("draw", 1, "η1")]


@st.composite
def forms(draw: st.DrawFn) -> Form:
    terms = {}
    for _ in range(draw(st.integers(0, 4))):
        mono = tuple(sorted((s, draw(st.integers(1, 2))) for s in draw(st.sets(st.sampled_from(SYMBOLS), max_size=2))))
        terms[mono] = draw(st.fractions(-5, 5))
    return Form(terms)


values = st.fixed_dictionaries({s: st.fractions(-3, 3).filter(bool) for s in SYMBOLS})


@given(forms(), forms(), values)
def test_arithmetic_commutes_with_evaluation(a: Form, b: Form, at: dict) -> None:
    def value(form: Form) -> Fraction:
        return Fraction(form.evaluate(at.__getitem__))

    assert value(a + b) == value(a) + value(b)
    assert value(a - b) == value(a) - value(b)
    assert value(a * b) == value(a) * value(b)
    assert a.substitute(at).value() == value(a)


@given(forms(), forms())
def test_equality_is_that_of_polynomials(a: Form, b: Form) -> None:
    assert a + b == b + a
    assert hash(a + b) == hash(b + a)
    assert (a - a).value() == 0


def test_linear_takes_a_form_apart() -> None:
    eps, q, e0, e1 = map(Form.of_symbol, SYMBOLS)
    coefficients, rest = (2 * eps * q - e0 + 3 * eps).linear() or ({}, Form())
    assert coefficients == {SYMBOLS[1]: 2 * eps, SYMBOLS[2]: Form.constant(-1)}
    assert rest == 3 * eps
    assert (q * e0).linear() is None
    assert (e1 * e1).linear() is None


def test_only_a_single_public_term_has_an_inverse() -> None:
    eps, q = Form.of_symbol(SYMBOLS[0]), Form.of_symbol(SYMBOLS[1])
    inverse = (2 * eps).inverse()
    assert inverse is not None
    assert (inverse * 2 * eps).value() == 1
    assert q.inverse() is None
    assert (eps + 1).inverse() is None


def test_floating_evaluates_atoms() -> None:
    eps = Form.of_symbol(SYMBOLS[0])
    root = Form.of_symbol(Symbol("atom", 0, "sqrt", 4 * eps))
    assert floating(root + 1, {"eps": 4}) == 5.0
