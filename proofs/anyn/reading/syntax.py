"""The syntax that the front end understands: a positive list, rewriting of short forms, and liveness.

Everything that is not on the list is refused with its line. Comprehensions over the queries, ``sum`` and
``noise.argmax`` of such a comprehension are rewritten as loops; what remains is checked against the list.
"""

from __future__ import annotations

import ast
import copy

from dpwitness.proofs.anyn.reading.source import BUILTINS, Source, refuse

NOTHING = "nothing+"
"""A name that is never bound: reading it is how rewritten programs fail."""
_NODES = (
    ast.For, ast.While, ast.If, ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Break,
    ast.Continue, ast.Pass, ast.Name, ast.Load, ast.Store, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.And, ast.Or,
    ast.Not, ast.USub, ast.UAdd, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.FloorDiv, ast.Pow, ast.Gt, ast.GtE,
    ast.Lt, ast.LtE, ast.Eq, ast.NotEq, ast.Is, ast.IsNot,
)  # fmt: skip
DRAWS = ("laplace", "exponential", "discrete_laplace")
_NOISE = (*DRAWS, "argmax", "max")
Loop = ast.For | ast.While


def reads(node: ast.AST | None) -> set[str]:
    """Names that are read in a piece of syntax."""
    if node is None:
        return set()
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def stores(*nodes: ast.AST) -> set[str]:
    """Names that are assigned in pieces of syntax."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def noise_call(node: ast.AST, source: Source, *methods: str) -> ast.Call | None:
    """The node as a call of one of the noise's methods."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == source.noise
        and node.func.attr in methods
    ):
        return node
    return None


def check(source: Source, body: list[ast.stmt]) -> None:
    """Refuse everything that is not on the list of known syntax."""
    bound = {*source.params, NOTHING} | stores(*body)
    fixed = {source.noise, source.queries, *BUILTINS}
    parents = {child: node for top in body for node in ast.walk(top) for child in ast.iter_child_nodes(node)}
    for top in body:
        for node in ast.walk(top):
            if not isinstance(node, _NODES):
                refuse(f"{type(node).__name__} is not in the language that the any-N prover reads", _line(node, top))
            if isinstance(node, ast.Name):
                _check_name(node, source, bound, fixed, parents.get(node))
            elif isinstance(node, ast.Attribute) and not isinstance(parents.get(node), ast.Call):
                refuse(f"the attribute {node.attr}", node)
            elif isinstance(node, ast.Call):
                _check_call(node, source, bound)
            elif isinstance(node, ast.Subscript) and not (
                isinstance(node.value, ast.Name) and node.value.id == source.queries and isinstance(node.ctx, ast.Load)
            ):
                refuse("only the queries may be indexed, and only read", node)
            elif isinstance(node, ast.Compare):
                _check_identity(node)
            elif isinstance(node, ast.For | ast.While) and node.orelse:
                refuse("else after a loop", node)


def _line(node: ast.AST, top: ast.stmt) -> int:
    return getattr(node, "lineno", top.lineno)


def _check_name(node: ast.Name, source: Source, bound: set[str], fixed: set[str], parent: ast.AST | None) -> None:
    if not node.id.isascii():
        refuse(f"the name {node.id!r}", node)
    if isinstance(node.ctx, ast.Store):
        if node.id in fixed:
            refuse(f"{node.id} is assigned", node)
        return
    if node.id == source.noise:
        if not isinstance(parent, ast.Attribute):
            refuse("the noise is used other than by calling its methods", node)
    elif node.id == source.queries:
        whole = isinstance(parent, ast.For) and parent.iter is node
        called = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name)
        if not (whole or called or (isinstance(parent, ast.Subscript) and parent.value is node)):
            refuse("the queries are used other than by a loop, an index or len", node)
        function = parent.func if isinstance(parent, ast.Call) else None
        if isinstance(function, ast.Name) and function.id not in ("len", "enumerate"):
            refuse(f"{function.id} of the queries", node)
    elif node.id in BUILTINS:
        if not (isinstance(parent, ast.Call) and parent.func is node):
            refuse(f"{node.id} is used without a call", node)
    elif node.id not in bound:
        refuse(f"the name {node.id} is neither a parameter nor a variable of the program", node)


def _check_call(node: ast.Call, source: Source, bound: set[str]) -> None:
    keywords = [k.arg for k in node.keywords]
    if any(isinstance(a, ast.Starred) for a in node.args):
        refuse("a starred argument", node)
    if isinstance(node.func, ast.Name) and node.func.id in BUILTINS and not keywords:
        return
    if noise_call(node, source, *_NOISE):
        if len(node.args) + len(keywords) == 1 and keywords in ([], ["scale"]):
            return
        refuse("one argument is expected", node)
    method = node.func
    of_variable = isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) and method.value.id in bound
    if of_variable and isinstance(method, ast.Attribute) and method.attr in ("append", "extend"):
        if len(node.args) == 1 and not keywords:
            return
        refuse("one argument is expected", node)
    refuse(f"a call of {ast.unparse(node.func)}", node)


def _check_identity(node: ast.Compare) -> None:
    if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        right = node.comparators[0]
        if len(node.ops) > 1 or not (isinstance(right, ast.Constant) and right.value is None):
            refuse("an identity test other than with None", node)


def live(body: list[ast.stmt], after: set[str], on_break: set[str], on_continue: set[str]) -> set[str]:
    """Names whose values may still be read, before `body`, given those after it (never too few)."""
    alive = set(after)
    for node in reversed(body):
        if isinstance(node, ast.Break):
            alive = set(on_break)
        elif isinstance(node, ast.Continue):
            alive = set(on_continue)
        elif isinstance(node, ast.Return):
            alive = reads(node.value)
        elif isinstance(node, ast.If):
            yes, no = (live(part, alive, on_break, on_continue) for part in (node.body, node.orelse))
            alive = yes | no | reads(node.test)
        elif isinstance(node, ast.Assign):
            alive = (alive - stores(*node.targets)) | reads(node.value)
        elif isinstance(node, ast.AugAssign):
            alive = alive | reads(node.value) | stores(node.target)
        elif isinstance(node, ast.For):
            alive = alive | reads(node) | stores(node)
        else:
            alive = alive | reads(node)
    return alive


def copied(body: list[ast.stmt]) -> list[ast.stmt]:
    """A deep copy that may be rewritten."""
    return [copy.deepcopy(node) for node in body]
