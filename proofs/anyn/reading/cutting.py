"""The top level of a program, cut at its loops, and which names live at their heads."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dpwitness.proofs.anyn.reading.rewrite import normalise
from dpwitness.proofs.anyn.reading.source import Source
from dpwitness.proofs.anyn.reading.syntax import Loop, check, live, reads, stores


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
