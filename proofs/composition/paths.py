"""Branches and loops of the program's own body: both ways are followed, and put together where they can be.

A simple statement is run once for every way through the tests and choices inside it. Ways that leave states which
differ in public numbers alone go on as one: after a branch, and after each turn of a loop. A loop whose turns all do
the same to a state becomes one step that is repeated.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.spaces import Answers, Records
from dpwitness.proofs.anyn.reading.source import function_tree
from dpwitness.proofs.composition.calling import CALLER, Calling
from dpwitness.proofs.composition.cells import MAX_CUTS, Split, inputs_json
from dpwitness.proofs.composition.loops import MOST_LEAVES, MOST_STEPS
from dpwitness.proofs.composition.observing import NeedsPick, form_json
from dpwitness.proofs.composition.state import CannotJoin, Env, State, join, noisy_numbers, settle_all
from dpwitness.proofs.composition.syntax import answers_json, parameter
from dpwitness.proofs.composition.trees import Leaf, Reading, Steps, grow
from dpwitness.proofs.composition.values import NOISE, Listing, Number, Refused, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition.inputs import read_inputs
from dpwitness.proofs.kernel.composition.knowledge import INF, Knowledge


class Paths(Calling):
    """The reader of one program on one set of cells."""

    def __init__(self, program: Any, space: Answers | Records, cuts: set[tuple[int, Fraction]], *, burn: bool,
                 joining: bool, deadline: float) -> None:  # fmt: skip
        self.program, self.space, self.burn, self.joining, self.deadline = program, space, burn, joining, deadline
        stated = answers_json(space) if isinstance(space, Answers) else inputs_json(space, cuts)
        self.stated, self.inputs = stated, read_inputs(stated)
        self.names = program.__globals__
        self.parts_run, self.burnt, self.inside, self.runs, self.depth, self.ways = [], False, 0, 0, 0, None
        self.count = 0
        self.forks: dict[int, tuple[Steps, State]] = {}  # by list of steps: the state at its last fork
        self.met = False
        self.cuts, self.data, self.numbers = cuts, None, {}
        self.line, self.lines = None, {}
        self.wanted, self.guarded = set(), False

    def read(self, params: Mapping[str, Any], opened: Sequence[str]) -> Reading:
        """The transcript of the program; raises `Refused` where it cannot be followed, and `Split` at a new cut."""
        tree = function_tree(self.program)
        known = Knowledge(tuple(opened))
        if self.space_is_replaced:
            known.define("#n", (Fraction(1), INF))
        names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
        if tree.args.vararg or tree.args.kwarg or tree.args.defaults or any(tree.args.kw_defaults):
            refuse("default or variable arguments of the program", tree.lineno)
        env: Env = {names[0]: NOISE, names[1]: None}
        for name in names[2:]:
            env[name] = Number(Poly.symbol(name), varies=True) if name in opened else parameter(params[name])
        if isinstance(self.space, Answers):
            answers = [Number(Poly.symbol(f"%q{i}"), self.inputs.whole) for i in range(self.space.size)]
            env[names[1]] = Listing(list(answers))
        else:
            env[names[1]] = self.whole_data()
        steps: Steps = []
        for leaf in self.block(tree.body, State(env, known), steps):
            if leaf.kind != "return":
                leaf.value = None
            for end in self.simple(lambda leaf=leaf: self._output(leaf), leaf.state, leaf.out, None):  # type: ignore[misc]
                end.out.append(["return", end.value])
        lines = {place: line for place, (_, line) in self.lines.items()}
        return Reading(self.stated, steps, tuple(self.parts_run), self.burnt, lines)

    def _output(self, leaf: Leaf) -> Any:
        """What a way returns, released."""
        try:
            self.line = leaf.line
            return self.skeleton(leaf.value)
        except Refused as error:
            raise Refused(error.reason, error.line or leaf.line) from None

    # statements of the program's own body

    def block(self, body: Sequence[ast.stmt], state: State, out: Steps) -> list[Leaf]:
        """All ways through a block."""
        live, done = [Leaf("next", state, out)], []
        for node in body:
            found = [new for leaf in live for new in self.follow(node, leaf)]
            live = [leaf for leaf in found if leaf.kind == "next"]
            done += [leaf for leaf in found if leaf.kind != "next"]
            if len(live) > MOST_LEAVES:
                refuse(
                    f"more than {MOST_LEAVES} ways: hand what is computed from released values to noise.postprocess",
                    node.lineno,
                )
            if not live:
                break
        return done + live

    def follow(self, node: ast.stmt, leaf: Leaf) -> list[Leaf]:
        """All ways through one statement."""
        if time.monotonic() > self.deadline:
            refuse("the time is up while the program is read", node.lineno)
        if CALLER not in leaf.state.env:
            self.line = node.lineno
        if isinstance(node, ast.If):
            return self._branch(node, leaf)
        if isinstance(node, ast.For):
            return self.loop(node, leaf)
        if isinstance(node, ast.While):
            return self.while_loop(node, leaf)
        through = self.followed(node, leaf)
        if through is not None:
            return through
        found = self.simple(lambda: self.statement(node), leaf.state, leaf.out, node)
        ends = [Leaf(end.value[0], end.state, end.out, end.value[1], node.lineno) for end in found]
        if (
            len(ends) > 1
            and all(end.kind == "next" for end in ends)
            and not any(end.state.picked != leaf.state.picked for end in ends)
        ):
            return self.together(leaf, ends)
        return ends

    def simple(self, function: Callable[[], Any], state: State, out: Steps, node: ast.stmt | None) -> list[Leaf]:
        """Run something once for every way through it; the steps of each way are added to the list of its branch."""
        first: list[str] = []  # outcomes that are followed along every way before
        while True:
            try:
                return self._traces(function, state, out, node, first)
            except NeedsPick as need:
                first.append(need.symbol)

    def _traces(
        self, function: Callable[[], Any], state: State, out: Steps, node: ast.stmt | None, first: list[str]
    ) -> list[Leaf]:
        todo: list[list[int]] = [[]]
        traces: list[tuple[Steps, Leaf]] = []
        while todo:
            self.prefix, self.answers, self.pending, self.steps = todo.pop(), [], [], []
            self.state = state.copy()
            self.enter(self.state.env)
            self.inside, self.ways, self.at_fork = 0, None, None
            for symbol in first:
                self.index(Poly.symbol(symbol), "an index")
            value = function()
            if self.wanted:
                raise Split(self.wanted)
            if self.at_fork is not None:
                self.forks[id(out)] = out, self.at_fork
            self.count += len(self.steps)
            if self.count > MOST_STEPS:
                refuse(f"more than {MOST_STEPS} steps", None if node is None else node.lineno)
            traces.append((self.steps, Leaf("next", self.state, out, value)))
            todo += self.pending
            if len(traces) > MOST_LEAVES:
                refuse(f"more than {MOST_LEAVES} ways through one statement", None if node is None else node.lineno)
        return grow(traces, out)

    def together(self, before: Leaf, found: list[Leaf]) -> list[Leaf]:
        """The ways that go on from here, as one where they can be; those that have left the block stay as they are."""
        going = [leaf for leaf in found if leaf.kind == "next"]
        gone = [leaf for leaf in found if leaf.kind != "next"]
        if not self.joining or len(going) < 2 or any(leaf.kind != "return" for leaf in gone):
            return found
        if any(leaf.out is before.out for leaf in going) or id(before.out) not in self.forks:
            return found
        fork = self.forks[id(before.out)][1]
        try:
            state, bindings = join(fork, [leaf.state for leaf in going])
        except CannotJoin:
            released = self._released(going, fork)
            if released is None:
                return found
            going, state, bindings = released
        for leaf, names in zip(going, bindings, strict=True):
            leaf.out.append(["join", {name: form_json(form) for name, form in names.items()}])
        self.met = True
        return [*gone, Leaf("next", state, before.out)]

    def _released(self, going: list[Leaf], fork: State) -> tuple[list[Leaf], State, list[dict[str, Poly]]] | None:
        """The ways with noisy numbers released, as one; None where they cannot be one even so."""
        ends = []
        for leaf in going:
            out: Steps = []
            noisy = noisy_numbers(leaf.state, fork)
            if not noisy:
                ends.append((leaf, Leaf("next", leaf.state, out)))
                continue
            found = self.simple(lambda noisy=noisy: self.show(noisy), leaf.state, out, None)  # type: ignore[misc]
            if len(found) != 1:
                return None
            ends.append((leaf, found[0]))
        try:
            state, bindings = join(fork, [new.state for _, new in ends])
        except CannotJoin:
            return None
        for old, new in ends:
            old.out += new.out
        return [Leaf("next", new.state, old.out) for old, new in ends], state, bindings

    def show(self, noisy: Sequence[Number]) -> None:
        """Release numbers, those with the fewest draws first, and keep them as public ones."""
        for number in sorted(noisy, key=lambda n: len(self.parts(self.settled(n.form))[1])):
            self.observe(number, "a number that is kept")
        settle_all(self.state.env, self.settled)

    def _branch(self, node: ast.If, leaf: Leaf) -> list[Leaf]:
        present = self.presence(node, leaf)
        if present is not None:
            return present
        sides = self.simple(lambda: self._test(node.test), leaf.state, leaf.out, node)
        found = []
        for side in sides:
            found += self.block(node.body if side.value else node.orelse, side.state, side.out)
        return self.together(leaf, found) if len(sides) > 1 else found

    def _test(self, node: ast.expr) -> bool:
        try:
            return self.truth(self.value(node))
        except Refused as error:
            raise Refused(error.reason, error.line or node.lineno) from None


@dataclass
class Options:
    """How to read, and whether another way would make a difference.

    Attributes
    ----------
    burn
        Whether selections by independent noise use their noise up, or release it.
    joining
        Whether states that differ in public numbers go on as one.
    burnt, met
        Set by the reader: whether there was such a selection, and whether states were put together.
    """

    burn: bool = True
    joining: bool = True
    burnt: bool = False
    met: bool = False


def read_program(program: Any, space: Answers | Records, params: Mapping[str, Any], opened: Sequence[str],
                 options: Options, deadline: float) -> Reading:  # fmt: skip
    """The transcript of a program; where a cell is cut, everything is read once more on the smaller cells."""
    cuts: set[tuple[int, Fraction]] = set()
    while True:
        reader = Paths(program, space, cuts, burn=options.burn, joining=options.joining, deadline=deadline)
        try:
            return reader.read(params, opened)
        except Split as split:
            cuts |= split.cuts
            if len(cuts) > MAX_CUTS:
                refuse(f"more than {MAX_CUTS} cuts of the domain")
        except RecursionError:
            refuse("a program that is nested too deep")
        finally:
            options.burnt, options.met = options.burnt or reader.burnt, options.met or reader.met


__all__ = ["Options", "Paths", "Reading", "read_program"]
