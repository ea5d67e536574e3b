"""Text that is safe inside a cell of a Markdown table."""

from __future__ import annotations

import html
import re

from dpwitness.reports.model import line

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~@-])")


def cell(text: object, limit: int = 200) -> str:
    r"""One line with everything that Markdown or HTML could act upon taken literally.

    >>> cell("<b>a|b</b>")
    '&lt;b&gt;a\\|b&lt;/b&gt;'
    """
    return _SPECIAL.sub(r"\\\1", html.escape(line(text, limit), quote=False))


def code(text: object, limit: int = 400) -> str:
    """The text as code: backticks inside cannot end it."""
    plain = line(text, limit).replace("`", "ˋ").replace("|", "∣")
    return f"`{plain}`"
