"""The message of a failing check: a counterexample that a colleague can run."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness.core.evidence import LowerBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.plugin.options import Settings
from dpwitness.plugin.records import command
from dpwitness.plugin.sharing import Share
from dpwitness.reports.details import counterexample_lines
from dpwitness.reports.model import Row, clean, line

if TYPE_CHECKING:
    from dpwitness.plugin.weighing import Question

_MOST_DATA = 400


def failure(verdict: Verdict, question: Question, item: Any, settings: Settings, share: Share) -> str:
    """What is wrong, on which inputs, for which event, how sure, and how to run it again."""
    row = Row(verdict)
    again = command(item.nodeid, share.alpha, settings)
    if verdict.decision is Decision.UNDECIDED:
        reasons = [f"  {line(s.method, 60)}: {line(s.reason, 400)}" for s in verdict.silent]
        return "\n".join([f"{row.target}: nothing can be said about {row.claim}", *reasons, f"again: {again}"])
    head = {
        Decision.REFUTED: f"{row.target} is not private as claimed ({row.claim}): {_how_bad(verdict)}",
        Decision.CONTRADICTION: f"{row.target}: a proof and a counterexample of {row.claim} contradict each other; "
        "one of the two is wrong, and that is a bug of dpwitness: please report it",
    }[verdict.decision]
    lines = [head, *(f"  {part}" for part in counterexample_lines(verdict)), "run the test again:", f"  {again}"]
    if isinstance(verdict.lower, LowerBound) and question.pairs is not None:
        script = snippet(verdict, question, item)
        lines += ["or the audit alone:", *(f"  {part}" for part in script)] if script else []
    return clean("\n".join(lines), 8000)


def _how_bad(verdict: Verdict) -> str:
    lower = verdict.lower
    bound = lower.epsilon if isinstance(lower, LowerBound) else getattr(lower, "epsilon_lower", None)
    pair = epsilon_delta(verdict.claim.guarantee)
    if bound is None:
        return "the loss is infinite"
    if pair is not None and float(bound) <= float(pair[0]) * 1.001:
        return "the loss is larger"
    return f"ε is at least {int(float(bound) * 1000) / 1000:g}"


def snippet(verdict: Verdict, question: Question, item: Any) -> list[str]:
    """Lines of Python that repeat the audit outside pytest; empty where the function cannot be imported."""
    lower, pair = verdict.lower, epsilon_delta(verdict.claim.guarantee)
    found = _import(question.target, item.config.rootpath)
    if not isinstance(lower, LowerBound) or pair is None or found is None or question.sampler is not question.target:
        return []
    inputs = [repr(x) for x in (question.pairs or [(None, None)])[0]]
    if question.pairs is None or len(question.pairs) != 1 or max(map(len, inputs)) > _MOST_DATA:
        return []
    load, name = found
    arguments = (
        f"epsilon={float(pair[0])!r}, delta={float(pair[1])!r}, alpha={question.alpha!r}, "
        f"max_pairs={question.max_pairs}, seed={question.seed}, numerics={question.numerics!r}"
    )
    return [load, "import dpwitness as dpw", f"print(dpw.audit({name}, {', '.join(inputs)}, {arguments}))"]


def _import(function: Any, root: Path) -> tuple[str, str] | None:
    """A line that loads the function, and its name; None for lambdas and functions inside functions."""
    name = getattr(function, "__qualname__", "")
    if not inspect.isfunction(function) or not name.isidentifier():
        return None
    module = sys.modules.get(function.__module__)
    file = Path(function.__code__.co_filename)
    if module is not None and getattr(module, "__spec__", None) is not None and not file.is_relative_to(root):
        return f"from {function.__module__} import {name}", name
    shown = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
    return f"import runpy; {name} = runpy.run_path({shown!r})[{name!r}]", name
