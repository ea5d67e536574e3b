"""A mechanism: a program written once, the inputs it reads, what is claimed of it, and its broken twins."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.core.claims import Claim
from dpwitness.core.domains import DEFAULTS, Domain, real
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.guarantees import Guarantee
from dpwitness.core.numbers import Exact, exact
from dpwitness.core.public import public
from dpwitness.core.spaces import Answers, Space
from dpwitness.core.verdict import Decision

if TYPE_CHECKING:
    import numpy as np

    from dpwitness.core.readers.outputs import Outputs
    from dpwitness.core.readers.paths import PathTable
    from dpwitness.core.readers.stream import Stream

Proved = Decision.PROVED
Refuted = Decision.REFUTED

GuaranteeOf = Callable[..., "Guarantee | Sequence[Guarantee]"]


@dataclass(frozen=True)
class Promise:
    """A guarantee as a function of the parameters, on one input space, with the verdict that it must get."""

    space: Space
    guarantee: GuaranteeOf
    expected: Decision
    notes: str = ""

    def varies(self, domains: Mapping[str, Domain]) -> tuple[str, ...]:
        """The parameters with a declared domain of which the guarantee is a function."""
        return tuple(name for name in inspect.signature(self.guarantee).parameters if name in domains)

    def guarantees(self, params: Mapping[str, Exact]) -> list[Guarantee]:
        """The guarantees at given parameters."""
        wanted = inspect.signature(self.guarantee).parameters
        missing = [name for name in wanted if name not in params]
        if missing:
            raise BadInput(f"the claim uses {missing[0]!r}, which is not a parameter of the program")
        result = self.guarantee(**{name: params[name] for name in wanted})
        return list(result) if isinstance(result, Sequence) else [result]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A program with its claims. Made by the `mechanism` decorator.

    Attributes
    ----------
    name
        Catalogue name: ``"above-threshold"``, or ``"above-threshold/no-query-noise"`` for a twin.
    program
        ``program(noise, data, **params)``.
    typical
        A value for every parameter.
    promises
        What is claimed, on which inputs, with which verdict expected.
    batched
        Whether the sampler may run many lanes at once (False for programs that call a numerical solver).
    """

    name: str
    program: Callable[..., Any]
    promises: tuple[Promise, ...]
    typical: Mapping[str, Exact]
    domains: Mapping[str, Domain]
    tags: tuple[str, ...] = ()
    cites: str = ""
    parent: str | None = None
    batched: bool = True
    twins: list[Mechanism] = field(default_factory=list)
    more: list[Promise] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """The first line of the program's docstring."""
        return (inspect.getdoc(self.program) or "").partition("\n")[0]

    def params(self, **overrides: object) -> dict[str, Exact]:
        """Typical parameters with some replaced, each checked against its domain."""
        unknown = [name for name in overrides if name not in self.typical]
        if unknown:
            known = ", ".join(self.typical) or "none"
            raise BadInput(f"{self.name} has no parameter {unknown[0]!r}; its parameters are: {known}")
        return {
            name: self.domains.get(name, real()).validate(overrides.get(name, value), name)
            for name, value in self.typical.items()
        }

    def claims(self, **overrides: object) -> list[Claim]:
        """Every claim at the typical parameters; where one is given, the claim is made at that value alone."""
        params = self.params(**overrides)
        given = frozenset(overrides)
        return [
            Claim(
                self,
                params,
                guarantee,
                promise.space,
                promise.expected is Proved,
                i,
                notes=promise.notes,
                given=given,
                varies=promise.varies(self.domains),
            )
            for i, (promise, guarantee) in enumerate(
                (p, g) for p in (*self.promises, *self.more) for g in p.guarantees(params)
            )
        ]

    @property
    def space(self) -> Space:
        """The inputs of the first claim."""
        return self.promises[0].space

    # readers

    def bind(self, data: Sequence[Any], params: Mapping[str, Exact]) -> Callable[[Any], Any]:
        """The program as a function of the noise alone; each run gets a fresh copy of the data."""
        given, named = [public(x) for x in data], {name: public(value) for name, value in params.items()}

        def run(noise: Any) -> Any:
            return self.program(noise, list(given), **named)

        run.__wrapped__ = self.program  # type: ignore[attr-defined]  # the gate looks at what the user wrote
        return run

    def stream(self, data: Sequence[Any], seed: int | np.random.SeedSequence, **params: object) -> Stream:
        """An endless stream of outputs on `data`, the same in any batch size."""
        import numpy as np

        from dpwitness.core.readers.stream import Stream

        root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        return Stream(self.bind(self.validate(data), self.params(**params)), root, batched=self.batched)

    def sample(
        self,
        data: Sequence[Any],
        size: int,
        rng: np.random.Generator,
        *,
        seconds: float | None = None,
        **params: object,
    ) -> Outputs:
        """`size` outputs on `data`."""
        import numpy as np

        deadline = None if seconds is None else time.monotonic() + seconds
        words = rng.integers(0, 2**32, size=4, dtype="uint32")
        seed = np.random.SeedSequence([int(w) for w in words])
        return self.stream(data, seed, **params).take(size, deadline=deadline)

    def paths(self, data: Sequence[Any] | None = None, *, size: int | None = None, **options: Any) -> PathTable:
        """Symbolic paths on unknown answers (`size` of them) or on given data; options of `symbolic_paths`."""
        from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs

        if data is None and not isinstance(self.space, Answers):
            raise OutsideFragment("records are not numbers: symbolic paths need given data")
        overrides = options.pop("params", {})
        given = unknown_inputs(size or self.space.size) if data is None else _numbers(data)
        return symbolic_paths(self.program, given, self.params(**overrides), **options)

    # declarations

    def validate(self, data: Sequence[Any]) -> tuple[Any, ...]:
        """`data` as an input of one of the claims, or an error that says what is wrong with it."""
        problems = []
        for promise in (*self.promises, *self.more):
            try:
                return promise.space.validate(data)
            except BadInput as problem:
                problems.append(problem)
        raise problems[0]

    def also(self, *, data: Space, claim: GuaranteeOf, expected: Decision = Proved, notes: str = "") -> Mechanism:
        """Add a claim under another adjacency or with another guarantee; returns the mechanism."""
        self.more.append(Promise(data, claim, expected, notes))
        return self

    def twin(
        self,
        name: str,
        *,
        expected: Decision = Refuted,
        data: Space | None = None,
        claim: GuaranteeOf | None = None,
        typical: Mapping[str, object] | None = None,
        domains: Mapping[str, Domain] | None = None,
        tags: Sequence[str] = (),
        cites: str = "",
        batched: bool | None = None,
        notes: str = "",
    ) -> Callable[[Callable[..., Any]], Mechanism]:
        """Declare a variant of this mechanism, by default a broken one that claims the same and must be refuted."""

        def decorate(program: Callable[..., Any]) -> Mechanism:
            first = self.promises[0]
            promise = Promise(data or first.space, claim or first.guarantee, expected, notes)
            values = {**self.typical, **(typical or {})}
            made = _make(
                program,
                f"{self.name}/{name}",
                [promise],
                {n: values[n] for n in _parameters(program) if n in values},
                {**self.domains, **(domains or {})},
                tuple(tags),
                cites or self.cites,
                self.name,
                self.batched if batched is None else batched,
            )
            self.twins.append(made)
            return made

        return decorate

    def __repr__(self) -> str:
        return f"<mechanism {self.name}>"


@dataclass(frozen=True, eq=False)
class BlackBox:
    """Third-party code: a sampler and what is claimed of it.

    Parameters
    ----------
    sampler
        ``sampler(data, size, rng)`` returns `size` outputs along the first axis.
    """

    name: str
    sampler: Callable[..., Any]
    space: Space
    guarantee: Guarantee
    expected: Decision = Proved
    tags: tuple[str, ...] = ()
    cites: str = ""

    def claims(self) -> list[Claim]:
        """The one claim."""
        return [Claim(self, {}, self.guarantee, self.space, self.expected is Proved)]

    def sample(self, data: Sequence[Any], size: int, rng: np.random.Generator, **_: object) -> Any:
        """`size` outputs on `data`."""
        return self.sampler(data, size, rng)


def mechanism(
    *,
    data: Space,
    claim: GuaranteeOf,
    typical: Mapping[str, object],
    expected: Decision = Proved,
    name: str | None = None,
    domains: Mapping[str, Domain] | None = None,
    tags: Sequence[str] = (),
    cites: str = "",
    batched: bool = True,
    notes: str = "",
) -> Callable[[Callable[..., Any]], Mechanism]:
    """Turn a function ``(noise, data, *, params...)`` into a `Mechanism`.

    Parameters
    ----------
    data
        `Answers` or `Records`: the inputs, with their neighbour relation.
    claim
        A function of (some of) the parameters that returns a guarantee or a list of them.
    typical
        A value for every parameter.
    """

    def decorate(program: Callable[..., Any]) -> Mechanism:
        _check_function(program)
        plain = getattr(program, "__name__", "program").strip("_").replace("_", "-")
        return _make(
            program, name or plain, [Promise(data, claim, expected, notes)], typical, domains or {}, tuple(tags), cites,
            None, batched,
        )  # fmt: skip

    return decorate


def _make(
    program: Callable[..., Any],
    name: str,
    promises: list[Promise],
    typical: Mapping[str, object],
    domains: Mapping[str, Domain],
    tags: tuple[str, ...],
    cites: str,
    parent: str | None,
    batched: bool,
) -> Mechanism:
    _check_function(program)
    wanted = _parameters(program)
    missing = [p for p in wanted if p not in typical]
    extra = [p for p in typical if p not in wanted]
    if missing:
        raise BadInput(f"{name}: typical={dict(typical)!r} lacks a value for the parameter {missing[0]!r}")
    if extra:
        raise BadInput(f"{name}: typical names {extra[0]!r}, which is not a parameter of the program")
    every = {**{p: DEFAULTS[p] for p in wanted if p in DEFAULTS}, **{p: d for p, d in domains.items() if p in wanted}}
    values = {p: exact(typical[p], p) for p in wanted}
    made = Mechanism(name, program, tuple(promises), values, every, tags, cites, parent, batched)
    made.claims()  # a claim that cannot be evaluated is an error of the declaration
    return made


def _check_function(program: Callable[..., Any]) -> None:
    qualified = getattr(program, "__qualname__", "").split(".")
    if isinstance(program, staticmethod | classmethod) or (len(qualified) > 1 and qualified[-2] != "<locals>"):
        shown = ".".join(qualified) if len(qualified) > 1 else repr(program)
        raise BadInput(f"@mechanism on {shown}: a method has hidden state; decorate a plain function instead")
    if not callable(program):
        raise BadInput(f"@mechanism on {program!r}: decorate a function (noise, data, *, parameters)")
    positional = [
        p
        for p in inspect.signature(program).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if len(positional) < 2:
        raise BadInput(f"@mechanism on {program.__name__}: the first two arguments must be the noise and the data")


def _parameters(program: Callable[..., Any]) -> list[str]:
    """Names of the parameters after noise and data."""
    return [p.name for p in list(inspect.signature(program).parameters.values())[2:]]


def _numbers(data: Sequence[Any]) -> list[Any]:
    """Numbers of the input become exact; anything else is passed on."""
    return [exact(x) if isinstance(x, int | float | Fraction) and not isinstance(x, bool) else x for x in data]
