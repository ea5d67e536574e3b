"""Training steps of other libraries as functions of a batch. Nothing here imports a library before it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dpwitness.core.errors import BadInput


def opacus_step(model: Any, optimizer: Any, loss: Callable[[Any, Any], Any]) -> Callable[[tuple[Any, Any]], list[Any]]:
    """The noisy sum of an Opacus optimizer, as `audit_step` wants it.

    Parameters
    ----------
    model, optimizer
        What ``PrivacyEngine.make_private`` returned. The weights are not moved.
    loss
        ``loss(model(x), y)``, as in the training loop.

    Returns
    -------
    step
        ``step((x, y))`` for a batch of tensors: zero_grad, forward, backward, clip and add noise; then the sums, which
        are the gradients times the expected batch size where the optimizer divided by it.
    """
    for name in ("pre_step", "expected_batch_size", "loss_reduction"):
        if not hasattr(optimizer, name):
            raise BadInput(f"optimizer has no {name}: give the optimizer that PrivacyEngine.make_private returned")

    def step(batch: tuple[Any, Any]) -> list[Any]:
        x, y = batch
        optimizer.zero_grad(set_to_none=True)
        loss(model(x), y).backward()
        optimizer.pre_step()
        times = optimizer.expected_batch_size if optimizer.loss_reduction == "mean" else 1
        sums = [p.grad.detach().clone() * times for p in model.parameters() if p.requires_grad and p.grad is not None]
        optimizer.zero_grad(set_to_none=True)
        return sums

    return step


def example_gradients(model: Any, loss: Callable[[Any, Any], Any]) -> Callable[[Any, Any], dict[str, Any]]:
    """Per-example gradients of a torch model by ``vmap(grad)``: ``gradients(x, y)`` has one row for each example.

    Parameters
    ----------
    loss
        ``loss(model(x), y)`` of a batch, a mean or a sum; it is called on batches of one.
    """
    import torch

    parameters = {name: p.detach() for name, p in model.named_parameters()}
    buffers = dict(model.named_buffers())

    def of_one(weights: Any, x: Any, y: Any) -> Any:
        out = torch.func.functional_call(model, (weights, buffers), (x.unsqueeze(0),))
        return loss(out, y.unsqueeze(0))

    each = torch.func.vmap(torch.func.grad(of_one), in_dims=(None, 0, 0))
    return lambda x, y: each(parameters, x, y)


class KeyedStep:
    """A step that is given a key for its noise, as in JAX, as a step and its `reseed`.

    Parameters
    ----------
    step
        ``step(key, batch)``.
    make_key, split
        Such as ``jax.random.key`` and ``jax.random.split``: a seed into a key, and a key into two.

    Examples
    --------
    >>> import numpy as np
    >>> noise = lambda key, batch: np.sum(batch, axis=0) + np.random.default_rng(key).standard_normal(2)
    >>> step = KeyedStep(noise, np.random.SeedSequence, lambda key: key.spawn(2))
    >>> step.reseed(1); one = step([np.ones(2)]); two = step([np.ones(2)])
    >>> step.reseed(1); bool(np.all(one == step([np.ones(2)]))), bool(np.all(one == two))
    (True, False)
    """

    def __init__(
        self, step: Callable[[Any, Any], Any], make_key: Callable[[int], Any], split: Callable[[Any], Sequence[Any]]
    ) -> None:
        self.step, self.make_key, self.split = step, make_key, split
        self.key = make_key(0)

    def reseed(self, seed: int) -> None:
        """Set the key."""
        self.key = self.make_key(seed)

    def __call__(self, batch: Any) -> Any:
        self.key, own = self.split(self.key)
        return self.step(own, batch)
