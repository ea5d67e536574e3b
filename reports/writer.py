"""Writing a report's files, all or nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpwitness.core.failures import CannotWrite, why
from dpwitness.reports.badge import to_badge, to_badge_json
from dpwitness.reports.derivations import Derivations
from dpwitness.reports.figures.book import Drawing, Pictures, draw
from dpwitness.reports.folder import fill, opened
from dpwitness.reports.github import annotation_lines, step_summary
from dpwitness.reports.gitlab import to_gitlab
from dpwitness.reports.html import to_html
from dpwitness.reports.jsonout import to_json
from dpwitness.reports.junit import to_junit
from dpwitness.reports.latex import to_latex
from dpwitness.reports.model import Report, Row
from dpwitness.reports.sarif import to_sarif


def write(
    report: Report,
    folder: Path,
    *,
    figures: bool = True,
    pictures: Pictures | None = None,
    progress: Callable[[Row], None] = lambda row: None,
    force: bool = False,
    derivations: Derivations | None = None,
) -> Path:
    """Write every rendering into `folder`, and tell GitHub where it runs the program.

    `pictures` holds what the figures of a row are drawn from, by the row's number; `progress` is told of every row once
    its figures are drawn. `derivations` holds what unfolds below the proof of a row.

    ``index.html``, ``results.json``, ``junit.xml``, ``results.sarif``, ``gitlab-code-quality.json``, ``table.tex``,
    ``badge.svg``, ``badge.json``, ``certificates/`` and ``figures/``. Everything is first written apart and then moved
    into place, so that a run that stops half-way leaves the old report as it was. Files that this program did not
    write stay (`dpwitness.reports.folder`, which also says what `force` means).
    """
    with opened(folder, force=force) as place:
        made = (pictures or {}) if figures else None
        fill(place, lambda fresh: _fill(report, fresh, made, progress, derivations or {}), force=force)
    tell_github(report, os.environ)
    return place


def _fill(
    report: Report, folder: Path, pictures: Pictures | None, progress: Callable[[Row], None], derivations: Derivations
) -> None:
    names = _certificates(report, folder)
    charts: tuple[Drawing, ...] = ()
    drawings: Mapping[int, tuple[Drawing, ...]] = {}
    if pictures is not None and report.rows:
        charts, drawings = draw(report, folder, pictures, progress)
    _dump(to_json(report, names), folder / "results.json")
    _dump(to_sarif(report), folder / "results.sarif")
    _dump(to_gitlab(report), folder / "gitlab-code-quality.json")
    _dump(to_badge_json(report), folder / "badge.json")
    _put(to_badge(report), folder / "badge.svg")
    _put(to_junit(report), folder / "junit.xml")
    _put(to_latex(report), folder / "table.tex")
    _put(to_html(report, names, drawings, charts, derivations), folder / "index.html")


def tell_github(report: Report, environment: Mapping[str, str]) -> None:
    """Append to the step's summary and print annotations, where the environment says that GitHub runs us."""
    place = environment.get("GITHUB_STEP_SUMMARY")
    if place:
        try:
            with Path(place).open("a", encoding="utf-8") as file:
                file.write(step_summary(report))
        except OSError as error:
            raise CannotWrite(f"GITHUB_STEP_SUMMARY={place!r} cannot be written: {why(error)}") from error
    if environment.get("GITHUB_ACTIONS") == "true":
        for command in annotation_lines(report):
            print(command)


def _certificates(report: Report, folder: Path) -> dict[int, str]:
    place = folder / "certificates"
    place.mkdir()
    names: dict[int, str] = {}
    taken: set[str] = set()
    for i, row in enumerate(report.rows):
        for bound in (row.verdict.upper, row.verdict.lower):
            certificate = getattr(bound, "certificate", None)
            if certificate is not None:
                stem = re.sub(r"[^A-Za-z0-9._-]+", "--", row.target)[:120].lstrip(".") or "claim"
                names[i] = _unused(f"certificates/{stem}.{row.verdict.claim.index}", taken)
                _dump(certificate, folder / names[i], ascii_only=True)
                break
    return names


def _unused(stem: str, taken: set[str]) -> str:
    """A file name that no other row has, whatever the case of the file system."""
    tries = (f"{stem}{f'-{k}' if k else ''}.json" for k in range(len(taken) + 2))
    name = next(name for name in tries if name.lower() not in taken)
    taken.add(name.lower())
    return name


def _dump(content: Any, path: Path, *, ascii_only: bool = False) -> None:
    _put(json.dumps(content, indent=1, ensure_ascii=ascii_only) + "\n", path)


def _put(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
