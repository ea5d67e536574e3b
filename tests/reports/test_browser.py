"""The page in a real browser, from disk, with the network off. Run with ``pytest -m browser``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports.browser import AXE, CHROMIUM, NO_AXE, REQUIRED, Browser
from tests.reports.samples import HOSTILE, RUN, hostile, sample, verdicts

from dpwitness.reports.figures.data import OutputLaws
from dpwitness.reports.html import to_html
from dpwitness.reports.model import Report
from dpwitness.reports.writer import write

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None and not REQUIRED, reason="needs chromium: apt-get install chromium"),
]
VISIBLE = "[...document.querySelectorAll('tbody.row')].filter(r => !r.hidden).length"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    laws = OutputLaws(("None", "0"), (0.25, 0.75), (0.5, 0.5), (True, False), "output None", ("(0)", "(1)"), 1.0)
    return write(sample(), tmp_path_factory.mktemp("report") / "out", pictures={1: (laws,)})


@pytest.fixture
def browser(folder: Path) -> Iterator[Browser]:
    with Browser() as made:
        made.open(folder / "index.html")
        yield made


def test_unfold_filter_and_switch_theme(browser: Browser, folder: Path, tmp_path: Path) -> None:
    first = "document.querySelector('.fold')"
    assert browser.js(f"{first}.getAttribute('aria-expanded')") == "false"
    browser.js(f"{first}.focus()")
    browser.press("Enter", 13)
    assert browser.js(f"{first}.getAttribute('aria-expanded')") == "true"
    assert browser.js("document.querySelector('.details').getBoundingClientRect().height") > 50

    assert browser.js(VISIBLE) == 8
    browser.js("document.querySelector('.tile.proved').click()")
    assert browser.js(VISIBLE) == 3
    assert browser.js("document.getElementById('shown').textContent") == "3 of 8 claims"
    browser.js("document.querySelector('.tile.open').click()")
    assert browser.js(VISIBLE) == 5
    for name in ("proved", "open"):
        browser.js(f"document.querySelector('.tile.{name}').click()")
    browser.js("const t = document.getElementById('text'); t.value = 'no-query'; t.dispatchEvent(new Event('input'))")
    assert browser.js(VISIBLE) == 1
    browser.js("t.value = 'nothing like it'; t.dispatchEvent(new Event('input'))")
    assert browser.js("!document.getElementById('nothing').hidden")
    browser.js("t.focus()")
    browser.press("Escape", 27)
    assert browser.js(VISIBLE) == 8

    paper = "getComputedStyle(document.body).backgroundColor"
    before = browser.js(paper)
    browser.js("document.getElementById('theme').click()")
    assert browser.js(paper) != before
    browser.screenshot(tmp_path / "dark.png")
    assert (tmp_path / "dark.png").stat().st_size > 20_000
    browser.open(folder / "index.html")
    assert browser.js(paper) != before, "the choice is remembered"
    browser.js("document.getElementById('unfold').click()")
    browser.js("Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode(); }))")
    assert browser.js("[...document.images].map(i => i.naturalWidth > 0 && i.alt.length > 20)") == [True] * 3
    assert browser.problems() == []


def test_a_link_to_a_claim_unfolds_it(browser: Browser, folder: Path) -> None:
    browser.js("document.querySelector('.surprises a').click()")
    browser.js("new Promise(done => setTimeout(done, 50))")
    assert browser.js("document.querySelector(location.hash + ' .fold').getAttribute('aria-expanded')") == "true"
    assert browser.js("document.activeElement === document.querySelector(location.hash + ' .fold')")
    assert browser.problems() == []


def test_nothing_is_wider_than_a_telephone(folder: Path) -> None:
    with Browser((420, 900)) as browser:
        browser.do("Emulation.setDeviceMetricsOverride", width=420, height=900, deviceScaleFactor=1, mobile=False)
        browser.open(folder / "index.html")
        browser.js("document.getElementById('unfold').click()")
        assert browser.js("document.documentElement.scrollWidth") <= 420
        assert browser.problems() == []


def test_rows_of_a_long_report_are_drawn_when_they_are_needed(tmp_path: Path) -> None:
    base = verdicts(surprise=False)
    many = [replace(base[i % 6], claim=replace(base[i % 6].claim, index=i)) for i in range(5000)]
    page = tmp_path / "index.html"
    page.write_text(to_html(Report.of(many, RUN)), encoding="utf-8")
    with Browser() as browser:
        browser.open(page)
        browser.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        spent = browser.js("performance.timing.loadEventEnd - performance.timing.navigationStart")
        print(f"5000 claims: opened in {spent} ms")
        drawn = browser.js(VISIBLE)
        assert 100 <= drawn <= 300
        assert browser.js("document.getElementById('shown').textContent").startswith("5000 of 5000 claims, the first ")
        browser.js("document.getElementById('more').click()")
        assert browser.js(VISIBLE) >= drawn + 100
        assert browser.js("document.activeElement.className") == "fold", "the keyboard goes on where the rows go on"
        # a search looks at all rows, and a link draws a row that was not there
        browser.js(
            "const t = document.getElementById('text'); t.value = 'no-query'; t.dispatchEvent(new Event('input'))"
        )
        assert browser.js("document.getElementById('shown').textContent").startswith("834 of 5000 claims")
        browser.js("t.value = ''; t.dispatchEvent(new Event('input')); location.hash = '#claim-4321'")
        browser.js("new Promise(done => setTimeout(done, 100))")
        assert browser.js("document.activeElement === document.querySelector('#claim-4321 .fold')")
        assert browser.js("document.querySelector('#claim-4321 .details').getBoundingClientRect().height") > 50
        assert browser.problems() == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_runs_nothing(text: str, tmp_path: Path) -> None:
    place = write(hostile(text), tmp_path / "out", figures=False)
    with Browser() as browser:
        browser.open(place / "index.html")
        browser.js("document.getElementById('unfold').click()")
        assert browser.js("document.scripts.length") == 1
        assert browser.problems() == []
        assert not [e for e in browser.events if e.get("method") == "Page.javascriptDialogOpening"]


@pytest.mark.skipif(AXE is None and not REQUIRED, reason=NO_AXE)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_barrier(browser: Browser, theme: str) -> None:
    browser.js(f"document.documentElement.dataset.theme === '{theme}' || document.getElementById('theme').click()")
    browser.js("document.getElementById('unfold').click()")
    assert browser.barriers() == []
