"""The recipes of docs/ci-recipes.md: they parse, their commands exist, their files are written."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.plugin.projects import run
from tests.reports.samples import sample

from dpwitness.cli import parser
from dpwitness.reports.writer import write

pytest_plugins = ["pytester"]
TEXT = (Path(__file__).parents[2] / "docs" / "ci-recipes.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def commands() -> list[str]:
    """Every shell command of the recipes."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.extend(str(value[k]) for k in ("run", "entry") if isinstance(value.get(k), str))
            found.extend(value.get("script", []))
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for block in blocks("yaml"):
        walk(yaml.safe_load(block))
    return found


def test_every_recipe_parses() -> None:
    github, gitlab, hook = (yaml.safe_load(block) for block in blocks("yaml"))
    steps = github["jobs"]["privacy"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert set(github["permissions"]) == {"contents", "security-events"}
    assert set(gitlab["privacy"]["artifacts"]["reports"]) == {"junit", "codequality"}
    (only,) = hook["repos"][0]["hooks"]
    assert {"id", "name", "entry", "language", "files"} <= set(only)
    assert re.search(only["files"], "src/mechanisms.py")
    assert len(commands()) == 7


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("dpwitness")])
def test_every_command_exists(command: str) -> None:
    options = parser().parse_args(shlex.split(command)[1:])
    assert options.command in ("verify", "prove")


def test_every_option_of_pytest_exists(pytester: pytest.Pytester) -> None:
    known = run(pytester, "--help", inside=True).stdout.str()
    mentioned = set(re.findall(r"--dp-[a-z-]+", TEXT))
    assert len(mentioned) >= 7
    assert all(option in known for option in mentioned)
    ini = configparser.ConfigParser()
    ini.read_string(blocks("ini")[0])
    assert all(re.search(rf"\b{name}\b", known) for name in ini["pytest"])


def test_every_file_that_is_named_is_written(tmp_path: Path) -> None:
    folder = write(sample(), tmp_path / "privacy-report")
    named = set(re.findall(r"privacy-report/([\w./-]+\w)", TEXT)) | {"badge.json", "figures/brackets.svg"}
    assert {"junit.xml", "results.sarif", "gitlab-code-quality.json", "badge.svg", "index.html"} <= named
    assert all((folder / name).exists() for name in named)


def test_the_example_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_release=blocks("python")[0])
    run(pytester).assert_outcomes(passed=1)
