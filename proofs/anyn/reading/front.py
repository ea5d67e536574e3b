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
from typing import Any

from dpwitness.core.domains import Domain
from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.model import Model, domains_json
from dpwitness.proofs.anyn.reading.cutting import Program
from dpwitness.proofs.anyn.reading.interpret import Env, Interpreter
from dpwitness.proofs.anyn.reading.numbers import Kind, Number, joined
from dpwitness.proofs.anyn.reading.source import Source, refuse
from dpwitness.proofs.anyn.reading.syntax import stores
from dpwitness.proofs.anyn.reading.trees import grow, leaf_json
from dpwitness.proofs.anyn.reading.values import Facts, Fails, Listing, Mark, Old, Run, Value, listings
from dpwitness.proofs.kernel.algebra.laurent import Poly, to_json
from dpwitness.proofs.kernel.loops.heads import read_domains
from dpwitness.proofs.kernel.loops.trees import QUERIES, START, Node, read_program

MAX_PATHS = 400
MAX_NODES = 24
Location = tuple[int, tuple[tuple[str, object], ...]]


@dataclass
class Piece:
    """The outcome of one run of a piece: where it arrived, with which values, and the run's record.

    Attributes
    ----------
    loop, env
        The loop at whose head it arrived, and the variables that live there; None at the end.
    output
        What was returned at the end.
    failed
        Why and in which line the program would raise an exception.
    """

    run: Run
    loop: int | None = None
    env: Env = field(default_factory=dict)
    output: Value = None
    failed: tuple[str, int | None] | None = None


class FrontEnd:
    """Explores all pieces until kinds of variables and nodes no longer change."""

    def __init__(self, source: Source, domains: Mapping[str, Domain], *, peel: bool = False) -> None:
        self.source, self.domains, self.peel = source, domains, peel
        self.program = Program.cut(source)
        self.private: set[tuple[int, str]] = set()
        self.kinds: dict[tuple[int, str], Kind] = {}
        self.rounded: set[tuple[int, str]] = set()  # variables that are not computed from whole numbers alone
        self.varying: set[tuple[int, str]] = set()
        self.negative: set[str] = set()
        self.constant: dict[tuple[int, str], Number] = {}
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
        self.facts = Facts(known, frozenset(self.source.params))
        self.names: dict[Location, tuple[str, Node]] = {}
        self.constant = {}
        found = {START: self._paths(self._start)}
        todo = [*found[START]]
        while todo:
            piece = todo.pop()
            if piece.loop is None:
                continue
            if self._kinds_changed(piece):
                return None
            name, where = self._node(piece)
            if name not in found:
                found[name] = self._paths(lambda run, w=where: self._iterate(run, w))  # type: ignore[misc]
                todo += found[name]
        updates = [u for pieces in found.values() for piece in pieces for u in self._updates(piece).items()]
        negative = {s for s, v in updates if s in known.positive and not (v.poly and known.sure(v.poly))}
        if negative - self.negative:
            self.negative |= negative
            return None
        return self._finish(found, updates)

    def _paths(self, start: Callable[[Run], Piece]) -> list[Piece]:
        """Every way through a piece."""
        todo: list[list[int]] = [[]]
        found = []
        while todo:
            run = Run(todo.pop(), self.facts)
            try:
                piece = start(run)
            except Fails as error:
                piece = Piece(run, failed=(str(error), error.line))
            found.append(piece)
            todo += run.pending
            if len(found) > MAX_PATHS:
                refuse(f"more than {MAX_PATHS} paths through one piece of the program", self.source.tree)
        return found

    # pieces

    def _start(self, run: Run) -> Piece:
        whole = {name for name in self.source.params if name in self.domains and self.domains[name].whole}
        env: Env = {
            name: Number(Poly.symbol(name), "param", given=True, whole=name in whole) for name in self.source.params
        }
        interpreter = Interpreter(self.source, run, env)
        return self._leave(interpreter, 0)

    def _leave(self, interpreter: Interpreter, k: int) -> Piece:
        """Run the statements after loop `k` and arrive at the next loop, or at the end."""
        signal = interpreter.block(self.program.segments[k])
        if signal[0] == "return" or k == len(self.program.loops):
            return Piece(interpreter.run, output=signal[1])
        return self._enter(interpreter, k + 1)

    def _enter(self, interpreter: Interpreter, loop: int) -> Piece:
        node = self.program.loops[loop - 1]
        env = dict(interpreter.env)
        if isinstance(node, ast.For):
            bound = self._bound(interpreter, node)
            if self.bounds.setdefault(loop, bound) != bound:
                refuse("the length of the loop differs between paths", node)
            env[f"#{loop}"] = Number(Poly(), "int")
        env["#first"] = True
        return Piece(interpreter.run, loop, self._kept(env, loop))

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
                fixed = all(s == QUERIES or s in self.source.params for s in bound.poly.symbols())
                if fixed and interpreter.is_whole(bound) and self.facts.known.integral(bound.poly):
                    return bound.poly
                refuse("a loop whose length is not a whole number given by the parameters", node)
        refuse(f"a loop over {ast.unparse(call)}", node)

    def _kept(self, env: Env, loop: int) -> Env:
        names = self.program.alive[loop - 1] | {f"#{loop}"}
        kept = {name: value for name, value in env.items() if name in names}
        if self.peel:
            kept["#first"] = env["#first"]
        return kept

    def _iterate(self, run: Run, where: Location) -> Piece:
        """One iteration from a loop head, or the way out of the loop."""
        k = where[0]
        loop = self.program.loops[k - 1]
        env = self._state(where)
        counter = Poly.symbol(f"#{k}")
        if isinstance(loop, ast.While):
            interpreter = Interpreter(self.source, run, env)
            if interpreter.block([_leave_unless(loop)])[0] == "break":
                return self._leave(interpreter, k)
        else:
            bound = self.bounds[k]
            own = bound == Poly.symbol(QUERIES)
            interpreter = Interpreter(self.source, run, env, lambda index: own and index == counter)
            if not run.nonnegative(bound - counter - 1):
                return self._leave(Interpreter(self.source, run, env), k)
            self._bind_targets(interpreter, loop, counter)
        signal = interpreter.block(loop.body)
        if signal[0] == "return":
            return Piece(run, output=signal[1])
        if isinstance(loop, ast.For):
            interpreter.env[f"#{k}"] = Number(counter + 1, "int")
        if signal[0] == "break":
            return self._leave(Interpreter(self.source, run, interpreter.env), k)
        interpreter.env["#first"] = False
        return Piece(run, k, self._kept(interpreter.env, k))

    def _bind_targets(self, interpreter: Interpreter, loop: ast.For, counter: Poly) -> None:
        target, call, run = loop.target, loop.iter, interpreter.run
        place = Number(counter, "int")
        if isinstance(call, ast.Name):
            interpreter.bind(target, Number(run.read(counter), "data"))
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "enumerate":
            interpreter.bind(target, (place, Number(run.read(counter), "data")))
        else:
            interpreter.bind(target, place)

    # states

    def _kinds_changed(self, piece: Piece) -> bool:
        """Note variables that turn out to be private, not constant, or of another kind; True where one did."""
        assert piece.loop is not None
        loop, changed = piece.loop, False
        written = stores(self.program.loops[loop - 1]) | {f"#{loop}"}
        fixed = {*self.source.params, QUERIES, *(let.symbol for let in self.facts.atoms)}
        for name, value in piece.env.items():
            key = (loop, name)
            if not isinstance(value, Number):
                continue
            if value.private and key not in self.private:
                self.private.add(key)
                changed = True
            if not value.unrounded and key not in self.rounded:
                self.rounded.add(key)
                changed = True
            kind = joined(self.kinds.get(key, value.kind), value.kind)
            if self.kinds.setdefault(key, kind) != kind:
                self.kinds[key] = kind
                changed = True
            if key in self.varying:
                continue
            settled = name not in written and value.poly.symbols() <= fixed
            if not settled or self.constant.setdefault(key, value) != value:
                if self.constant.pop(key, None) is not None:
                    changed = True
                self.varying.add(key)
        return changed

    def _lists(self, piece: Piece) -> list[Listing]:
        """The lists that live at a loop head, each once; refused where one is inside another one."""
        found: list[Listing] = []
        for name in sorted(piece.env):
            value = piece.env[name]
            if isinstance(value, Listing) and not any(value is other for other in found):
                found.append(value)
        inside = [id(inner) for value in found for part in value.parts for inner in listings(part)]
        if len({*inside, *map(id, found)}) != len(inside) + len(found):
            assert piece.loop is not None
            refuse("a list that can be reached in two ways is kept", self.program.loops[piece.loop - 1])
        return found

    def _tag(self, value: Value, loop: int, lists: list[Listing]) -> object:
        """What of a value is part of the node: everything but the size of a number and the contents of a list."""
        if isinstance(value, Number):
            return "number"
        if isinstance(value, Listing):
            return ("list", next(k for k, other in enumerate(lists) if other is value))
        if value is None or isinstance(value, bool | str | Mark):
            return (type(value).__name__, value)
        refuse("a tuple is kept from one iteration to the next", self.program.loops[loop - 1])

    def _node(self, piece: Piece) -> tuple[str, Location]:
        assert piece.loop is not None
        loop, lists = piece.loop, self._lists(piece)
        tags = {name: self._tag(value, loop, lists) for name, value in sorted(piece.env.items())}
        where: Location = (loop, tuple(tags.items()))
        if where not in self.names:
            if len(self.names) >= MAX_NODES:
                refuse("too many combinations of flags at the head of the loop", self.program.loops[loop - 1])
            numbers = [n for n, tag in tags.items() if tag == "number" and (loop, n) in self.varying]
            public = tuple(_symbol(n, False) for n in numbers if (loop, n) not in self.private)
            private = tuple(_symbol(n, True) for n in numbers if (loop, n) in self.private)
            self.names[where] = (f"{loop}.{len(self.names)}", Node(loop, public, private, len(lists)))
        return self.names[where][0], where

    def _state(self, where: Location) -> Env:
        """The arbitrary state of a node."""
        loop, tags = where
        env: Env = {}
        lists: dict[int, Listing] = {}
        for name, tag in tags:
            key = (loop, name)
            if isinstance(tag, tuple):
                kind, content = tag
                env[name] = lists.setdefault(content, Listing([Old(content)])) if kind == "list" else content
            elif key in self.varying:
                symbol = Poly.symbol(_symbol(name, key in self.private))
                env[name] = Number(symbol, self.kinds[key], whole=key not in self.rounded)
            else:
                env[name] = self.constant[key]
        return env

    # the model

    def _updates(self, piece: Piece) -> dict[str, Number]:
        """What a piece sets at the loop head where it arrives."""
        found: dict[str, Number] = {}
        if piece.loop is not None:
            node = dict(self.names.values())[self._node(piece)[0]]
            for symbol in (*node.public, *node.private):
                value = piece.env[symbol if symbol[0] == "#" else symbol[1:]]
                assert isinstance(value, Number)
                found[symbol] = value
        return found

    def _leaf(self, piece: Piece) -> dict[str, Any]:
        if piece.failed is not None:
            return {"fail": piece.failed[0]}
        if piece.loop is None:
            return leaf_json(piece.output)
        return leaf_json(None, self._node(piece)[0], self._updates(piece), self._lists(piece))

    def _finish(self, found: dict[str, list[Piece]], updates: list[tuple[str, Number]]) -> Model:
        known = self.facts.known
        nodes = dict(self.names.values())
        known.positive -= {s for s in known.positive if s[0] == "$"} - {s for n in nodes.values() for s in n.public}
        wholes = {s for node in nodes.values() for s in node.public}
        while True:
            known.whole |= wholes
            broken = {s for s, v in updates if s in wholes and not known.integral(v.poly)}
            known.whole -= broken
            if not broken:
                break
            wholes -= broken
        trees: dict[str, Any] = {}
        lines: dict[str, int | None] = {}
        for root, pieces in found.items():
            trees[root], places = grow(root, [(p.run.events, self._leaf(p)) for p in pieces])
            lines |= {place: p.failed[1] for place, p in zip(places, pieces, strict=True) if p.failed is not None}
        model = {
            "params": domains_json(self.source.params, self.domains),
            "atoms": [[let.op, to_json(let.left), to_json(let.right)] for let in self.facts.atoms],
            "heads": {
                name: {"loop": n.loop, "public": list(n.public), "private": list(n.private), "lists": n.lists}
                for name, n in nodes.items()
            },
            "trees": trees,
        }
        steps = list(read_program(model).steps)
        counters = {}
        for name, node in nodes.items():
            if isinstance(self.program.loops[node.loop - 1], ast.For):
                counters[node.loop] = f"#{node.loop}"
            else:
                for index in {p for step in steps if step.source == name for p in step.reads}:
                    symbols = index.symbols()
                    if len(symbols) == 1 and Poly.symbol(*symbols) == index:
                        counters[node.loop] = symbols.pop()
        return Model(self.source, self.domains, known, nodes, steps, counters, self.bounds, model, lines)


def _symbol(name: str, private: bool) -> str:
    return name if name[0] == "#" else f"%{name}" if private else f"${name}"


def _leave_unless(loop: ast.While) -> ast.stmt:
    """``if not test: break``."""
    negated = ast.copy_location(ast.UnaryOp(ast.Not(), loop.test), loop.test)
    leave = ast.copy_location(ast.Break(), loop)
    return ast.copy_location(ast.If(negated, [leave], []), loop)
