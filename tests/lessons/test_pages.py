"""The pages as text: self-contained, escaped, linked."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from dpwitness.lessons import TITLES, load
from dpwitness.lessons.markup import inline, plain, to_html, to_markdown
from dpwitness.lessons.page import index_page, lesson_page, write
from dpwitness.lessons.script import Script, Untranslatable


def test_index_links_every_lesson() -> None:
    assert re.findall(r'href="([a-z-]+)\.html"', index_page()) == list(TITLES)


def test_a_page_fetches_nothing_and_is_one_file(tmp_path: Path) -> None:
    place = write(tmp_path, ["definition"])
    text = unescape(place.read_text(encoding="utf-8"))
    assert [p.name for p in tmp_path.iterdir()] == ["definition.html"]
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)=\"(?!#)", text), "a page that stands alone links nothing"
    assert "http://www.w3.org/2000/svg" in text
    assert text.count("http") == text.count("http://www.w3.org/2000/svg") + text.count("http-equiv")


def test_every_step_is_a_screen() -> None:
    lesson = load("sets")
    assert lesson_page(lesson).count('<section class="screen') == len(lesson.steps) + 1


@pytest.mark.parametrize("text", ["a < b & c", "`<script>`", "**<b>**", "x_{<i>}"])
def test_markup_escapes(text: str) -> None:
    assert not re.search(r"<(?!/?(strong|em|code|sub|sup|p)>)", inline(text) + to_html(text))


def test_markup_in_all_forms() -> None:
    assert plain("e^{ε₀} and A^{(k)} and b_{1}") == "e^(ε₀) and A^(k) and b₁"
    assert to_markdown("Text\n\n$ x^{2}\n- one\n- two") == "Text\n\n\n> x<sup>2</sup>\n\n- one\n- two"


def outside(x: float) -> float:
    with open(str(x)) as file:
        return float(file.read())


def test_what_the_small_language_lacks_is_refused() -> None:
    with pytest.raises(Untranslatable, match="With"):
        Script().add(outside)
    with pytest.raises(Untranslatable):
        Script().add(max)
