"""One step: the correct trainer is not accused, and seven of eight planted bugs are found without any training."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.trainer import BUGS, Trainer, examples, records

import dpwitness as dpw
from dpwitness.core.errors import BadInput

FOUND = {
    "noise halved": "the noise is 0.49", "noise over batch size": "the noise is 0.0",
    "clipped per batch": "moves the sum by",
    "no noise in the last step": "there is no noise, or",
    "same noise each step": "there is no noise, or it comes again",
    "bias not clipped": "moves the sum by 1.", "copies clipped apart": "moves the sum by 2.00·C",
}  # fmt: skip


def audit(bug: str, **options: object) -> object:
    trainer = Trainer(bug=bug)
    trainer.last = bug == "no noise in the last step"
    return dpw.audit_step(trainer.step, records(60), examples(), noise_multiplier=1.5, reseed=trainer.reseed, **options)


def test_the_correct_trainer_is_not_accused() -> None:
    found = audit("")
    assert not found.refuted
    assert found.fresh
    assert found.sensitivity == pytest.approx(1.0, abs=1e-9)
    assert 0.95 < found.noise < 1.05
    assert "NOT_REFUTED" in found.verdict
    assert found.assumes in found.verdict


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs(bug: str) -> None:
    found = audit(bug)
    if bug == "shuffled":  # no single step differs: batch sizes show it
        assert not found.refuted
        return
    assert found.refuted
    assert any(FOUND[bug] in finding.words for finding in found.findings if not finding.passed), str(found)


def test_sensitivity_is_exact() -> None:
    rng = np.random.default_rng(0)
    step = lambda batch: 3.5 * np.sum(batch, axis=0) + rng.standard_normal(2)  # noqa: E731

    def reseed(seed: int) -> None:
        nonlocal rng
        rng = np.random.default_rng(seed)

    found = dpw.audit_step(step, [np.zeros(2)], [np.array([1.0, 0.0])], noise_multiplier=1, reseed=reseed, search=False)
    assert found.sensitivity == pytest.approx(3.5, abs=1e-12)
    assert "3.50·C" in str(found)


def test_without_reseed_the_line_is_learnt() -> None:
    trainer = Trainer(bug="clipped per batch", rng=np.random.default_rng(3))
    found = dpw.audit_step(trainer.step, records(60), examples(), noise_multiplier=1.5)
    assert found.sensitivity is None
    assert found.refuted


def test_noise_that_depends_on_the_batch_is_noticed() -> None:
    """Noise of each example: with one seed the two calls draw other numbers, and no sensitivity is claimed."""
    trainer = Trainer()

    def step(batch: list) -> np.ndarray:
        rows = trainer.gradients(batch)
        rows = rows / np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True))
        return (rows + 1.5 / np.sqrt(len(rows)) * trainer.rng.standard_normal(rows.shape)).sum(axis=0)

    found = dpw.audit_step(step, records(60), examples(), noise_multiplier=1.5, reseed=trainer.reseed)
    assert found.sensitivity is None
    assert "noise depends on the batch" in str(found)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"noise_multiplier": 0}, "noise_multiplier=0"), ({"clip": -1}, "clip=-1"),
      ({"examples": []}, "examples is empty"),
     ({"runs": 3}, "runs=3"), ({"alpha": 0}, "alpha=0"), ({"batch": 3}, "batch is a int")],
)  # fmt: skip
def test_bad_input(options: dict, words: str) -> None:
    trainer = Trainer()
    given = {"step": trainer.step, "batch": records(5), "examples": examples(), "noise_multiplier": 1.5, **options}
    with pytest.raises(BadInput, match=words):
        dpw.audit_step(reseed=trainer.reseed, **given)


def test_a_small_alpha_needs_the_claim_to_fall_several_times() -> None:
    """A test of a large session has little of α: p-values by simulation are not that small, products of them are."""
    found = audit("noise halved", alpha=1e-7)
    assert found.refuted
    assert found.p_value <= 1e-7 / 2
    assert not audit("", alpha=1e-7, runs=100).refuted
