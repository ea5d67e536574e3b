"""A badge for a README: a small picture, and the same as data for badge services."""

from __future__ import annotations

from typing import Any

from dpwitness.core.verdict import Decision
from dpwitness.reports.model import Report

LABEL = "privacy"
_COLOURS = {"bad": ("#b3261e", "red"), "open": ("#5a6472", "lightgrey"), "good": ("#00795f", "brightgreen")}
_LETTER = 6.6
_PAD = 10


def badge_text(report: Report) -> tuple[str, str]:
    """What the badge says, and how it looks: ``bad``, ``open`` or ``good``."""
    if report.surprises:
        return f"{len(report.surprises)} not as expected", "bad"
    proved, refuted = report.count(Decision.PROVED), report.count(Decision.REFUTED)
    parts = [f"{proved} proved"] if proved else []
    parts += [f"{refuted} refuted as expected"] if refuted else []
    parts += [f"{len(report.open)} open"] if report.open else []
    return ", ".join(parts) or "no claims", "good" if proved else "open"


def to_badge(report: Report) -> str:
    """The badge as SVG."""
    text, look = badge_text(report)
    colour = _COLOURS[look][0]
    left, right = (round(len(part) * _LETTER + 2 * _PAD) for part in (LABEL, text))
    font = 'font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" fill="#fff" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{LABEL}: {text}"><title>{LABEL}: {text}</title>'
        f'<rect width="{left + right}" height="20" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{left - 3}v20h-{left - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#3c4350"/>'
        f'<g {font}><text x="{left / 2}" y="14" textLength="{left - 2 * _PAD}">{LABEL}</text>'
        f'<text x="{left + right / 2}" y="14" textLength="{right - 2 * _PAD}">{text}</text></g></svg>\n'
    )


def to_badge_json(report: Report) -> dict[str, Any]:
    """The badge in the form that badge services fetch."""
    text, look = badge_text(report)
    return {"schemaVersion": 1, "label": LABEL, "message": text, "color": _COLOURS[look][1]}
