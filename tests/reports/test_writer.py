from __future__ import annotations

import json
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from tests.judging import believe
from tests.reports.samples import HOSTILE, RUN, audit, exact, hostile, proof, sample, verdicts

from dpwitness.catalogue import find
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Scope
from dpwitness.core.text import show_data
from dpwitness.core.verdict import Decision
from dpwitness.reports.figures.data import WealthPicture
from dpwitness.reports.jsonin import NamedMechanism, NamedSpace, from_json, named_claim
from dpwitness.reports.jsonout import schema, to_json
from dpwitness.reports.model import Report, Row, clean, line
from dpwitness.reports.origin import reproduce, selector
from dpwitness.reports.terminal import print_report
from dpwitness.reports.writer import write

FILES = {"index.html", "results.json", "junit.xml", "results.sarif", "gitlab-code-quality.json", "table.tex",
         "badge.svg", "badge.json", "dpwitness-manifest.json"}  # fmt: skip
hostile_texts = pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))


def test_everything_is_written(tmp_path: Path) -> None:
    folder = write(sample(), tmp_path / "deep" / "out")
    assert {p.name for p in folder.iterdir()} == FILES | {"certificates", "figures"}
    assert {p.name for p in (folder / "figures").iterdir()} == {"brackets.svg", "brackets.png"}
    document = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema())
    bounds = [v[side] or {} for v in document["verdicts"] for side in ("upper", "lower")]
    named = {bound["certificate"] for bound in bounds if bound.get("certificate")}
    assert named == {f"certificates/{p.name}" for p in (folder / "certificates").iterdir()}
    assert list(tmp_path.glob("**/.out.*")) == []


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (write(sample(), tmp_path / name) for name in ("a", "b"))
    for path in one.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (two / path.relative_to(one)).read_bytes(), path.name


def test_an_old_report_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write(sample(), tmp_path / "out", figures=False)
    write(Report.of(verdicts()[3:4], RUN), tmp_path / "out", figures=False)
    assert list((tmp_path / "out" / "certificates").iterdir()) == []


def test_a_run_that_fails_half_way_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(sample(), tmp_path / "out", figures=False)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def fails(*_: object) -> str:
        raise RuntimeError("half-way")

    monkeypatch.setattr("dpwitness.reports.writer.to_html", fails)
    with pytest.raises(RuntimeError, match="half-way"):
        write(sample(surprise=False), folder, figures=False)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_cannot_be_made_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        write(sample(), tmp_path / "file" / "out")


def test_pictures_are_drawn_beside_the_page_and_told_in_words(tmp_path: Path) -> None:
    wealth = WealthPicture((0, 10, 20), (0.0, 1.0, 9.5), 1e-4)
    folder = write(Report.of(verdicts()[:2], RUN), tmp_path / "out", pictures={1: (wealth,)})
    assert (folder / "figures" / "claim-1-wealth.svg").exists()
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert 'src="figures/claim-1-wealth.svg" alt="Wealth of the audit over 20 pairs' in page
    assert "it reaches the limit 1/α = 10,000 after 20 pairs" in page


@hostile_texts
def test_hostile_text_makes_no_odd_files(text: str, tmp_path: Path) -> None:
    folder = write(hostile(text), tmp_path / "out", figures=False)
    assert {p.name for p in tmp_path.iterdir()} == {"out"}
    assert {p.name for p in folder.iterdir()} == FILES | {"certificates"}
    assert all(p.resolve().is_relative_to(folder) and len(p.name) < 140 for p in folder.rglob("*"))


@hostile_texts
def test_hostile_text_in_the_terminal(text: str) -> None:
    from io import StringIO

    from rich.console import Console

    screen = StringIO()
    print_report(hostile(text), Console(file=screen, width=170, force_terminal=False))
    shown = screen.getvalue()
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert len(shown) < 200_000


def test_clean_removes_what_steers_a_terminal() -> None:
    assert clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07") == "link"
    assert clean("a\x00b\x9bc") == "abc"
    assert clean("ab", 1) == "…"
    assert len(clean("é" * 10_000_000, 50)) == 50
    assert line(" a\n\tb\u2028c ") == "a b c"
    assert show_data(range(20)) == "(0, 1, 2, 3, 4, 5, 6, 7, …)"


def test_the_command_repeats_a_row_at_its_share_of_alpha() -> None:
    report = sample()
    commands = [reproduce(row, report) for row in report.rows]
    assert commands[2].endswith("samples.py::count --alpha 0.000375 --max-pairs 200000 --seed 0")
    assert "samples.py::sparse " in commands[1], "a twin is reached through its parent"
    stored, _ = from_json(to_json(Report((replace_name("it's; rm -rf"),))))
    assert shlex.split(reproduce(stored.rows[0], report))[2] == "it's; rm -rf"


def replace_name(name: str) -> Row:
    """A row whose target has no source and an awkward name."""
    first = verdicts()[0]
    return Row(replace(first, claim=named_claim(NamedMechanism(name), NamedSpace("any", 1), first.claim.guarantee, {})))


def test_a_bound_just_above_the_claim_is_seen_to_be_above_it() -> None:
    claim = verdicts()[0].claim
    close = replace(exact(1), epsilon_lower=Fraction(10003, 10000))
    assert Row(believe(claim, [close])).bracket == "1.0003 ≤ ε"
    assert Row(believe(claim, [audit(0.93456)])).bracket == "0.934 ≤ ε"
    assert Row(believe(claim, [replace(close, epsilon_lower=Fraction(7, 3))])).bracket == "2.333 ≤ ε"


def test_a_bound_for_fewer_queries_names_their_number() -> None:
    claim = verdicts()[0].claim
    fewer = replace(proof(Fraction(1, 2), exact=True), scope=Scope(claim.queries - 1, "all"))
    row = Row(believe(claim, [fewer]))
    assert row.decision is Decision.UNDECIDED
    assert row.bracket == f"ε = 1/2 (N = {claim.queries - 1})"
    assert row.reason.startswith(f"covered: N = {claim.queries - 1} of {claim.queries}, ")


def test_the_command_names_what_the_file_names(tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text(
        "from dpwitness import Answers, BlackBox, PureDP, mechanism\n"
        "def _draw(data, size, rng): return rng.laplace(data[0], 1, size)\n"
        "service = BlackBox('a name', _draw, Answers(size=1), PureDP(1))\n"
        "@mechanism(data=Answers(size=1), claim=lambda eps: PureDP(eps), typical={'eps': 1}, name='another')\n"
        "def program(noise, answers, *, eps): return answers[0] + noise.laplace(1 / eps)\n"
        "@program.twin('half')\n"
        "def _(noise, answers, *, eps): return answers[0] + noise.laplace(1 / (2 * eps))\n"
    )
    service, (program, half) = find([f"{path}::service"])[0], find([f"{path}::program"])
    for target, name in ((service, "service"), (program, "program"), (half, "program")):
        assert selector(believe(target.claims()[0], [])) == f"{path}::{name}"
        assert target.name in {found.name for found in find([f"{path}::{name}"])}
