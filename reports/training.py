"""Audits of training as pictures, JUnit XML and a page: from what `to_json` of their results holds."""

from __future__ import annotations

import html
import io
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite
from dpwitness.core.files import write_whole
from dpwitness.core.text import clean, line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KINDS = (".svg", ".png")


def chart(result: Mapping[str, Any]) -> Figure:
    """The picture that says most: right guesses of one run, looks, or the trade-off plane."""
    from dpwitness.reports.figures import training as figures

    shown = result["figure"]
    title = f"{'refuted' if result['refuted'] else 'not refuted'}: {result['claim'] or 'no claim'}"
    if "right" in shown:
        return figures.guesses_chart(shown["right"], shown["critical"], shown["guesses"], title=title)
    if "looks" in shown:
        return figures.looks_chart(shown["looks"], shown["boundary"], shown["schedule"], title=title)
    return figures.plane_chart(
        shown["staircase"], shown["band"], shown.get("claim"), alpha=result["alpha"], title=title
    )


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Write the picture as SVG or PNG."""
    if path.suffix not in _KINDS:
        raise BadInput(f"{line(path, 200)} must end in {' or '.join(_KINDS)}")
    if path.suffix == ".svg":
        write_whole(path, _svg(result), "figure")
        return
    from dpwitness.reports.figures.style import house_style

    try:
        with house_style():
            chart(result).savefig(path, dpi=160, metadata={"Software": None})
    except OSError as error:
        raise CannotWrite(f"figure={str(path)!r} cannot be written: {error.strerror}") from error


def _svg(result: Mapping[str, Any]) -> str:
    from dpwitness.reports.figures.style import house_style

    out = io.StringIO()
    with house_style():
        chart(result).savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def write_junit(result: Mapping[str, Any], text: str, path: Path, *, name: str) -> None:
    """One test case: it fails where the claim is refuted."""
    failed = "1" if result["refuted"] else "0"
    root = ET.Element("testsuites", {"name": "dpwitness", "tests": "1", "failures": failed, "errors": "0"})
    suite = ET.SubElement(root, "testsuite", {"name": "dpwitness", "tests": "1", "failures": failed, "errors": "0"})
    case = ET.SubElement(
        suite, "testcase", {"classname": f"dpwitness.{line(result['kind'], 40)}", "name": line(name, 200)}
    )
    if result["refuted"]:
        failure = ET.SubElement(case, "failure", {"message": line(result["verdict"], 400)})
        failure.text = clean(text, 8000)
    else:
        ET.SubElement(case, "system-out").text = clean(text, 8000)
    ET.indent(root)
    write_whole(
        path, '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n", "junit"
    )


def write_page(result: Mapping[str, Any], text: str, path: Path) -> None:
    """A page that works from disk: the verdict, the numbers, the picture and its numbers as text."""
    picture = _svg(result)
    picture = picture[picture.index("<svg") :]
    lines = "".join(f"<p>{html.escape(part)}</p>" for part in clean(text, 8000).splitlines())
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(line(what, 200))}</th><td>{share:.3g}</td></tr>"
        for what, share in result["ledger"]
    )
    colour = "#b3261e" if result["refuted"] else "#1b6e3c"
    write_whole(path, f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(line(result["verdict"], 120))}</title> <style>body{{font:16px/1.5
system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}}
h1{{color:{colour};font-size:1.3rem}}svg{{max-width:100%;height:auto;background:#fff}}table{{border-collapse:collapse}}
th,td{{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #ccc;font-weight:400}}</style></head>
<body><main><h1>{html.escape(line(result["verdict"], 400))}</h1>{lines}
<figure>{picture}<figcaption>{html.escape(_caption(result))}</figcaption></figure> <h2>Where α
went</h2><table><tbody>{rows}</tbody></table></main></body></html>
""", "html")  # fmt: skip


def _caption(result: Mapping[str, Any]) -> str:
    shown = result["figure"]
    if "right" in shown:
        return f"{shown['right'][-1]} of {shown['guesses']} guesses were right."
    if "looks" in shown:
        runs, value = shown["looks"][-1]
        last = f"At the last look, {int(runs)} runs a side, the statistic was {value:.2f}"
        return f"{last}; the boundary is {shown['boundary']:.2f}."
    return "The staircase is what the scores show. The true curve passes below the band."
