"""Make the sample report of the README: ``python docs/sample/make.py``, from anywhere.

Writes beside this file ``sample.json`` (what the report says), a few figures, and ``report.png``, a picture of the page
(where chromium is installed). ``--out DIR`` keeps the whole report. A test runs this again and compares the meaning.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGETS = ("first_above", "count", "score", "mean")
# name here: name in the report
FIGURES = {
    "brackets": "brackets",
    "laws": "claim-1-laws",
    "loss": "claim-1-loss",
    "curve": "claim-3-curve",
    "wealth": "claim-4-wealth",
}
SIZE = (1200, 1640)


def report(out: Path) -> dict[str, Any]:
    """Write the report into `out`; returns what it says."""
    from dpwitness.cli import main

    # limits of time, for verdicts and for pictures, would make the sample depend on the machine
    with chdir(ROOT), patch("dpwitness.pictures.SECONDS", 3600.0), patch("dpwitness.pictures.attempts.SECONDS", 3600.0):
        # the page names files relative to where it was made
        words = [f"docs/sample/survey.py::{name}" for name in TARGETS]
        status = main(["verify", *words, "--out", str(out), "--seconds", "3600", "--max-pairs", "20000", "--quiet"])
    return said(status, out)


def said(status: int, out: Path) -> dict[str, Any]:
    """The meaning of a report: verdicts and bounds from its JSON, pictures in words from its page."""
    from html.parser import HTMLParser

    found: list[str] = []

    class Page(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            if tag == "img":
                found.append(f"{given['src']}: {given['alt']}")

    Page().feed((out / "index.html").read_text(encoding="utf-8"))
    stored = json.loads((out / "results.json").read_text(encoding="utf-8"))
    rows = [
        {
            "target": verdict["target"],
            "verdict": verdict["verdict"],
            "expected": verdict["expected"],
            "upper": (verdict["upper"] or {}).get("epsilon"),
            "exact": (verdict["lower"] or {}).get("exact"),
            "lower": (verdict["lower"] or {}).get("epsilon"),
            "reproduce": verdict["reproduce"],
        }
        for verdict in stored["verdicts"]
    ]
    return {"status": status, "verdicts": rows, "pictures": sorted(found)}


def screenshot(page: Path, place: Path) -> bool:
    """A picture of the page in the light theme with its first row unfolded; False where there is no browser."""
    sys.path.insert(0, str(ROOT))
    from tests.reports.browser import CHROMIUM, Browser

    if CHROMIUM is None:
        return False
    with Browser(SIZE) as browser:
        metrics = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False}
        browser.do("Emulation.setDeviceMetricsOverride", **metrics)
        browser.do("Emulation.setScrollbarsHidden", hidden=True)
        browser.open(page)
        browser.js("document.documentElement.dataset.theme === 'light' || document.getElementById('theme').click()")
        browser.js("document.querySelector('.fold').click()")
        browser.js("Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode(); }))")
        browser.screenshot(place, SIZE)
        assert browser.problems() == []
    return True


def main(words: list[str] | None = None) -> int:
    """Make everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", metavar="DIR", help="keep the whole report there")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(options.out or Path(folder) / "report").resolve()
        meaning = report(out)
        (HERE / "sample.json").write_text(json.dumps(meaning, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        for name, source in FIGURES.items():
            shutil.copyfile(out / "figures" / f"{source}.png", HERE / f"{name}.png")
        if not screenshot(out / "index.html", HERE / "report.png"):
            print("no chromium here: report.png is as it was", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
