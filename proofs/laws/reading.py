"""Running a program on given data: every path, with exact answers to its tests.

All numbers but the noise are public, and a test between irrational ones is decided by enclosures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput, DPWitnessError, ImpureProgram, OutsideFragment, ProgramFailed
from dpwitness.core.forms import Form
from dpwitness.core.identity import shipped
from dpwitness.core.public import public
from dpwitness.core.readers.door import through_door
from dpwitness.core.readers.outputs import Skeleton, take_apart
from dpwitness.core.readers.paths import Draw, SymbolicRun
from dpwitness.core.readers.selecting import first_largest
from dpwitness.core.readers.shipping import check_drift, check_left, of_number
from dpwitness.core.readers.symbolic import Op, Sym, Test, settle
from dpwitness.core.readers.where import located, program_code
from dpwitness.proofs.laws.formulas import public_sign


@dataclass(frozen=True)
class Leaf:
    """One way through the program: its output and its draws.

    `random` says whether a draw or a choice decided a test on the way; `run` is the run itself.
    """

    output: Skeleton
    values: tuple[Form, ...]
    draws: tuple[Draw, ...]
    random: bool
    run: SymbolicRun


class PublicRun(SymbolicRun):
    """A run in which every number but the noise is public, and tests between public numbers are decided exactly."""

    def decide(self, form: Form, op: Op) -> bool:
        if form.private or form.value() is not None:
            return super().decide(form, op)
        way = public_sign(form)
        return {">": way > 0, ">=": way >= 0, "==": way == 0, "!=": way != 0}[op]

    def argmax(self, values: Sequence[Any]) -> Any:
        if any(isinstance(v, Sym) and any(s.kind == "draw" for s in v.form.symbols()) for v in values):
            return super().argmax(values)
        return first_largest([bool(v) if isinstance(v, Test) else v for v in values])

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        if not isinstance(value, Sym) or value.form.private:
            return super().check(name, value, above=above, below=below, closed=closed)
        check_drift(value.form, value.ships, self.params)
        check_left(name, value.form, value.ships)
        for bound, direction in ((above, 1), (below, -1)):
            way = 1 if bound is None else public_sign((value.form - bound) * direction)
            if way < 0 or (way == 0 and not closed):
                raise BadInput(f"{name}={value.form} must be {'above' if direction > 0 else 'below'} {bound}")
        return value.form


@through_door
def explore(
    program: Callable[..., Any],
    params: Mapping[str, Any],
    start: Callable[[Sequence[int], Sequence[Any]], SymbolicRun],
    data: Callable[[SymbolicRun], list[Any]],
    max_paths: int,
) -> list[Leaf]:
    """Every path of a program: `start` makes the run for a prefix of answers, `data` its input."""
    named = {name: public(value) for name, value in params.items()}
    found: list[Leaf] = []
    todo: list[tuple[Sequence[int], Sequence[Any]]] = [((), ())]
    while todo:
        if len(found) >= max_paths:
            raise OutsideFragment(f"more than {max_paths} ways through the program")
        prefix, trace = todo.pop()
        run = start(prefix, trace)
        try:
            output, slots = take_apart(settle(program(run, data(run), **named)), lambda x: isinstance(x, Sym))
        except OutsideFragment as error:
            raise located(error, run.code) from None
        except DPWitnessError:
            raise
        except Exception as error:
            raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
        if len(run.answers) < len(prefix):
            raise ImpureProgram("on replay the program stopped before a test that it had asked before")
        random = bool(run.choices) or any(s.kind == "draw" for c in run.conditions for s in c.form.symbols())
        found.append(Leaf(output, tuple(s.form for s in slots), tuple(run.draws), random, run))
        todo += reversed(run.pending)
    return found


def leaves_on(
    program: Callable[..., Any], data: Sequence[Any], params: Mapping[str, Any], limit: int = 64
) -> list[Leaf]:
    """Every path on given data. Numbers are passed so that tests between irrational ones are decided exactly."""
    code = program_code(program)

    def start(prefix: Sequence[int], trace: Sequence[Any]) -> SymbolicRun:
        return PublicRun(prefix, trace, code, None)

    def wrapped(run: SymbolicRun) -> list[Any]:
        return [
            Sym(run, Form.constant(x), of_number(shipped(x))) if isinstance(x, Fraction) else public(x) for x in data
        ]

    try:
        return explore(program, params, start, wrapped, limit)
    except OutsideFragment:  # a record used as a key or an index: then as a plain number
        return explore(program, params, start, lambda run: [public(x) for x in data], limit)
