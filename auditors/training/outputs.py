"""What a training step returns, as one vector; and batches with one example more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.core.errors import BadInput, ProgramFailed


def guarded(name: str, function: Callable[..., Any], *given: Any) -> Any:
    """The value of a function of the user's; `ProgramFailed` where it raises or ends the process."""
    try:
        return function(*given)
    except BadInput:
        raise
    except (Exception, SystemExit) as error:
        raise ProgramFailed(f"{name} raised {type(error).__name__}: {error}") from error


def flat(output: Any) -> Floats:
    """One vector from an array, a tensor, or nested lists, tuples and dictionaries of them, in their order.

    >>> flat({"weights": np.ones((2, 2)), "bias": [3.0]})
    array([1., 1., 1., 1., 3.])
    """
    parts = list(_leaves(output))
    if not parts:
        raise BadInput("the step returned nothing: it must return the noisy sum of the clipped gradients")
    found = np.concatenate(parts)
    if not found.size:
        raise BadInput("the step returned an empty array: it must return the noisy sum of the clipped gradients")
    if not np.all(np.isfinite(found)):
        raise BadInput("the step returned NaN or an infinite number")
    return found


def _leaves(output: Any) -> Iterator[Floats]:
    if isinstance(output, Mapping):
        output = list(output.values())
    if isinstance(output, list | tuple) and not all(isinstance(x, int | float) for x in output):
        for part in output:
            yield from _leaves(part)
        return
    if hasattr(output, "detach"):  # a tensor of torch
        output = output.detach().cpu()
    try:
        yield np.ravel(np.asarray(output, dtype=np.float64))
    except (TypeError, ValueError):
        raise BadInput(f"the step returned a {type(output).__name__}; arrays of numbers are needed") from None


def own_copy(batch: Any) -> Any:
    """The batch with arrays and tensors of its own, so that a step that writes into it changes no other call's.

    >>> given = [np.ones(2)]
    >>> own_copy(given)[0] is given[0]
    False
    """
    if isinstance(batch, list | tuple) and type(batch) in (list, tuple):
        return type(batch)(map(own_copy, batch))
    if type(batch) is dict:
        return {key: own_copy(part) for key, part in batch.items()}
    if isinstance(batch, np.ndarray):
        return batch.copy()
    if hasattr(batch, "detach") and hasattr(batch, "clone"):  # a tensor of torch
        return batch.detach().clone().requires_grad_(batch.requires_grad)
    return batch


def with_example(batch: Any, example: Any) -> Any:
    """The batch with one example more: a list, a tuple, or an array with examples along its first axis.

    >>> with_example([1, 2], 3), with_example(np.zeros((1, 2)), np.ones(2)).shape
    ([1, 2, 3], (2, 2))
    """
    if isinstance(batch, list):
        return [*batch, example]
    if isinstance(batch, np.ndarray):
        return np.concatenate([batch, np.asarray(example)[None]])
    if isinstance(batch, tuple) and isinstance(example, tuple) and len(batch) == len(example):
        return tuple(with_example(part, one) for part, one in zip(batch, example, strict=True))
    if hasattr(batch, "new_tensor"):  # a tensor of torch
        return batch.new_tensor(np.concatenate([batch.detach().cpu().numpy(), np.asarray(example)[None]]))
    raise BadInput(
        f"batch is a {type(batch).__name__}: give a list or an array of examples, a tuple of arrays, or add=, a "
        "function of the batch and one example"
    )


def variants(example: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Examples made from one: scaled far up, turned round, one coordinate alone. Only their floats are changed."""
    for factor in (10.0, 1000.0, -1.0):
        yield f"scaled by {factor:g}", _changed(example, lambda part, f=factor: part * f)
    for size in (1.0, 1000.0):
        yield f"one coordinate of {size:g}", _changed(example, lambda part, s=size: _one_hot(part, s, rng))


def nudged(example: Any, size: float, rng: np.random.Generator) -> Any:
    """The example, moved a little in a random direction."""
    return _changed(example, lambda part: part + size * (np.abs(part).max() + 1e-3) * rng.standard_normal(part.shape))


def _one_hot(part: Floats, size: float, rng: np.random.Generator) -> Floats:
    found = np.zeros_like(part)
    if found.size:
        found.flat[int(rng.integers(found.size))] = size
    return found


def _changed(example: Any, change: Any) -> Any:
    """Arrays of floats changed, everything else, such as labels, left alone."""
    if isinstance(example, tuple):
        return tuple(_changed(part, change) for part in example)
    if hasattr(example, "detach") and example.is_floating_point() and example.ndim:
        return example.new_tensor(change(example.detach().cpu().numpy()).astype(np.float32))
    if isinstance(example, np.ndarray) and example.dtype.kind == "f" and example.ndim:
        return np.asarray(change(example), dtype=example.dtype)
    return example
