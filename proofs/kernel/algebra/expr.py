"""Formulas: read from text through a whitelist, evaluated exactly or over boxes, differentiated.

Text is parsed by `ast` and never run. Allowed are numbers, named variables, ``+ - * / **``, the constants ``pi`` and
``E``, and the functions of `FUNCTIONS`. Length, depth and exponents are capped.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpwitness.proofs.kernel.arith import Rejected

MAX_LENGTH, MAX_DEPTH, MAX_EXPONENT, MAX_BITS = 4000, 60, 1000, 1 << 16
FUNCTIONS = {
    "exp": 1, "log": 1, "sqrt": 1, "Abs": 1, "sign": 1, "erf": 1, "erfc": 1,
    "sin": 1, "cos": 1, "sinh": 1, "cosh": 1, "tanh": 1, "atan": 1, "Min": 2, "Max": 2,
}  # fmt: skip
_OTHER_NAMES = {"ln": "log", "abs": "Abs", "min": "Min", "max": "Max"}
_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,30}", re.ASCII)


@dataclass(frozen=True)
class Expr:
    """A formula: `op` with `args`; a number has `value`, a variable has `name`.

    >>> str(parse("x**2 + exp(-x)").derivative("x"))
    '2*x - exp(-x)'
    """

    op: str
    args: tuple[Expr, ...] = ()
    value: Fraction = Fraction(0)
    name: str = ""

    def __hash__(self) -> int:  # formulas are shared and compared often: hash each node once
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = hash((self.op, self.args, self.value, self.name))
            object.__setattr__(self, "_hash", known)
        return known

    def __add__(self, other: Expr) -> Expr:
        if self.op == "num" and other.op == "num":
            return num(self.value + other.value)
        if _is(self, 0):
            return other
        if _is(other, 0):
            return self
        if other.op == "neg":
            return self - other.args[0]
        return Expr("+", (self, other))

    def __neg__(self) -> Expr:
        if self.op == "num":
            return num(-self.value)
        return self.args[0] if self.op == "neg" else Expr("neg", (self,))

    def __sub__(self, other: Expr) -> Expr:
        if self.op == "num" and other.op == "num":
            return num(self.value - other.value)
        if _is(other, 0):
            return self
        return -other if _is(self, 0) else Expr("-", (self, other))

    def __mul__(self, other: Expr) -> Expr:
        if self.op == "num" and other.op == "num":
            return num(self.value * other.value)
        if _is(self, 0) or _is(other, 0):
            return num(0)
        if _is(self, 1):
            return other
        if _is(other, 1):
            return self
        if _is(self, -1):
            return -other
        if _is(other, -1):
            return -self
        if self.op == "neg":
            return -(self.args[0] * other)
        if other.op == "neg":
            return -(self * other.args[0])
        return Expr("*", (self, other))

    def __truediv__(self, other: Expr) -> Expr:
        if _is(other, 0):
            raise Rejected("division by zero in a formula")
        if self.op == "num" and other.op == "num":
            return num(self.value / other.value)
        return self if _is(other, 1) else Expr("/", (self, other))

    def __pow__(self, other: Expr) -> Expr:
        if _is(other, 1):
            return self
        if _is(other, 0):
            return num(1)
        if other.op == "num" and other.value.denominator == 1 and self.op == "num":
            if self.value == 0 and other.value < 0:
                raise Rejected("zero to a negative power in a formula")
            if abs(other.value) <= MAX_EXPONENT:
                size = max(abs(self.value.numerator), self.value.denominator).bit_length()
                if size * abs(other.value) > MAX_BITS:
                    raise Rejected(f"a power in the formula has more than {MAX_BITS} bits")
                return num(self.value ** int(other.value))
        return Expr("**", (self, other))

    def variables(self) -> frozenset[str]:
        """The names that occur."""
        return _variables(self)

    def derivative(self, name: str) -> Expr:
        """The derivative in one variable; |x| and Min/Max get the usual one-sided pieces."""
        return _derivative(self, name)

    def substitute(self, values: Mapping[str, Expr]) -> Expr:
        """Replace variables by formulas."""
        if self.op == "var":
            return values.get(self.name, self)
        return rebuild(self, tuple(a.substitute(values) for a in self.args)) if self.args else self

    def __str__(self) -> str:
        return _show(self, 0)


def num(value: Fraction | int) -> Expr:
    """A number."""
    return Expr("num", value=Fraction(value))


def var(name: str) -> Expr:
    """A variable."""
    return Expr("var", name=name)


def call(name: str, *args: Expr) -> Expr:
    """A function applied to formulas."""
    return Expr(name, args)


def _is(expr: Expr, value: int) -> bool:
    return expr.op == "num" and expr.value == value


def rebuild(expr: Expr, args: tuple[Expr, ...]) -> Expr:
    """The same operation on other arguments, simplified."""
    if expr.op == "+":
        return args[0] + args[1]
    if expr.op == "-":
        return args[0] - args[1]
    if expr.op == "*":
        return args[0] * args[1]
    if expr.op == "/":
        return args[0] / args[1]
    if expr.op == "**":
        return args[0] ** args[1]
    if expr.op == "pos" and args[0].op == "num":
        return args[0]
    return -args[0] if expr.op == "neg" else Expr(expr.op, args)


@lru_cache(maxsize=20_000)
def _variables(expr: Expr) -> frozenset[str]:
    if expr.op == "var":
        return frozenset((expr.name,))
    return frozenset().union(*(a.variables() for a in expr.args))


@lru_cache(maxsize=20_000)
def _derivative(expr: Expr, name: str) -> Expr:
    if name not in expr.variables():
        return num(0)
    if expr.op == "var":
        return num(1)
    a = expr.args[0]
    da = _derivative(a, name)
    if expr.op == "neg":
        return -da
    if expr.op == "pos":  # the number itself, known not to be negative; made by `shapes.resolve`, never by the parser
        return da
    if expr.op in ("+", "-", "*", "/", "**", "Min", "Max"):
        b = expr.args[1]
        db = _derivative(b, name)
        if expr.op == "+":
            return da + db
        if expr.op == "-":
            return da - db
        if expr.op == "*":
            return da * b + a * db
        if expr.op == "/":
            return da / b if _is(db, 0) else (da * b - a * db) / b ** num(2)
        if expr.op == "**":
            if _is(db, 0):
                return b * a ** (b - num(1)) * da
            return expr * (db * call("log", a) + b * da / a)
        half = call("sign", a - b) * (da - db)  # d|a−b|
        return (da + db + half) / num(2) if expr.op == "Max" else (da + db - half) / num(2)
    if expr.op in ("sign", "flat"):
        return call("flat", a)  # 0, and undefined where a may be 0: the sign jumps there
    return {
        "exp": lambda: expr,
        "log": lambda: _log_slope(a, name),
        "sqrt": lambda: num(1) / (num(2) * expr),
        "Abs": lambda: call("sign", a),
        "erf": lambda: num(2) * call("exp", -(a ** num(2))) / call("sqrt", Expr("pi")),
        "erfc": lambda: -(num(2) * call("exp", -(a ** num(2))) / call("sqrt", Expr("pi"))),
        "sin": lambda: call("cos", a),
        "cos": lambda: -call("sin", a),
        "sinh": lambda: call("cosh", a),
        "cosh": lambda: call("sinh", a),
        "tanh": lambda: num(1) / call("cosh", a) ** num(2),
        "atan": lambda: num(1) / (num(1) + a ** num(2)),
    }[expr.op]() * (num(1) if expr.op == "log" else da)


def _log_slope(a: Expr, name: str) -> Expr:
    """a'/a, with exponentials cancelled where a = cosh u, c + e^u or e^u + e^v: the same number, enclosed better."""
    if a.op == "cosh":
        return call("tanh", a.args[0]) * _derivative(a.args[0], name)
    if a.op == "+" and a.args[0].op == a.args[1].op == "exp":
        u, v = a.args[0].args[0], a.args[1].args[0]
        first, second = _derivative(u, name), _derivative(v, name)
        return second + (first - second) / (num(1) + call("exp", v - u))
    if a.op == "+":
        for constant, power in (a.args, a.args[::-1]):
            if constant.op == "num" and constant.value > 0 and power.op == "exp":
                u = power.args[0]
                return _derivative(u, name) / (num(1) + constant * call("exp", -u))
    return _derivative(a, name) / a


def _number(source: str) -> Fraction:
    if _NUMBER.fullmatch(source) is None:
        raise Rejected(f"{source[:40]!r} is not a decimal number")
    return Fraction(source)


_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 2, "**": 4}


def _show(expr: Expr, outer: int) -> str:
    if expr.op == "num":
        plain = str(expr.value)
        return f"({plain})" if (expr.value < 0 and outer) or (expr.value.denominator != 1 and outer >= 2) else plain
    if expr.op in ("var", "pi", "E"):
        return expr.name or expr.op
    level = _LEVEL.get(expr.op)
    if level is None:
        return f"{expr.op}({', '.join(_show(a, 0) for a in expr.args)})"
    if expr.op == "neg":
        body = "-" + _show(expr.args[0], 2)
        return f"({body})" if outer else body
    left = _show(expr.args[0], 0 if level == 1 else level + (expr.op == "**"))
    right = _show(expr.args[1], level + (expr.op in "-/"))
    sign = f" {expr.op} " if level == 1 else expr.op
    body = left + sign + right
    return f"({body})" if outer > level else body


@lru_cache(maxsize=2_000)
def parse(source: str, names: frozenset[str] | None = None) -> Expr:
    """Read a formula; `names` are the variables that may occur (None: any).

    >>> parse("1/(1+Abs(z)**4)").variables()
    frozenset({'z'})
    >>> parse("__import__('os')")
    Traceback (most recent call last):
    dpwitness.proofs.kernel.limits.Rejected: the name '__import__' is not a known function; known: Abs, Max, Min, \
atan, cos, cosh, erf, erfc, exp, log, sign, sin, sinh, sqrt, tanh
    """
    if not isinstance(source, str) or len(source) > MAX_LENGTH:
        raise Rejected(f"a formula is text of at most {MAX_LENGTH} characters")
    depth = deepest = 0
    for character in source:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise Rejected(f"brackets are nested {deepest} deep; at most {MAX_DEPTH} are allowed")
    if re.search(r"[0-9]{400}|[eE][+-]?[0-9]{4}", source):
        raise Rejected("a number in the formula is too long")
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Rejected(f"{source[:60]!r} is not a formula") from None
    return _read(tree.body, source.strip(), names, 0)


def _read(node: ast.expr, source: str, names: frozenset[str] | None, depth: int) -> Expr:
    if depth > 4 * MAX_DEPTH:
        raise Rejected(f"the formula is nested more than {4 * MAX_DEPTH} deep")
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return num(_number(ast.get_source_segment(source, node) or ""))
    if isinstance(node, ast.Name):
        if node.id in ("pi", "E"):
            return Expr(node.id)
        if _NAME.fullmatch(node.id) is None or (names is not None and node.id not in names):
            raise Rejected(f"the name {node.id[:40]!r} is unknown; known: {', '.join(sorted(names or ()))}")
        return var(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _read(node.operand, source, names, depth + 1)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        left, right = (_read(side, source, names, depth + 1) for side in (node.left, node.right))
        if isinstance(node.op, ast.Pow):
            if right.op == "num" and (abs(right.value) > MAX_EXPONENT or right.value.denominator > MAX_EXPONENT):
                raise Rejected(f"the exponent {str(right.value)[:40]} is too large; at most {MAX_EXPONENT} is allowed")
            return left**right
        for kind, op in ((ast.Add, "+"), (ast.Sub, "-"), (ast.Mult, "*"), (ast.Div, "/")):
            if isinstance(node.op, kind):
                return rebuild(Expr(op), (left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = _OTHER_NAMES.get(node.func.id, node.func.id)
        if name == "Heaviside" and len(node.args) == 1:  # 0 or 1, and 1/2 at the jump
            return (num(1) + call("sign", _read(node.args[0], source, names, depth + 1))) / num(2)
        if name not in FUNCTIONS:
            known = ", ".join(sorted(FUNCTIONS))
            raise Rejected(f"the name {node.func.id[:40]!r} is not a known function; known: {known}")
        if len(node.args) != FUNCTIONS[name]:
            raise Rejected(f"{name} takes {FUNCTIONS[name]} argument(s), not {len(node.args)}")
        return Expr(name, tuple(_read(a, source, names, depth + 1) for a in node.args))
    shown = ast.get_source_segment(source, node) or type(node).__name__
    raise Rejected(f"{shown[:60]!r} is not allowed in a formula")
