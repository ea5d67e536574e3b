"""The front end: from a function to its transitions.

The top level of the program is cut at its loops. Each piece between two loop heads is run symbolically from an
arbitrary state, once for every way through its tests. What is part of a state is decided by liveness; what is private
by data dependence (control flow is the same in both runs by construction); ``None``, truth values and texts of the
state are made part of the node, so that a state's numbers are all that varies at a node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dpwitness.core.domains import Domain
from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.interpret import Env, Interpreter, Signal
from dpwitness.proofs.anyn.model import END, FAIL, START, Model, Node, Transition, domains_json
from dpwitness.proofs.anyn.rewrite import normalise
from dpwitness.proofs.anyn.source import Source, refuse
from dpwitness.proofs.anyn.syntax import Loop, check, live, reads, stores
from dpwitness.proofs.anyn.values import UNBOUND, Facts, Fails, Mark, Run, Value
from dpwitness.proofs.kernel.laurent import Poly
from dpwitness.proofs.kernel.loops import QUERIES, read_domains

MAX_PATHS = 400
MAX_NODES = 24
Location = tuple[int, tuple[tuple[str, object], ...]]


@dataclass
class Piece:
    """The outcome of one run of a piece: where it arrived, with which values, and the run's record."""

    source: str
    run: Run
    loop: int | None = None
    env: Env = field(default_factory=dict)
    failed: bool = False


@dataclass
class Program:
    """The top level of a program, cut at its loops: ``segments[0], loops[0], segments[1], ...``."""

    source: Source
    segments: list[list[ast.stmt]]
    loops: list[Loop]
    alive: list[set[str]] = field(default_factory=list)

    @staticmethod
    def cut(source: Source) -> Program:
        """Check the syntax and cut at the top-level loops."""
        body = normalise(source)
        check(source, body)
        segments: list[list[ast.stmt]] = [[]]
        loops: list[Loop] = []
        for node in body:
            if isinstance(node, ast.For | ast.While) and not _constant_range(node):
                loops.append(node)
                segments.append([])
            else:
                segments[-1].append(node)
        program = Program(source, segments, loops)
        program.alive = program._liveness()
        return program

    def _liveness(self) -> list[set[str]]:
        """For each loop the names that may still be read at its head."""
        heads: list[set[str]] = [set() for _ in self.loops]
        after: set[str] = set()
        for k in reversed(range(len(self.loops))):
            loop, rest = self.loops[k], live(self.segments[k + 1], after, set(), set())
            targets = stores(loop.target) if isinstance(loop, ast.For) else set()
            head = set(rest)
            while True:
                inside = live(loop.body, head, rest, head) - targets
                new = head | inside | (reads(loop.test) if isinstance(loop, ast.While) else set())
                if new == head:
                    break
                head = new
            heads[k] = head - {self.source.noise, self.source.queries}
            after = heads[k] | (reads(loop.iter) if isinstance(loop, ast.For) else set())
        return heads


def _constant_range(node: Loop) -> bool:
    return (
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and isinstance(node.iter.func, ast.Name)
        and node.iter.func.id == "range"
        and all(isinstance(a, ast.Constant) for a in node.iter.args)
    )


class FrontEnd:
    """Explores all pieces until kinds of variables and nodes no longer change."""

    def __init__(self, source: Source, domains: Mapping[str, Domain], *, peel: bool = False) -> None:
        self.source, self.domains, self.peel = source, domains, peel
        self.program = Program.cut(source)
        self.private: set[tuple[int, str]] = set()
        self.varying: set[tuple[int, str]] = set()
        self.negative: set[str] = set()
        self.constant: dict[tuple[int, str], Poly] = {}
        self.bounds: dict[int, Poly] = {}

    def model(self) -> Model:
        """The program's transitions."""
        for _ in range(200):
            found = self._explore()
            if found is not None:
                return found
        raise OutsideFragment("the kinds of the program's variables do not settle")

    # one round

    def _explore(self) -> Model | None:
        """All transitions under the present kinds; None where a kind had to change."""
        params = domains_json(self.source.params, self.domains)
        known = read_domains(params)
        assigned = stores(*(s for seg in self.program.segments for s in seg), *self.program.loops)
        known.positive |= {f"${name}" for name in assigned} - self.negative
        strict = []
        for name, domain in self.domains.items():
            if name in params:
                strict += [Poly.symbol(name) - domain.above] if domain.above is not None else []
                strict += [-(Poly.symbol(name) - domain.below)] if domain.below is not None else []
        self.facts = Facts(known, strict=strict)
        self.names: dict[Location, Node] = {}
        self.constant = {}
        pieces = self._paths(START, self._start)
        todo = [*pieces]
        explored: set[str] = set()
        while todo:
            piece = todo.pop()
            if piece.loop is None:
                continue
            if self._kinds_changed(piece):
                return None
            node, where = self._node(piece)
            if node.name in explored:
                continue
            explored.add(node.name)
            new = self._paths(node.name, lambda run, n=node, w=where: self._iterate(run, n, w))  # type: ignore[misc]
            if isinstance(self.program.loops[node.loop - 1], ast.For):
                new += self._paths(node.name, lambda run, n=node, w=where: self._exhausted(run, n, w))  # type: ignore[misc]
            pieces += new
            todo += new
        transitions = [self._transition(piece) for piece in pieces]
        negative = {
            s for t in transitions for s, v in t.updates.items() if s in known.positive and not (v and known.sure(v))
        }
        if negative - self.negative:
            self.negative |= negative
            return None
        return self._finish(transitions)

    def _paths(self, source: str, start: Callable[[Run], Piece]) -> list[Piece]:
        """Every way through a piece."""
        todo: list[list[int]] = [[]]
        found = []
        while todo:
            run = Run(todo.pop(), self.facts)
            try:
                piece = start(run)
            except Fails as error:
                run.effects = [("fails", str(error), error.line)]
                piece = Piece(source, run, failed=True)
            piece.source = source
            found.append(piece)
            todo += run.pending
            if len(found) > MAX_PATHS:
                refuse(f"more than {MAX_PATHS} paths through one piece of the program", self.source.tree)
        return found

    # pieces

    def _start(self, run: Run) -> Piece:
        env: Env = {name: Poly.symbol(name) for name in self.source.params}
        interpreter = Interpreter(self.source, run, env)
        return self._leave(interpreter, 0)

    def _leave(self, interpreter: Interpreter, k: int) -> Piece:
        """Run the statements after loop `k` and arrive at the next loop, or at the end."""
        signal = interpreter.block(self.program.segments[k])
        if signal[0] == "return" or k == len(self.program.loops):
            interpreter.run.release(signal[1])
            return Piece("", interpreter.run)
        return self._enter(interpreter, k + 1)

    def _enter(self, interpreter: Interpreter, loop: int) -> Piece:
        node = self.program.loops[loop - 1]
        env = dict(interpreter.env)
        if isinstance(node, ast.For):
            bound = self._bound(interpreter, node)
            if self.bounds.setdefault(loop, bound) != bound:
                refuse("the length of the loop differs between paths", node)
            env[f"#{loop}"] = Poly()
        env["#first"] = True
        return Piece("", interpreter.run, loop, self._kept(env, loop))

    def _bound(self, interpreter: Interpreter, node: ast.For) -> Poly:
        """How many iterations a ``for`` loop has."""
        call, queries = node.iter, self.source.queries
        if isinstance(call, ast.Name) and call.id == queries:
            return Poly.symbol(QUERIES)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and len(call.args) == 1:
            if call.func.id == "enumerate" and isinstance(call.args[0], ast.Name) and call.args[0].id == queries:
                return Poly.symbol(QUERIES)
            if call.func.id == "range":
                bound = interpreter.number(interpreter.value(call.args[0]))
                fixed = all(s == QUERIES or s in self.source.params for s in bound.symbols())
                if fixed and self.facts.known.integral(bound):
                    return bound
                refuse("a loop whose length is not a whole number given by the parameters", node)
        refuse(f"a loop over {ast.unparse(call)}", node)

    def _kept(self, env: Env, loop: int) -> Env:
        names = self.program.alive[loop - 1] | {f"#{loop}"}
        kept = {name: value for name, value in env.items() if name in names}
        if self.peel:
            kept["#first"] = env["#first"]
        return kept

    def _iterate(self, run: Run, node: Node, where: Location) -> Piece:
        """One iteration from a loop head."""
        k = node.loop
        loop = self.program.loops[k - 1]
        env = self._state(where)
        counter = Poly.symbol(f"#{k}")
        if isinstance(loop, ast.While):
            interpreter = Interpreter(self.source, run, env)
            signal = interpreter.block([_leave_unless(loop)])
            if signal[0] == "break":
                return self._leave(interpreter, k)
        else:
            bound = self.bounds[k]
            run.assume(bound - counter - 1, False)
            own = bound == Poly.symbol(QUERIES)
            interpreter = Interpreter(self.source, run, env, lambda index: own and index == counter)
            self._bind_targets(interpreter, loop, counter)
        signal = interpreter.block(loop.body)
        if signal[0] == "return":
            return self._returned(interpreter, signal)
        if isinstance(loop, ast.For):
            interpreter.env[f"#{k}"] = counter + 1
        if signal[0] == "break":
            return self._leave(interpreter, k)
        interpreter.env["#first"] = False
        return Piece("", run, k, self._kept(interpreter.env, k))

    def _bind_targets(self, interpreter: Interpreter, loop: ast.For, counter: Poly) -> None:
        target, call = loop.target, loop.iter
        if isinstance(call, ast.Name):
            interpreter.bind(target, interpreter.run.read(counter))
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "enumerate":
            interpreter.bind(target, (counter, interpreter.run.read(counter)))
        else:
            interpreter.bind(target, counter)

    def _exhausted(self, run: Run, node: Node, where: Location) -> Piece:
        """A ``for`` loop that has come to its end."""
        run.assume(Poly.symbol(f"#{node.loop}") - self.bounds[node.loop], False)
        return self._leave(Interpreter(self.source, run, self._state(where)), node.loop)

    def _returned(self, interpreter: Interpreter, signal: Signal) -> Piece:
        interpreter.run.release(signal[1])
        return Piece("", interpreter.run)

    # states

    def _tag(self, value: Value, loop: int) -> object:
        """What of a value is part of the node: everything but the size of a number."""
        if isinstance(value, Poly):
            return "number"
        if value is None or isinstance(value, bool | str | Mark):
            return (type(value).__name__, value)
        refuse("a tuple is kept from one iteration to the next", self.program.loops[loop - 1])

    def _kinds_changed(self, piece: Piece) -> bool:
        """Note variables that turn out to be private or not constant; True where the exploration must start again."""
        assert piece.loop is not None
        loop, changed = piece.loop, False
        written = stores(self.program.loops[loop - 1]) | {f"#{loop}"}
        for name, value in piece.env.items():
            key = (loop, name)
            if not isinstance(value, Poly):
                continue
            if value.private and key not in self.private:
                self.private.add(key)
                changed = True
            fixed = all(s in self.source.params or s == QUERIES or s[0] == "@" for s in value.symbols())
            if key in self.varying:
                continue
            if name in written or not fixed or self.constant.setdefault(key, value) != value:
                if self.constant.pop(key, None) is not None:
                    changed = True
                self.varying.add(key)
        return changed

    def _node(self, piece: Piece) -> tuple[Node, Location]:
        assert piece.loop is not None
        loop = piece.loop
        tags = {name: self._tag(piece.env.get(name, UNBOUND), loop) for name in sorted(piece.env)}
        where: Location = (loop, tuple(tags.items()))
        if where not in self.names:
            if len(self.names) >= MAX_NODES:
                refuse("too many combinations of flags at the head of the loop", self.program.loops[loop - 1])
            numbers = [n for n, tag in tags.items() if tag == "number" and (loop, n) in self.varying]
            public = tuple(_symbol(n, False) for n in numbers if (loop, n) not in self.private)
            private = tuple(_symbol(n, True) for n in numbers if (loop, n) in self.private)
            self.names[where] = Node(f"{loop}.{len(self.names)}", loop, public, private)
        return self.names[where], where

    def _state(self, where: Location) -> Env:
        """The arbitrary state of a node."""
        loop, tags = where
        env: Env = {}
        for name, tag in tags:
            if tag != "number":
                env[name] = tag[1]  # type: ignore[index]
            elif (loop, name) in self.varying:
                env[name] = Poly.symbol(_symbol(name, (loop, name) in self.private))
            else:
                env[name] = self.constant[loop, name]
        return env

    def _transition(self, piece: Piece) -> Transition:
        run, updates, target = piece.run, {}, FAIL if piece.failed else END
        if piece.loop is not None:
            node, _ = self._node(piece)
            target = node.name
            for symbol in (*node.public, *node.private):
                value = piece.env[symbol if symbol[0] == "#" else symbol[1:]]
                assert isinstance(value, Poly)
                updates[symbol] = value
                if symbol[0] == "%":
                    value.linear()
        return Transition(
            piece.source, target, (tuple(run.asked),), tuple(run.public), tuple(dict.fromkeys(run.private)),
            tuple(run.draws), tuple(run.released), tuple(run.reads), updates, tuple(run.effects),
        )  # fmt: skip

    def _finish(self, transitions: list[Transition]) -> Model:
        known = self.facts.known
        nodes = {node.name: node for node in self.names.values()}
        known.positive -= {s for s in known.positive if s[0] == "$"} - {s for n in nodes.values() for s in n.public}
        whole = {s for node in nodes.values() for s in node.public}
        while True:
            known.whole |= whole
            broken = {s for t in transitions for s, v in t.updates.items() if s in whole and not known.integral(v)}
            known.whole -= broken
            if not broken:
                break
            whole -= broken
        counters = {}
        for node in nodes.values():
            if isinstance(self.program.loops[node.loop - 1], ast.For):
                counters[node.loop] = f"#{node.loop}"
            else:
                indices = {p for t in transitions if t.source == node.name for p in t.reads}
                for index in indices:
                    symbols = index.symbols()
                    if len(symbols) == 1 and Poly.symbol(*symbols) == index:
                        counters[node.loop] = symbols.pop()
        return Model(self.source, self.domains, known, nodes, transitions, counters, self.bounds, self.facts.atoms)


def _symbol(name: str, private: bool) -> str:
    return name if name[0] == "#" else f"%{name}" if private else f"${name}"


def _leave_unless(loop: ast.While) -> ast.stmt:
    """``if not test: break``."""
    negated = ast.copy_location(ast.UnaryOp(ast.Not(), loop.test), loop.test)
    leave = ast.copy_location(ast.Break(), loop)
    return ast.copy_location(ast.If(negated, [leave], []), loop)
