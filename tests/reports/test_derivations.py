"""What a page shows of a derivation, and of the reference intervals of a run."""

from __future__ import annotations

from functools import cache

from matplotlib.backends.backend_agg import FigureCanvasAgg

import dpwitness as dpw
from dpwitness.core.budget import Budget
from dpwitness.pictures.derivations import of_report
from dpwitness.reports.derivations import ShownDerivation, ShownStep
from dpwitness.reports.figures.forest import forest_chart
from dpwitness.reports.html import to_html
from dpwitness.reports.mathml import formula
from dpwitness.reports.model import Report, Row
from dpwitness.reports.references import family


@dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
def noisy(noise, answers, *, eps):  # type: ignore[no-untyped-def]
    return answers[0] + noise.laplace(1 / eps)


@dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
def too_little(noise, answers, *, eps):  # type: ignore[no-untyped-def]
    return answers[0] + noise.laplace(1 / (3 * eps))


@cache
def made() -> Report:
    verdicts = [dpw.verify(m, budget=Budget(max_pairs=4000), eps=1) for m in (noisy, too_little)]
    return Report(tuple(map(Row, verdicts)), {"seed": "0"})


def test_the_page() -> None:
    report = made()
    laws = of_report(report)
    assert 0 in laws
    page = to_html(report, derivations=laws)
    part = page.partition('<section class="derivation">')[2].partition("</section>")[0]
    assert "Derivation of Laplace noise, for all b &gt; 0" in part
    assert "<mfrac><mi>Δ</mi><mi>b</mi></mfrac>" in part
    assert "<code>" not in part  # every formula is one that the page can show
    assert "(certified)" in part
    assert "reference, no part of α" in page


def test_text_in_a_step_is_text() -> None:
    step = ShownStep("<b>bold</b>", "", "<script>", ("<i>",), "not certified")
    page = to_html(made(), derivations={0: (ShownDerivation("x", ("y",), (step,)),)})
    assert "<b>bold</b>" not in page
    assert "&lt;script&gt; (not certified)" in page


def test_the_family() -> None:
    known = family(made())
    assert all(one.holm >= one.benjamini >= (one.reference.p_value or 0) for one in known)
    made_chart = forest_chart(known)
    FigureCanvasAgg(made_chart).draw()
    (legend,) = made_chart.legends
    for drawn in (legend, *made_chart.axes[0].get_yticklabels()):  # nothing is cut off at the edge
        box = drawn.get_window_extent()
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= made_chart.bbox.width
    assert legend.get_window_extent().y1 <= made_chart.axes[0].xaxis.label.get_window_extent().y0


def test_formulas_of_derivations() -> None:
    assert formula(r"\left(\nu + 1\right)") == (
        "<math><mrow><mo>(</mo><mi>ν</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow></math>"
    )
    assert "<msqrt>" in formula(r"\operatorname{asinh}{\left(\frac{\Delta}{2 \sqrt{\nu}} \right)}")
