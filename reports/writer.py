"""Writing a report's files, all or nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from dpwitness.core.errors import BadInput
from dpwitness.reports.jsonout import to_json
from dpwitness.reports.model import Report


def write(report: Report, folder: Path) -> Path:
    """Write ``results.json`` and ``certificates/`` into `folder`.

    Everything is first written beside it and then moved into place, so that a run that stops half-way leaves the old
    report as it was.
    """
    folder = folder.resolve()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise BadInput(f"out={str(folder)!r} cannot be written: {error.strerror}") from error
    try:
        names = _certificates(report, fresh)
        _dump(to_json(report, names), fresh / "results.json")
        folder.mkdir(exist_ok=True)
        for item in sorted(fresh.iterdir()):
            place = folder / item.name
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            os.replace(item, place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _certificates(report: Report, folder: Path) -> dict[int, str]:
    place = folder / "certificates"
    place.mkdir()
    names: dict[int, str] = {}
    for i, row in enumerate(report.rows):
        for bound in (row.verdict.upper, row.verdict.lower):
            certificate = getattr(bound, "certificate", None)
            if certificate is not None:
                stem = re.sub(r"[^A-Za-z0-9._-]+", "--", row.target)[:120]
                names[i] = f"certificates/{stem}.{row.verdict.claim.index}.json"
                _dump(certificate, folder / names[i])
                break
    return names


def _dump(content: object, path: Path) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
