"""The minimiser of a function, stated by its gradient: ``noise.minimiser(gradient, size)``.

A program says *what* the minimiser is, the point at which a gradient vanishes, and not how it is found. The gradient is
called once, with stand-ins for the unknown coordinates, and what it computes is kept as a formula. So whoever samples
and whoever proves read the same equation, and a gradient that behaves differently when called again gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, NoReturn

from dpwitness.core.errors import BadInput, OutsideFragment


class Term:
    """A formula in the unknown coordinates: `op` of `args`; a leaf has a `value` (a number, or a coordinate's index).

    Numbers of other readers (lanes, symbolic numbers) may stand in it as leaves. It cannot be compared, rounded or
    turned into text: a gradient is a formula, not a program.

    >>> (x,) = trace(lambda f: [2 * f[0] - 6], 1)
    >>> x.op, [part.op for part in x.args]
    ('-', ['*', 'given'])
    """

    __slots__ = ("args", "op", "value")
    __array_ufunc__ = None  # numpy leaves mixed arithmetic to this class

    def __init__(self, op: str, args: tuple[Term, ...] = (), value: Any = None) -> None:
        self.op = op
        self.args = args
        self.value = value

    def _with(self, op: str, other: Any, *, swap: bool = False) -> Any:
        if not isinstance(other, Term | Real) and not hasattr(other, "run"):
            return NotImplemented
        right = as_term(other)
        return Term(op, (right, self) if swap else (self, right))

    def __add__(self, other: Any) -> Any:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Any:
        return self if type(other) is int and other == 0 else self._with("+", other, swap=True)  # sum() starts at 0

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, swap=True)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, swap=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, swap=True)

    def __neg__(self) -> Any:
        return self._with("*", -1)

    def apply_function(self, name: str) -> Term:
        """exp, log, sqrt or logistic."""
        return Term(name, (self,))

    def _refuse(self, *_: Any) -> NoReturn:
        raise OutsideFragment("a gradient is a formula: it may add, multiply and divide its argument, and nothing else")

    __bool__ = __float__ = __int__ = __index__ = __round__ = __abs__ = __floor__ = __ceil__ = __trunc__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __hash__ = __pow__ = __rpow__ = __mod__ = _refuse
    __floordiv__ = __str__ = __repr__ = __format__ = __len__ = __iter__ = __getitem__ = _refuse


def as_term(value: Any) -> Term:
    """A number as a leaf; terms as they are."""
    return value if isinstance(value, Term) else Term("given", value=value)


def trace(gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Term]:
    """What a gradient computes at an unknown point of `size` coordinates."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise BadInput(f"size={size!r} must be a positive whole number of coordinates")
    found = gradient([Term("unknown", value=i) for i in range(size)])
    if not isinstance(found, list | tuple) or len(found) != size:
        raise BadInput(f"the gradient must return a list of {size} numbers")
    return [as_term(part) for part in found]


def ordered(terms: Sequence[Term]) -> list[Term]:
    """Every term once, arguments before what is made of them."""
    found: dict[int, Term] = {}
    todo = [(term, False) for term in reversed(terms)]
    while todo:
        term, ready = todo.pop()
        if id(term) in found:
            continue
        if ready or not term.args:
            found[id(term)] = term
        else:
            todo += [(term, True), *((part, False) for part in reversed(term.args))]
    return list(found.values())
