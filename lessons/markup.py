"""The text of lessons as plain text, Markdown and HTML.

``*emphasis*``, ``**strong**``, `` `code` ``, ``x_{i}``, ``e^{ε}``; paragraphs are separated by empty lines,
``- `` starts an item of a list, ``$ `` a formula on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()aeijknx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₙₓ")
_CAN_RISE, _CAN_SINK = set("0123456789+-=()ni"), set("0123456789+-=()aeijknx")


def _script(sign: str, inner: str) -> str:
    """A raised or lowered text in plain characters."""
    able, table = (_CAN_RISE, _RAISED) if sign == "^" else (_CAN_SINK, _LOWERED)
    if set(inner) <= able:
        return inner.translate(table)
    return sign + (inner if len(inner) == 1 or inner[0] + inner[-1] == "()" else f"({inner})")


def plain(text: str) -> str:
    """Text without marks.

    >>> plain("**P** ≤ e^{ε}·*Q*, x_{i}^{2} and `code`")
    'P ≤ e^ε·Q, xᵢ² and code'
    """
    text = re.sub(r"([_^])\{([^{}]*)\}", lambda m: _script(m[1], m[2]), text)
    return re.sub(r"\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*|`([^`]+)`", lambda m: m[1] or m[2] or m[3], text)


def inline(text: str) -> str:
    """One paragraph as HTML; everything that is not a mark is escaped.

    >>> inline("**P** < e^{ε}·*Q*")
    '<strong>P</strong> &lt; e<sup>ε</sup>·<em>Q</em>'
    """
    pieces = re.split(r"(`[^`]+`)", text)
    out = []
    for piece in pieces:
        if piece.startswith("`") and piece.endswith("`") and len(piece) > 1:
            out.append(f"<code>{escape(piece[1:-1])}</code>")
            continue
        safe = escape(piece, quote=False)
        safe = re.sub(r"\^\{([^{}]*)\}", r"<sup>\1</sup>", safe)
        safe = re.sub(r"_\{([^{}]*)\}", r"<sub>\1</sub>", safe)
        safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
        out.append(re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*", r"<em>\1</em>", safe))
    return "".join(out)


def blocks(body: str) -> list[tuple[str, str]]:
    """A body as a list of ("text" | "item" | "formula", content).

    >>> blocks("One\\ntwo\\n\\n$ x = 1\\n- item")
    [('text', 'One two'), ('formula', 'x = 1'), ('item', 'item')]
    """
    out: list[tuple[str, str]] = []
    fresh = True
    for raw in body.strip().splitlines():
        line = raw.strip()
        if not line:
            fresh = True
        elif line.startswith("$ "):
            out.append(("formula", line[2:]))
            fresh = True
        elif line.startswith("- "):
            out.append(("item", line[2:]))
            fresh = False
        elif fresh or not out:
            out.append(("text", line))
            fresh = False
        else:
            kind, text = out[-1]
            out[-1] = (kind, f"{text} {line}")
    return out


def to_html(body: str) -> str:
    """A body as HTML.

    >>> to_html("Two\\n- items\\n- here")
    '<p>Two</p><ul><li>items</li><li>here</li></ul>'
    """
    parts: list[str] = []
    for kind, text in blocks(body):
        content = inline(text)
        if kind == "item":
            if parts and parts[-1].endswith("</ul>"):
                parts[-1] = parts[-1].removesuffix("</ul>") + f"<li>{content}</li></ul>"
            else:
                parts.append(f"<ul><li>{content}</li></ul>")
        else:
            parts.append(f'<p class="formula">{content}</p>' if kind == "formula" else f"<p>{content}</p>")
    return "".join(parts)


def to_markdown(body: str) -> str:
    """A body as Markdown for a notebook, where raised and lowered text is HTML."""

    def marks(text: str) -> str:
        text = re.sub(r"\^\{([^{}]*)\}", r"<sup>\1</sup>", text)
        return re.sub(r"_\{([^{}]*)\}", r"<sub>\1</sub>", text)

    shapes: dict[str, Callable[[str], str]] = {
        "text": lambda t: f"{t}\n",
        "item": lambda t: f"- {t}",
        "formula": lambda t: f"\n> {t}\n",
    }
    return "\n".join(shapes[kind](marks(text)) for kind, text in blocks(body)).strip()
