"""Record every random draw of unmodified Python code, and replay the same draws on another input.

For the duration of a run the random functions of numpy (new and legacy), `random`, `secrets` and `scipy.stats` are
replaced by ones that write to a `Tape`. Draws from a family with location and scale are stored without them, so that a
program that passes its data as the location of the noise is replayed with the same noise around the other input.
Generators that the function's module holds as globals are replaced too; a library's own noise functions can be named.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import random
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Hook = tuple[Any, str]

_LOCATED = {"laplace": ("loc", "scale"), "normal": ("loc", "scale"), "gumbel": ("loc", "scale"),
            "logistic": ("loc", "scale"), "gauss": ("mu", "sigma"), "normalvariate": ("mu", "sigma")}  # fmt: skip
_NUMPY = ("laplace", "normal", "gumbel", "logistic", "exponential", "uniform", "random", "standard_normal",
          "standard_exponential", "standard_cauchy", "standard_gamma", "standard_t", "gamma", "beta", "binomial",
          "geometric", "poisson", "choice", "integers", "multinomial", "multivariate_normal", "rayleigh", "permutation",
          "dirichlet", "negative_binomial", "hypergeometric", "lognormal", "pareto", "weibull")  # fmt: skip
_LEGACY = (*_NUMPY, "rand", "randn", "randint", "random_sample")
_RANDOM = ("random", "uniform", "gauss", "normalvariate", "expovariate", "randint", "randrange", "choice", "choices",
           "getrandbits", "betavariate", "gammavariate", "lognormvariate", "triangular")  # fmt: skip
_SECRETS = ("randbelow", "randbits", "choice", "token_bytes", "token_hex")


@dataclass
class Draw:
    """One call of a random function: its name, its scale where it has one, and the value without location and scale."""

    name: str
    scale: Any
    value: Any

    @property
    def signature(self) -> str:
        """What must not depend on the data: the family, the scale and the shape."""
        return f"{self.name}, scale {self.scale!r}, shape {np.shape(self.value)}"


@dataclass
class Tape:
    """The draws of a run; where `replay` is given, its values are handed out again in order."""

    replay: Sequence[Draw] = ()
    draws: list[Draw] = field(default_factory=list)
    _depth: int = 0

    def call(self, name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Draw, or replay, and write down; calls made by the random functions themselves are not recorded."""
        if self._depth:
            return real(*args, **kwargs)
        self._depth += 1
        try:
            value = real(*args, **kwargs)
        finally:
            self._depth -= 1
        location, scale = _where(name, args, kwargs)
        bare = value if location is None else (np.asarray(value) - location) / scale
        k = len(self.draws)
        old = self.replay[k] if k < len(self.replay) else None
        if old is not None and old.name == name and np.shape(old.value) == np.shape(bare):
            bare = copy.deepcopy(old.value)
            value = bare if location is None else np.asarray(location + scale * np.asarray(bare))[()]
            if location is not None and np.ndim(value) == 0:
                value = float(value)
        self.draws.append(Draw(name, None if scale is None else np.asarray(scale).tolist(), bare))
        return value


def _where(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    if name in _LOCATED:
        places = _LOCATED[name]
        values = [args[i] if i < len(args) else kwargs.get(key, float(i)) for i, key in enumerate(places)]
        return np.asarray(values[0], dtype=np.float64), np.asarray(values[1], dtype=np.float64)
    if name == "exponential":
        return np.asarray(0.0), np.asarray(args[0] if args else kwargs.get("scale", 1.0), dtype=np.float64)
    return None, None


@dataclass(frozen=True)
class Recording:
    """A run: its draws in order, and its output (an exception counts as one)."""

    draws: tuple[Draw, ...]
    output: Any


def record(
    function: Callable[[Any], Any], data: Any, *, seed: int = 0, replay: Sequence[Draw] = (), hooks: Sequence[Hook] = ()
) -> Recording:
    """Run ``function(data)`` on a tape.

    Parameters
    ----------
    seed
        Seeds every generator that the function makes without a seed of its own.
    replay
        Draws of an earlier run, to be used again.
    hooks
        ``(module or object, attribute)`` of further noise functions, such as a library's own.

    Examples
    --------
    >>> first = record(lambda x: x + np.random.default_rng().laplace(0, 2), 5.0)
    >>> second = record(lambda x: x + np.random.default_rng().laplace(0, 2), 6.0, replay=first.draws)
    >>> round(second.output - first.output, 9), first.draws[0].scale
    (1.0, 2.0)
    """
    tape = Tape(tuple(replay))
    with _patched(tape, function, seed, hooks):
        try:
            output = function(copy.deepcopy(data))
        except Exception as error:
            output = f"raised {type(error).__name__}: {error}"
    return Recording(tuple(tape.draws), output)


def _recorder(tape: Tape, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return tape.call(name, real, args, kwargs)

    return call


def _recording_class(base: type, names: Sequence[str], tape: Tape) -> type:
    """A subclass of a generator class whose random methods write to the tape."""

    def method(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            return tape.call(name, lambda *a, **k: real(self, *a, **k), args, kwargs)

        return call

    body = {name: method(name, getattr(base, name)) for name in names if hasattr(base, name)}
    return type(f"Recording{base.__name__}", (base,), body)


@contextlib.contextmanager
def _patched(tape: Tape, function: Callable[..., Any], seed: int, hooks: Sequence[Hook]) -> Iterator[None]:
    counter = iter(range(1 << 30))
    original_default_rng, original_state = np.random.default_rng, np.random.RandomState
    recording_generator = _recording_class(np.random.Generator, _NUMPY, tape)
    recording_dice = _recording_class(random.Random, _RANDOM, tape)

    def root() -> np.random.SeedSequence:
        return np.random.SeedSequence(seed, spawn_key=(next(counter),))

    def fresh(given: Any = None) -> Any:
        inner = original_default_rng(root() if given is None else given)
        return recording_generator(inner.bit_generator)

    class Legacy(_recording_class(original_state, _LEGACY, tape)):  # type: ignore[misc]
        def __init__(self, given: Any = None) -> None:
            super().__init__(np.random.MT19937(root()) if given is None else given)

    def wrapped(value: Any) -> Any:
        if isinstance(value, np.random.Generator):
            return recording_generator(value.bit_generator)
        if isinstance(value, original_state):
            return Legacy(value._bit_generator)
        dice = recording_dice()
        dice.setstate(value.getstate())
        return dice

    own = original_state(np.random.MT19937(np.random.SeedSequence(seed, spawn_key=(7, 7))))
    dice = random.Random(seed)
    with contextlib.ExitStack() as stack:

        def put(where: Any, name: str, value: Any) -> None:
            old = where[name] if isinstance(where, dict) else getattr(where, name)
            change = where.__setitem__ if isinstance(where, dict) else lambda n, v: setattr(where, n, v)
            change(name, value)
            stack.callback(change, name, old)

        put(np.random, "default_rng", fresh)
        put(np.random, "RandomState", Legacy)
        for name in _LEGACY:
            if hasattr(own, name):
                put(np.random, name, _recorder(tape, name, getattr(own, name)))
        for name in _RANDOM:
            put(random, name, _recorder(tape, name, getattr(dice, name)))
        for name in _SECRETS:
            put(secrets, name, _recorder(tape, f"secrets.{name}", getattr(secrets, name)))
        _patch_scipy(tape, put, original_default_rng(np.random.SeedSequence(seed, spawn_key=(7, 8))))
        for where, name in hooks:
            target = importlib.import_module(where) if isinstance(where, str) else where
            put(target, name, _recorder(tape, name, getattr(target, name)))
        held = getattr(function, "__globals__", {})
        for name, value in list(held.items()):
            if isinstance(value, np.random.Generator | original_state | random.Random):
                put(held, name, wrapped(value))
            elif value is original_default_rng or value is original_state:
                put(held, name, fresh if value is original_default_rng else Legacy)
        yield


def _patch_scipy(tape: Tape, put: Callable[[Any, str, Any], None], state: Any) -> None:
    """`rvs` of every scipy distribution, where scipy.stats has been imported (otherwise nobody can call it)."""
    import sys

    module = sys.modules.get("scipy.stats._distn_infrastructure")
    if module is None:
        return
    for owner in ("rv_generic", "rv_continuous", "rv_discrete"):
        cls = getattr(module, owner, None)
        if cls is None or "rvs" not in vars(cls):
            continue
        real = vars(cls)["rvs"]

        def rvs(self: Any, *args: Any, _real: Any = real, **kwargs: Any) -> Any:
            kwargs.setdefault("random_state", state)
            location = kwargs.pop("loc", 0.0)
            scale = kwargs.pop("scale", 1.0)
            bare = tape.call(f"scipy.stats.{self.name}", lambda: _real(self, *args, **kwargs), (), {})
            if not tape._depth and tape.draws:
                tape.draws[-1].scale = np.asarray(scale).tolist()
            return location + scale * bare

        put(cls, "rvs", rvs)
