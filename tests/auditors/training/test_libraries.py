"""Steps of real libraries, right and with planted bugs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dpwitness as dpw
from dpwitness.auditors.training.adapters import KeyedStep, example_gradients, opacus_step

pytestmark = pytest.mark.training
SIGMA = 1.5


def data(torch: Any, size: int = 30) -> tuple[Any, Any]:
    made = torch.Generator().manual_seed(5)
    return torch.randn(size, 6, generator=made), torch.randint(0, 2, (size,), generator=made)


def examples(torch: Any) -> list[Any]:
    return [(np.full(6, 4.0, dtype=np.float32), 1), (np.eye(6, dtype=np.float32)[0] * 30, 0)]


def two_layers(torch: Any) -> Any:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))


def plain_step(torch: Any, bug: str) -> Any:
    """Clip, sum, noise by hand."""
    gradients = example_gradients(two_layers(torch), torch.nn.functional.cross_entropy)

    def step(batch: Any) -> list[Any]:
        rows = list(gradients(*batch).values())
        measured = [g for g in rows if g.ndim > 2] if bug == "bias not clipped" else rows
        norms = torch.sqrt(sum((g.flatten(1) ** 2).sum(1) for g in measured))
        factor = (1 / norms.clamp(min=1e-12)).clamp(max=1.0)
        if bug == "clipped per batch":
            total = [g.mean(0) for g in rows]
            norm = torch.sqrt(sum((g**2).sum() for g in total))
            sums = [len(norms) * g * min(1.0, 1 / float(norm)) for g in total]
        else:
            sums = [
                (g * (factor.reshape(-1, *[1] * (g.ndim - 1)) if any(g is m for m in measured) else 1)).sum(0)
                for g in rows
            ]
        scale = SIGMA * (0.5 if bug == "noise halved" else 1 / len(norms) if bug == "noise over batch size" else 1.0)
        if bug == "same noise each step":
            torch.manual_seed(7)
        return [s + scale * torch.randn_like(s) for s in sums]

    return step


@pytest.mark.parametrize(
    "bug",
    ["", "noise halved", "noise over batch size", "clipped per batch", "same noise each step", "bias not clipped"],
)
def test_plain_torch(bug: str) -> None:
    torch = pytest.importorskip("torch")
    found = dpw.audit_step(plain_step(torch, bug), data(torch), examples(torch), noise_multiplier=SIGMA,
                           reseed=torch.manual_seed)  # fmt: skip
    assert found.refuted == bool(bug), str(found)
    if not bug:
        assert found.sensitivity == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("bug", ["", "noise halved", "clipping off"])
def test_opacus(bug: str) -> None:
    torch = pytest.importorskip("torch")
    opacus = pytest.importorskip("opacus")
    x, y = data(torch)
    model = two_layers(torch)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=10)
    clip = 1.0 if bug != "clipping off" else 50.0
    private, optimizer, _ = opacus.PrivacyEngine().make_private(
        module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), data_loader=loader, max_grad_norm=clip,
        noise_multiplier=(0.5 if bug == "noise halved" else 1.0) * SIGMA / clip,
    )  # fmt: skip
    step = opacus_step(private, optimizer, torch.nn.functional.cross_entropy)
    found = dpw.audit_step(step, (x, y), examples(torch), noise_multiplier=SIGMA, reseed=torch.manual_seed)
    assert found.refuted == bool(bug), str(found)


@pytest.mark.parametrize("bug", ["", "noise halved", "clipping off", "same noise each step"])
def test_jax_privacy(bug: str) -> None:
    """A step as its documentation writes it: clipped gradients, summed, and a privatizer that adds noise."""
    jax = pytest.importorskip("jax")
    library = pytest.importorskip("jax_privacy")

    def loss(weights: Any, x: Any, y: Any) -> Any:
        return jax.numpy.mean(jax.numpy.logaddexp(0.0, -(2 * y - 1) * (x @ weights["w"] + weights["b"])))

    weights = {"w": jax.numpy.linspace(-1.0, 1.0, 6), "b": jax.numpy.zeros(())}
    clip = 50.0 if bug == "clipping off" else 1.0
    gradients = library.clipped_grad(loss, l2_clip_norm=clip, batch_argnums=(1, 2))

    def noisy_sum(key: Any, batch: Any) -> Any:
        stddev = SIGMA * (0.5 if bug == "noise halved" else 1.0)
        key = jax.random.key(7) if bug == "same noise each step" else key
        privatizer = library.noise_addition.gaussian_privatizer(stddev=stddev, prng_key=key)
        sums = gradients(weights, *map(jax.numpy.asarray, batch))
        return privatizer.update(sums, privatizer.init(weights))[0]

    rng = np.random.default_rng(5)
    batch = (rng.standard_normal((30, 6)).astype(np.float32), rng.integers(0, 2, 30))
    step = KeyedStep(noisy_sum, jax.random.key, jax.random.split)
    found = dpw.audit_step(step, batch, examples(None), noise_multiplier=SIGMA, reseed=step.reseed)
    assert found.refuted == bool(bug), str(found)
    if not bug:
        assert found.sensitivity == pytest.approx(1.0, abs=1e-3)
