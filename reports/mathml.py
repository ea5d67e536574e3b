r"""Readable mathematics without a network: guarantees and the formulas of docstrings as MathML.

Docstrings write formulas as ``:math:`c_i + \mathrm{Lap}(2/\varepsilon)```. The small part of LaTeX that they use
(symbols, sub- and superscripts, fractions, upright words) is translated; anything else is shown as it was written.
"""

from __future__ import annotations

import re
from html import escape

from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from dpwitness.core.numbers import show
from dpwitness.reports.model import clean

_ROLE = re.compile(r":math:`([^`]{1,400})`|``([^`]{1,200})``|`([^`]{1,200})`")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|\s+|.", flags=re.DOTALL)
_SYMBOLS = {
    "varepsilon": "ε", "epsilon": "ε", "delta": "δ", "alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ", "mu": "μ",
    "rho": "ρ", "nu": "ν", "sigma": "σ", "tau": "τ", "theta": "θ", "Delta": "Δ", "Phi": "Φ", "pi": "π", "eta": "η",
    "ell": "ℓ",
}  # fmt: skip
_OPERATORS = {
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "cdot": "·", "times": "×", "in": "∈", "to": "→",
    "sum": "∑", "prod": "∏", "int": "∫", "infty": "∞", "pm": "±", "approx": "≈", "propto": "∝", "sim": "∼", "dots": "…",
    "ldots": "…",
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "mid": "|", "lvert": "|", "rvert": "|", "quad": " ",
    "max": "max", "min": "min", "exp": "exp", "log": "log", "ln": "ln", "Pr": "P", "arg": "arg",
}  # fmt: skip
_WORDS = {"mathrm", "text", "operatorname", "mathbf", "mathit", "mathsf"}


class _Unreadable(Exception):
    """A formula outside the small part of LaTeX that is translated."""


def formula(latex: str) -> str:
    r"""One formula as MathML.

    >>> formula(r"c_i \le 2")
    '<math><mrow><msub><mi>c</mi><mi>i</mi></msub><mo>≤</mo><mn>2</mn></mrow></math>'
    """
    text = clean(latex, 400)
    tokens = [t for t in _TOKEN.findall(text) if not t.isspace()]
    try:
        inner, rest = _row(tokens, 0, None)
        if rest != len(tokens):
            raise _Unreadable
    except (_Unreadable, RecursionError):
        return f"<code>{escape(text)}</code>"
    return f"<math>{inner}</math>"


def prose(text: str, limit: int = 600) -> str:
    """A docstring's line as HTML: formulas as MathML, code as code, everything else escaped."""
    plain = clean(text, limit)
    parts, end = [], 0
    for match in _ROLE.finditer(plain):
        parts.append(escape(plain[end : match.start()]))
        math, code, other = match.groups()
        parts.append(formula(math) if math is not None else f"<code>{escape(code or other)}</code>")
        end = match.end()
    return "".join([*parts, escape(plain[end:])])


def inequality(guarantee: Guarantee) -> str:
    """The inequality that a guarantee stands for, as MathML."""
    if isinstance(guarantee, PureDP | ApproxDP):
        extra = f" + {_number(show(guarantee.delta))}" if isinstance(guarantee, ApproxDP) else ""
        return formula(rf"P[M(x) \in S] \le e^{{{_number(show(guarantee.eps))}}} P[M(x') \in S]{extra}")
    if isinstance(guarantee, ZCDP):
        return formula(rf"D_\alpha(M(x) | M(x')) \le {_number(show(guarantee.rho))} \alpha")
    if isinstance(guarantee, RenyiDP):
        return formula(rf"D_{{{_number(show(guarantee.order))}}}(M(x) | M(x')) \le {_number(show(guarantee.eps))}")
    if isinstance(guarantee, GaussianDP):
        return formula(rf"T(M(x), M(x')) \ge T(N(0, 1), N({_number(show(guarantee.mu))}, 1))")
    return escape(str(guarantee))


def _number(text: str) -> str:
    mantissa, e, power = text.partition("e")
    top, slash, bottom = text.partition("/")
    if e:
        return rf"{mantissa} \cdot 10^{{{int(power)}}}" if mantissa != "1" else f"10^{{{int(power)}}}"
    return rf"\frac{{{top}}}{{{bottom}}}" if slash else text


def _row(tokens: list[str], at: int, stop: str | None) -> tuple[str, int]:
    """A sequence up to `stop`, and where it ends."""
    parts: list[str] = []
    while at < len(tokens) and tokens[at] != stop:
        if tokens[at] in "_^":
            tag = "msub" if tokens[at] == "_" else "msup"
            script, at = _atom(tokens, at + 1)
            base = parts.pop() if parts else "<mrow></mrow>"
            parts.append(f"<{tag}>{base}{script}</{tag}>")
        else:
            part, at = _atom(tokens, at)
            parts.append(part)
    if stop is not None and at >= len(tokens):
        raise _Unreadable
    return f"<mrow>{''.join(parts)}</mrow>" if len(parts) != 1 else parts[0], at


def _atom(tokens: list[str], at: int) -> tuple[str, int]:
    if at >= len(tokens):
        raise _Unreadable
    token = tokens[at]
    if token == "{":
        inner, end = _row(tokens, at + 1, "}")
        return inner, end + 1
    if token == "}":
        raise _Unreadable
    if token.startswith("\\"):
        return _command(token[1:], tokens, at + 1)
    if token[0].isdigit():
        return f"<mn>{token}</mn>", at + 1
    if token.isalpha():
        return f"<mi>{escape(token)}</mi>", at + 1
    return f"<mo>{escape('′' if token == chr(39) else token)}</mo>", at + 1


def _command(name: str, tokens: list[str], at: int) -> tuple[str, int]:
    if name in _SYMBOLS:
        return f"<mi>{_SYMBOLS[name]}</mi>", at
    if name in _OPERATORS:
        return f"<mo>{_OPERATORS[name]}</mo>", at
    if name in ("left", "right", "bigl", "bigr", "big"):
        if at < len(tokens) and tokens[at] in "()[]|./":
            return ("" if tokens[at] == "." else f"<mo>{tokens[at]}</mo>"), at + 1
        return _atom(tokens, at)
    if name in ("frac", "tfrac"):
        top, at = _atom(tokens, at)
        bottom, at = _atom(tokens, at)
        return f"<mfrac>{top}{bottom}</mfrac>", at
    if name == "sqrt":
        inner, at = _atom(tokens, at)
        return f"<msqrt>{inner}</msqrt>", at
    if name in _WORDS and at < len(tokens) and tokens[at] == "{" and "}" in tokens[at:]:
        end = tokens.index("}", at)
        return f'<mi mathvariant="normal">{escape("".join(tokens[at + 1 : end]))}</mi>', end + 1
    if len(name) == 1 and not name.isalpha():
        return (f"<mo>{escape(name)}</mo>" if name in "{}|%#&" else "<mrow></mrow>"), at
    raise _Unreadable
