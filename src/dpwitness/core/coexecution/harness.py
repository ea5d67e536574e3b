"""Translation validation: the model of a proof and the program that ships, run on the same inputs and draws."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.comparing import is_number, same_law, same_output, same_runs
from dpwitness.core.coexecution.draws import KINDS, Kind, Script
from dpwitness.core.coexecution.inputs import Data, disguises, inputs, named_numbers, ties
from dpwitness.core.coexecution.kinds import Kinds
from dpwitness.core.coexecution.model import (
    Computed,
    Fixed,
    Model,
    NoWay,
    Probe,
    Scoped,
    Trace,
    Unfaithful,
    UnknownInput,
)
from dpwitness.core.coexecution.running import Recorded, run_once, run_together
from dpwitness.core.errors import DPWitnessError, FloatRead
from dpwitness.core.identity import key, shipped
from dpwitness.core.laws import Law, Uniform
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact

RUNS = 64
AT_OTHERS = 12  # inputs at each of the other parameters
MOST_PROBES = 20_000
MOST_LANES, MOST_BLOCKS = 64, 16
AGAIN = 3  # how often draws are moved away from a boundary before a difference counts


@dataclass(frozen=True)
class Coexecution:
    """How far model and program were compared, without a difference.

    Attributes
    ----------
    runs, lanes
        Runs in the scalar reader, and how many of them were repeated in the batched one.
    inputs
        How many different inputs were tried.
    places, reached
        The leaves or transitions of the model that are not shown to be empty, and how many of them were reached: all.
    doubtful
        Runs in which rounding decided a test otherwise than the model did: nothing was learnt from them.
    silent
        Whether every run returned None, as those of a program do that forgets its return.
    """

    runs: int
    lanes: int
    inputs: int
    places: int
    reached: int
    doubtful: int = 0
    silent: bool = False

    def __str__(self) -> str:
        where = f", {self.reached} of {self.places} places of the model reached" if self.places else ""
        return f"{self.runs} runs on {self.inputs} inputs agree with the model{where}"


def coexecute(
    claim: Claim,
    model: Model,
    *,
    seed: int = 0,
    runs: int = RUNS,
    memory: Callable[[], Any] | None = None,
    elsewhere: Sequence[Mapping[str, Any]] = (),
) -> Coexecution:
    """Run the model and the program side by side; `Unfaithful` where one run differs or a place is never reached.

    Parameters
    ----------
    runs
        How many runs on inputs from the whole space, beside those that the model asks for.
    memory
        A by-value snapshot of what the program can reach outside of its arguments; it must be the same afterwards.
    elsewhere
        Other parameters at which the model is said to be the program: there it is run on plain numbers as well.
    """
    if not isinstance(claim.mechanism, Mechanism):
        raise Unfaithful(f"{claim.target} is a black box: there is no program to compare with a model")
    rng = random.Random(f"{seed} {claim.target} {claim.index}")
    before = None if memory is None else memory()
    work = _Comparison(claim, model, claim.mechanism)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FloatRead)
        hints = named_numbers(claim.mechanism.program)
        for probe, kind, given in _everywhere(claim, model, rng, runs, hints):
            work.try_one(probe, Script(probe.draws, rng, kind, hints), *given)
        for probe, given in _at_others(claim, rng, elsewhere, hints):
            work.try_one(probe, Script((), rng), *given)
        for probe in _tied(claim, model, rng, hints):
            work.try_one(probe, Script((), rng), *_given(probe))
        for probe in itertools.islice(model.probes(claim, rng), MOST_PROBES):
            work.try_one(probe, Script(probe.draws, rng), *_given(probe))
        work.try_lanes()
    if 2 * work.doubtful > work.runs:
        raise Unfaithful(f"{claim.target}: rounding decides most runs otherwise than the model: they show nothing")
    missing = sorted(set(model.places()) - work.reached)
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise Unfaithful(f"{claim.target}: the model has a leaf that no run reaches: {shown}")
    if memory is not None and memory() != before:
        raise Unfaithful(f"{claim.target}: the program changed something outside of its arguments while it ran")
    places = len(set(model.places()))
    return Coexecution(work.runs, work.lanes, len(work.seen), places, places, work.doubtful, work.silent)


Given = tuple[Data, Mapping[str, Any]]  # the input and the parameters as the program gets them


def _everywhere(
    claim: Claim, model: Model, rng: random.Random, runs: int, hints: Sequence[Fraction]
) -> Iterator[tuple[Probe, Kind, Given]]:
    """Runs on inputs from the whole space, with draws of every magnitude.

    Numbers are exact, as readers pass them. On every input there is a run on plain ints and floats as well, as a caller
    of the function passes them: the text of a number, and what `Fraction` makes of it, are those of plain ones alone.
    """
    scope = model if isinstance(model, Scoped) else Scoped(model)
    offered = list(scope.inputs) if scope.inputs is not None else inputs(claim.space, rng, runs, runs // 2, hints)
    points = scope.params if scope.params is not None else (claim.params,)
    each = max(1, runs // max(1, len(offered)))
    kinds = itertools.cycle(KINDS)
    for n, data in enumerate(offered):
        for k in range(each):
            params = points[(n + k) % len(points)]
            yield Probe(data, params, nearby=_decimals(data)), next(kinds), (data, params)
        params = points[n % len(points)]
        plain = {name: shipped(value) for name, value in params.items()}
        for other in (data, *disguises(claim.space, data)) if n % 4 == 0 else ():
            yield Probe(data, params, nearby=_decimals(data)), "ordinary", (other, plain)
    for n, data in enumerate(offered):
        params = points[n % len(points)]
        plain = {name: shipped(value) for name, value in params.items()}
        yield Probe(data, params, nearby=_decimals(data)), "ordinary", (_as_passed(data), plain)


def _decimals(data: Data) -> tuple[Data, ...]:
    """The input with the decimal in the place of each double that has another value, where there is one.

    A program that names 0.3 has a record there tried, and reads it as 3/10: the model may agree with either.
    """
    found = tuple(_decimals(x)[0] if type(x) is tuple and _decimals(x) else _decimal(x) for x in data)
    return (found,) if found != data else ()


def _decimal(value: Any) -> Any:
    if not isinstance(value, Exact) or Fraction(float(value)) != value:
        return value
    return Exact(Fraction(repr(float(value))))


def _at_others(
    claim: Claim, rng: random.Random, elsewhere: Sequence[Mapping[str, Any]], hints: Sequence[Fraction]
) -> Iterator[tuple[Probe, Given]]:
    """Runs on plain numbers at other parameters, of which a proof speaks too: what Python rounds there may decide."""
    for params in elsewhere:
        plain = {name: shipped(value) for name, value in params.items()}
        for data in inputs(claim.space, rng, AT_OTHERS, AT_OTHERS, hints):
            yield Probe(data, params), (_as_passed(data), plain)


def _tied(claim: Claim, model: Model, rng: random.Random, hints: Sequence[Fraction]) -> Iterator[Probe]:
    """Runs on doubles whose sums and differences are numbers that the program names, but for rounding."""
    if isinstance(model, Scoped) and model.inputs is not None:
        return
    params = model.params[0] if isinstance(model, Scoped) and model.params is not None else claim.params
    for data in ties(claim.space, hints, rng):
        yield Probe(tuple(Exact(Fraction(x)) for x in data), params, plain=True)


def _moved(run: Recorded) -> list[Any]:
    """The same whole draws, and all others a little elsewhere.

    What rounding decides is rare where a draw from a density must come next to a boundary. Whole numbers stand on it
    with some probability, and inputs do for certain, in whichever way the other draws come out.
    """
    return [_beside(k, law, value) for k, (law, value) in enumerate(zip(run.laws, run.values, strict=True))]


def _beside(k: int, law: Law, value: Any) -> Any:
    if law.support in ("finite", "integers"):
        return value
    share = (1 + k * 0.618 % 1) / 1000  # each draw by another one: equal draws do not stay equal
    middle = (float(law.low) + float(law.high)) / 2 if isinstance(law, Uniform) else law.spread() * 1.618
    return value + (middle - value) * share


def _given(probe: Probe) -> Given:
    """What the program gets in a run that a model asks for."""
    if not probe.plain:
        return probe.data, probe.params
    return _as_passed(probe.data), {name: shipped(value) for name, value in probe.params.items()}


def _as_passed(data: Data) -> Data:
    """An input as a caller passes it: every exact number is the int, the float or the `Fraction` that it stands for."""
    return tuple(_as_passed(x) if type(x) is tuple else shipped(x) for x in data)


@dataclass
class _Block:
    """Runs on one input, which the batched reader makes together, and the places that they pass."""

    given: Data
    params: Mapping[str, Any]
    runs: list[Recorded] = field(default_factory=list)
    places: set[str] = field(default_factory=set)


@dataclass
class _Comparison:
    """The comparison under way: what was reached, and the runs that the batched reader will repeat."""

    claim: Claim
    model: Model
    mechanism: Mechanism
    runs: int = 0
    lanes: int = 0
    doubtful: int = 0
    silent: bool = True
    reached: set[str] = field(default_factory=set)
    seen: set[Any] = field(default_factory=set)
    blocks: dict[Any, _Block] = field(default_factory=dict)
    kinds: Kinds = field(default_factory=Kinds)

    def try_one(self, probe: Probe, script: Script, given: Data, named: Mapping[str, Any], again: int = 0) -> None:
        """One run of both; `given` and `named` are input and parameters as the program gets them.

        `again` says how often its draws were moved away from a boundary.
        """
        self.runs += 1
        self.seen.add(key(probe.data))
        program = self.mechanism.program
        run = run_once(program, given, named, script)
        self.silent &= run.error is None and run.output is None
        asked: list[Law] = []
        found: list[str] = []  # differences in the draws; the model goes on, since rounding may explain them

        def source(law: Law, slack: float = 0.0) -> Any:
            k = len(asked)
            asked.append(law)
            if not found and k >= len(run.laws):
                found.append(f"the model makes draw {k}, from {law}, which the program does not make")
            elif not found and (words := same_law(law, run.laws[k], slack)):
                found.append(f"draw {k}: {words}")
            return script.spare(law) if found else run.values[k]

        doubt = False
        trace: Trace | None = None
        try:
            trace = self.model.run(probe.data, probe.params, source)
            doubt = trace.doubt
            found.append(self._differs(trace, run, len(asked), given, named))
        except UnknownInput as error:
            found.append(f"the model does not know this input: {error}")
        except NoWay as error:
            doubt = error.doubt
            found.append(f"the model calls impossible what the program does: {error}")
        except DPWitnessError:
            raise
        except Exception as error:
            found.append(f"the model fails with {type(error).__name__}: {error}")
        words = found[0]
        if run.error is not None:
            words = f"the program raised {type(run.error).__name__}: {run.error}"
        if words and run.error is None and probe.nearby:
            other = replace(probe, data=probe.nearby[0], nearby=probe.nearby[1:])
            return self.try_one(other, Script(run.values, random.Random(again)), given, named)
        moved = _moved(run) if words and doubt else []
        if words and (not doubt or moved == list(run.values) or again == AGAIN):
            raise Unfaithful(self._message(words, given, named, run))
        if words:
            self.doubtful += 1
            return self.try_one(probe, Script(moved, random.Random(again)), given, named, again + 1)
        assert trace is not None
        self.reached.update(trace.places)
        if run.error is None and self.mechanism.batched:
            self._keep(given, named, run, trace)

    def _differs(self, trace: Trace, run: Recorded, asked: int, given: Data, named: Mapping[str, Any]) -> str:
        if asked < len(run.laws):
            return f"the program makes draw {asked}, from {run.laws[asked]}, which the model does not make"
        if same_output(trace.output, run.output, _size(given, run.values, run.output)):
            return "" if run.error is not None else self.kinds.differ(trace, run, given, named)
        return f"the output of the model is {_show(trace.output)}, that of the program {_show(run.output)}"

    def _keep(self, given: Data, params: Mapping[str, Any], run: Recorded, trace: Trace) -> None:
        if trace.doubt:
            return
        name = (key(given), tuple(map(type, given)), tuple((n, type(v), v) for n, v in params.items()))
        block = self.blocks.setdefault(name, _Block(given, params))
        new = not block.places.issuperset(trace.places)
        if len(block.runs) < MOST_LANES or (new and len(block.runs) < 2 * MOST_LANES):
            block.runs.append(run)
            block.places.update(trace.places)

    def _chosen(self) -> list[_Block]:
        """The blocks with the most runs, and those that pass places which these do not pass."""
        longest = sorted(self.blocks.values(), key=lambda block: -len(block.runs))
        chosen, passed = longest[:MOST_BLOCKS], set[str]()
        passed.update(*(block.places for block in chosen))
        for block in longest[MOST_BLOCKS:]:
            if not passed.issuperset(block.places):
                chosen.append(block)
                passed |= block.places
        return chosen

    def try_lanes(self) -> None:
        """The runs of each input once more, as lanes of one block."""
        for block in self._chosen():
            given, params, runs = block.given, block.params, block.runs
            self.lanes += len(runs)
            try:
                outputs = run_together(self.mechanism.program, given, params, runs)
            except Unfaithful as error:
                raise Unfaithful(f"{self.claim.target} on {_show(given)} with {_named(params)}: {error}") from None
            except DPWitnessError as error:
                words = f"{self.claim.target} on {_show(given)} fails in the batched reader alone: {error}"
                raise Unfaithful(words) from error
            for run, output in zip(runs, outputs, strict=True):
                if not same_runs(run.output, output, _size(given, run.values, run.output)):
                    words = f"the output is {_show(run.output)} alone and {_show(output)} in the batched reader"
                    raise Unfaithful(self._message(words, given, params, run))

    def _message(self, words: str, given: Data, params: Mapping[str, Any], run: Recorded) -> str:
        draws = ", ".join(_show(v) for v in run.values[:12]) + (", …" if len(run.values) > 12 else "")
        where = f"on the input {_show(given)} with {_named(params)} and the draws ({draws})"
        return f"{self.claim.target}: the model is not the program {where}: {words}"


def _size(*parts: Any) -> float:
    """The largest number among data, draws and output."""
    largest, todo = 0.0, list(parts)
    while todo:
        item = todo.pop()
        if isinstance(item, list | tuple):
            todo += item
        elif is_number(item):
            largest = max(largest, abs(float(item)))
    return largest


def _show(value: Any) -> str:
    if isinstance(value, Computed):
        return f"about {float(value.value):.12g}"
    if isinstance(value, Fixed):
        return value.value if value.kind in ("float", "Fraction") else repr(value.value)
    if isinstance(value, list | tuple):
        inside = ", ".join(_show(x) for x in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return str(value) if isinstance(value, Fraction) else repr(value)


def _named(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_show(value)}" for name, value in params.items()) or "no parameters"
