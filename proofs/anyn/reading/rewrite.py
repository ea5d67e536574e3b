"""Short forms written out as loops: comprehensions over the queries, sums, and the index of a largest noisy value.

``[f(q) for q in queries]``      becomes a loop that appends
``sum(f(q) for q in queries)``   becomes a loop that adds
``noise.argmax([...])``          becomes a loop that keeps the largest value so far and its index

Names made here contain a ``+``, which no program can write. The order of the draws is that of the original.
"""

from __future__ import annotations

import ast

from dpwitness.proofs.anyn.reading.source import Source, refuse
from dpwitness.proofs.anyn.reading.syntax import NOTHING, copied, noise_call, reads

Comprehension = ast.ListComp | ast.GeneratorExp


def normalise(source: Source) -> list[ast.stmt]:
    """The body of the program with its short forms written out at the top level."""
    body = [_Plain().visit(node) for node in copied(source.tree.body)]
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]  # the docstring
    body = _collected(source, body)
    result: list[ast.stmt] = []
    maker = _Maker(source)
    for node in body:
        result += maker.statement(node)
    for node in result:
        ast.fix_missing_locations(node)
    return result


class _Plain(ast.NodeTransformer):
    """Drop annotations of local variables: they are not evaluated."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None or not isinstance(node.target, ast.Name):
            refuse("a declaration without a value", node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _set(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _keep_largest(value: ast.expr, position: ast.expr, tag: str) -> list[ast.stmt]:
    """``v = value; if best is None or v > best: best = v; index = position``."""
    new = ast.Compare(_load(f"best+{tag}"), [ast.Is()], [ast.Constant(None)])
    larger = ast.Compare(_load(f"value+{tag}"), [ast.Gt()], [_load(f"best+{tag}")])
    keep: list[ast.stmt] = [_set(f"best+{tag}", _load(f"value+{tag}")), _set(f"index+{tag}", position)]
    return [_set(f"value+{tag}", value), ast.If(ast.BoolOp(ast.Or(), [new, larger]), keep, [])]


class _Maker:
    """Writes out the short forms of one statement at a time."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.count = 0

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        if isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.ListComp):
            name, loop = self.appending(node.value)
            before, node.value = loop, _load(name)
        elif isinstance(node, ast.Assign | ast.Return) and (call := self.argmax_of(node.value)) is not None:
            name, loop = self.largest(call)
            before, node.value = loop, _load(name)
        elif isinstance(node, ast.If):
            node.test = self.sums(node.test, before)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr) and node.value is not None:
            node.value = self.sums(node.value, before)
        for new in before:
            ast.copy_location(new, node)
            for inner in ast.walk(new):
                if not hasattr(inner, "lineno"):
                    ast.copy_location(inner, node)
        return [*before, node]

    def tag(self) -> str:
        self.count += 1
        return str(self.count)

    def argmax_of(self, node: ast.AST | None) -> ast.ListComp | None:
        call = noise_call(node, self.source, "argmax") if node is not None else None
        if call is None or len(call.args) != 1 or call.keywords:
            return None
        return call.args[0] if isinstance(call.args[0], ast.ListComp) else None

    def header(self, comp: Comprehension, tag: str) -> tuple[ast.expr, ast.expr, ast.expr]:
        """Target, iterable and element of a comprehension, with its variables renamed."""
        first = comp.generators[0]
        if len(comp.generators) > 1 or first.ifs or first.is_async:
            refuse("a comprehension with conditions or with several loops", comp)
        names = {n.id: f"{n.id}+{tag}" for n in ast.walk(first.target) if isinstance(n, ast.Name)}
        rename = _Rename(names)
        return rename.visit(first.target), first.iter, rename.visit(comp.elt)

    def appending(self, comp: ast.ListComp) -> tuple[str, list[ast.stmt]]:
        tag = self.tag()
        target, iterable, element = self.header(comp, tag)
        name = f"list+{tag}"
        append = ast.Expr(ast.Call(ast.Attribute(_load(name), "append", ast.Load()), [element], []))
        return name, [_set(name, ast.List([], ast.Load())), ast.For(target, iterable, [append], [])]

    def largest(self, comp: ast.ListComp) -> tuple[str, list[ast.stmt]]:
        tag = self.tag()
        target, iterable, element = self.header(comp, tag)
        at = f"at+{tag}"
        body = _keep_largest(element, _load(at), tag)
        body.append(ast.AugAssign(ast.Name(at, ast.Store()), ast.Add(), ast.Constant(1)))
        return f"index+{tag}", [*_nothing_yet(tag), ast.For(target, iterable, body, []), _some_value(tag)]

    def sums(self, expr: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """Replace ``sum(...)`` over the queries by a variable that a loop fills."""
        maker = self

        class Sums(ast.NodeTransformer):
            def visit_Call(self, node: ast.Call) -> ast.expr:
                self.generic_visit(node)
                if not (isinstance(node.func, ast.Name) and node.func.id == "sum" and len(node.args) == 1):
                    return node
                tag, inside = maker.tag(), node.args[0]
                if isinstance(inside, ast.GeneratorExp | ast.ListComp):
                    target, iterable, element = maker.header(inside, tag)
                elif isinstance(inside, ast.Name) and inside.id == maker.source.queries:
                    target, iterable, element = ast.Name(f"q+{tag}", ast.Store()), inside, _load(f"q+{tag}")
                else:
                    return node
                if maker.source.noise in reads(element):
                    refuse("noise inside a sum", node)
                name = f"sum+{tag}"
                add = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), element)
                before.extend([_set(name, ast.Constant(0)), ast.For(target, iterable, [add], [])])
                return ast.copy_location(_load(name), node)

        result: ast.expr = Sums().visit(expr)
        return result


def _nothing_yet(tag: str) -> list[ast.stmt]:
    return [
        _set(f"best+{tag}", ast.Constant(None)),
        _set(f"index+{tag}", ast.Constant(None)),
        _set(f"at+{tag}", ast.Constant(0)),
    ]


def _some_value(tag: str) -> ast.stmt:
    """``noise.argmax`` of no values fails, as a name without a value does."""
    nothing = ast.Compare(_load(f"best+{tag}"), [ast.Is()], [ast.Constant(None)])
    return ast.If(nothing, [ast.Expr(_load(NOTHING))], [])


def _collected(source: Source, body: list[ast.stmt]) -> list[ast.stmt]:
    """A list that is only filled, once per query, and then given to ``noise.argmax``: keep the largest value instead.

    Either ``x = [f(q) for q in queries]`` directly before the statement that uses ``noise.argmax(x)``, or ``x = []``
    with one unconditional ``x.append(...)`` in one loop without ``break``, ``continue`` or ``return``.
    """
    uses = [n for top in body for n in ast.walk(top) if (c := noise_call(n, source, "argmax")) and _name_of(c)]
    if len(uses) != 1 or not isinstance(uses[0], ast.Call):
        return body
    call = uses[0]
    name = _name_of(call)
    mentions = [n for top in body for n in ast.walk(top) if isinstance(n, ast.Name) and n.id == name]
    for k, node in enumerate(body):
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and _is(node.targets[0], name)):
            continue
        after = body[k + 1] if k + 1 < len(body) else None
        if isinstance(node.value, ast.ListComp) and len(mentions) == 2 and getattr(after, "value", None) is call:
            call.args[0] = node.value
            return body[:k] + body[k + 1 :]
        if isinstance(node.value, ast.List) and not node.value.elts and len(mentions) == 3:
            return _appended(body, k, name, call)
    return body


def _appended(body: list[ast.stmt], k: int, name: str | None, call: ast.Call) -> list[ast.stmt]:
    for j in range(k + 1, len(body)):
        loop = body[j]
        if not isinstance(loop, ast.For):
            continue
        jumps = any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in ast.walk(loop))
        for m, inner in enumerate(loop.body):
            use = inner.value if isinstance(inner, ast.Expr) else None
            if not (isinstance(use, ast.Call) and isinstance(use.func, ast.Attribute) and _is(use.func.value, name)):
                continue
            later = any(
                n is call for top in body[j + 1 :] for n in ast.walk(top) if getattr(top, "value", None) is call
            )
            if jumps or use.func.attr != "append" or len(use.args) != 1 or not later:
                return body
            count = ast.AugAssign(ast.Name("at+0", ast.Store()), ast.Add(), ast.Constant(1))
            made = [*_keep_largest(use.args[0], _load("at+0"), "0"), count]
            fresh = _nothing_yet("0")
            for new, old in [*((n, inner) for n in made), *((n, body[k]) for n in fresh)]:
                for part in ast.walk(new):
                    if not hasattr(part, "lineno"):
                        ast.copy_location(part, old)
            loop.body[m : m + 1] = made
            holder = next(top for top in body[j + 1 :] if getattr(top, "value", None) is call)
            holder.value = ast.copy_location(_load("index+0"), call)  # type: ignore[attr-defined]
            at = body.index(holder)
            check = ast.fix_missing_locations(ast.copy_location(_some_value("0"), holder))
            return [*body[:k], *fresh, *body[k + 1 : at], check, *body[at:]]
    return body


def _name_of(call: ast.Call) -> str | None:
    return call.args[0].id if len(call.args) == 1 and isinstance(call.args[0], ast.Name) else None


def _is(node: ast.AST, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name
