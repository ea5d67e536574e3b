"""Closed forms are written once, in Python, and translated for the page: a small language and its translator.

The language: functions with plain arguments, assignment, ``if``, ``for … in``, ``while``, ``return``, arithmetic,
comparison, ``a if c else b``, lists, dictionaries with constant keys, comprehensions, ``lambda``, and calls of other
such functions or of the primitives of `dpwitness.lessons.closed`. What lies outside raises `Untranslatable`.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

from dpwitness.lessons import closed

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!==",
    ast.Is: "===", ast.IsNot: "!==",
}  # fmt: skip
_RESERVED = frozenset({
    "arguments", "case", "catch", "const", "debugger", "default", "delete", "do", "enum", "eval", "export", "extends",
    "false", "function", "instanceof", "let", "new", "null", "package", "private", "protected", "public", "static",
    "super", "switch", "this", "throw", "true", "typeof", "var", "void",
})  # fmt: skip
# words that Python allows as names and the page's language does not


def _word(name: str) -> str:
    return f"{name}_" if name in _RESERVED else name


class Untranslatable(Exception):
    """A construct that the small language does not have."""


class Script:
    """Collects functions and what they call, each translated once."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}

    def add(self, function: Callable[..., Any]) -> str:
        """Translate a function; returns its name in the script.

        >>> script = Script()
        >>> script.add(closed.normal_cdf)
        'closed_normal_cdf'
        >>> print(script.text())
        function closed_normal_cdf(x) {
          return (0.5 * P.erfc(((-x) / P.sqrt(2))));
        }
        """
        if not isinstance(function, FunctionType):
            raise Untranslatable(f"{function!r} is not a function written in Python")
        name = f"{function.__module__.rpartition('.')[2]}_{function.__name__}".replace("<lambda>", "lambda")
        if name not in self.sources:
            self.sources[name] = ""  # a function may call itself
            node = _definition(function)
            self.sources[name] = _Body(self, function).function(node, name)
        return name

    def text(self) -> str:
        """The whole script."""
        return "\n".join(self.sources.values())


def _definition(function: FunctionType) -> ast.FunctionDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise Untranslatable(f"{function.__name__} must be written with def")
    return tree


class _Body:
    """Translates one function."""

    def __init__(self, script: Script, function: FunctionType) -> None:
        self.script, self.subject = script, function
        self.local: set[str] = set()

    def fail(self, node: ast.AST) -> Untranslatable:
        line = getattr(node, "lineno", 0)
        return Untranslatable(f"{self.subject.__qualname__}, line {line}: {type(node).__name__} is not supported")

    def function(self, node: ast.FunctionDef, name: str) -> str:
        names = [_word(a.arg) for a in node.args.args]
        assigned = {_word(n.id) for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local = {*names, *assigned}
        parts = [self.statement(s, 1) for s in node.body if not _is_docstring(s)]
        # comprehensions declare their own names; the rest is declared here, once
        bound = {_word(n.id) for c in ast.walk(node) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)
                 if isinstance(n, ast.Name)}  # fmt: skip
        free = sorted(assigned - set(names) - bound)
        declare = [f"  let {', '.join(free)};"] if free else []
        return "\n".join([f"function {name}({', '.join(names)}) {{", *declare, *filter(None, parts), "}"])

    def block(self, body: list[ast.stmt], depth: int) -> str:
        return "\n".join(filter(None, (self.statement(s, depth) for s in body)))

    def statement(self, node: ast.stmt, depth: int) -> str:
        pad = "  " * depth
        match node:
            case ast.Return(value=ast.expr() as value):
                return f"{pad}return {self.expr(value)};"
            case ast.Assign(targets=[target]):
                return f"{pad}{self.target(target)} = {self.expr(node.value)};"
            case ast.AugAssign(target=ast.Name(id=raw)):
                name = _word(raw)
                return f"{pad}{name} = {self.binary(name, node.op, self.expr(node.value), node)};"
            case ast.If():
                other = f" else {{\n{self.block(node.orelse, depth + 1)}\n{pad}}}" if node.orelse else ""
                return f"{pad}if ({self.expr(node.test)}) {{\n{self.block(node.body, depth + 1)}\n{pad}}}{other}"
            case ast.For(orelse=[]):
                head = f"for ({self.target(node.target)} of {self.expr(node.iter)})"
                return f"{pad}{head} {{\n{self.block(node.body, depth + 1)}\n{pad}}}"
            case ast.While(orelse=[]):
                return f"{pad}while ({self.expr(node.test)}) {{\n{self.block(node.body, depth + 1)}\n{pad}}}"
            case ast.Expr(value=ast.Call()):
                return f"{pad}{self.expr(node.value)};"
            case ast.Break():
                return f"{pad}break;"
        raise self.fail(node)

    def target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return _word(node.id)
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(self.target(e) for e in node.elts)}]"
        raise self.fail(node)

    def expr(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value):
                return json.dumps(value)
            case ast.Name(id=name):
                return self.name(name, node)
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if _word(owner) in self.local:
                return f"{_word(owner)}.{attr}"
            case ast.BinOp():
                return self.binary(self.expr(node.left), node.op, self.expr(node.right), node)
            case ast.UnaryOp(op=ast.USub()):
                return f"(-{self.expr(node.operand)})"
            case ast.UnaryOp(op=ast.Not()):
                return f"(!{self.expr(node.operand)})"
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp():
                return f"({(' && ' if isinstance(node.op, ast.And) else ' || ').join(map(self.expr, node.values))})"
            case ast.IfExp():
                return f"({self.expr(node.test)} ? {self.expr(node.body)} : {self.expr(node.orelse)})"
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return f"[{', '.join(map(self.expr, items))}]"
            case ast.Dict():
                entries = zip(node.keys, node.values, strict=True)
                return f"{{{', '.join(f'{self.expr(k)}: {self.expr(v)}' for k, v in entries if k is not None)}}}"
            case ast.ListComp():
                return self.comprehension(node)
            case ast.Lambda():
                names = [_word(a.arg) for a in node.args.args]
                self.local |= set(names)
                return f"(({', '.join(names)}) => {self.expr(node.body)})"
            case ast.Subscript():
                return self.subscript(node)
            case ast.JoinedStr():
                return "`" + "".join(self.piece(v) for v in node.values) + "`"
            case ast.Call():
                return self.call(node)
        raise self.fail(node)

    def name(self, name: str, node: ast.expr) -> str:
        if _word(name) in self.local:
            return _word(name)
        value = self.subject.__globals__.get(name)
        if isinstance(value, bool | int | float | str | list | tuple):
            return "Infinity" if value == math.inf else json.dumps(value)
        if isinstance(value, FunctionType) and name not in closed.PRIMITIVES:
            return self.script.add(value)
        raise self.fail(node)

    def binary(self, left: str, op: ast.operator, right: str, node: ast.AST) -> str:
        if isinstance(op, ast.FloorDiv):
            return f"Math.floor({left} / {right})"
        if type(op) not in _BINARY:
            raise self.fail(node)
        return f"({left} {_BINARY[type(op)]} {right})"

    def compare(self, node: ast.Compare) -> str:
        parts, left = [], self.expr(node.left)
        for op, other in zip(node.ops, node.comparators, strict=True):
            if type(op) not in _COMPARE:
                raise self.fail(node)
            right = self.expr(other)
            parts.append(f"{left} {_COMPARE[type(op)]} {right}")
            left = right
        return f"({' && '.join(parts)})"

    def comprehension(self, node: ast.ListComp) -> str:
        text = ""
        self.local |= {_word(n.id) for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        for i, loop in enumerate(node.generators):
            source = self.expr(loop.iter)
            for test in loop.ifs:
                source += f".filter(({self.target(loop.target)}) => {self.expr(test)})"
            last = i == len(node.generators) - 1
            text += f"{source}.{'map' if last else 'flatMap'}(({self.target(loop.target)}) => "
        return text + f"({self.expr(node.elt)})" + ")" * len(node.generators)

    def subscript(self, node: ast.Subscript) -> str:
        owner = self.expr(node.value)
        if isinstance(node.slice, ast.Slice):
            low, high = (self.expr(x) if x else "" for x in (node.slice.lower, node.slice.upper))
            return f"{owner}.slice({low or 0}{', ' + high if high else ''})"
        return f"P.at({owner}, {self.expr(node.slice)})"

    def piece(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return json.dumps(node.value, ensure_ascii=False)[1:-1].replace("`", "\\`").replace("${", "\\${")
        if isinstance(node, ast.FormattedValue) and node.format_spec is None:
            return f"${{{self.expr(node.value)}}}"
        raise self.fail(node)

    def call(self, node: ast.Call) -> str:
        given = [self.expr(a) for a in node.args]
        match node.func:
            case ast.Attribute(value=ast.Name(id=owner), attr="append") if _word(owner) in self.local:
                return f"{_word(owner)}.push({', '.join(given)})"
            case ast.Name(id=name) if _word(name) in self.local:
                return f"{_word(name)}({', '.join(given)})"
            case ast.Name(id=name) if name in closed.PRIMITIVES:
                return f"P.{name}({', '.join(given)})"
            case ast.Name(id=name):
                value = self.subject.__globals__.get(name)
                if not isinstance(value, FunctionType):
                    raise self.fail(node)
                return f"{self.script.add(value)}({', '.join(self.arguments(value, given, node))})"
        raise self.fail(node)

    def arguments(self, function: FunctionType, given: list[str], node: ast.Call) -> list[str]:
        """Keyword arguments and defaults put in their places."""
        named = {k.arg: self.expr(k.value) for k in node.keywords}
        out = list(given)
        for parameter in list(inspect.signature(function).parameters.values())[len(given) :]:
            if parameter.name in named:
                out.append(named[parameter.name])
            elif parameter.default is not parameter.empty:
                out.append(json.dumps(parameter.default))
            else:
                raise self.fail(node)
        return out


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
