"""The report as one self-contained page: styles and script inside, no network, works from a file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dpwitness.core.verdict import Decision
from dpwitness.reports.bracket import SPAN, Bracket, at, bracket
from dpwitness.reports.derivations import Derivations, ShownDerivation
from dpwitness.reports.details import Details, details
from dpwitness.reports.figures.book import Drawing
from dpwitness.reports.mathml import inequality, prose
from dpwitness.reports.model import Report, Row, line
from dpwitness.reports.references import family

if TYPE_CHECKING:
    from jinja2 import Environment

WIDTH = 250
FIRST = 100  # rows that are drawn at once; the others when they are scrolled to or searched for

LABELS = {
    Decision.PROVED: ("✓", "proved"),
    Decision.REFUTED: ("✗", "refuted"),
    Decision.NOT_REFUTED: ("–", "not refuted"),
    Decision.UNDECIDED: ("?", "undecided"),
    Decision.CONTRADICTION: ("!", "contradiction"),
}


@dataclass(frozen=True)
class View:
    """A row with everything that the template shows of it."""

    id: str
    row: Row
    group: str
    glyph: str
    label: str
    parts: Details
    bracket: Bracket | None
    inequality: str
    about: str
    certificate: str | None
    figures: tuple[Drawing, ...]
    derivations: tuple[ShownDerivation, ...]
    search: str


def to_html(
    report: Report,
    certificates: Mapping[int, str] | None = None,
    figures: Mapping[int, tuple[Drawing, ...]] | None = None,
    charts: tuple[Drawing, ...] = (),
    derivations: Derivations | None = None,
) -> str:
    """The page. `certificates` and `figures` map a row's number to files beside the page; `charts` are of the run,
    `derivations` unfold below the proofs of their rows.
    """
    names, pictures = certificates or {}, figures or {}
    laws = derivations or {}
    views = [
        view(i, row, report, names.get(i), pictures.get(i, ()), laws.get(i, ())) for i, row in enumerate(report.rows)
    ]
    style, script = _text("page.css"), _text("theme.js") + _text("page.js")
    return environment().get_template("page.html.j2").render(
        report=report,
        run={line(name, 40): line(value, 80) for name, value in report.run.items()},
        views=sorted(views, key=lambda v: not v.row.verdict.surprise),
        surprises=[v for v in views if v.row.verdict.surprise],
        counts={group: sum(v.group == group for v in views) for group in ("surprise", "proved", "refuted", "open")},
        charts=charts,
        family=family(report),
        first=FIRST,
        style=style,
        script=script,
        policy=_policy(style, script),
    )  # fmt: skip


def view(
    i: int, row: Row, report: Report, certificate: str | None = None, figures: tuple[Drawing, ...] = (),
    derivations: tuple[ShownDerivation, ...] = (),
) -> View:  # fmt: skip
    """One row as the template wants it."""
    parts = details(row, report)
    glyph, label = LABELS[row.decision]
    return View(
        id=f"claim-{i}", row=row, group=group(row), glyph=glyph, label=label, parts=parts,
        bracket=bracket(row.verdict), inequality=inequality(row.verdict.claim.guarantee),
        about="".join(f"<p>{prose(part)}</p>" for part in parts.about), certificate=certificate, figures=figures,
        derivations=derivations, search=line(f"{row.target} {row.claim} {label} {row.reason}", 800).lower(),
    )  # fmt: skip


def group(row: Row) -> str:
    """Which of the four counts a row belongs to."""
    if row.verdict.surprise:
        return "surprise"
    if row.decision is Decision.PROVED:
        return "proved"
    return "refuted" if row.decision is Decision.REFUTED else "open"


@cache
def environment() -> Environment:
    """Templates with autoescape on: whatever is not marked safe by `mathml` is text."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(at=at, span=SPAN, width=WIDTH)
    return made


@cache
def _text(name: str) -> str:
    return (files("dpwitness.reports") / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Only this page's own style and script may run; nothing may be fetched but pictures beside the page."""

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; img-src 'self' file: data:; "
        "base-uri 'none'; form-action 'none'"
    )


def render(template: str, **values: Any) -> str:
    """Another template of this package with the same settings."""
    return environment().get_template(template).render(**values)
