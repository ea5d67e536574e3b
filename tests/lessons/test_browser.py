"""Every page in a real browser: each slider is moved, and each number compared with the library's to 1e-9.

Run with ``pytest -m browser``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lessons.labs import disagreement, labs, places, point
from tests.reports.browser import AXE, CHROMIUM, NO_AXE, REQUIRED, Browser

from dpwitness.lessons import TITLES, load
from dpwitness.lessons.model import Code, Lab, Predict
from dpwitness.lessons.page import write

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium"),
]
MOVE = """((number, place) => {
    const section = document.querySelectorAll('.lab')[number];
    for (const [name, at] of Object.entries(place)) {
        const input = section.querySelector(`[data-slider="${name}"]`);
        input.value = at;
        input.dispatchEvent(new Event('input'));
    }
    const cells = [...section.querySelectorAll('[data-output]')];
    return {
        values: Object.fromEntries(cells.map(c => [c.dataset.output, c.dataset.value])),
        texts: Object.fromEntries(cells.map(c => [c.dataset.output, c.textContent])),
        state: section.querySelector('.state')?.textContent,
        figures: [...section.querySelectorAll('.figures svg[role=img]')].map(s => s.innerHTML),
    };
})"""

CUT = """[...document.querySelectorAll('.screen:not([hidden]) .figures svg[role=img]')].flatMap(svg => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(t => {
        const b = t.getBoundingClientRect();
        return b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
    }).map(t => t.textContent);
})"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("pages")).parent


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser((1600, 900)) as made:
        yield made


def value(text: str) -> Any:
    return {"true": True, "false": False}.get(text) if text in ("true", "false") else float(text)


@pytest.mark.parametrize("name", TITLES)
def test_numbers_on_the_page_are_the_librarys(name: str, browser: Browser, folder: Path) -> None:
    browser.open(folder / f"{name}.html")
    for number, lab in enumerate(labs(load(name))):
        pictures = set()
        for place in places(lab):
            seen = browser.js(f"{MOVE}({number}, {json.dumps(place)})")
            here = point(lab, place)
            values = {key: value(text) for key, text in seen["values"].items()}
            problem = disagreement(lab, values, lab.library(here))
            assert problem is None, f"{lab.title} at {here}: {problem}"
            for output in lab.outputs:
                if output.kind == "verdict":
                    assert seen["texts"][output.name] == ("✓ holds" if values[output.name] else "✗ broken")
            if lab.done:
                assert seen["state"] == ("✓ Done" if values[lab.done] else "Not yet")
            assert all("NaN" not in picture and "Infinity" not in picture for picture in seen["figures"])
            pictures.add("".join(seen["figures"]))
        assert len(pictures) > 1, f"{lab.title}: the figure follows the sliders"
    assert browser.problems() == []


@pytest.mark.parametrize("name", TITLES)
def test_the_whole_lesson_by_keyboard(name: str, browser: Browser, folder: Path) -> None:
    lesson = load(name)
    browser.open(folder / f"{name}.html")
    browser.js("document.activeElement.blur()")
    shown = "document.querySelector('.screen:not([hidden])')"
    for number, step in enumerate(lesson.steps, 1):
        browser.press("PageDown", 34)
        assert browser.js(f"{shown}.id") == f"step-{number}"
        match step:
            case Predict():
                assert browser.js(f"{shown}.querySelector('.why').hidden")
                browser.js(f"{shown}.querySelectorAll('.choice')[{step.answer}].focus()")
                browser.press("Enter", 13)
                assert browser.js(f"{shown}.querySelector('.reply').textContent") == "✓ Right."
                assert not browser.js(f"{shown}.querySelector('.why').hidden")
            case Lab():
                first = f"{shown}.querySelector('input')"
                before = browser.js(f"{first}.value")
                browser.js(f"{first}.focus()")
                for key, code in (("ArrowRight", 39), ("ArrowLeft", 37)):
                    browser.press(key, code)
                    if browser.js(f"{first}.value") != before:
                        break
                assert browser.js(f"{first}.value") != before, "arrows move the slider, not the screen"
                assert browser.js(f"{shown}.id") == f"step-{number}"
                assert browser.js(f"{first}.getAttribute('aria-valuetext')")
            case Code():
                browser.js(f"{shown}.querySelector('.reveal').click()")
                assert browser.js(f"{shown}.querySelector('.printed').getBoundingClientRect().height") > 20
    assert browser.problems() == []


def test_every_screen_fits_a_projector_and_a_telephone(browser: Browser, folder: Path) -> None:
    too_tall = []
    for name in ("index", *TITLES):
        browser.do("Emulation.setDeviceMetricsOverride", width=1600, height=900, deviceScaleFactor=1, mobile=False)
        browser.open(folder / f"{name}.html")
        for i in range(browser.js("document.querySelectorAll('.screen').length")):
            browser.js(f"document.querySelectorAll('.steps a')[{i}].click()")
            browser.js("document.querySelectorAll('.screen:not([hidden]) .reveal').forEach(b => b.click())")
            cut = browser.js(CUT)
            assert cut == [], f"{name}, step {i}: texts of figures are cut off: {cut}"
            tall = browser.js("document.documentElement.scrollHeight")
            if tall > 900:
                too_tall.append(f"{name}, step {i}: {tall}")
        browser.do("Emulation.setDeviceMetricsOverride", width=420, height=900, deviceScaleFactor=1, mobile=False)
        assert browser.js("document.documentElement.scrollWidth") <= 420, name
    browser.do("Emulation.clearDeviceMetricsOverride")
    assert too_tall == []


def test_index_leads_through_the_course(browser: Browser, folder: Path) -> None:
    browser.open(folder / "index.html")
    assert browser.js("document.querySelectorAll('.lessons a').length") == len(TITLES)
    page = browser.js("document.querySelector('.lessons a').getAttribute('href')")
    browser.open(folder / page)
    dots = browser.js("document.querySelectorAll('.steps a').length")
    browser.js(f"document.querySelectorAll('.steps a')[{dots - 1}].click()")
    assert browser.js("document.getElementById('next').textContent") == "Next lesson →"
    assert browser.js("document.documentElement.dataset.after") == f"{list(TITLES)[1]}.html"


def test_erf_and_show_are_those_of_python(browser: Browser, folder: Path) -> None:
    import math

    from dpwitness.lessons.closed import show

    browser.open(folder / "index.html")
    points = [i / 16 for i in range(-96, 97)] + [7.5, 12.25, 20.0, 26.0]
    for name, right in (("erf", math.erf), ("erfc", math.erfc)):
        seen = browser.js(f"{json.dumps(points)}.map(P.{name})")
        for x, got in zip(points, seen, strict=True):
            assert math.isclose(got, right(x), rel_tol=1e-13, abs_tol=1e-300), f"{name}({x})"
    numbers = [0, 1, -1, 0.5, 1 / 3, -2 / 3, 1.68e-5, -4.2e-7, 123456.7, 1.5e9, 999999.99, 0.001, 12.0]
    assert browser.js(f"{json.dumps(numbers)}.map(x => P.show(x))") == [show(x) for x in numbers]


@pytest.mark.skipif(AXE is None and not REQUIRED, reason=NO_AXE)
@pytest.mark.parametrize("name", ["index", *TITLES])
def test_axe_finds_no_barrier(name: str, browser: Browser, folder: Path) -> None:
    browser.open(folder / f"{name}.html")
    kinds = ".lab, .predict, .code, .read, .lessons"
    steps = browser.js(f"""[...document.querySelectorAll('.screen')].map(s => s.matches('{kinds}') ? s.className
        : s.querySelector('{kinds}')?.className)""")
    looked: set[str] = set()
    for kind in steps or ["index"]:  # screens of one kind are made by one template: the first of each is looked at
        if kind not in looked:
            assert browser.barriers() == []
        looked.add(kind)
        browser.press("ArrowRight", 39)
    assert len(looked) >= (1 if name == "index" else 4)
