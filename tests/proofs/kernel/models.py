"""Decision trees and loops as certificates state them, read, run and unrolled without the kernel."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

F = Fraction
Form = dict[str, Fraction]
_TERM = re.compile(r"([+-]?)(?:([0-9/]+)\*)?([nqwu][0-9]*)|([+-]?)([0-9/]+)")


def form(text: str) -> Form:
    """``"n1-2*q0+1/2"`` as coefficients; the constant has the name "1"."""
    total: Form = {}
    for sign, size, name, sign2, constant in _TERM.findall(text):
        value = F(size or 1) if name else F(constant)
        total[name or "1"] = total.get(name or "1", F(0)) + (-value if (sign or sign2) == "-" else value)
    return total


@dataclass
class Way:
    """One way through a program: rows a·n + b·q + c ≥ 0, released forms, and the rate of every draw."""

    rows: list[Form] = field(default_factory=list)
    released: list[Form] = field(default_factory=list)
    rates: dict[str, Fraction] = field(default_factory=dict)

    def cost(self, move: Mapping[str, Fraction]) -> float:
        """The least Σ rate·|x| of a shift x of the draws that keeps the way and what it releases; inf where none is."""
        names = sorted(self.rates)
        if not names or not (self.rows or self.released):
            rows = [*self.rows, *self.released]
            bad = any(_moved(row, move) < 0 for row in self.rows) or any(_moved(v, move) for v in self.released)
            return float("inf") if bad and not names else 0.0 if not rows or not bad else float("inf")

        def line(one: Form) -> list[float]:
            values = [float(one.get(name, 0)) for name in names]
            return values + [-v for v in values]

        weights = [float(self.rates[name]) for name in names] * 2
        upper = [[-v for v in line(row)] for row in self.rows] or None
        equal = [line(value) for value in self.released] or None
        solved = linprog(
            weights,
            A_ub=upper,
            b_ub=[float(_moved(row, move)) for row in self.rows] or None,
            A_eq=equal,
            b_eq=[-float(_moved(value, move)) for value in self.released] or None,
        )
        return float(solved.fun) if solved.status == 0 else float("inf")


def _moved(one: Form, move: Mapping[str, Fraction]) -> Fraction:
    return sum((v * move.get(name, F(0)) for name, v in one.items() if name[0] == "q"), F(0))


def leaves(tree: Mapping[str, Any]) -> Iterator[Way]:
    """Every way through a tree, in units of ε = 1."""

    def visit(node: list[Any], way: Way) -> Iterator[Way]:
        kind, number = node[0][0], node[0][1:]
        if kind == "o":
            yield Way(way.rows, [form(text) for text in node[1:]], way.rates)
        elif kind == "d":
            law, scale = tree["draws"][int(number)]
            name = f"n{len(way.rates)}"
            rows = [*way.rows, {name: F(1)}] if law == "exponential" else way.rows
            yield from visit(node[1], Way(rows, [], {**way.rates, name: 1 / F(scale)}))
        elif kind in "tm":
            for child, more in zip(node[1:], _options(tree, kind, int(number)), strict=True):
                yield from visit(child, Way([*way.rows, *more], [], way.rates))
        elif kind == "c":
            for child in node[1:]:
                yield from visit(child, way)

    yield from visit(tree["nodes"], Way())


def _options(tree: Mapping[str, Any], kind: str, number: int) -> list[list[Form]]:
    if kind == "t":
        test = form(tree["tests"][number][0])
        return [[test], [{name: -v for name, v in test.items()}]]
    forms = [form(text) for text in tree["maxima"][number]]
    return [[_minus(best, other) for other in forms if other is not best] for best in forms]


def _minus(left: Form, right: Form) -> Form:
    return {name: left.get(name, F(0)) - right.get(name, F(0)) for name in {*left, *right}}


def corners(relation: str, by: Fraction, queries: int) -> list[dict[str, Fraction]]:
    """The extreme moves of the answers."""
    names = [f"q{i}" for i in range(queries)]
    if relation in ("one", "l1", "l2"):
        return [{name: side} for name in names for side in (by, -by)]
    ends = ((F(0), by), (-by, F(0))) if relation in ("monotone", "up", "down") else ((-by, by),)
    return [dict(zip(names, point, strict=True)) for pair in ends for point in itertools.product(pair, repeat=queries)]


def simulate(
    tree: Mapping[str, Any], inputs: Sequence[Fraction], eps: float, size: int, rng: np.random.Generator
) -> list[tuple[int, Any]]:
    """`size` runs of the tree in groups: output number (−1: a branch said to be impossible), values of its slots."""
    unit = 1 / eps if tree["unit"] == "eps" else 1.0
    found: list[tuple[int, Any]] = []

    def value(one: Form, draws: list[Any], count: int) -> Any:
        total = np.zeros(count)
        for name, v in one.items():
            part = draws[int(name[1:])] if name[0] == "n" else float(inputs[int(name[1:])]) if name[0] == "q" else None
            total = total + float(v) * (part if part is not None else unit if name == "u" else 1.0)
        return total

    def visit(node: list[Any], draws: list[Any], count: int) -> None:
        if count == 0:
            return
        kind, number = node[0][0], int(node[0][1:] or 0)
        if kind in "ox":
            values = [value(form(text), draws, count) for text in node[1:]] if kind == "o" else []
            found.append((number if kind == "o" else -1, np.array(values).reshape(len(values), count)))
        elif kind == "d":
            law, scale = tree["draws"][number]
            visit(node[1], [*draws, _draw(law, float(F(scale)) * unit, count, rng)], count)
        else:
            if kind == "t":
                text, strict = tree["tests"][number]
                got = value(form(text), draws, count)
                pick = np.where(got > 0 if strict else got >= 0, 0, 1)
            elif kind == "m":
                pick = np.argmax([value(form(text), draws, count) for text in tree["maxima"][number]], axis=0)
            else:
                weights = np.array([_weight(text, eps) for text in tree["choices"][number]])
                pick = rng.choice(len(weights), size=count, p=weights / weights.sum())
            for i, child in enumerate(node[1:]):
                here = pick == i
                visit(child, [draw[here] for draw in draws], int(here.sum()))

    visit(tree["nodes"], [], size)
    return found


def _weight(text: str, eps: float) -> float:
    return float(np.exp(float(F(text[4:-1])) * eps)) if text.startswith("exp(") else float(F(text))


def _draw(law: str, scale: float, count: int, rng: np.random.Generator) -> Any:
    if law == "discrete_laplace":
        p = 1 - np.exp(-1 / scale)
        return (rng.geometric(p, count) - rng.geometric(p, count)).astype(float)
    return (
        {"laplace": rng.laplace, "gaussian": rng.normal}[law](0, scale, count)
        if law != "exponential"
        else (rng.exponential(scale, count))
    )


Poly = Mapping[str, str]


def evaluate(poly: Poly, values: Mapping[str, Any]) -> Any:
    """A Laurent polynomial in public symbols and one private form: linear forms where a value is a `Form`."""
    total: Any = F(0)
    for text, coefficient in poly.items():
        term: Any = F(coefficient)
        for part in text.split():
            symbol, _, power = part.partition("^")
            other = values[symbol]
            if isinstance(other, dict):
                term = {name: v * term for name, v in other.items()}
            else:
                factor = other ** int(power or 1)
                term = {name: v * factor for name, v in term.items()} if isinstance(term, dict) else term * factor
        total = _plus(total, term)
    return total


def _plus(left: Any, right: Any) -> Any:
    if not isinstance(left, dict) and not isinstance(right, dict):
        return left + right
    a, b = (x if isinstance(x, dict) else {"1": x} for x in (left, right))
    return {name: a.get(name, F(0)) + b.get(name, F(0)) for name in {*a, *b}}


def as_form(value: Any) -> Form:
    """A number as a constant form."""
    return value if isinstance(value, dict) else {"1": value}


def parameters(params: Mapping[str, Mapping[str, Any]], queries: int) -> dict[str, Fraction]:
    """Values of the parameters inside their domains: whole ones as small as they may be."""
    found = {"#n": F(queries)}
    for k, (name, domain) in enumerate(sorted(params.items())):
        low = F(domain.get("above", domain.get("least", "0")))
        value = (low + F(domain["below"])) / 2 if "below" in domain else low + F(1, 2 + k)
        if domain.get("whole"):
            value = F(low.numerator // low.denominator + 1) if "above" in domain else F(-(-low // 1))
        found[name] = value
    return found


def unroll(certificate: Mapping[str, Any], queries: int, steps: int, most: int) -> Iterator[Way]:
    """Ways through the trees with so many queries, cut off after so many steps; not more than `most` of them."""
    model = certificate["model"]
    params: dict[str, Any] = dict(parameters(model["params"], queries))
    for k, (op, left, right) in enumerate(model["atoms"]):
        params[f"@{'+' * (op == '/')}{k}"] = _let(op, evaluate(left, params), evaluate(right, params))
    todo: list[tuple[str, dict[str, Any], Way, int]] = [("start", {}, Way(), 0)]
    while todo and most > 0:
        root, state, way, depth = todo.pop()
        if root == "end" or depth == steps:
            most -= 1
            yield way
            continue
        start = (f"{root}:", model["trees"][root], {**params, **state}, way, (0, 0, 0))
        for place, leaf, values, after in _paths(start, queries):
            if place in certificate["dead"] or "fail" in leaf:
                continue
            written = leaf["return"] if "return" in leaf else ["list", [["list", parts] for parts in leaf["lists"]]]
            released = [*after.released, *(as_form(evaluate(p, values)) for p in _numbers(written))]
            new = {name: evaluate(p, values) for name, (_, p) in leaf.get("set", {}).items()}
            todo.append((leaf.get("to", "end"), new, Way(after.rows, released, after.rates), depth + 1))


Path = tuple[str, Mapping[str, Any], dict[str, Any], Way, tuple[int, int, int]]


def _paths(start: Path, queries: int) -> Iterator[tuple[str, Mapping[str, Any], dict[str, Any], Way]]:
    """The leaves that can be reached from a root, with the values of all symbols and what the way there asks for."""
    todo = [start]
    while todo:
        place, node, values, way, (draws, reads, lets) = todo.pop()
        if "test" in node:
            value = evaluate(node["test"], values)
            if isinstance(value, dict):
                for branch, sign in (("yes", 1), ("no", -1)):
                    row = {name: sign * v for name, v in value.items()}
                    asked = Way([*way.rows, row], way.released, way.rates)
                    todo.append((place + branch[0], node[branch], values, asked, (draws, reads, lets)))
            else:
                branch = "yes" if (value >= 0 if node["is"] == ">=" else value == 0) else "no"
                todo.append((place + branch[0], node[branch], values, way, (draws, reads, lets)))
        elif "draw" in node:
            name = f"n{len(way.rates)}"
            rates = {**way.rates, name: evaluate(node["rate"], values)}
            rows = [*way.rows, {name: F(1)}] if node["draw"] == "exponential" else way.rows
            new = {**values, f"~{draws}": {name: F(1)}}
            todo.append((place, node["then"], new, Way(rows, way.released, rates), (draws + 1, reads, lets)))
        elif "read" in node:
            index = evaluate(node["read"], values)
            if index.denominator == 1 and 0 <= index < queries:
                new = {**values, f"?{reads}": {f"q{int(index)}": F(1)}}
                todo.append((place, node["then"], new, way, (draws, reads + 1, lets)))
        elif "let" in node:
            number = _let(node["let"], evaluate(node["left"], values), evaluate(node["right"], values))
            new = {**values, f"@{'+' * (node['let'] == '/')}t{lets}": number}
            todo.append((place, node["then"], new, way, (draws, reads, lets + 1)))
        else:
            yield place, node, values, way


def _let(op: str, left: Any, right: Any) -> Any:
    return left / right if op == "/" else left % right if op == "%" else F(left // right)


def _numbers(value: Any) -> list[Any]:
    """The polynomials in a value that is released."""
    if value[0] in ("list", "tuple"):
        return [p for part in value[1] for p in _numbers(part)]
    return [value[2]] if value[0] == "number" and value[1] in ("data", "real", "blend") else []
