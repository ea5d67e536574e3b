"""The site: its generated pages are current, its links lead somewhere, its tutorial works, and it can be built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.documentation.reference import PAGES, PLACE

from dpwitness.cli import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIAL = DOCS / "tutorial" / "from-a-function-to-a-verdict.md"


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_current(name: str) -> None:
    if name == "command-line.md" and sys.version_info[:2] != (3, 11):
        pytest.skip("other versions of argparse lay help texts out otherwise")
    told = (PLACE / name).read_text(encoding="utf-8")
    assert told == PAGES[name]().rstrip() + "\n", "run `python -m tests.documentation.reference`"


def test_every_field_of_the_results_has_words() -> None:
    rows = re.findall(
        r"^\| `(\S+)` \| .+? \| (.*) \|$", (PLACE / "results.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) > 20
    assert [name for name, words in rows if not words.strip()] == []


def pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), f"{page.name} links to {target}"


def test_every_page_is_in_one_of_the_four_parts() -> None:
    text = re.sub(r"!!python/name:\S+", "x", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    home, *parts = yaml.safe_load(text)["nav"]
    assert [next(iter(part)) for part in parts] == ["Tutorial", "How-to", "Reference", "Explanation"]
    shown = {page for part in parts for entries in part.values() for entry in entries for page in entry.values()}
    assert {*shown, *home.values()} == {str(page.relative_to(DOCS)) for page in pages()}


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [text for tongue, text in fenced if tongue == language]


def test_the_tutorial_tells_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for block in blocks("python"):
        (tmp_path / block.splitlines()[0].removeprefix("# ")).write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = ["--figures", "none", "--max-pairs", "2000"]
    assert main(["verify", "counts.py", *options]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "REFUTED" in told
    for said in ("output x with 1 <= x on (0, 0, 1) → (0, 0, 0)", "look at: no noise is drawn on the right"):
        assert said in told
        assert said in TUTORIAL.read_text(encoding="utf-8")
    assert main(["verify", "counts_repaired.py", *options]) == 0
    assert "PROVED" in capsys.readouterr().out
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_counts.py"]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_site_builds_and_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra [docs] is not installed")
    place = tmp_path / "site"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(place)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert done.returncode == 0, done.stderr
    home = (place / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)""", home)
    assert [address for address in loaded if "canonical" not in address] == []
    shutil.rmtree(place)
