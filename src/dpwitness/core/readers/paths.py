"""Symbolic paths: a program run once for every way through its tests.

Inputs, draws and ε are symbols. Each ``bool()`` of a comparison forks by replay: the program is run again with the
other answer. The result is a table of paths, each with its conditions, its draws and its output as exact forms.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NoReturn

from dpwitness.core import laws
from dpwitness.core.errors import BadInput, DPWitnessError, ImpureProgram, OutsideFragment, ProgramFailed
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.functions import exact_form
from dpwitness.core.identity import shipped
from dpwitness.core.laws import Law
from dpwitness.core.noise import Noise
from dpwitness.core.public import public
from dpwitness.core.readers.asking import Tests
from dpwitness.core.readers.door import require, through_door
from dpwitness.core.readers.outputs import Skeleton, take_apart
from dpwitness.core.readers.scalar import check_number
from dpwitness.core.readers.selecting import first_largest
from dpwitness.core.readers.shipping import Shipping, check_drift, check_left, compare, of_number
from dpwitness.core.readers.signs import sign
from dpwitness.core.readers.symbolic import Op, Sym, Test, settle
from dpwitness.core.readers.where import current_line, located, program_code


@dataclass(frozen=True)
class Condition:
    """``form > 0`` (strict) or ``form >= 0``; `line` is where the program asked.

    `rounded` says whether Python rounds a side of it, where it is a test of data.
    """

    form: Form
    strict: bool
    line: int | None = field(default=None, compare=False)
    rounded: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"{self.form} {'>' if self.strict else '>='} 0"


@dataclass(frozen=True)
class Draw:
    """One draw: its symbol and its law (parameters are forms)."""

    symbol: Symbol
    law: Law
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Path:
    """One way through the program.

    `output` is a skeleton whose slots are `values`; `choices` are outcomes of finite laws with their index. `trace`
    lists what the program asked for (draws, tests, choices) in order, `answers` the branch taken at each fork of it.
    `kinds` names the types of values that are not what their draws suggest: integer noise that was made a float.
    """

    conditions: tuple[Condition, ...]
    draws: tuple[Draw, ...]
    choices: tuple[tuple[Law, int], ...]
    output: Skeleton
    values: tuple[Form, ...]
    trace: tuple[tuple[Any, ...], ...] = field(default=(), compare=False, repr=False)
    answers: tuple[int, ...] = field(default=(), compare=False, repr=False)
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class PathTable:
    """All paths of a program (`complete`), or as many as the limits allowed."""

    paths: tuple[Path, ...]
    inputs: tuple[Symbol, ...]
    params: Mapping[str, Fraction | Symbol]
    complete: bool = True
    seconds: float = 0.0
    values: Mapping[str, Any] = field(default_factory=dict, compare=False)  # of all parameters


MAX_FORKS = 2_000  # on one path: a loop whose end depends on unknown data has no last one
Feasible = Callable[[Sequence[Condition], Sequence[Draw]], bool]
_Step = tuple[Any, ...]  # what the program asked for, to be compared on replay


class SymbolicRun(Noise):
    """One execution along a prescribed prefix of answers."""

    params: Mapping[str, Any] = MappingProxyType({})  # the values of symbolic parameters, where floats are asked for
    keeps_formulas = False  # whether a public number of an output may be one that a formula in parameters gives

    def __init__(self, prefix: Sequence[int], trace: Sequence[_Step], code: Any, feasible: Feasible | None) -> None:
        require()
        self.prefix = prefix
        self.old_trace = trace
        self.trace: list[_Step] = []
        self.code = code
        self.feasible = feasible
        self.answers: list[int] = []
        self.pending: list[tuple[list[int], list[_Step]]] = []
        self.conditions: list[Condition] = []
        self.draws: list[Draw] = []
        self.choices: list[tuple[Law, int]] = []
        self.tests = Tests()
        self._known: dict[tuple[Form, bool], bool] = {}

    # the program's requests

    def refuse(self, reason: str) -> NoReturn:
        """Stop: the program does something that this reader cannot follow."""
        raise OutsideFragment(reason, current_line(self.code))

    def draw(self, law: Law) -> Any:
        if law.support == "finite":
            return self._choose(law)
        self._log(("draw", law))
        symbol = Symbol("draw", len(self.draws), f"η{len(self.draws)}")
        self.draws.append(Draw(symbol, law, current_line(self.code)))
        if len(self.draws) > 10_000:
            self.refuse("more than 10000 draws on one path: does the loop end?")
        return Sym(self, Form.of_symbol(symbol), Shipping(None, "int" if law.support == "integers" else "float"))

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        if not isinstance(value, Sym):
            form = exact_form(check_number(name, value, above, below, closed))
            assert form is not None
            return form
        if value.form.private:
            self.refuse(f"{name} depends on the data or on noise")
        check_drift(value.form, value.ships, self.params)
        check_left(name, value.form, value.ships)
        for bound, direction in ((above, 1), (below, -1)):
            if bound is None:
                continue
            way = sign((value.form - bound) * direction)
            if way is None:
                self.refuse(f"cannot tell whether {name}={value.form} is valid")
            if way < 0 or (way == 0 and not closed):
                raise BadInput(f"{name}={value.form} must be {'above' if direction > 0 else 'below'} {bound}")
        return value.form

    def decide(self, form: Form, op: Op) -> bool:
        """The truth of ``form op 0``, forking where both answers are possible."""
        number = form.value()
        if number is not None:
            return {">": number > 0, ">=": number >= 0, "==": number == 0, "!=": number != 0}[op]
        if not form.private:
            way = sign(form)
            if way is not None:
                return {">": way > 0, ">=": way >= 0, "==": way == 0, "!=": way != 0}[op]
            self.refuse(f"a test whose answer depends on the parameters: {form} {op} 0")
        if op in ("==", "!="):
            self.refuse("a test for equality of values that depend on the data or on noise")
        strict = op == ">"
        known = self._recall(form, strict)
        if known is not None:
            return known
        line = current_line(self.code)
        rounded = self.tests.rounded
        yes, no = Condition(form, strict, line, rounded), Condition(-form, not strict, line, rounded)
        self._log(("if", form, strict))
        answer = self._fork([[yes], [no]]) == 0
        self._remember(form, strict, answer)
        return answer

    def argmax(self, values: Sequence[Any]) -> Any:
        values = [bool(v) if isinstance(v, Test) else v for v in values]
        if not any(isinstance(v, Sym) for v in values):
            return first_largest(values)
        forms = [self.form(v, "a selection") for v in values]
        self._compare(values, forms)
        line = current_line(self.code)
        self._log(("argmax", tuple(forms)))
        rounded = any(isinstance(v, Sym) and v.ships.rounded for v in values)
        options = [
            [Condition(best - other, j < i, line, rounded) for j, other in enumerate(forms) if j != i]
            for i, best in enumerate(forms)
        ]
        return self._fork(options)

    def _compare(self, values: Sequence[Any], forms: Sequence[Form]) -> None:
        """Raise where rounding would decide between two of the values."""
        ships = [v.ships if isinstance(v, Sym) else of_number(v) for v in values]
        for (here, one), (there, two) in itertools.combinations(zip(ships, forms, strict=True), 2):
            compare(here, there, one - two)

    def form(self, value: Any, what: str) -> Form:
        """A number of the program as a form; what is not a finite number is refused."""
        if isinstance(value, Sym):
            return value.form
        if isinstance(value, bool):
            return Form.constant(int(value))
        if isinstance(value, float) and not math.isfinite(value):
            self.refuse(f"{what} with {value}")
        form = exact_form(value)
        if form is None:
            self.refuse(f"{what} of symbolic numbers and {type(value).__name__}")
        return form

    def max(self, values: Sequence[Any]) -> Any:
        values = [bool(v) if isinstance(v, Test) else v for v in values]
        return values[self.argmax(values)]

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        self.refuse("the minimiser of a function has no closed form")

    # forking

    def _choose(self, law: Law) -> Any:
        outcomes: list[Any]
        match law:
            case laws.Bernoulli() | laws.Logit():
                outcomes = [True, False]
            case laws.Choice(weights) | laws.LogChoice(weights):
                outcomes = list(range(len(weights)))
            case _:
                self.refuse(f"the finite law {law.name}")
        self._log(("choice", law))
        pick = self._fork([[] for _ in outcomes])
        self.choices.append((law, pick))
        return outcomes[pick]

    def _fork(self, options: Sequence[Sequence[Condition]]) -> int:
        k = len(self.answers)
        if k >= MAX_FORKS:
            self.refuse(f"more than {MAX_FORKS} tests and choices on one path: does the loop end?")
        if k < len(self.prefix):
            pick = self.prefix[k]
        else:
            open_options = [i for i, option in enumerate(options) if self._possible(option)]
            if not open_options:  # rounding in an outside feasibility test must not lose paths
                open_options = list(range(len(options)))
            pick = open_options[0]
            for other in open_options[1:]:
                self.pending.append(([*self.answers, other], list(self.trace)))
        self.answers.append(pick)
        self.conditions += options[pick]
        return pick

    def _possible(self, option: Sequence[Condition]) -> bool:
        if not option or self.feasible is None:
            return True
        return self.feasible([*self.conditions, *option], self.draws)

    def _recall(self, form: Form, strict: bool) -> bool | None:
        """An answer that follows from the same test (or its mirror image) asked earlier on this path."""
        return self._known.get((form, strict))

    def _remember(self, form: Form, strict: bool, answer: bool) -> None:
        self._known[form, strict] = answer
        self._known[-form, not strict] = not answer
        if answer and strict:
            self._known[form, False] = True
            self._known[-form, True] = False
        if not answer and not strict:
            self._known[form, True] = False
            self._known[-form, False] = True

    def _log(self, step: _Step) -> None:
        k = len(self.trace)
        if k < len(self.old_trace) and self.old_trace[k] != step:
            line = current_line(self.code)
            where = "in the returned value" if line is None else f"line {line}"
            raise ImpureProgram(
                f"{where}: on replay the program asked for something else than before "
                f"({step[0]} instead of {self.old_trace[k][0]}, or with other values): "
                "it depends on something other than its arguments and its noise"
            )
        self.trace.append(step)


def unknown_inputs(size: int) -> tuple[Symbol, ...]:
    """Symbols q0, q1, ... for `size` unknown answers."""
    return tuple(Symbol("input", i, f"q{i}") for i in range(size))


@through_door
def symbolic_paths(
    program: Callable[..., Any],
    data: Sequence[Any],
    params: Mapping[str, Any],
    *,
    symbolic: Sequence[str] = ("eps",),
    feasible: Feasible | None = None,
    max_paths: int = 20_000,
    seconds: float | None = None,
    reader: type[SymbolicRun] = SymbolicRun,
) -> PathTable:
    """Every path of ``program(noise, data, **params)``.

    Parameters
    ----------
    data
        Numbers (kept exact), or `Symbol`s from `unknown_inputs` for unknown answers.
    symbolic
        Parameters that stay symbols; they are taken to be positive.
    feasible
        Called with the conditions and draws so far; a path is not followed where it says False.
    max_paths, seconds
        Limits; where one is reached the table holds what was found and is not `complete`.
    reader
        The kind of run: what it refuses is outside of what is read.
    """
    start = time.monotonic()
    code = program_code(program)
    symbols = {name: Symbol("param", 0, name) for name in params if name in symbolic}
    kept: dict[str, Fraction | Symbol] = {name: symbols.get(name, params[name]) for name in params}
    found: list[Path] = []
    todo: list[tuple[list[int], list[_Step]]] = [([], [])]
    complete = True
    while todo:
        if len(found) >= max_paths or (seconds is not None and time.monotonic() - start > seconds):
            complete = False
            break
        prefix, trace = todo.pop()
        run = reader(prefix, trace, code, feasible)
        given, named = hand_out(run, data, params, symbols)
        try:
            skeleton, slots = take_apart(settle(program(run, given, **named)), lambda x: isinstance(x, Sym))
        except OutsideFragment as error:
            raise located(error, code) from None
        except DPWitnessError:
            raise
        except Exception as error:
            raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
        if len(run.answers) < len(prefix):
            raise ImpureProgram("on replay the program stopped before a test that it had asked before")
        found.append(
            Path(
                tuple(run.conditions),
                tuple(run.draws),
                tuple(run.choices),
                skeleton,
                tuple(s.form for s in slots),
                tuple(run.trace),
                tuple(run.answers),
                tuple(_unusual(s, run) for s in slots),
            )
        )
        todo += reversed(run.pending)
    inputs = tuple(x for x in data if isinstance(x, Symbol))
    return PathTable(tuple(found), inputs, kept, complete, time.monotonic() - start, dict(params))


def _unusual(value: Sym, run: SymbolicRun) -> str:
    """The type of a number where its draws do not tell it: 3 and 3.0 are different outputs of integer noise."""
    symbols = value.form.symbols()
    if any(s.kind == "draw" and run.draws[s.index].law.support != "integers" for s in symbols):
        return ""
    names = {"input": "given", "param": "param"}
    found = {names[s.kind] for s in symbols if s.kind in names}
    usual = "both" if len(found) > 1 else found.pop() if found else "int"
    return "" if value.ships.kind == usual else value.ships.kind


def _open_parameter(value: Any) -> Shipping:
    """What Python has in the place of a parameter that stays a symbol: its type is that of one of its values."""
    return replace(of_number(shipped(value)), kind="param", varies=True, given=True)


def hand_out(
    run: SymbolicRun, data: Sequence[Any], params: Mapping[str, Any], symbols: Mapping[str, Symbol]
) -> tuple[list[Any], dict[str, Any]]:
    """Data and parameters as the program gets them in a symbolic run: unknown ones as symbols, others as numbers."""
    run.params = params
    given = [Sym(run, Form.of_symbol(x)) if isinstance(x, Symbol) else public(x) for x in data]
    named = {
        name: Sym(run, Form.of_symbol(symbols[name]), _open_parameter(value)) if name in symbols else public(value)
        for name, value in params.items()
    }
    return given, named
