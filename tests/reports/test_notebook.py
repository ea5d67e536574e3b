"""Verdicts in a notebook: shown where IPython is loaded, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, types
{first}
import dpwitness as dpw

@dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={{"eps": 1}})
def noisy(noise, answers, *, eps):
    return answers[0] + noise.laplace(1 / eps)

verdict = dpw.verify(noisy, budget=dpw.core.budget.Budget(max_pairs=1000))
print(hasattr(verdict, "_repr_html_"), "dpwitness.reports.notebook" in sys.modules)
print(verdict._repr_html_() if hasattr(verdict, "_repr_html_") else "")
"""


def run(first: str) -> list[str]:
    code = PROGRAM.format(first=first).replace(
        "import dpwitness as dpw", "import dpwitness as dpw, dpwitness.core.budget"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_verdict_shows_itself_where_ipython_is_loaded() -> None:
    first, *shown = run("sys.modules['IPython'] = types.ModuleType('IPython')")
    assert first == "True True"
    page = "\n".join(shown)
    assert "<b>noisy</b>" in page
    assert "✓ proved" in page
    assert "<math" in page


def test_elsewhere_nothing_is_loaded_for_it() -> None:
    assert run("")[0] == "False False"
