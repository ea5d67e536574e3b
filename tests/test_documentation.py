"""What the documents say is true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dpwitness import __version__
from dpwitness.catalogue import find
from dpwitness.cli import main, parser
from dpwitness.reports.numerics import SETTINGS, summarise

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def code_blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_researchers_file_in_contributing_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = code_blocks("CONTRIBUTING.md", "python")
    assert len(source.strip().splitlines()) <= 16
    path = tmp_path / "my.py"
    path.write_text(source)
    status = main(["verify", f"{path}::my_mechanism", "--out", str(tmp_path / "out"), "--max-pairs", "20000"])
    assert status == 0
    assert "PROVED" in capsys.readouterr().out


def test_the_two_commands_of_the_readme_are_there() -> None:
    assert "python -m pip install . && dpwitness verify" in README
    assert "python -m pip install '.[test]' && pytest" in README


def test_the_first_screen_names_claims_of_the_catalogue() -> None:
    """The whole run takes minutes; this sees that its rows speak of what there is."""
    (screen,) = re.findall(r"<!-- first-screen -->\n```\n(.*?)```", README, flags=re.DOTALL)
    known = {(claim.target, claim.describe()) for target in find([]) for claim in target.claims()}
    parent, seen = "", 0
    for row in re.findall(r"^( *)(\S+) {2,}(.+?) {2,}.* {2,}[A-Z_]+ {2,}", screen, flags=re.MULTILINE):
        indent, name, claim = row
        parent = parent if indent else name
        assert (f"{parent}{name}" if indent else name, claim) in known, row
        seen += 1
    assert seen >= 5
    assert re.search(r"\d+ proved · \d+ refuted as expected · \d+ not refuted · \d+ undecided · 0 surprises", screen)


def test_the_first_screen_says_which_numbers_decide_and_warns_of_doubles_once() -> None:
    (screen,) = re.findall(r"<!-- first-screen -->\n```\n(.*?)```", README, flags=re.DOTALL)
    claims = sum(len(target.claims()) for target in find([]))
    assert screen.startswith(
        f"dpwitness {__version__} · {claims} claims · family-wise α 0.001 · seed 0 · {SETTINGS['ideal']}\n"
    )
    warning = " ".join(screen[screen.index("warning:") :].split())
    count, total, several, first = re.findall(
        r"^warning: as doubles (\d+) of (\d+) claims are refuted, of (\d+) targets such as (\S+):", warning
    )[0]
    assert int(total) == claims
    assert warning.startswith(
        f"warning: {_summary(int(count), claims, int(several), first)} (--numerics doubles decides)"
    )
    assert "warning:" not in warning[1:].partition("report:")[0]


def _summary(count: int, claims: int, several: int, first: str) -> str:
    names = [first, *(f"other-{i}" for i in range(1, several))]
    return summarise([*names, *[first] * (count - several)], claims)


def test_every_command_of_the_readme_exists() -> None:
    commands = re.findall(r"^dpwitness [a-z].*?(?=  #|$)", README, flags=re.MULTILINE)
    assert len(commands) >= 7
    for command in commands:
        parser().parse_args(shlex.split(command)[1:])


def test_every_file_that_the_readme_names_is_there() -> None:
    for name in re.findall(r'(?:\]\(|src=")([\w./-]+)', README):
        assert (ROOT / name).exists(), name


def test_the_mechanism_of_the_readme_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = (block for block in code_blocks("README.md", "python") if "# mine.py" in block)
    (tmp_path / "mine.py").write_text(source)
    status = main(["prove", f"{tmp_path / 'mine.py'}::my_svt", "--out", str(tmp_path / "out"), "--figures", "none"])
    assert status == 0
    assert "any N" in capsys.readouterr().out
