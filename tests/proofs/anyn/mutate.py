"""Random small changes of programs, as source text."""

from __future__ import annotations

import ast
import copy
import inspect
import random

_COMPARE = [ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq]
_NUMBERS = [0, 1, 2, 3, 4, 0.5, -1]


def _names(tree):
    return sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in ("noise", "range", "len")})


class _Change(ast.NodeTransformer):
    """Changes the k-th node that can be changed."""

    def __init__(self, rng, k, names):
        self.rng, self.k, self.names, self.count = rng, k, names, 0

    def _mine(self):
        self.count += 1
        return self.count - 1 == self.k

    def visit_Constant(self, node):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool) and self._mine():
            return ast.Constant(self.rng.choice(_NUMBERS))
        return node

    def visit_Compare(self, node):
        if self._mine():
            node.ops[0] = self.rng.choice(_COMPARE)()
            return node
        return self.generic_visit(node)

    def visit_BinOp(self, node):
        if self._mine():
            choice = self.rng.randrange(4)
            if choice == 0:
                return node.left
            if choice == 1:
                return node.right
            node.op = self.rng.choice([ast.Add, ast.Sub, ast.Mult, ast.Div])()
            return node
        return self.generic_visit(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.names and node.id != "queries" and self._mine():
            others = [n for n in self.names if n != "queries"]
            return ast.Name(self.rng.choice(others), ast.Load())
        return node

    def visit_Call(self, node):
        draw = isinstance(node.func, ast.Attribute) and node.func.attr in ("laplace", "exponential")
        if draw and self._mine():
            return ast.Constant(0)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "append" and self._mine():
            node.args = [ast.Name(self.rng.choice([n for n in self.names if n != "queries"]), ast.Load())]
            return node
        return self.generic_visit(node)


def _change_statements(tree, rng):
    """Remove, repeat, exchange or move one statement somewhere."""
    blocks = [n.body for n in ast.walk(tree) if isinstance(getattr(n, "body", None), list)]
    blocks += [n.orelse for n in ast.walk(tree) if isinstance(getattr(n, "orelse", None), list) and n.orelse]
    block = rng.choice(blocks)
    k = rng.randrange(len(block))
    choice = rng.randrange(5)
    if choice == 0:
        block[k] = ast.Pass()
    elif choice == 1:
        block.insert(k, copy.deepcopy(block[k]))
    elif choice == 2:
        j = rng.randrange(len(block))
        block[k], block[j] = block[j], block[k]
    elif choice == 3:
        other = rng.choice(blocks)
        other.insert(rng.randrange(len(other) + 1), copy.deepcopy(block[k]))
    else:
        jump = rng.choice([ast.Break, ast.Continue, ast.Pass])()
        block.insert(k, jump)


def mutant(program, seed):
    """The text of a changed program, under its old name."""
    rng = random.Random(f"{program.__name__}{seed}")
    tree = ast.parse(inspect.getsource(program))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if rng.random() < 0.35:
            _change_statements(tree.body[0], rng)
        else:
            names = _names(tree)
            counter = _Change(rng, -1, names)
            counter.visit(copy.deepcopy(tree))
            if counter.count:
                _Change(rng, rng.randrange(counter.count), names).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
