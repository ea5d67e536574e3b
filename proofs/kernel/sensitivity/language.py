r"""Functions of n records, as text: what a formula may hold, and its exact value at a dataset.

A formula is Python without names of its own: numbers, ``n``, public parameters, ``x[k]`` (records are counted from 0),
``+ - * / **``, ``% 2``, comparisons (which are 1 or 0), the functions of `expr` and

* ``sum(E for i in range(a, b, s))`` and ``prod(...)``: E may hold ``i`` and records ``x[s*i + o]``, ``x[(i + o) % n]``
  or ``x[perm(i)]`` (an unknown permutation of 0 … n−1); bounds are linear in n and in ``n//2``;
* ``max(x)``, ``min(x)``, ``median(x)`` (of an even number the mean of the middle two), ``low_median(x)``,
  ``high_median(x)`` and ``quantile(x, p)`` (the ⌈pn⌉-th smallest record, the first for p = 0).

Text is parsed by `ast` and never run. Nothing is simplified on the way: 0·log(0) stays undefined.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from dpwitness.proofs.kernel.algebra.expr import FUNCTIONS, MAX_EXPONENT, MAX_LENGTH, Expr, num, var
from dpwitness.proofs.kernel.arith import Rejected

ORDER = ("max", "min", "median", "low_median", "high_median", "quantile")
MAX_NESTED = 60
_COMPARE = {ast.Gt: ("gt", False), ast.GtE: ("ge", False), ast.Lt: ("gt", True), ast.LtE: ("ge", True)}
_OTHER = {"abs": "Abs", "max": "Max", "min": "Min"}
_LONG = re.compile(r"[eE][+-]?[0-9]{4}", re.ASCII)  # 1e999999999 is short, and its digits are not


@lru_cache(maxsize=500)
def parse_function(source: str, params: tuple[str, ...] = ()) -> Expr:
    """Read a function of records.

    >>> parse_function("sum(x[i]**2 for i in range(n))/n").op
    '/'
    """
    if not isinstance(source, str) or len(source) > MAX_LENGTH:
        raise Rejected(f"a formula is text of at most {MAX_LENGTH} characters")
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Rejected(f"{source[:60]!r} is not a formula") from None
    return _Reader(source.strip(), params).read(tree.body, None, 0)


class _Reader:
    def __init__(self, source: str, params: Sequence[str]) -> None:
        self.source, self.params, self.depth_of_sums = source, params, 0

    def refuse(self, node: ast.AST, why: str) -> Rejected:
        return Rejected(f"{(ast.get_source_segment(self.source, node) or type(node).__name__)[:60]!r}: {why}")

    def read(self, node: ast.expr, index: str | None, depth: int) -> Expr:
        if depth > MAX_NESTED:
            raise Rejected(f"the formula is nested more than {MAX_NESTED} deep")
        if isinstance(node, ast.Constant):
            if type(node.value) not in (int, float):
                raise self.refuse(node, "only numbers are allowed here")
            return num(_decimal(ast.get_source_segment(self.source, node) or ""))
        if isinstance(node, ast.Name):
            if node.id in ("n", index, *self.params):
                return var(node.id)
            if node.id in ("pi", "E"):
                return Expr(node.id)
            raise self.refuse(node, f"unknown name; known: {', '.join(('n', 'pi', 'E', *self.params))}")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.read(node.operand, index, depth + 1)
            return num(-inner.value) if inner.op == "num" else Expr("neg", (inner,))
        if isinstance(node, ast.BinOp):
            return self.binary(node, index, depth)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            left, right = (self.read(side, index, depth + 1) for side in (node.left, node.comparators[0]))
            op, turned = _COMPARE[type(node.ops[0])]
            return Expr(op, (right, left) if turned else (left, right))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "x":
            return Expr("rec", (self.place(node.slice, index, depth),))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.call(node, node.func.id, index, depth)
        raise self.refuse(node, "not allowed in a function of records")

    def binary(self, node: ast.BinOp, index: str | None, depth: int) -> Expr:
        left, right = (self.read(side, index, depth + 1) for side in (node.left, node.right))
        kinds = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "mod"}
        op = kinds.get(type(node.op))
        if isinstance(node.op, ast.FloorDiv) and left == var("n") and right == num(2):
            return Expr("half")
        if op is None or (op == "mod" and right != num(2)):
            raise self.refuse(node, "only + - * / **, E % 2 and n//2 are allowed")
        if op == "**" and right.op == "num" and (abs(right.value) > MAX_EXPONENT or right.value.denominator > 100):
            raise self.refuse(node, f"exponents are at most {MAX_EXPONENT}")
        if op == "/" and left.op == right.op == "num" and right.value:
            return num(left.value / right.value)
        return Expr(op, (left, right))

    def place(self, node: ast.expr, index: str | None, depth: int) -> Expr:
        """The place of a record: ``perm(i)``, ``(i + o) % n``, or a form in n, n//2 and the index of the sum."""
        if isinstance(node, ast.Call) and index and ast.unparse(node) == f"perm({index})":
            return Expr("perm", (var(index),))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and ast.unparse(node.right) == "n":
            return Expr("wrap", (self.read(node.left, index, depth + 1),))
        return self.read(node, index, depth + 1)

    def call(self, node: ast.Call, name: str, index: str | None, depth: int) -> Expr:
        if name in ("sum", "prod"):
            return self.fold(node, name, index, depth)
        if name in ORDER and node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == "x":
            rest = [self.read(a, None, depth + 1) for a in node.args[1:]]
            wanted = 1 if name == "quantile" else 0
            if len(rest) != wanted or any(a.op != "num" for a in rest):
                raise self.refuse(node, f"{name} takes x and {wanted} number(s)")
            p = rest[0].value if rest else Fraction(0)
            if not 0 <= p <= 1:
                raise self.refuse(node, "p lies between 0 and 1")
            return Expr("order", name=name, value=p)
        known = _OTHER.get(name, name)
        if known not in FUNCTIONS or len(node.args) != FUNCTIONS[known]:
            raise self.refuse(node, f"known functions: sum, prod, {', '.join(ORDER)}, {', '.join(sorted(FUNCTIONS))}")
        return Expr(known, tuple(self.read(a, index, depth + 1) for a in node.args))

    def fold(self, node: ast.Call, name: str, index: str | None, depth: int) -> Expr:
        if self.depth_of_sums >= 2:
            raise self.refuse(node, "sums are nested at most twice")
        if len(node.args) != 1 or not isinstance(node.args[0], ast.GeneratorExp):
            raise self.refuse(node, f"write {name}(E for i in range(a, b))")
        made = node.args[0]
        loop = made.generators[0]
        if len(made.generators) != 1 or loop.ifs or not isinstance(loop.target, ast.Name) or loop.is_async:
            raise self.refuse(node, "one index, and no condition: multiply by a comparison instead")
        where = loop.iter
        if not (
            isinstance(where, ast.Call)
            and isinstance(where.func, ast.Name)
            and where.func.id == "range"
            and 1 <= len(where.args) <= 3
        ):
            raise self.refuse(node, "the index runs over range(a, b, step)")
        if loop.target.id in ("n", "x", "m", "z", "pi", "E", *self.params):
            raise self.refuse(node, "the index needs a name of its own")
        ends = [self.read(a, None, depth + 1) for a in where.args]
        if len(ends) == 1:
            ends.insert(0, num(0))
        if len(ends) == 2:
            ends.append(num(1))
        if ends[2].op != "num" or ends[2].value.denominator != 1 or ends[2].value < 1:
            raise self.refuse(node, "the step of a range is a positive whole number")
        if loop.target.id == index:
            raise self.refuse(node, "the inner sum needs an index of another name, and cannot use the outer one")
        self.depth_of_sums += 1
        body = self.read(made.elt, loop.target.id, depth + 1)
        self.depth_of_sums -= 1
        return Expr(name, (body, *ends), name=loop.target.id)


def _decimal(source: str) -> Fraction:
    try:
        if len(source) > 60 or not source.isascii() or "_" in source or "j" in source or _LONG.search(source):
            raise ValueError
        return Fraction(source)
    except ValueError:
        raise Rejected(f"{source[:40]!r} is not a decimal number") from None


def nodes(expr: Expr) -> list[Expr]:
    """The formula and all its parts, from left to right."""
    found, todo = [], [expr]
    while todo:
        one = todo.pop()
        found.append(one)
        todo += reversed(one.args)
    return found


def products(expr: Expr) -> Expr:
    """exp(c·Σ E) as Π exp(c·E), everywhere: the same number, in the form that the rules know."""
    args = tuple(products(a) for a in expr.args)
    expr = Expr(expr.op, args, expr.value, expr.name)
    if expr.op != "exp":
        return expr
    inner, factor = args[0], num(1)
    while inner.op == "neg" or (inner.op in ("*", "/") and any(a.op == "num" for a in inner.args)):
        if inner.op == "neg":
            inner, factor = inner.args[0], num(-factor.value)
        else:
            c, rest = inner.args if inner.args[0].op == "num" else inner.args[::-1]
            if inner.op == "/" and (c is inner.args[0] or not c.value):
                return expr
            inner, factor = rest, num(factor.value * c.value if inner.op == "*" else factor.value / c.value)
    if inner.op != "sum":
        return expr
    term = inner.args[0]
    if factor.value != 1:
        term = Expr("neg", (term,)) if factor.value == -1 else Expr("*", (factor, term))
    return Expr("prod", (Expr("exp", (term,)), *inner.args[1:]), name=inner.name)


def squares(expr: Expr) -> Expr:
    """Σ_{i<n} (a_i ± b)² as Σ a_i² ± 2b·Σ a_i + n·b², where b does not depend on i: the same number."""
    expr = Expr(expr.op, tuple(squares(a) for a in expr.args), expr.value, expr.name)
    if expr.op != "sum" or expr.args[1:] != (num(0), var("n"), num(1)):
        return expr
    body = expr.args[0]
    if body.op != "**" or body.args[1] != num(2) or body.args[0].op not in ("+", "-"):
        return expr
    a, b = body.args[0].args
    closed = [expr.name not in free_of(side) for side in (a, b)]
    if closed == [True, False]:
        a, b = b, a  # (b − a)² = (a − b)²
    elif closed != [False, True]:
        return expr
    if not any(part.op in ("sum", "prod") for part in nodes(b)):
        return expr
    first, second = (Expr("sum", (term, *expr.args[1:]), name=expr.name) for term in (Expr("**", (a, num(2))), a))
    mixed = Expr("*", (Expr("*", (num(2), b)), second))
    rest = Expr("*", (var("n"), Expr("**", (b, num(2)))))
    return Expr("+", (Expr(body.args[0].op, (first, mixed)), rest))


def merged(expr: Expr) -> Expr:
    """Σ a ± Σ b over the same indices as Σ (a ± b)."""
    expr = Expr(expr.op, tuple(merged(a) for a in expr.args), expr.value, expr.name)
    if expr.op not in ("+", "-") or {a.op for a in expr.args} != {"sum"}:
        return expr
    first, second = expr.args
    if first.args[1:] != second.args[1:]:
        return expr
    other = second.args[0]
    if first.name != second.name:
        if any(part.op == "sum" for side in (first, second) for part in nodes(side.args[0])):
            return expr
        other = replaced(other, {var(second.name): var(first.name)})
    return Expr("sum", (Expr(expr.op, (first.args[0], other)), *first.args[1:]), name=first.name)


def free_of(expr: Expr) -> frozenset[str]:
    """The names that occur outside of the sums that bind them."""
    if expr.op == "var":
        return frozenset((expr.name,))
    inner = frozenset().union(*(free_of(a) for a in expr.args[:1] or ()))
    if expr.op in ("sum", "prod"):
        return (inner - {expr.name}).union(*(free_of(a) for a in expr.args[1:]))
    return inner.union(*(free_of(a) for a in expr.args[1:]))


def replaced(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """Parts replaced by others, without any simplification."""
    if expr in values:
        return values[expr]
    if not expr.args:
        return expr
    return Expr(expr.op, tuple(replaced(a, values) for a in expr.args), expr.value, expr.name)


__all__ = ["ORDER", "Expr", "merged", "nodes", "parse_function", "products", "replaced", "squares"]
