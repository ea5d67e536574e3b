"""The sample report of the README says what the program says now; ``python docs/sample/make.py`` makes it anew."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.reports.browser import CHROMIUM, REQUIRED

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "docs" / "sample"
README = (ROOT / "README.md").read_text(encoding="utf-8")
STORED: dict[str, Any] = json.loads((SAMPLE / "sample.json").read_text(encoding="utf-8"))
ANEW = "the sample is out of date: run python docs/sample/make.py"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sample", SAMPLE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(make: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("sample") / "report"
    make.report(out)
    return out


def meaning(picture: str) -> str:
    """What a picture says, without digits and events that rest on samples."""
    if "exact" in picture.lower() or ("wealth" not in picture and "runs on each" not in picture):
        return picture
    return re.sub(r"[-\d.,/]+(e[+-]?\d+)?", "#", picture.partition("; shaded")[0])


def test_the_sample_is_current(make: ModuleType, folder: Path) -> None:
    now = make.said(1, folder)
    for old, new in zip(STORED["verdicts"], now["verdicts"], strict=True):
        floor = [row.pop("lower") for row in (dict(old), dict(new))]
        assert {k: v for k, v in old.items() if k != "lower"} == {k: v for k, v in new.items() if k != "lower"}, ANEW
        if old["exact"]:
            assert floor[0] == floor[1], ANEW
        else:
            assert float(floor[0] or 0) == pytest.approx(float(floor[1] or 0), abs=0.15), ANEW
    assert [meaning(p) for p in now["pictures"]] == [meaning(p) for p in STORED["pictures"]], ANEW


def test_a_surprise_is_a_failure_and_comes_first(folder: Path) -> None:
    assert STORED["status"] == 1
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "1 of 5 verdicts is not as expected" in page
    assert page.index('class="target">mean') < page.index('class="target">first-above')


def test_the_readme_shows_the_sample(make: ModuleType, folder: Path) -> None:
    shown = re.findall(r'(?:src="|\]\()docs/sample/([\w-]+)\.png', README)
    assert set(shown) <= {"report", *make.FIGURES}
    assert {"report", "laws", "curve", "wealth"} <= set(shown)
    for name in (*make.FIGURES, "report"):
        assert (SAMPLE / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name
    for source in make.FIGURES.values():
        assert (folder / "figures" / f"{source}.png").exists()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None and not REQUIRED, reason="needs chromium: apt-get install chromium")
def test_the_picture_of_the_page_can_be_made_anew(make: ModuleType, folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "report.png"
    assert make.screenshot(folder / "index.html", place)
    size = [int.from_bytes(path.read_bytes()[16:24], "big") for path in (place, SAMPLE / "report.png")]
    assert size[0] == size[1]
    assert place.stat().st_size > 100_000
