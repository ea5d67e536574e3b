"""Compositions written as text: ``poisson(0.01, gaussian(1.0)) * 1000 + laplace(2)``.

The text goes through a whitelist of syntax, with caps on its length and depth; numbers are read exactly as they are
written, so 0.1 is 1/10. Names are those of the steps. Sampling takes the rate first or last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import brief, exact
from dpwitness.proofs.accounting import steps
from dpwitness.proofs.accounting.composition import Composition

MAX_LENGTH, MAX_DEPTH = 4_000, 60


def _poisson(a: Any, b: Any) -> Composition:
    return steps.poisson(b, a) if isinstance(b, Composition) else steps.poisson(a, b)


def _sample(a: Any, b: Any, c: Any) -> Composition:
    step, m, n = (c, a, b) if isinstance(c, Composition) else (a, b, c)
    return steps.sample(step, _whole(m), _whole(n))


STEPS: dict[str, Callable[..., Composition]] = {
    "gaussian": steps.gaussian,
    "laplace": steps.laplace,
    "geometric": lambda scale, sensitivity=Fraction(1): steps.geometric(scale, sensitivity),
    "discrete_gaussian": lambda sigma, sensitivity=Fraction(1): steps.discrete_gaussian(sigma, sensitivity),
    "response": lambda eps, k=Fraction(2): steps.response(eps, _whole(k)),
    "staircase": steps.staircase,
    "pure": steps.pure,
    "approximate": steps.approximate,
    "exponential": steps.exponential,
    "tree": lambda sigma, leaves, sensitivity=Fraction(1): steps.tree(sigma, _whole(leaves), sensitivity),
    "from_table": lambda p, q: steps.from_table(p, q),
    "poisson": _poisson,
    "sample": _sample,
}

WHY_NOT = {
    "shuffle": "the pairs that are proved for shuffled local randomizers (Feldman, McMillan and Talwar 2022) are upper "
    "bounds that no randomizer need have, and batches of a shuffled epoch are no Poisson samples; a pair of two finite "
    "laws can be given as from_table(P, Q)",
    "zcdp": "a bound on Rényi divergences is met by many pairs of laws, and no single one of them is the worst",
    "mixture": "no kernel is proved here for a random sensitivity; a finite one can be given as from_table(P, Q)",
    "clipped": "how far one record moves a clipped sum is for its program to show; give gaussian(sigma, sensitivity)",
}  # what people ask for, and why there is no bracket


def read_composition(text: str) -> Composition:
    """The composition that a text describes.

    >>> print(read_composition("poisson(0.01, gaussian(1.0)) * 1000 + laplace(2)"))
    1000 × poisson-gaussian(1/100, 1) + 1 × laplace(1/2)
    """
    if len(text) > MAX_LENGTH:
        raise BadInput(f"the expression has {len(text)} characters; at most {MAX_LENGTH} are read")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BadInput(f"the expression is not well formed: {type(error).__name__}") from None
    found = _read(tree.body, text.strip(), 0)
    if not isinstance(found, Composition):
        raise BadInput("the expression is a number; steps such as gaussian(1) are expected")
    return found


def _read(node: ast.AST, text: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadInput(f"the expression is nested more than {MAX_DEPTH} deep")
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(exact((ast.get_source_segment(text, node) or "").replace("_", ""), "number"))
    if isinstance(node, ast.List | ast.Tuple):
        return [_read(item, text, depth + 1) for item in node.elts]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in WHY_NOT:
            raise steps.NoProvedPair(f"{node.func.id}: {WHY_NOT[node.func.id]}")
        if node.func.id not in STEPS:
            raise BadInput(f"{node.func.id[:40]!r} is not a step; known: {', '.join(STEPS)}")
        given = [_read(item, text, depth + 1) for item in node.args]
        if len({k.arg for k in node.keywords}) < len(node.keywords):
            raise BadInput(f"{node.func.id}(…) is given an argument twice")
        named = {str(k.arg): _read(k.value, text, depth + 1) for k in node.keywords}
        try:
            return STEPS[node.func.id](*given, **named)
        except (TypeError, AttributeError):
            raise BadInput(f"{node.func.id}(…) is given other arguments than it takes") from None
    if isinstance(node, ast.BinOp):
        left, right = _read(node.left, text, depth + 1), _read(node.right, text, depth + 1)
        return _combine(node.op, left, right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _read(node.operand, text, depth + 1)
        if isinstance(value, Fraction):
            return -value
    raise BadInput("an expression holds numbers, steps, + and *, and / between numbers")


def _combine(operator: ast.operator, left: Any, right: Any) -> Any:
    numbers = [isinstance(value, Fraction) for value in (left, right)]
    if isinstance(operator, ast.Add) and isinstance(left, Composition) and isinstance(right, Composition):
        return left + right
    if isinstance(operator, ast.Mult) and sum(numbers) == 1 and isinstance(left if numbers[1] else right, Composition):
        step, times = (left, right) if numbers[1] else (right, left)
        return step * _whole(times)
    if isinstance(operator, ast.Div | ast.Mult) and all(numbers):
        if isinstance(operator, ast.Div) and right == 0:
            raise BadInput("division by zero")
        return left / right if isinstance(operator, ast.Div) else left * right
    raise BadInput("steps are composed by + and repeated by * with a whole number; numbers may be divided")


def _whole(value: Any) -> int:
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise BadInput(f"{brief(value)} is not a whole number")
    return value.numerator
