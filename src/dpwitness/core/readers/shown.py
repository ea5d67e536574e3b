"""Programs that show the order of a set, or the text of an object: they are other programs in every process.

Texts have other hashes in each process, and a set of texts another order; the text of a function, or of an iterator,
tells where it lies in memory. What is not seen to be harmless is refused. Beside loops that end by chance more is
refused, since sets and texts there would be a part of a state (`unsteady`).
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from types import CodeType, FunctionType
from typing import Any

from dpwitness.core.errors import OutsideFragment

_SETS = ("set", "frozenset")
# what is the same for a set in every order; without `key`, which may tell equal ones apart
_ORDERLESS = {"len", "sorted", "min", "max", "any", "all", *_SETS}
_LAZY = {"iter", "zip", "map", "filter", "enumerate", "reversed"}  # their text tells where they lie
_EATS = {"list", "tuple", "sum", "dict", *_ORDERLESS}  # nothing of an iterator is left but what was in it
_TOOLS = {"itertools", "functools", "_functools", "operator", "_operator"}  # their objects tell where they lie as well
ORDER = (
    "the order of a set need not be the same in another process: use a set for 'in', len, sorted, min or max alone, or "
    "write a tuple, a list or a dictionary"
)
TEXT = (
    "text of values (str, or an f-string) in a program that handles functions or iterators as values: their text "
    "tells where they lie in memory"
)
_ON_SETS = {"&", "|", "^", "-", "&=", "|=", "^=", "-="}
Node = tuple[ast.AST, tuple[ast.AST, ...]]  # with its parents, the nearest last
Values = Mapping[str, Any]  # what lives outside a function, by name


def refuse_shown(parts: Iterable[tuple[FunctionType, list[CodeType], list[tuple[str, Any]]]]) -> None:
    """Raise where the order of a set, or the text of an object, may decide what a program does.

    `parts` are the functions of the program, with their code and with what lives outside them.

    >>> def found(noise, k):
    ...     return k in {1, 2}
    >>> refuse_shown([(found, [found.__code__], [])])
    >>> def listed(noise, k):
    ...     return [*{1, 2, k}]
    >>> refuse_shown([(listed, [listed.__code__], [])])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dpwitness.core.errors.OutsideFragment: the order of a set need not be the same in another process: ...
    """
    known = list(parts)
    texts = any(_makes_text(code) for _, codes, _ in known for code in codes)
    for function, codes, outside in known:
        sets = any(map(_makes_sets, codes)) or any(_holds_set(value) for _, value in outside)
        if not sets and not texts:
            continue
        tree, values = _tree(function), dict(outside)
        if sets and (tree is None or _shows_order(tree, outside)):
            raise OutsideFragment(ORDER)
        if texts and (tree is None or any(_hands_on(node, above, values) for node, above in _walk(tree))):
            raise OutsideFragment(TEXT)


def _tree(function: FunctionType) -> ast.AST | None:
    """The syntax tree of a function, of a lambda its body; None where it is not certain which one it is."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if function.__name__ != "<lambda>":
        return tree
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return ast.Expression(found[0].body) if len(found) == 1 else None


def _makes_sets(code: CodeType) -> bool:
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("EXTENDED_ARG", "CACHE")]
    made = any(makes_a_set(step) and after.opname != "CONTAINS_OP" for step, after in pairwise(steps))
    views = bool({"keys", "items"} & set(code.co_names)) and any(map(combines, steps))
    return made or views or bool(set(_SETS) & {*code.co_names, *code.co_freevars})


def _makes_text(code: CodeType) -> bool:
    return "str" in (*code.co_names, *code.co_freevars) or any(map(makes_text, dis.get_instructions(code)))


def makes_a_set(step: dis.Instruction) -> bool:
    """Whether an instruction makes, or loads, a set."""
    return step.opname == "BUILD_SET" or (step.opname == "LOAD_CONST" and isinstance(step.argval, frozenset))


def combines(step: dis.Instruction) -> bool:
    """Whether an instruction is an operation that makes a set of the keys of two dictionaries."""
    return step.opname == "BINARY_OP" and step.argrepr in _ON_SETS


def makes_text(step: dis.Instruction) -> bool:
    """Whether an instruction is a part of an f-string."""
    return step.opname.startswith(("FORMAT_", "CONVERT_VALUE"))


def _holds_set(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_set, value))
    if isinstance(value, dict):
        return any(_holds_set(part) for item in value.items() for part in item)
    return isinstance(value, set | frozenset)


def _walk(tree: ast.AST, above: tuple[ast.AST, ...] = ()) -> Iterator[Node]:
    yield tree, above
    for child in ast.iter_child_nodes(tree):
        yield from _walk(child, (*above, tree))


def _called(node: ast.AST) -> str:
    """The name of the function that a node calls; else empty."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _is_called(node: ast.AST, above: tuple[ast.AST, ...]) -> bool:
    return bool(above) and isinstance(above[-1], ast.Call) and above[-1].func is node


def _shows_order(tree: ast.AST, outside: list[tuple[str, Any]]) -> bool:
    names = {name for name, value in outside if isinstance(value, set | frozenset)}
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):  # a set that a name is given to is known by that name
        if isinstance(node, ast.Assign) and _is_set(node.value, set()):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            read |= names
    if names - read or any(_holds_set(value) for name, value in outside if name not in names):
        return True
    return any(_tells_order(node, above, names) for node, above in _walk(tree))


def _tells_order(node: ast.AST, above: tuple[ast.AST, ...], names: set[str]) -> bool:
    """Whether of a set that a node makes, or names, more may be asked than what is the same in every order."""
    if _annotates(node, above):
        return False
    if isinstance(node, ast.Name) and node.id in _SETS:
        return not _is_called(node, above)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub):
        return any(_is_set(part, names) or _is_view(part) for part in (node.left, node.right))
    if not _is_set(node, names):
        return False
    outer = above[-1]
    if isinstance(outer, ast.Call) and _called(outer) in _ORDERLESS and outer.args == [node] and not outer.keywords:
        return False
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            return False
    elif isinstance(outer, ast.Assign):
        return not all(isinstance(target, ast.Name) for target in outer.targets)
    return not isinstance(outer, ast.Compare)  # x in {…}, and comparisons of sets, which know no order


def _is_set(node: ast.AST, names: set[str]) -> bool:
    named = isinstance(node, ast.Name) and node.id in names
    return named or isinstance(node, ast.Set | ast.SetComp) or _called(node) in _SETS


def _is_view(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("keys", "items")


def _annotates(node: ast.AST, above: tuple[ast.AST, ...]) -> bool:
    """Whether a node stands in an annotation or a decorator, which a call does not run."""
    for outer, inner in pairwise((*above, node)):
        if isinstance(outer, ast.arg | ast.AnnAssign) and outer.annotation is inner:
            return True
        if isinstance(outer, ast.FunctionDef) and (outer.returns is inner or inner in outer.decorator_list):
            return True
    return False


def _hands_on(node: ast.AST, above: tuple[ast.AST, ...], values: Values) -> bool:
    """Whether a node has a function, a method or an iterator as a value, where it is neither called nor used up."""
    if isinstance(node, ast.Lambda | ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.FunctionDef):
        return any(isinstance(outer, ast.FunctionDef) for outer in above)
    if _annotates(node, above):
        return False
    if isinstance(node, ast.GeneratorExp) or _called(node) in _LAZY:
        outer = above[-1]
        loops = isinstance(outer, ast.For | ast.comprehension) and outer.iter is node
        return not loops and not (isinstance(outer, ast.Call) and _called(outer) in _EATS)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        value = values.get(node.attr)  # of a module; the module itself is not among what a function refers to
        if callable(value):
            return _is_tool(value) or not _is_called(node, above)
        return not isinstance(value, int | float) and not _is_called(node, above)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        value = values.get(node.id)
        if isinstance(value, FunctionType) or node.id in _LAZY:
            return not _is_called(node, above)
        return callable(value) and _is_tool(value)
    return False


def _is_tool(value: Any) -> bool:
    return getattr(value, "__module__", None) in _TOOLS


__all__ = ["combines", "makes_a_set", "makes_text", "refuse_shown"]
