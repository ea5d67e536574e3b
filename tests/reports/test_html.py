from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from tests.reports.samples import HOSTILE, hostile, sample, verdicts

from dpwitness.core.verdict import Decision
from dpwitness.reports.bracket import SPAN, at, bracket
from dpwitness.reports.figures.book import Drawing
from dpwitness.reports.html import WIDTH, to_html
from dpwitness.reports.mathml import formula, inequality, prose
from dpwitness.reports.model import Report
from dpwitness.reports.notebook import attach, report_html, verdict_html

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Tags, identifiers and texts of a page; fails on a tag that is closed in the wrong order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.stack):
            self.texts.append(data)

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.tags if t == tag and all(a.get(k.rstrip("_")) == v for k, v in wanted.items())]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def test_the_page_is_whole_and_fetches_nothing() -> None:
    source = to_html(sample())
    page = Page(source)
    assert source.startswith("<!DOCTYPE html>")
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", source)
    assert "http" not in re.sub(r'http-equiv|"http://www.w3.org/[^"]*"', "", source)
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert not any("style" in attributes for _, attributes in page.tags)
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    (policy,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert "default-src 'none'" in (policy["content"] or "")


def test_the_answer_comes_first() -> None:
    bad, good = Page(to_html(sample())), Page(to_html(sample(surprise=False)))
    assert "2 of 8 verdicts are not as expected" in bad.text
    assert "4 of 6 claims decided, all as expected; 2 open" in good.text
    assert bad.text.index("not as expected") < bad.text.index("sparse")
    counts = [
        tuple(re.findall(r"(\d+) (. (?:not as expected|proved|refuted as expected|open))", p.text)) for p in (bad, good)
    ]
    assert [n for n, _ in counts[0]][:4] == ["2", "3", "1", "2"]
    assert [n for n, _ in counts[1]][:4] == ["0", "3", "1", "2"]


def test_surprises_are_the_first_rows() -> None:
    groups = [a["data-group"] for a in Page(to_html(sample())).all("tbody") if "data-group" in a]
    assert groups[:2] == ["surprise", "surprise"]
    assert "surprise" not in groups[2:]


def test_rows_can_be_used_without_a_mouse_or_a_screen() -> None:
    page = Page(to_html(sample()))
    identifiers = [a["id"] for _, a in page.tags if "id" in a]
    assert max(Counter(identifiers).values()) == 1
    folds = [a for a in page.all("button") if "aria-controls" in a]
    assert len(folds) == 8
    assert all(a["aria-controls"] in identifiers and a["aria-expanded"] == "false" for a in folds)
    assert all(a.get("type") == "button" for a in page.all("button"))
    assert all(a.get("aria-label") for a in page.all("svg") if a.get("role") == "img")
    labels = {a["for"] for a in page.all("label")}
    assert {a["id"] for a in page.all("input")} <= labels
    assert page.all("p", role="status")
    assert page.all("html", lang="en")
    assert all("scope" in a for a in page.all("th"))


def test_details_say_everything() -> None:
    page = Page(
        to_html(
            sample(),
            {0: "certificates/x.json"},
            {0: (Drawing("figures/y.svg", "Six bars"),)},
            (Drawing("figures/z.svg", "All brackets"),),
        )
    )
    text = page.text
    for part in (
        "every answer moves by at most 1",
        "one record is added or removed",
        "shift of the noise",
        "dpwitness check certificates/x.json",
        "P[M(x) ∈ S] = 1/2 ≈ 0.5",
        "event S: output = 0",
        "a ratio of 7.38552",
        "e-process, both orders",
        "line 12: too many paths",
        "as doubles the claim is refuted",
        "dpwitness verify",
        "would have seen ε ≥ 0.61",
    ):
        assert part in text, part
    assert page.all("a", href="certificates/x.json")
    assert [a["src"] for a in page.all("img")] == ["figures/y.svg", "figures/z.svg"]
    assert [a["alt"] for a in page.all("img")] == ["Six bars", "All brackets"]


def test_an_empty_report_is_a_page_too() -> None:
    assert "0 of 0 claims decided" in Page(to_html(Report(()))).text


def test_brackets_are_to_scale() -> None:
    found = [bracket(v) for v in verdicts()]
    assert [(b.low, b.high) for b in found if b is not None][:4] == [
        (0.93, 1.0), (float("inf"), None), (0.6, 2 / 3), (0.42, None)
    ]  # fmt: skip
    assert found[4] is not None
    assert found[4].high == 0.5, "zero-concentrated: in units of ρ"
    assert at(1, WIDTH) == WIDTH / SPAN
    assert at(float("inf"), WIDTH) == WIDTH


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_text(text: str) -> None:
    plain, attacked = Page(to_html(hostile("x"))), Page(to_html(hostile(text)))
    assert Counter(t for t, _ in plain.tags if t != "p") == Counter(t for t, _ in attacked.tags if t != "p")
    source = to_html(hostile(text))
    assert len(source.encode("utf-8")) < 150_000
    assert "\x1b" not in source
    assert "49" not in attacked.text.replace("49x", "") or "7 * 7" in attacked.text
    for fragment in (report_html(hostile(text)), verdict_html(hostile(text).rows[0].verdict)):
        shown = Page(fragment)
        assert not shown.all("script")
        assert len(fragment.encode("utf-8")) < 40_000


def test_notebooks_show_reports_and_verdicts() -> None:
    page = Page(sample()._repr_html_())
    assert "2 not as expected" in page.text
    assert page.text.index("refuted, expected proved") < page.text.index("✓ proved")
    attach()
    assert verdicts()[0]._repr_html_() == verdict_html(verdicts()[0])  # type: ignore[attr-defined]
    for verdict in verdicts():
        shown = Page(verdict_html(verdict)).text
        assert verdict.claim.target in shown
        if verdict.decision is Decision.REFUTED:
            assert "counterexample" in shown


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"c_i + \mathrm{Lap}(2/\varepsilon)", ["<msub><mi>c</mi><mi>i</mi></msub>", "Lap", "<mi>ε</mi>"]),
        (r"\frac{1}{2} x^{n+1}", ["<mfrac><mn>1</mn><mn>2</mn></mfrac>", "<msup><mi>x</mi><mrow>"]),
        (r"\sqrt{2}", ["<msqrt><mn>2</mn></msqrt>"]),
        (r"a < b & c", ["&lt;", "&amp;"]),
    ],
)
def test_formulas_become_mathml(latex: str, parts: list[str]) -> None:
    shown = formula(latex)
    Page(shown)
    assert shown.startswith("<math>")
    assert all(part in shown for part in parts)


@pytest.mark.parametrize("latex", [r"\unknown{x}", "{", "}", "x_", r"\frac{1}", "{" * 5000, "<script>"])
def test_what_is_not_understood_is_shown_as_it_was_written(latex: str) -> None:
    shown = formula(latex)
    Page(shown)
    assert "<script>" not in shown


def test_docstrings_and_guarantees_as_mathematics() -> None:
    assert prose("The :math:`x_1` of ``a`` & <b>").count("<math>") == 1
    assert "&amp; &lt;b&gt;" in prose("& <b>")
    for verdict in verdicts():
        Page(inequality(verdict.claim.guarantee))
