"""Expressions of the syntax tree. Nothing of the program is executed: a node without a rule is refused."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

from dpwitness.core import functions
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact, exact
from dpwitness.proofs.anyn.reading.source import function_tree
from dpwitness.proofs.composition.arithmetic import Arithmetic
from dpwitness.proofs.composition.cells import RecordNumber, RecordTest
from dpwitness.proofs.composition.records import NO_DATA, PerCell, Rows, holds_cells
from dpwitness.proofs.composition.state import Env
from dpwitness.proofs.composition.values import (
    NOISE,
    Builtin,
    Foreign,
    Gone,
    Helper,
    Listing,
    Noise,
    Number,
    Refused,
    Test,
    Value,
    constant,
    refuse,
)
from dpwitness.proofs.kernel.arith import Rejected

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip
COMPARISONS: dict[type, str] = {
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
BUILTINS = (
    "abs", "all", "any", "bool", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "round",
    "set", "sorted", "sum", "tuple", "zip",
)  # fmt: skip
EATERS = {"sum", "max", "min", "any", "all", "list", "tuple", "sorted", "set"}
MOST_ENTRIES = 100_000


class Expressions(Arithmetic):
    """The part of the reader that evaluates expressions in the variables `env`."""

    env: Env
    names: Mapping[str, Any]  # globals of the function that is read
    depth: int
    inline: Callable[..., Any]

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        rule = getattr(self, f"on_{type(node).__name__}", None)
        if rule is None:
            refuse(f"{_words(node)} is not followed here", node.lineno)
        try:
            return rule(node)  # type: ignore[misc]
        except Refused as error:
            if error.line is None and not self.depth:
                raise Refused(error.reason, node.lineno) from None
            raise
        except Rejected as error:
            raise Refused(str(error), None if self.depth else node.lineno) from None

    def on_Constant(self, node: ast.Constant) -> Value:
        return self.translate(repr(node.value), node.value)

    def on_Name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            value = self.env[node.id]
            if isinstance(value, Gone):
                refuse(f"{node.id} holds what one record left behind after a loop over the records")
            return value
        return self.outside(node.id)

    def outside(self, name: str) -> Value:
        """A global name."""
        if name in self.names:
            return self.translate(name, self.names[name])
        if name in BUILTINS:
            return Builtin(name)
        return refuse(f"the name {name} is not defined on every way to this place, or is not followed here")

    def translate(self, name: str, value: Any) -> Value:
        """A value from outside."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, functions.Irrational):
            return refuse(f"{name} is an irrational number: compute it inside the program")
        if isinstance(value, int | float | Fraction):
            if isinstance(value, float) and not math.isfinite(value):
                refuse(f"{name} is not finite")
            number = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
            shipped = value.shipped() if isinstance(value, Exact) else value
            return constant(number, whole=isinstance(shipped, int))
        if isinstance(value, tuple):
            return Listing([self.translate(f"{name}[{k}]", part) for k, part in enumerate(value)], "tuple", -1)
        if isinstance(value, list):
            return Listing([self.translate(f"{name}[{k}]", part) for k, part in enumerate(value)], "list", -1)
        for known in (functions.exp, functions.log, functions.sqrt, exact, Exact, Fraction):
            if value is known:
                return Builtin(known.__name__)
        if getattr(value, "__name__", None) in BUILTINS and getattr(builtins, value.__name__) is value:
            return Builtin(value.__name__)
        if isinstance(value, FunctionType) and value.__globals__.get("__name__", "").split(".")[0] not in (
            "numpy",
            "scipy",
        ):
            return self._helper(name, value)
        return Foreign(name, value)

    def _helper(self, name: str, value: FunctionType) -> Value:
        try:
            tree = function_tree(value)
        except OutsideFragment:
            return Foreign(name, value)
        return Helper(tree, value.__globals__, value)

    def on_Tuple(self, node: ast.Tuple) -> Value:
        return Listing([self.value(part) for part in node.elts], "tuple", self.inside)

    def on_List(self, node: ast.List) -> Value:
        return Listing([self.value(part) for part in node.elts], "list", self.inside)

    def on_Set(self, node: ast.Set) -> Value:
        return self._set([self.value(part) for part in node.elts])

    def _set(self, items: list[Value]) -> Value:
        plain = (isinstance(x, str | None | bool) or (isinstance(x, Number) and x.constant is not None) for x in items)
        if not all(plain):
            refuse("a set of something else than constants")
        kept: list[Value] = []
        for item in items:
            if not any(self.compared("==", item, old) is True for old in kept):
                kept.append(item)
        return Listing(kept, "set", self.inside)

    def on_BinOp(self, node: ast.BinOp) -> Value:
        if type(node.op) not in OPERATORS:
            refuse(f"the operator {type(node.op).__name__} is not followed here")
        return self.operate(OPERATORS[type(node.op)], self.value(node.left), self.value(node.right))

    def on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return self.negate(value)
        if isinstance(node.op, ast.Not):
            return self._not(value)
        if isinstance(node.op, ast.UAdd):
            return value
        return refuse("the operator ~ is not followed here")

    def _not(self, value: Value) -> Value:
        flip = {">": "<=", ">=": "<", "==": "!=", "!=": "=="}
        if isinstance(value, Test) and value.op in ("==", "!="):
            return Test(flip[value.op], value.form)
        if isinstance(value, PerCell):
            return self.per_cell(lambda v: not self.truth(v), value)
        return not self.truth(value)

    def on_BoolOp(self, node: ast.BoolOp) -> Value:
        wanted = isinstance(node.op, ast.Or)
        value: Value = None
        for k, part in enumerate(node.values):
            value = self.value(part)
            if k < len(node.values) - 1 and self.truth(value) == wanted:
                return value
        return value

    def on_Compare(self, node: ast.Compare) -> Value:
        left, result = self.value(node.left), True
        for k, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            two = self.value(right)
            result = self._one_comparison(op, left, two)
            if k < len(node.ops) - 1 and not self.truth(result):
                return False
            left = two
        return result

    def _one_comparison(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        if isinstance(op, ast.Is | ast.IsNot):
            if right is not None:
                refuse("identity of objects (is)")
            if isinstance(left, PerCell):
                return self.per_cell(lambda v: (v is None) == isinstance(op, ast.Is), left)
            return (left is None) == isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(right, Rows):
                refuse("whether a record is in the data is private: count it, data.count(v), and see noise.present")
            found = self._contains(left, right)
            return found if isinstance(op, ast.In) else self._not(found)
        return self.compared(COMPARISONS[type(op)], left, right)

    def _contains(self, value: Value, container: Value) -> Value:
        if holds_cells(value) or holds_cells(container):
            return self.per_cell(self._contains, value, container)
        return any(self.truth(self.compared("==", value, item)) for item in self.items(container))

    def on_IfExp(self, node: ast.IfExp) -> Value:
        return self.value(node.body if self.truth(self.value(node.test)) else node.orelse)

    def on_Subscript(self, node: ast.Subscript) -> Value:
        return self.entry(self.value(node.value), node.slice)

    def entry(self, base: Value, place: ast.expr) -> Value:
        """An entry or a slice of a list."""
        if isinstance(base, Rows):
            if self.is_local and base.sample is None and all(k is True for k in base.keep):
                index = self.value(place)
                if isinstance(index, Number) and index.constant in (0, -1):
                    return self.lift(list(base.values))
            refuse(f"a single record is private; {NO_DATA}")
        if isinstance(place, ast.Slice):
            ends = [None if p is None else self._index(self.value(p)) for p in (place.lower, place.upper, place.step)]
            return Listing(self._slice(base).items[slice(*ends)], self._slice(base).kind, self.inside)
        index = self.value(place)
        if isinstance(base, PerCell) or isinstance(index, PerCell):
            return self.per_cell(self._at, base, index)
        return self._at(base, index)

    def _slice(self, base: Value) -> Listing:
        return base if isinstance(base, Listing) else refuse("a slice of something that is no list")

    def _at(self, base: Value, index: Value) -> Value:
        items = self.items(base)
        place = self._index(index)
        if not -len(items) <= place < len(items):
            refuse(f"the index {place} is out of range")
        return items[place]

    def _index(self, value: Value) -> int:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, RecordNumber | RecordTest):
            refuse("an index that depends on a record: sum indicators, sum(r == v for r in data), for each v")
        if not isinstance(value, Number | Test):
            refuse("an index that is no whole number")
        return self.index(self.observe(value, "an index"), "an index")

    # functions

    def on_Lambda(self, node: ast.Lambda) -> Value:
        if (
            node.args.defaults
            or node.args.kw_defaults
            or node.args.vararg
            or node.args.kwarg
            or self.depth
            or self.inside
        ):
            refuse("a lambda with default arguments, or inside a comprehension or a helper")
        return Helper(node, self.names, None, self.env)

    def on_Attribute(self, node: ast.Attribute) -> Value:
        path = _path(node)
        if path is not None and path[0] not in self.env and isinstance(self.names.get(path[0]), ModuleType):
            value: Any = self.names[path[0]]
            for name in path[1:]:
                value = vars(value).get(name) if isinstance(value, ModuleType) else None
            if value is not None:
                return self.translate(".".join(path), value)
        return refuse(f"the attribute .{node.attr} is not called")

    def on_Call(self, node: ast.Call) -> Value:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            refuse("a call with * or **")
        if isinstance(node.func, ast.Attribute) and not self._is_module(node.func):
            return self._method(node, node.func)
        function = self.value(node.func)
        eats = isinstance(function, Builtin) and function.name in EATERS
        args = [self._argument(a, eats) for a in node.args]
        named = {str(k.arg): self._argument(k.value, False) for k in node.keywords}
        return self.call(function, args, named)

    def _is_module(self, node: ast.Attribute) -> bool:
        path = _path(node)
        return path is not None and path[0] not in self.env and isinstance(self.names.get(path[0]), ModuleType)

    def _argument(self, node: ast.expr, eats: bool) -> Value:
        if isinstance(node, ast.GeneratorExp):
            if not eats:
                refuse("a generator that is kept runs later, when variables may have changed: use a list", node.lineno)
            return self.comprehension(node, node.elt)
        return self.value(node)

    def call(self, function: Value, args: list[Value], named: dict[str, Value]) -> Value:
        """Call a function of the program, of its module, or a builtin."""
        if isinstance(function, Builtin):
            return self.builtin(function.name, args, named)
        if isinstance(function, Helper):
            given = [*args, *named.values()]
            noisy = any(isinstance(a, Noise) or (isinstance(a, Number) and a.form.private) for a in given)
            if not noisy and any(map(holds_cells, given)):
                names = list(named)

                def run(*v: Value) -> Value:
                    return self.call_helper(
                        function, list(v[: len(args)]), dict(zip(names, v[len(args) :], strict=True))
                    )

                return self.per_cell(run, *args, *named.values())
            return self.call_helper(function, args, named)
        if isinstance(function, Foreign):
            refuse(
                f"{function.path} is not read: wrap it in noise.postprocess({function.path}, ...) on released values"
            )
        return refuse("a call of something that is no function")

    def call_helper(self, function: Helper, args: list[Value], named: dict[str, Value]) -> Value:
        """Run a function of the module, or a lambda, in variables of its own."""
        arguments = function.tree.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        every = [*names, *(a.arg for a in arguments.kwonlyargs)]
        env = {**dict(zip(names, args, strict=False)), **named}
        odd = (
            arguments.vararg
            or arguments.kwarg
            or arguments.defaults
            or any(d is not None for d in arguments.kw_defaults)
        )
        if odd or len(args) > len(names) or set(env) != set(every):
            refuse("a helper function with default or variable arguments, or called with other ones than it has")
        if self.depth > 20:
            refuse("a function that calls itself")
        outer = self.env, self.names
        is_lambda = isinstance(function.tree, ast.Lambda)
        self.env, self.names = {**function.env, **env} if is_lambda else env, function.names
        self.depth += not is_lambda
        try:
            if isinstance(function.tree, ast.Lambda):
                return self.value(function.tree.body)
            signal, value = self.inline(function.tree.body)
            return value if signal == "return" else None
        finally:
            self.depth -= not is_lambda
            self.env, self.names = outer

    def _method(self, node: ast.Call, func: ast.Attribute) -> Value:
        base = self.value(func.value)
        if isinstance(base, Noise):
            args = [self.value(a) for a in node.args]
            return self.noise_call(func.attr, args, {str(k.arg): self.value(k.value) for k in node.keywords})
        args = [self.value(a) for a in node.args]
        if node.keywords:
            refuse(f"named arguments of .{func.attr}")
        if isinstance(base, Rows) and func.attr == "count" and len(args) == 1:
            return self._count(base, args[0])
        if isinstance(base, Rows):
            refuse(NO_DATA)
        if not isinstance(base, Listing):
            refuse(f"the method .{func.attr} is not followed here")
        return self.list_method(base, func.attr, args)

    def _count(self, rows: Rows, value: Value) -> Number:
        wanted = Number(self.observe(value, "data.count")) if isinstance(value, Number) else value
        same = [
            False if keep is False else self.truth_of(self.on_record(lambda r=row: self.compared("==", r, wanted)))  # type: ignore[misc]
            for row, keep in zip(rows.values, rows.keep, strict=True)
        ]
        return self.total(rows, tuple(same))

    def list_method(self, base: Listing, name: str, args: list[Value]) -> Value:
        """A method of a list."""
        if name in ("append", "extend", "insert", "pop"):
            self.may_change(base)
        if name == "append" and len(args) == 1:
            base.items.append(args[0])
            return None
        if name == "extend" and len(args) == 1:
            base.items.extend(self.items(args[0]))
            return None
        if name == "insert" and len(args) == 2:
            base.items.insert(self._index(args[0]), args[1])
            return None
        if name == "pop" and len(args) <= 1:
            return base.items.pop(self._index(args[0]) if args else -1)
        if name == "copy" and not args:
            return Listing(list(base.items), base.kind, self.inside)
        if name == "count" and len(args) == 1:
            return constant(sum(self.truth(self.compared("==", item, args[0])) for item in base.items))
        return refuse(f"the method .{name} of a list is not followed here")

    def may_change(self, base: Listing) -> None:
        """Refuse to change a list from inside a function of one record that did not make it."""
        if base.kind != "list" or base.owner == -1 or (self.inside and base.owner != self.inside):
            refuse("a list that is not its own is changed, in a function of one record or by the program")

    # comprehensions

    def on_ListComp(self, node: ast.ListComp) -> Value:
        return self.comprehension(node, node.elt)

    def on_SetComp(self, node: ast.SetComp) -> Value:
        found = self.comprehension(node, node.elt)
        return refuse("a set of records") if isinstance(found, Rows) else self._set(found.items)

    def comprehension(self, node: Any, element: ast.expr) -> Value:
        """A list, or rows where it runs over the data."""
        if any(g.is_async for g in node.generators) or any(isinstance(x, ast.Lambda) for x in ast.walk(node)):
            refuse("a lambda inside a comprehension")
        first = node.generators[0]
        source = self.value(first.iter)
        if isinstance(source, Rows):
            if len(node.generators) != 1:
                refuse("a comprehension over the data and something else: use two of them")
            self.release_names(node)
            test = None if not first.ifs else (lambda row: self._with(first.target, row, self._all(first.ifs)))
            return self.map_rows(source, lambda row: self._with(first.target, row, lambda: self.value(element)), test)
        return Listing(list(self._entries(node.generators, element, source)), "list", self.inside)

    def _all(self, tests: list[ast.expr]) -> Callable[[], Value]:
        def run() -> Value:
            value: Value = True
            for k, test in enumerate(tests):
                value = self.value(test)
                if k < len(tests) - 1 and not self.truth(value):
                    return False
            return value

        return run

    def _with(self, target: ast.expr, value: Value, function: Callable[[], Value]) -> Value:
        outer = self.env
        self.env = {**outer}
        try:
            self.bind(target, value)
            return function()
        finally:
            self.env = outer

    def _entries(self, generators: list[ast.comprehension], element: ast.expr, source: Value) -> Iterator[Value]:
        outer = self.env
        for item in self.each(source):
            self.env = {**outer}
            try:
                self.bind(generators[0].target, item)
                if all(self.truth(self.value(test)) for test in generators[0].ifs):
                    if len(generators) == 1:
                        yield self.value(element)
                    else:
                        inner = self.value(generators[1].iter)
                        if isinstance(inner, Rows):
                            refuse("a comprehension over the data and something else: use two of them")
                        yield from self._entries(generators[1:], element, inner)
            finally:
                self.env = outer

    def each(self, source: Value) -> list[Value]:
        """What a loop runs over."""
        if isinstance(source, Rows):
            refuse(NO_DATA)
        if isinstance(source, PerCell):
            refuse("a loop over something private")
        items = self.items(source)
        if len(items) > MOST_ENTRIES:
            refuse(f"a loop of more than {MOST_ENTRIES} steps")
        return items

    def release_names(self, node: ast.AST) -> None:
        """Noisy numbers that a function of a record uses are released one by one, before it is looked at."""
        if self.inside:
            return
        found: list[Number] = []
        for name in sorted({x.id for x in ast.walk(node) if isinstance(x, ast.Name)} & set(self.env)):
            self._numbers(self.env[name], found, 0)
        noisy = [n for n in found if self.parts(self.settled(n.form))[1]]
        for number in sorted(noisy, key=lambda n: len(self.parts(self.settled(n.form))[1])):
            self.observe(number, "a function of one record")

    def bind(self, target: ast.expr, value: Value) -> None:
        """Assign to a name, to several, or to an entry of a list."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, PerCell):
                refuse("parts of a private record: take them by index")
            items = self.items(value)
            if len(items) != len(target.elts) or any(isinstance(t, ast.Starred) for t in target.elts):
                refuse("an assignment to several names of another number of values")
            for part, item in zip(target.elts, items, strict=True):
                self.bind(part, item)
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            if not isinstance(base, Listing):
                refuse("an assignment to a part of something that is no list")
            place = self._index(self.value(target.slice))
            self.may_change(base)
            if not -len(base.items) <= place < len(base.items):
                refuse(f"the index {place} is out of range")
            base.items[place] = value
        else:
            refuse("an assignment to something else than names and entries of lists")

    # builtins

    def builtin(self, name: str, args: list[Value], named: dict[str, Value]) -> Value:
        """A builtin function."""
        if named and not (name == "range" or (name == "sum" and set(named) == {"start"})):
            refuse(f"named arguments of {name}")
        method = getattr(self, f"call_{name}", None)
        if method is not None:
            return method(*args, **named)
        if name in ("exp", "log", "sqrt") and len(args) == 1:
            return self.smooth(name, args[0])
        if name in ("int", "round", "floor", "ceil") and len(args) == 1:
            return self.rounded(name, args[0])
        if name in ("max", "min"):
            return self.extreme(name, self.items(args[0]) if len(args) == 1 else args)
        if name == "abs" and len(args) == 1:
            return self.size(args[0])
        return refuse(f"{name} with these arguments")

    def call_float(self, value: Value) -> Value:
        """float(x): the number itself."""
        if isinstance(value, PerCell | RecordNumber):
            return value
        return Number(self.number(value).form)

    def call_bool(self, value: Value) -> Value:
        """bool(x)."""
        return self.truth(value)

    def call_exact(self, value: Value, *_: Value) -> Value:
        """exact(x), Exact(a, b) and Fraction(a, b)."""
        first = self.number(value)
        if not _:
            return first
        return self.operate("/", first, _[0])

    call_Exact = call_Fraction = call_exact

    def call_len(self, value: Value) -> Value:
        """len(x)."""
        return self.count_of(value) if isinstance(value, Rows) else constant(len(self.items(value)))

    def call_sum(self, value: Value, start: Value = None) -> Value:
        """sum(x)."""
        if isinstance(value, Rows):
            found: Value = self.total(value, value.values)
            return found if start is None else self.operate("+", found, start)
        total: Value = constant(0) if start is None else start
        for item in self.items(value):
            total = self.operate("+", total, item)
        return total

    def call_any(self, value: Value) -> Value:
        """any(x)."""
        return any(self.truth(item) for item in self.items(value))

    def call_all(self, value: Value) -> Value:
        """all(x)."""
        return all(self.truth(item) for item in self.items(value))

    def call_range(self, *args: Value) -> Value:
        """range(...)."""
        return Listing([constant(k) for k in range(*(self._index(a) for a in args))], "tuple", -1)

    def call_enumerate(self, value: Value) -> Value:
        """enumerate(x)."""
        pairs = [Listing([constant(k), item], "tuple", -1) for k, item in enumerate(self.each(value))]
        return Listing(list(pairs), "tuple", -1)

    def call_zip(self, *values: Value) -> Value:
        """zip(x, y)."""
        return Listing(
            [Listing(list(row), "tuple", -1) for row in zip(*map(self.each, values), strict=False)], "tuple", -1
        )

    def call_reversed(self, value: Value) -> Value:
        """reversed(x)."""
        return Listing(self.items(value)[::-1], "tuple", -1)

    def call_list(self, value: Value = None) -> Value:
        """list(x)."""
        if isinstance(value, Rows):
            return value
        return Listing([] if value is None else self.items(value), "list", self.inside)

    def call_tuple(self, value: Value = None) -> Value:
        """tuple(x)."""
        if isinstance(value, Rows):
            return value
        return Listing([] if value is None else self.items(value), "tuple", self.inside)

    def call_set(self, value: Value = None) -> Value:
        """set(x)."""
        return self._set([] if value is None else self.items(value))

    def call_sorted(self, value: Value) -> Value:
        """sorted(x) of plain numbers."""
        if isinstance(value, Rows):
            refuse(f"sorted records: {NO_DATA}")
        items = self.items(value)
        if any(not isinstance(x, Number) or x.constant is None for x in items):
            refuse("sorted of something else than plain numbers: wrap it in noise.postprocess")
        return Listing(sorted(items, key=lambda n: n.constant), "list", self.inside)


def _path(node: ast.expr) -> list[str] | None:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *names[::-1]] if isinstance(node, ast.Name) else None


def _words(node: ast.AST) -> str:
    return {
        "JoinedStr": "text with numbers in it (f-string)", "DictComp": "a dict", "Dict": "a dict",
        "NamedExpr": "the walrus :=",
        "GeneratorExp": "a generator that is kept", "Await": "await", "Yield": "yield", "Starred": "a * argument",
    }.get(type(node).__name__, type(node).__name__)  # fmt: skip


__all__ = ["NOISE", "Expressions", "Mechanism"]
