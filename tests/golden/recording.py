"""Evidence of sixty claims of the catalogue and of twelve samplers, as text that must not change by itself.

Run ``python -m tests.golden.recording`` to write the file anew after a change that is meant to change evidence, and say
in the change why it does. Times are left out; everything else is kept as it was printed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness import audit
from dpwitness.batch import tasks
from dpwitness.core.budget import Budget
from dpwitness.reports.jsonout import verdict_json
from dpwitness.reports.model import Report, Row
from dpwitness.routes import decide

FILE = Path(__file__).with_name("evidence.json")
PAIRS = 20_000
CLOCKED = ("seconds", "silent", "unsupported")
Sampler = Callable[[Any, int, np.random.Generator], Any]


def claim_names() -> list[str]:
    """Sixty claims, spread evenly over the catalogue."""
    everything = [f"{task.target}#{task.index}" for task, _ in tasks([], {})]
    return [everything[i * len(everything) // 60] for i in range(60)]


def record_claim(name: str) -> dict[str, Any]:
    """The verdict on a claim, by both routes, without its times."""
    target, _, index = name.rpartition("#")
    claim = next(claim for task, claim in tasks([target], {}) if task.target == target and task.index == int(index))
    verdict = decide(claim, Budget(max_pairs=PAIRS, seconds=600.0))
    row = Row(verdict)
    certificates = [getattr(bound, "certificate", None) for bound in (verdict.upper, verdict.lower)]
    found: dict[str, Any] = without_times({**verdict_json(row, Report((row,), {})), "certificates": certificates})
    return without_sums(found)


def without_times(value: Any) -> Any:
    """The same without what a clock measured, or decided: which other provers had the time to say why they cannot."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in CLOCKED}
    return [without_times(item) for item in value] if isinstance(value, list | tuple) else value


def without_sums(value: Any) -> Any:
    """The same where of findings about doubles only the decision is kept: since Python 3.12 `sum` rounds otherwise."""
    if isinstance(value, dict):
        return {
            key: item["refuted"] if key == "doubles" and isinstance(item, dict) else without_sums(item)
            for key, item in value.items()
        }
    return [without_sums(item) for item in value] if isinstance(value, list | tuple) else value


def rounded(value: Any) -> Any:
    """The same with floats of nine digits: on another processor numerical libraries round the last ones otherwise."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def shorten(value: Any) -> dict[str, str]:
    """What is stored: the decision for people, and a digest of everything."""
    text = json.dumps(rounded(value), sort_keys=True, default=str)
    return {
        "digest": hashlib.sha256(text.encode()).hexdigest()[:24],
        "decision": str(value.get("verdict", value.get("refuted"))),
    }


def _vector(data: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return np.asarray(data) + rng.laplace(0, 1, (size, 3))


def _texts(data: Any, size: int, rng: np.random.Generator) -> list[str]:
    return ["yes" if draw < data else "no" for draw in rng.random(size)]


def _lists(data: Any, size: int, rng: np.random.Generator) -> list[list[float]]:
    return [list(rng.laplace(data, 1, 1 + int(rng.integers(3)))) for _ in range(size)]


def _mixed(data: Any, size: int, rng: np.random.Generator) -> list[Any]:
    return [None if draw < 0.2 else (draw > 0.5, data + rng.laplace()) for draw in rng.random(size)]


SAMPLERS: dict[str, tuple[Sampler, Any, Any, float, float]] = {
    "laplace": (lambda data, size, rng: data + rng.laplace(0, 1, size), 0, 1, 1.0, 0.0),
    "laplace-half": (lambda data, size, rng: data + rng.laplace(0, 0.5, size), 0, 1, 1.0, 0.0),
    "gaussian": (lambda data, size, rng: data + rng.normal(0, 3.8, size), 0, 1, 1.0, 1e-5),
    "gaussian-low": (lambda data, size, rng: data + rng.normal(0, 1, size), 0, 1, 0.5, 1e-5),
    "response": (lambda data, size, rng: (rng.random(size) < 0.25) ^ data, 0, 1, 1.1, 0.0),
    "geometric": (lambda data, size, rng: data + rng.geometric(0.5, size) - rng.geometric(0.5, size), 0, 1, 0.5, 0.0),
    "vector": (_vector, [0, 0, 0], [1, 1, 1], 2.0, 0.0),
    "texts": (_texts, 0.3, 0.6, 1.0, 0.0),
    "lists": (_lists, 0.0, 1.0, 3.0, 0.0),
    "mixed": (_mixed, 0.0, 1.0, 0.5, 0.0),
    "rounded": (lambda data, size, rng: np.round(data + rng.laplace(0, 1, size), 1), 0, 1, 1.0, 0.0),
    "scale": (lambda data, size, rng: rng.laplace(0, 1 + data, size), 0, 1, 0.3, 0.0),
}


def record_sampler(name: str) -> dict[str, Any]:
    """The audit of a sampler, without its times."""
    sampler, left, right, eps, delta = SAMPLERS[name]
    found = audit(sampler, left, right, epsilon=eps, delta=delta, max_pairs=PAIRS, seed=7)
    kept = {key: value for key, value in vars(found).items() if key not in ("seconds", "details")}
    details = without_times({**found.details})
    return {**without_times(kept), "details": details}


def record() -> dict[str, dict[str, str]]:
    """Everything, as it is stored."""
    found = {f"claim {name}": shorten(record_claim(name)) for name in claim_names()}
    return found | {f"sampler {name}": shorten(record_sampler(name)) for name in SAMPLERS}


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
