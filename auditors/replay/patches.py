"""Putting recording functions in the place of Python's random functions, and everything back afterwards.

Replaced are the functions of the modules, the classes of generators, and what the code under study already holds:
generators and random functions among its globals, those of its package, its closure and its object.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dpwitness.auditors.replay.recorder import Hook, Tape
from dpwitness.core.errors import BadInput

_NUMPY = ("laplace", "normal", "gumbel", "logistic", "exponential", "uniform", "random", "standard_normal",
          "standard_exponential", "standard_cauchy", "standard_gamma", "standard_t", "gamma", "beta", "binomial",
          "geometric", "poisson", "choice", "integers", "multinomial", "multivariate_normal", "rayleigh", "permutation",
          "dirichlet", "negative_binomial", "hypergeometric", "lognormal", "pareto", "weibull", "triangular",
          "vonmises", "power", "zipf", "bytes")  # fmt: skip
_LEGACY = (*_NUMPY, "rand", "randn", "randint", "random_sample")
_RANDOM = ("random", "uniform", "gauss", "normalvariate", "expovariate", "randint", "randrange", "choice", "choices",
           "getrandbits", "betavariate", "gammavariate", "lognormvariate", "triangular", "sample", "paretovariate",
           "weibullvariate", "vonmisesvariate", "randbytes", "binomialvariate")  # fmt: skip
_SECRETS = ("randbelow", "randbits", "choice", "token_bytes", "token_hex", "token_urlsafe")


_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def patched(tape: Tape, function: Callable[..., Any], seed: int, hooks: Sequence[Hook]) -> Iterator[None]:
    """Record on `tape` whatever this thread draws in the block; generators without a seed get one from `seed`.

    Other threads go on drawing as if nothing had been replaced; one that wants to record waits for its turn.
    """
    with _one_at_a_time, contextlib.ExitStack() as stack:
        patches = _Patches(tape, seed, stack)
        patches.modules()
        for target, name in resolve_hooks(hooks):
            patches.put(target, name, _recorder(tape, name, getattr(target, name)))
        patches.held_by(function)
        try:
            yield
        finally:
            tape.closed = True  # what was made on the way may live longer


def resolve_hooks(hooks: Sequence[Hook]) -> list[tuple[Any, str]]:
    """The objects and attributes that hooks name; an error where one names nothing that can be replaced."""
    if isinstance(hooks, str) or not isinstance(hooks, Sequence):
        raise BadInput(f"hooks={hooks!r} must be a list of pairs (module, name), such as [('mylib.noise', 'laplace')]")
    result = []
    for hook in hooks:
        if not (isinstance(hook, tuple | list) and len(hook) == 2 and isinstance(hook[1], str)):
            raise BadInput(f"hooks holds {hook!r}; pairs (module, name) are needed, such as ('mylib.noise', 'laplace')")
        where, name = hook
        try:
            target = importlib.import_module(where) if isinstance(where, str) else where
            real = getattr(target, name)
            setattr(target, name, real)
        except (ImportError, AttributeError, TypeError) as error:
            raise BadInput(f"hooks holds {hook!r}, which cannot be replaced: {error}") from None
        if not callable(real):
            raise BadInput(f"hooks holds {hook!r}, which is not a function: {real!r}")
        result.append((target, name))
    return result


def _recorder(
    tape: Tape, name: str, real: Callable[..., Any], otherwise: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function that writes to the tape in its run, and does what it did before in other threads and afterwards."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if otherwise is not None and not tape.turns:
            return otherwise(*args, **kwargs)
        return tape.call(name, real, args, kwargs)

    return call


class _Lenient(type):
    """Instances of the class that was replaced count as instances of the recording one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


def _recording_class(base: type, names: Sequence[str], tape: Tape, prefix: str = "") -> Any:
    """A subclass of a generator class whose random methods write to the tape."""

    def method(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            return tape.call(prefix + name, lambda *a, **k: real(self, *a, **k), args, kwargs)

        return call

    body = {name: method(name, getattr(base, name)) for name in names if hasattr(base, name)}
    return _Lenient(f"Recording{base.__name__}", (base,), body)


class _Patches:
    """The replacements of one run."""

    def __init__(self, tape: Tape, seed: int, stack: contextlib.ExitStack) -> None:
        self.tape, self.seed, self.stack = tape, seed, stack
        self.counter = iter(range(1 << 30))
        self.default_rng, self.state, self.generator = np.random.default_rng, np.random.RandomState, np.random.Generator
        self.dice, self.system = random.Random, random.SystemRandom
        self.new_generator = _recording_class(self.generator, _NUMPY, tape)
        self.new_dice = _recording_class(self.dice, _RANDOM, tape)
        self.new_system = _recording_class(self.system, _RANDOM, tape)
        made = _recording_class(self.state, _LEGACY, tape)

        def fresh_bits(given: Any) -> Any:
            return np.random.MT19937(self._root()) if given is None and tape.turns else given

        made.__init__ = lambda legacy, seed=None: self.state.__init__(legacy, fresh_bits(seed))
        self.new_state = made
        self.swaps: dict[type, list[tuple[Any, Any]] | dict[Any, Any]] = {}
        self.kinds = {self.generator, self.state, self.system, self.dice}  # types of what is replaced, and of no other

    def _root(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(next(self.counter),))

    def put(self, where: Any, name: str, value: Any) -> None:
        """Replace an attribute, or an entry of a dictionary, until the run is over."""
        old = where[name] if isinstance(where, dict) else getattr(where, name)
        change = where.__setitem__ if isinstance(where, dict) else lambda n, v: setattr(where, n, v)
        self.stack.callback(change, name, old)  # first: an alarm may ring in between
        change(name, value)
        self._remember(old, value)

    def _remember(self, old: Any, new: Any) -> None:
        """Note what stands for what, the first one where there are several."""
        kind = type(old)
        self.kinds.add(kind)
        known = self.swaps.setdefault(kind, {})
        if isinstance(known, dict):
            try:
                known.setdefault(old, new)
                return
            except TypeError:  # what cannot be hashed is compared with one after the other
                known = self.swaps[kind] = list(known.items())
        known.append((old, new))

    def modules(self) -> None:
        """Replace the random functions of numpy, `random`, `secrets`, `os` and scipy."""
        tape, key = self.tape, (7, 7)
        own = self.state(np.random.MT19937(np.random.SeedSequence(self.seed, spawn_key=key)))
        dice = self.dice(self.seed)
        self.put(np.random, "default_rng", self._fresh)
        self.put(np.random, "RandomState", self.new_state)
        self.put(np.random, "Generator", self.new_generator)
        self.put(random, "Random", self.new_dice)
        self.put(random, "SystemRandom", self.new_system)
        self.put(secrets, "SystemRandom", self.new_system)
        for name in _LEGACY:
            if hasattr(own, name):
                self.put(np.random, name, _recorder(tape, name, getattr(own, name), getattr(np.random, name)))
        for name in _RANDOM:
            if hasattr(dice, name):
                self.put(random, name, _recorder(tape, name, getattr(dice, name), getattr(random, name)))
        for name in _SECRETS:
            self.put(secrets, name, _recorder(tape, f"secrets.{name}", getattr(secrets, name)))
        self.put(os, "urandom", _recorder(tape, "os.urandom", os.urandom))
        _patch_scipy(tape, self.put, self.default_rng(np.random.SeedSequence(self.seed, spawn_key=(7, 8))))

    def _fresh(self, seed: Any = None) -> Any:
        if not self.tape.turns:
            return self.default_rng(seed)
        return self.new_generator(self.default_rng(self._root() if seed is None else seed).bit_generator)

    def held_by(self, function: Callable[..., Any]) -> None:
        """Replace what the code under study holds already: a package may hold tens of thousands of values."""
        for place in _places(function):
            for name, value in list(place.items()):
                kind = type(value)
                if kind not in self.kinds and not isinstance(kind, _Lenient):
                    continue
                if isinstance(name, str) and (new := self._instead_of(value)) is not None:
                    self.put(place, name, new)
        for cell in getattr(function, "__closure__", None) or ():
            with contextlib.suppress(ValueError):  # a cell may be empty
                if (new := self._instead_of(cell.cell_contents)) is not None:
                    self.put(cell, "cell_contents", new)

    def _instead_of(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(kind, _Lenient):  # made in an earlier run, and kept by the code under study
            kind = kind.__mro__[1]
        if kind is self.generator:
            return self.new_generator(value.bit_generator)
        if kind is self.state:
            return self.new_state(value._bit_generator)
        if kind is self.system:
            return self.new_system()
        if kind is self.dice:
            # as it is, every run would draw the same: what is seen "whatever the noise" needs other noise
            return self.new_dice(int(self._root().generate_state(1)[0]))
        known = self.swaps.get(kind)
        if not known or not callable(value) or kind.__module__ == "numpy":
            return None
        # methods of the hidden global generators are made anew at every look: they are found by == and not by identity
        if isinstance(known, dict):
            with contextlib.suppress(TypeError):
                return known.get(value)
            return None
        return next((new for old, new in known if old == value), None)


def _places(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """The dictionaries in which the code under study keeps names: its module, its package, its object."""
    inner = getattr(function, "__func__", function)
    home = str(getattr(inner, "__module__", "") or "")
    places: list[dict[str, Any]] = [getattr(inner, "__globals__", {})]
    package = home.partition(".")[0]
    if package and package not in ("__main__", "builtins", "numpy", "random", "dpwitness"):
        inside = f"{package}."
        own = [m for name, m in list(sys.modules.items()) if name == package or name.startswith(inside)]
        places += [vars(m) for m in own if m is not None]
    for owner in (getattr(function, "__self__", None), function):
        if owner is not None and isinstance(getattr(owner, "__dict__", None), dict):
            places.append(vars(owner))
    unique = {id(place): place for place in places}
    return list(unique.values())


def _patch_scipy(tape: Tape, put: Callable[[Any, str, Any], None], state: Any) -> None:
    """`rvs` of every scipy distribution, where scipy.stats has been imported (otherwise nobody can call it)."""
    module = sys.modules.get("scipy.stats._distn_infrastructure")
    if module is None:
        return
    for owner in ("rv_generic", "rv_continuous", "rv_discrete"):
        cls = getattr(module, owner, None)
        if cls is None or "rvs" not in vars(cls):
            continue
        original = vars(cls)["rvs"]

        def rvs(self: Any, *args: Any, _real: Any = original, **kwargs: Any) -> Any:
            if not tape.listening:
                return _real(self, *args, **kwargs)
            kwargs.setdefault("random_state", state)
            shapes, rest = args[: self.numargs], list(args[self.numargs :])
            names = ("loc", "size") if isinstance(self, module.rv_discrete) else ("loc", "scale", "size")
            kwargs.update(zip(names, rest, strict=False))
            location, scale = kwargs.pop("loc", 0.0), kwargs.pop("scale", 1.0)
            bare = tape.call(f"scipy.stats.{self.name}", lambda: _real(self, *shapes, **kwargs), (), {})
            tape.draws[-1].scale = np.asarray(scale).tolist()
            return location + scale * bare

        put(cls, "rvs", rvs)
