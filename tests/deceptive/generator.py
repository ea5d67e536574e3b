"""Random programs as text: loops over answers or records, counters with % and //, truth values in arithmetic, choices.

Four families, each with a truth that can be computed without reading the program (`tests.deceptive.truth`):

* ``linear``: numbers with noise of their own, control flow by public counters, over answers or records of an interval;
* ``piecewise``: one noisy number whose place or scale depends on a test of the data;
* ``coins``: finite outputs of noisy tests against constants;
* ``finite``: rational choices on records of mixed types and several sizes.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness import Answers, Interval, Records

FAMILIES = ("linear", "piecewise", "coins", "finite")


@dataclass(frozen=True)
class Sample:
    """A random program: its family, its text, the function it is, and the inputs it reads."""

    seed: int
    family: str
    source: str
    function: Callable[..., Any]
    space: Any


def generate(seed: int) -> Sample:
    """The random program of a seed."""
    rng = random.Random(f"program {seed}")
    family = rng.choice(FAMILIES)
    source, space = {"linear": _linear, "piecewise": _piecewise, "coins": _coins, "finite": _finite}[family](rng)
    return Sample(seed, family, source, compiled(source, f"random_{seed}"), space)


def compiled(source: str, name: str) -> Callable[..., Any]:
    """The function that a text defines; its lines can be read again by whoever looks for its source."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"F": Fraction, "__name__": name}
    exec(compile(source, file, "exec"), scope)
    function: Callable[..., Any] = scope["program"]
    return function


def _header(data: str = "q") -> list[str]:
    return ["from fractions import Fraction as F", "", "", f"def program(noise, {data}, *, eps):"]


def _condition(rng: random.Random) -> str:
    """A test of public numbers."""
    a, b = rng.randint(2, 4), rng.randint(0, 3)
    return rng.choice([
        f"n % {a} == {b % a}", f"n // {a} > {b}", f"-n % {a} == {b % a}", f"(i + n) % {a} < {b}", "flag", "not flag",
        f"(i > {b}) + flag == 1", f"0 < n % {a} < {a}", f"len(q) - i == {b}", f"i == {b}", f"n // {a} % 2 == {b % 2}",
        f"(i - {b}) // {a} == -1", f"divmod(n, {a})[1] >= {b % a}", f"kept == n % {a}",
    ])  # fmt: skip


def _scale(rng: random.Random) -> str:
    return rng.choice([
        "1", "1", "2", "len(q)", "F(1, 2)", "(1 + n % 2)", "(i + 1)", "(1 + flag)", "F(3, 2)", "(1 + i // 2)", "2**i",
        "(2 if i % 2 else 1)",
    ])  # fmt: skip


def _place(rng: random.Random) -> str:
    """A linear form of the answers."""
    a = rng.randint(1, 3)
    return rng.choice([
        "x", "x", "x", "total", f"{a} * x", "x - q[0]", f"q[(i + {a}) % len(q)]", "x / 2", "sum(q[: i + 1])", "-x",
        "sum(q[::2])", "q[-1] - x", "x * (i % 2)", "x * flag", "0", "x + total", "sum(q) / len(q)",
        "(x if flag else total)",
    ])  # fmt: skip


def _linear(rng: random.Random) -> tuple[str, Any]:
    step = rng.choice(
        ["n += 1", "n += 2", "flag = not flag", "n = n * 2 % 5", "n -= 1", "flag = n % 3 == 1", "n += flag"]
    )
    other = rng.choice(["pass", "total += x", "total = x", "n += i", "flag = i % 2 == 0"])
    noise = rng.choice(["laplace"] * 4 + ["discrete_laplace"])
    release = [f"{_place(rng)} + noise.{noise}({_scale(rng)} / eps)" for _ in range(2)]
    if noise == "discrete_laplace":
        release = [text.replace("x / 2", "x").replace("sum(q) / len(q)", "sum(q)") for text in release]
    if rng.random() < 0.08:
        release[1] = "x"
    end = rng.choice(["out", "out", "tuple(out)", "out[::-1]", "out[1:]", "[out, len(out)]", "out[:-1]", "(n, out)"])
    lines = [
        *_header(),
        f"    n, flag, total, out = {rng.randint(0, 3)}, {rng.random() < 0.5}, 0, []",
        f"    kept = n % {rng.randint(2, 3)}",
        "    for i, x in enumerate(q):",
        *(["        " + (step if rng.random() < 0.5 else other)] if rng.random() < 0.4 else []),
        f"        if {_condition(rng)}:",
        f"            out.append({release[0]})",
        "        else:",
        f"            out.append({release[1]})",
        f"        {step}",
        f"        {other}",
        f"    return {end}",
    ]
    size = rng.randint(2, 4)
    if noise == "discrete_laplace":
        return _text(lines), Answers(rng.choice(["all", "one", "up"]), 1, size=size, whole=True)
    if rng.random() < 0.35:
        sizes = (rng.randint(1, size), size)
        return _text(lines), Records(Interval(0, 1), sizes if sizes[0] < sizes[1] else size)
    return _text(lines), Answers(rng.choice(["all", "one", "up", "one", "l1"]), 1, size=size)


def _piecewise(rng: random.Random) -> tuple[str, Any]:
    cut = rng.randint(-1, 2)
    test = rng.choice([f"q[0] > {cut}", f"q[0] >= {cut}", f"{cut} <= q[0] < {cut + 1}", f"not q[0] > {cut}"])
    value = rng.choice([
        f"q[0] + {rng.randint(1, 3)} * ({test})", f"(q[0] if {test} else {cut})", f"q[0] * ({test})",
        f"abs(q[0] - {cut})",
        f"max(q[0], {cut})", f"min(q[0], {cut}) + ({test})", f"(2 if {test} else 1)", f"int({test})",
        f"q[0] - ({test})",
        "-abs(q[0])",
    ])  # fmt: skip
    scale = rng.choice(["1", "1", "2", "F(1, 2)", f"(1 + ({test}))"] if rng.random() < 0.9 else ["3"])
    lines = [*_header(), f"    return {value} + noise.laplace({scale} / eps)"]
    return _text(lines), Answers("all", 1, size=1)


def _coins(rng: random.Random) -> tuple[str, Any]:
    cut, scale = rng.randint(-1, 2), rng.choice(["1", "2", "len(q)", "F(1, 2)", "(i + 1)"])
    test = rng.choice([f"x + noise.laplace({scale} / eps) >= {cut}", f"{cut} > x + noise.laplace({scale} / eps)"])
    found = rng.choice(["return i", "return n", "break", "n += 1", "n += i", "flag = not flag", "return [i, flag]"])
    end = rng.choice(["n", "(n, flag)", "n % 2", "n // 2", "flag", "[flag, n]", "n > 1", "None", "str(n)", "n * flag"])
    lines = [
        *_header(),
        f"    n, flag = {rng.randint(0, 1)}, False",
        "    for i, x in enumerate(q):",
        f"        if {test}:",
        f"            {found}",
        f"        {rng.choice(['pass', 'n += 1', 'flag = n % 2 == 0', 'n = 2 * n'])}",
        f"    return {end}",
    ]
    return _text(lines), Answers(rng.choice(["all", "one", "up"]), 1, size=rng.randint(1, 2))


DOMAINS = [(0, 1), (0, 1, 2), (0, False), (0, 0.0, 1), ("a", "b"), (1, True, 2), (-1, 1), (0.5, 1), (None, 0)]


def _finite(rng: random.Random) -> tuple[str, Any]:
    domain = rng.choice(DOMAINS)
    numbers = all(isinstance(x, int | float) for x in domain)
    a, b = rng.randint(1, 4), rng.randint(1, 4)
    chance = rng.choice([f"F({a}, {a + b})", f"F({a}, {2 * a + b})", "F(1, 2)"])
    known, one = f"x == {domain[0]!r}", f"str(x) == {str(domain[0])!r}"
    key = rng.choice([known, one, known, "not x", *(["x > 0", "x % 2 == 1", "x // 1 > 0"] if numbers else [])])
    coin = rng.choice(
        [f"noise.bernoulli({chance})", f"noise.choice([{a}, {b}]) == 0", f"noise.choice([{a}, {b}, 1]) < 2"]
    )
    odds = f"noise.bernoulli(F({a}, {a + b}) if {key} else F({b}, {a + b}))"
    answer = rng.choice(
        [f"({key}) == ({coin})", odds, f"int({key}) if {coin} else 1 - int({key})", f"({key}) * ({coin})"]
    )
    if rng.random() < 0.1:
        answer = rng.choice([key, "x", f"x if {coin} else 0"])
    end = rng.choice(
        ["out", "sum(map(bool, out))", "tuple(out)", "len(out)", "out[0] if out else None", "any(out)", "out[::2]"]
    )
    lines = [
        *_header("d"),
        "    out = []",
        "    for i, x in enumerate(d):",
        *([f"        if i % 2 == {rng.randint(0, 1)}:", "            continue"] if rng.random() < 0.3 else []),
        f"        out.append({answer})",
        f"    return {end}",
    ]
    size: Any = rng.choice([1, 2, (1, 2), (0, 2)])
    relation = "add-remove" if rng.random() < 0.25 else "substitute"
    return _text(lines), Records(domain, (0, 2) if relation == "add-remove" else size, relation)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
