"""Running a program on unknown real records of which the order is known: every path, for all datasets at once.

The unknowns are the *gaps* between neighbouring values in sorted order: g₀ from the lower bound to the smallest record,
gₙ from the largest record to the upper bound. A linear form of the records is a combination of the gaps, whose sum is
high − low, and its sign is plain where all coefficients have one sign. Where it is not, the run forks. Ties are gaps
that are zero: where a test comes out differently on a tie the run forks too, so that no dataset is left out.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from dpwitness.core.forms import Form, Symbol
from dpwitness.core.functions import exact_form
from dpwitness.core.readers.paths import Condition, SymbolicRun
from dpwitness.core.readers.symbolic import Op, Sym
from dpwitness.core.readers.where import program_code
from dpwitness.proofs.laws.formulas import public_sign
from dpwitness.proofs.laws.reading import Leaf, PublicRun, explore
from dpwitness.proofs.laws.sorted_records.gaps import NONE, Row, follows, gap_row, minus, subtract


class OrderedRun(PublicRun):
    """A run on records in a known order; the inputs of its forms are the gaps."""

    def __init__(self, prefix: Sequence[int], trace: Sequence[Any], code: Any, gaps: int, width: Fraction) -> None:
        super().__init__(prefix, trace, code, None)
        self.gaps, self.width = gaps, width
        self.zero: frozenset[int] = frozenset()
        self.rows: list[Row] = []
        self.tops: list[tuple[Form, ...]] = []

    def argmax(self, values: Sequence[Any]) -> Any:
        """One fork for all values. A tie belongs to several branches here, which covers every dataset all the same."""
        rows = [self._row(value) for value in values]
        if any(row is None for row in rows):
            return super().argmax(values)
        known = [row for row in rows if row is not None]
        self._log(("argmax", len(known), tuple(str(v.form) if isinstance(v, Sym) else str(v) for v in values)))
        wins = [[subtract(best, other) for other in known] for best in known]
        open_ = [i for i, rest in enumerate(wins) if not any(self._negative(row) for row in rest)]
        place = self._fork([[] for _ in open_])
        pick = open_[place]
        self.rows += [row for i, row in enumerate(wins[pick]) if i != pick and any(c.sign() < 0 for c in row.values())]
        return pick

    def _row(self, value: Any) -> Row | None:
        form = value.form if isinstance(value, Sym) else exact_form(value)
        return None if form is None else gap_row(form, self.gaps, self.width)

    def _negative(self, row: Row) -> bool:
        """Whether row ≤ 0 everywhere, and not only on a tie."""
        signs = [row.get(j, NONE).sign() for j in range(self.gaps) if j not in self.zero]
        return all(s < 0 for s in signs)

    def top(self, values: Sequence[Any]) -> Any:
        """The largest of several numbers, as a new unknown of which the options are kept."""
        options: list[Form] = []
        for value in values:
            form = value.form if isinstance(value, Sym) else exact_form(value)
            if form is None or any(s.kind == "draw" for s in form.symbols()):
                self.refuse("the largest of numbers that depend on the noise")
            options += self.expand(form)
        options = list(dict.fromkeys(options))
        if len(options) == 1:
            return Sym(self, options[0])
        symbol = Symbol("input", self.gaps + len(self.tops), f"max{len(self.tops)}")
        self.tops.append(tuple(options))
        return Sym(self, Form.of_symbol(symbol))

    def expand(self, form: Form) -> list[Form]:
        """The options of a form that is a positive multiple of a maximum plus a plain part; else the form alone."""
        maxima = [s for s in form.symbols() if s.kind == "input" and s.index >= self.gaps]
        if not maxima:
            return [form]
        parts = form.linear()
        if len(maxima) > 1 or parts is None or public_sign(parts[0][maxima[0]]) <= 0:
            self.refuse("a maximum inside a form that does not grow with it")
        factor, symbol = parts[0][maxima[0]], maxima[0]
        rest = form - factor * Form.of_symbol(symbol)
        return [factor * option + rest for option in self.tops[symbol.index - self.gaps]]

    def decide(self, form: Form, op: Op) -> bool:
        if not form.private or any(s.kind == "draw" for s in form.symbols()):
            return super().decide(form, op)
        if op == ">":
            return self._above(form)
        if op == ">=":
            return not self._above(-form)
        equal = not self._above(form) and not self._above(-form)
        return equal if op == "==" else not equal

    def _above(self, form: Form) -> bool:
        """Whether form > 0."""
        row = gap_row(form, self.gaps, self.width)
        if row is None:
            self.refuse(f"a test that is not linear in the records: {form} > 0")
        row = {j: c for j, c in row.items() if j not in self.zero}
        signs = {j: c.sign() for j, c in row.items()}
        up = frozenset(j for j, s in signs.items() if s > 0)
        down = frozenset(j for j, s in signs.items() if s < 0)
        if not up:
            return False
        if not down and len(up) + len(self.zero) == self.gaps:
            return True  # some gap is not 0, and all of them count
        known = self._recall(form, strict=True)
        if known is not None:
            return known
        if down and any(follows(minus(row), old, self.zero) for old in self.rows):
            return False
        self._log(("if", form, True))
        yes = self._fork([[Condition(form, True)], [Condition(-form, False)]]) == 0
        self._remember(form, True, yes)
        if down:
            self.rows.append(row if yes else minus(row))
        elif not yes:
            self.zero |= up
        return yes


class Unsorted:
    """A record of which nothing may be asked: a program that only sorts its records depends on nothing else."""

    def __init__(self, run: OrderedRun) -> None:
        self.run = run

    def _refuse(self, *_: Any) -> Any:
        self.run.refuse("a record is used before the records are sorted")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __hash__ = __float__ = __int__ = _refuse
    __index__ = __abs__ = __pow__ = __rpow__ = __mod__ = __floordiv__ = __round__ = __str__ = __repr__ = _refuse


@contextmanager
def _builtins(run: OrderedRun, values: Sequence[Sym]) -> Iterator[None]:
    """Within the block `sorted` of all records gives `values`, and `max` of symbolic numbers is kept as a maximum."""
    plain_sorted, plain_max = builtins.sorted, builtins.max

    def ordered(items: Any, /, *, key: Any = None, reverse: bool = False) -> Any:
        given = list(items)
        if not any(isinstance(x, Unsorted) for x in given):
            return plain_sorted(given, key=key, reverse=reverse)
        if key is not None or len({id(x) for x in given}) != len(values) or len(given) != len(values):
            run.refuse("only all records together can be sorted, by their value")
        return list(reversed(values)) if reverse else list(values)

    def largest(*items: Any, key: Any = None, **options: Any) -> Any:
        if options or not items:
            return plain_max(*items, key=key, **options)
        given = list(items[0]) if len(items) == 1 else list(items)
        keys = given if key is None else [key(x) for x in given]
        if not any(isinstance(k, Sym) and k.run is run for k in keys):
            return plain_max(given, key=key)
        return run.top(keys) if key is None else given[run.argmax(keys)]

    builtins.sorted, builtins.max = ordered, largest
    try:
        yield
    finally:
        builtins.sorted, builtins.max = plain_sorted, plain_max


def leaves_when_sorted(
    program: Callable[..., Any], size: int, params: Mapping[str, Any], low: Fraction, high: Fraction, limit: int = 4000
) -> list[Leaf]:
    """Every path of a program that reads its `size` records in [low, high] through ``sorted`` alone, ties included."""
    code = program_code(program)
    gaps = [Form.of_symbol(Symbol("input", j, f"g{j}")) for j in range(size + 1)]
    values = [sum(gaps[: j + 1], Form.constant(low)) for j in range(size)]

    def start(prefix: Sequence[int], trace: Sequence[Any]) -> SymbolicRun:
        return OrderedRun(prefix, trace, code, size + 1, high - low)

    @functools.wraps(program)
    def wrapped(noise: OrderedRun, data: Any, **given: Any) -> Any:
        with _builtins(noise, [Sym(noise, v) for v in values]):
            return program(noise, data, **given)

    def records(run: SymbolicRun) -> list[Any]:
        assert isinstance(run, OrderedRun)
        return [Unsorted(run) for _ in range(size)]

    return explore(wrapped, params, start, records, limit)
