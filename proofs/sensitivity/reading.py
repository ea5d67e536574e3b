"""From what people write to a function that the kernel reads: ``sum(x**2)``, or a Python function of the records.

Text and source are parsed and never run. What is written for all records at once becomes a sum over an index:
``sum(x**2)`` is ``sum(x[i]**2 for i in range(n))``, ``mean(x)`` the sum over n, ``len(x)`` is ``n``.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.sensitivity.language import ORDER, parse_function

MODULES = ("math", "np", "numpy", "statistics")
SUMMED = ("sum", "prod", "mean", "count", "fsum")
RENAMED = {"arctan": "atan", "absolute": "abs", "fabs": "abs", "median_low": "low_median", "median_high": "high_median",
           "maximum": "max", "minimum": "min", "amax": "max", "amin": "min"}  # fmt: skip
ADVICE = (
    "Write one expression in n and the records x[0] ... x[n-1]: sums and products over range(...), max, min, median, "
    "quantile, comparisons, exp, log, sqrt, abs, sin, cos, atan, + - * / ** and % 2."
)


def read_text(source: str, params: Sequence[str] = ()) -> str:
    """The canonical text of a formula.

    >>> read_text("sum(x**2)/n"), read_text("mean(abs(x - 1/2))")
    ('sum(x[i] ** 2 for i in range(n)) / n', 'sum(abs(x[i] - 1 / 2) for i in range(n)) / n')
    """
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput(f"{source[:80]!r} is not a formula. {ADVICE}") from None
    return canonical(tree, "x", params, {})


def read_python(function: Callable[..., Any]) -> list[str]:
    """The canonical texts of what a Python function of the records returns: a number, or a tuple of numbers.

    The function assigns names and returns an expression; numbers that it takes from outside are put in.
    """
    parts, records, outside = returned(function)
    return [canonical(part, records, (), outside) for part in parts]


def returned(function: Callable[..., Any]) -> tuple[list[ast.expr], str, dict[str, float]]:
    """The expressions that a function of the records returns, the name of its argument, and numbers from outside."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise OutsideFragment(f"the source of {function!r} is not found: give the formula as text") from None
    node = _definition(source, function)
    _refuse_other_names(node, function)
    arguments = node.args
    names = [a.arg for a in arguments.args]
    if len(names) != 1 or arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise OutsideFragment("a function of the records has one argument, the records")
    known: dict[str, ast.expr] = {}
    body = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else list(node.body)
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and target.id != names[0]:
                known[target.id] = _Put(known).visit(statement.value)
                continue
        if isinstance(statement, ast.Return) and statement is body[-1] and statement.value is not None:
            value = _Put(known).visit(statement.value)
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
            return list(parts), names[0], _numbers_outside(function)
        line = getattr(statement, "lineno", 0)
        raise OutsideFragment(f"line {line} of {function.__name__} is neither an assignment nor the return. {ADVICE}")
    raise OutsideFragment(f"{function.__name__} returns nothing")


def _definition(source: str, function: Callable[..., Any]) -> Any:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        raise OutsideFragment("the source of the function is not read alone: write it with def") from None
    name = getattr(function, "__name__", "")
    kind: Any = ast.Lambda if name == "<lambda>" else ast.FunctionDef
    found = [n for n in ast.walk(tree) if isinstance(n, kind) and (kind is ast.Lambda or n.name == name)]
    if len(found) != 1:
        raise OutsideFragment("the source holds several functions: give the formula as text, or write it with def")
    return found[0]


def _names_outside(function: Callable[..., Any]) -> dict[str, Any]:
    """What the names mean that a function takes from its closure, its module and Python."""
    found = {**vars(builtins), **getattr(function, "__globals__", {})}
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    for name, cell in zip(getattr(code, "co_freevars", ()), cells, strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it has no value yet
            found.pop(name, None)
    return found


def _numbers_outside(function: Callable[..., Any]) -> dict[str, float]:
    """Numbers among the globals and the closure of a function."""
    found = _names_outside(function)
    return {k: v for k, v in found.items() if type(v) in (int, float) and math.isfinite(v)}


def _refuse_other_names(node: ast.AST, function: Callable[..., Any]) -> None:
    """Raise where what runs is not what is read: a function around the function, or another ``sum`` than Python's.

    A few runs beside the formula would not show a difference that begins with the eighth record.
    """
    if hasattr(function, "__wrapped__") or getattr(node, "decorator_list", None):
        raise OutsideFragment("a decorator may change what the function returns: give the function without it")
    known = _names_outside(function)
    libraries = [builtins, *(sys.modules[name] for name in ("math", "statistics", "numpy") if name in sys.modules)]
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in known:
            name, value = part.func.id, known[part.func.id]
            if all(getattr(library, name, None) is not value for library in libraries):
                raise OutsideFragment(f"{name} is a function of your own, or another one than its name says. {ADVICE}")
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in MODULES:
            wanted = sys.modules.get("numpy" if part.value.id == "np" else part.value.id)
            if part.value.id in known and known[part.value.id] is not wanted:
                raise OutsideFragment(f"{part.value.id} is not the library of that name")


class _Put(ast.NodeTransformer):
    """Names that were assigned before, put in."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node)


def canonical(node: ast.expr, records: str, params: Sequence[str], outside: Mapping[str, float]) -> str:
    """One expression in the form that the kernel reads; refused with advice where there is none."""
    made = _shorter(ast.unparse(ast.fix_missing_locations(_Canonical(records, params, outside).visit(node))))
    try:
        parse_function(made, tuple(params))
    except Rejected as error:
        raise OutsideFragment(f"{error}. {ADVICE}") from None
    return made


def _shorter(source: str) -> str:
    """Without the second brackets that `ast.unparse` puts around the only argument of a sum.

    >>> _shorter("sum((x[i] for i in range(n)))")
    'sum(x[i] for i in range(n))'
    """
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for k, character in enumerate(source):
        if character == "(":
            opened.append(k)
        elif character == ")":
            pairs[opened.pop()] = k
    drop = {
        place
        for a, b in pairs.items()
        if source[max(a - 3, 0) : a].endswith("sum") or source[max(a - 4, 0) : a] == "prod"
        if pairs.get(a + 1) == b - 1
        for place in (a + 1, b - 1)
    }
    return "".join(c for k, c in enumerate(source) if k not in drop)


class _Canonical(ast.NodeTransformer):
    def __init__(self, records: str, params: Sequence[str], outside: Mapping[str, float]) -> None:
        self.records, self.params, self.outside = records, params, outside
        self.index: str | None = None  # of the sum over all records that is being read
        self.used = 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self.records:
            if self.index is None:
                raise OutsideFragment(f"all records at once stand outside of a sum. {ADVICE}")
            return _expression(f"x[{self.index}]")
        if node.id in self.outside and node.id not in self.params:
            return ast.Constant(self.outside[node.id])
        return ast.Name("E") if node.id == "e" and node.id not in self.params else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in MODULES and node.attr in ("pi", "e"):
            return ast.Name("pi" if node.attr == "pi" else "E")
        raise OutsideFragment(f"{ast.unparse(node)[:60]!r} is not read. {ADVICE}")

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == self.records:
            if isinstance(node.slice, ast.Slice):
                raise OutsideFragment("slices are not read: write x[i] and x[i+1] in a sum over range(n-1)")
            return ast.Subscript(ast.Name("x"), self.visit(node.slice), ast.Load())
        if (
            isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
            and node.value.func.id == "sorted"
        ):
            raise OutsideFragment("sorted(x)[k] is not read: write max(x), min(x), median(x) or quantile(x, p)")
        raise OutsideFragment(f"{ast.unparse(node)[:60]!r} is not read. {ADVICE}")

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """a <= b <= c is a product of two comparisons."""
        sides = [self.visit(side) for side in (node.left, *node.comparators)]
        parts: list[ast.expr] = [
            ast.Compare(a, [op], [b]) for a, op, b in zip(sides, node.ops, sides[1:], strict=False)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = ast.BinOp(total, ast.Mult(), part)
        return total

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = self.function(node)
        if name == "len" and self.all_records(node.args):
            return ast.Name("n")
        if name in ("int", "float") and len(node.args) == 1:
            inner: ast.expr = self.visit(node.args[0])
            if name == "float" or isinstance(inner, ast.Compare):
                return inner
            raise OutsideFragment("int(...) rounds: write a comparison instead")
        if name in ORDER and node.args and self.all_records(node.args[:1]):
            return ast.Call(ast.Name(name), [ast.Name("x"), *(self.visit(a) for a in node.args[1:])], [])
        if name == "norm" and self.all_records(node.args):
            return _expression(f"sqrt(sum(x[{self.fresh()}]**2 for {self.last()} in range(n)))")
        if name == "sigmoid" and len(node.args) == 1:
            return _expression(f"1/(1 + exp(-({ast.unparse(self.visit(node.args[0]))})))")
        if name not in SUMMED and self.index is None and self.all_records(node.args):
            raise OutsideFragment(f"{ast.unparse(node)[:60]!r}: no such function of all records is known. {ADVICE}")
        if name in SUMMED and len(node.args) == 1:
            return self.summed(name, node.args[0])
        return ast.Call(ast.Name(name), [self.visit(a) for a in node.args], node.keywords)

    def function(self, node: ast.Call) -> str:
        func = node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in MODULES:
            if func.attr in ("quantile", "quantiles", "percentile"):
                raise OutsideFragment("quantiles of libraries interpolate; quantile(x, p) is the ceil(p*n)-th smallest")
            return RENAMED.get(func.attr, func.attr)
        if isinstance(func, ast.Name):
            return RENAMED.get(func.id, func.id)
        raise OutsideFragment(f"{ast.unparse(node)[:60]!r} is not read. {ADVICE}")

    def all_records(self, args: Sequence[ast.expr]) -> bool:
        return len(args) == 1 and isinstance(args[0], ast.Name) and args[0].id == self.records

    def fresh(self) -> str:
        self.used += 1
        return self.last()

    def last(self) -> str:
        return "ijkl"[self.used - 1] if self.used <= 4 else f"i{self.used}"

    def summed(self, name: str, inner: ast.expr) -> ast.expr:
        where: ast.expr = _expression("range(n)")
        before, index = self.index, self.fresh()
        if isinstance(inner, ast.GeneratorExp | ast.ListComp):
            inner, where = self.loop(inner, index)
        else:
            self.index = index
            inner = self.visit(inner)
        self.index = before
        made = ast.Call(
            ast.Name("prod" if name == "prod" else "sum"),
            [ast.GeneratorExp(inner, [ast.comprehension(ast.Name(index), where, [], 0)])],
            [],
        )
        if name != "mean":
            return made
        if ast.unparse(where) != "range(n)":
            raise OutsideFragment("mean(...) is over all records")
        return ast.BinOp(made, ast.Div(), ast.Name("n"))

    def loop(self, made: ast.GeneratorExp | ast.ListComp, index: str) -> tuple[ast.expr, ast.expr]:
        """The body and the range of ``E for v in x``, ``for i, v in enumerate(x)``, ``for i in range(...)``."""
        if len(made.generators) != 1:
            raise OutsideFragment(f"one loop in a sum. {ADVICE}")
        loop = made.generators[0]
        body, where, record = made.elt, loop.iter, _expression(f"x[{index}]")
        for condition in loop.ifs:  # E if C is E·C
            body = ast.BinOp(body, ast.Mult(), condition)
        put: dict[str, ast.expr] = {}
        everything = _expression("range(n)")
        if self.all_records([where]) and isinstance(loop.target, ast.Name):
            put[loop.target.id] = record
        elif isinstance(where, ast.Call) and isinstance(where.func, ast.Name) and where.func.id == "enumerate":
            if not self.all_records(where.args) or not isinstance(loop.target, ast.Tuple):
                raise OutsideFragment("enumerate(x) gives an index and a record")
            first, second = loop.target.elts
            if not (isinstance(first, ast.Name) and isinstance(second, ast.Name)):
                raise OutsideFragment("enumerate(x) gives an index and a record")
            put = {first.id: ast.Name(index), second.id: record}
        elif isinstance(where, ast.Call) and isinstance(where.func, ast.Name) and where.func.id == "range":
            if not isinstance(loop.target, ast.Name):
                raise OutsideFragment("range(...) gives one index")
            put, everything = {loop.target.id: ast.Name(index)}, self.visit(where)
        else:
            raise OutsideFragment(f"{ast.unparse(loop.iter)[:60]!r}: loop over x, enumerate(x) or range(...)")
        outer, self.records = self.records, "x"
        visited = self.visit(_Put(put).visit(_renamed(body, outer)))
        self.records = outer
        return visited, everything


def _renamed(body: ast.expr, records: str) -> ast.expr:
    return body if records == "x" else _Put({records: ast.Name("x")}).visit(body)


def _expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


__all__ = ["ADVICE", "canonical", "read_python", "read_text", "returned"]
