r"""How far apart two outputs are, exactly: floats are read as the rational numbers that they are.

=================  ==================================================================================================
``"l1"``           sum of the differences of the numbers
``"l2"``           root of the sum of their squares (compared by its square)
``"linf"``         the largest difference
``"l0"``           how many numbers differ
``"discrete"``     1 where the outputs are not the same
``"symmetric"``    records that only one of two datasets has
``"insert-delete"``  records to insert or delete on the way from one dataset to the other
``"hamming"``      places at which two datasets of one size differ
=================  ==================================================================================================

Outputs that cannot be subtracted, such as vectors of different lengths, a number and NaN, or dictionaries with
different keys, are infinitely far apart; ``"sparse-l1"`` and the like count a missing key as 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.identity import shipped
from dpwitness.core.stability.rows import edit_distance

NORMS = ("l0", "l1", "l2", "linf")
OF_DATASETS = ("symmetric", "insert-delete", "hamming")
NAMES = (*NORMS, *(f"sparse-{norm}" for norm in NORMS), "discrete", *OF_DATASETS)
ROUNDING = 2.0**12  # units in the last place that are ascribed to rounding where a claim is about real numbers
Apart = Fraction | float


@dataclass(frozen=True)
class Distance:
    """A distance by name, or a function of two outputs that returns a number."""

    name: str
    function: Callable[[Any, Any], Any] | None = None

    @classmethod
    def of(cls, given: str | Callable[[Any, Any], Any]) -> Distance:
        """From what a user writes."""
        if callable(given):
            return cls(getattr(given, "__name__", "distance"), given)
        if given not in NAMES:
            raise BadInput(f"distance={given!r} must be one of {', '.join(NAMES)}, or a function of two outputs")
        return cls(given)

    @property
    def power(self) -> int:
        """The measure is this power of the distance."""
        return 2 if self.name.endswith("l2") and self.function is None else 1

    def measure(self, left: Any, right: Any) -> Apart:
        """The distance to the power `power`, exactly; ∞ where the outputs cannot be compared.

        >>> Distance("l1").measure([0.5, 1], [0.25, 3]), Distance("l1").measure([1], [1, 2])
        (Fraction(9, 4), inf)
        """
        if self.function is not None:
            return _number_or_inf(self.function(left, right))
        if self.name == "discrete":
            return Fraction(0 if alike(left, right) else 1)
        if self.name in OF_DATASETS:
            return self._of_datasets(left, right)
        sparse, norm = self.name.startswith("sparse-"), self.name.removeprefix("sparse-")
        moves = differences(left, right, sparse=sparse)
        if moves is None:
            return math.inf
        if norm == "l0":
            return Fraction(sum(map(bool, moves)))
        if math.inf in moves:
            return math.inf
        sizes = [abs(x) for x in moves if isinstance(x, Fraction)]
        if norm == "l2":
            return sum((x * x for x in sizes), Fraction(0))
        return max(sizes, default=Fraction(0)) if norm == "linf" else sum(sizes, Fraction(0))

    def _of_datasets(self, left: Any, right: Any) -> Apart:
        one, two = records_of(left), records_of(right)
        if one is None or two is None:
            return math.inf
        if self.name == "symmetric":
            a, b = Counter(one), Counter(two)
            return Fraction(sum(((a - b) + (b - a)).values()))
        if self.name == "insert-delete":
            return Fraction(edit_distance(one, two))
        return Fraction(sum(x != y for x, y in zip(one, two, strict=True))) if len(one) == len(two) else math.inf

    def rounding(self, left: Any, right: Any, bound: Fraction) -> Fraction:
        """What rounding may add to the distance of two outputs: so many units in the last place of their numbers."""
        if self.function is not None or self.name == "discrete" or self.name in OF_DATASETS:
            return Fraction(0)
        floats = [x for side in (left, right) for x in (numbers(side) or {}).values() if _is_float(x)]
        sizes = [abs(float(x)) for x in floats if math.isfinite(x)]
        if not sizes:
            return Fraction(0)
        unit = max(_unit(x) for x in floats)
        return Fraction(ROUNDING * unit) * (Fraction(max(sizes)) + abs(bound)) * max(1, len(sizes) // 2)


def differences(left: Any, right: Any, *, sparse: bool = False) -> list[Fraction | float] | None:
    """The difference of every number; None where there is another number of them, or no numbers at all."""
    one, two = numbers(left), numbers(right)
    if one is None or two is None:
        return None
    if not sparse and one.keys() != two.keys():
        return None
    found: list[Fraction | float] = []
    for place in dict.fromkeys((*one, *two)):
        a, b = one.get(place, 0), two.get(place, 0)
        if _finite(a) and _finite(b):
            found.append(Fraction(b) - Fraction(a))
        else:
            found.append(Fraction(0) if repr(float(a)) == repr(float(b)) else math.inf)
    return found


def numbers(output: Any) -> dict[Any, Any] | None:
    """The numbers of an output by their place in it; None where something else stands among them.

    >>> numbers({"a": 1, "b": [2.0, True]})
    {('a',): 1, ('b', 0): 2.0, ('b', 1): 1}
    """
    found: dict[Any, Any] = {}
    return found if _collect(_plain(output), (), found) else None


def _collect(value: Any, place: tuple[Any, ...], found: dict[Any, Any]) -> bool:
    if isinstance(value, bool | int | float | Fraction):
        found[place] = int(value) if isinstance(value, bool) else value
        return True
    if isinstance(value, Mapping):
        return all(_collect(_plain(x), (*place, key), found) for key, x in value.items())
    if isinstance(value, list | tuple):
        return all(_collect(_plain(x), (*place, i), found) for i, x in enumerate(value))
    return False


def _plain(value: Any) -> Any:
    """Arrays and frames as what they hold; other objects as they are. Single precision stays what it is."""
    if isinstance(value, str | bytes | int | float | Fraction | list | tuple | dict) or value is None:
        return shipped(value) if isinstance(value, Fraction) else value
    if type(value).__module__.partition(".")[0] == "numpy" and getattr(value, "shape", None) == ():
        return Single(value) if value.dtype.itemsize < 8 and value.dtype.kind == "f" else value.item()
    if (columns := _columns(value)) is not None:
        return columns
    if (small := _small_floats(value)) is not None:
        return small
    made = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    return made() if callable(made) else value


class Single(float):
    """A number that was of single precision or less: its last place is larger."""


def _small_floats(value: Any) -> list[Any] | None:
    kind = getattr(value, "dtype", None)
    if getattr(kind, "kind", "") != "f" or getattr(kind, "itemsize", 8) >= 8:
        return None
    return [Single(x) for x in value.ravel().tolist()] if hasattr(value, "ravel") else None


def _columns(value: Any) -> dict[str, Any] | None:
    """The columns of a frame of pandas or polars, as lists."""
    if type(value).__module__.partition(".")[0] not in ("pandas", "polars") or not hasattr(value, "columns"):
        return None
    return {str(name): list(value[name]) for name in value.columns}


def records_of(output: Any) -> list[Any] | None:
    """The records of an output that is a dataset, as keys; None where it is none."""
    if (columns := _columns(output)) is not None:
        lists = list(columns.values())
        rows: list[Any] = list(zip(*lists, strict=True)) if lists else []
        return [text_key(row) for row in rows]
    plain = _plain(output)
    return [text_key(_plain(x)) for x in plain] if isinstance(plain, list | tuple) else None


def text_key(value: Any) -> str:
    """What two values share exactly where whoever holds them cannot tell them apart."""
    plain = _plain(value)
    if isinstance(plain, Mapping):
        inner = ", ".join(f"{key!r}: {text_key(x)}" for key, x in plain.items())
        return f"{type(plain).__name__}({inner})"
    if isinstance(plain, list | tuple):
        return f"{type(plain).__name__}({', '.join(map(text_key, plain))})"
    if isinstance(plain, set | frozenset):
        return f"{type(plain).__name__}({', '.join(sorted(map(text_key, plain)))})"
    return f"{type(plain).__name__} {plain!r}"


def alike(left: Any, right: Any) -> bool:
    """Whether two outputs are the same by type and value."""
    return text_key(left) == text_key(right)


def _number_or_inf(value: Any) -> Apart:
    plain = _plain(value)
    if not isinstance(plain, int | float | Fraction):
        raise BadInput(f"the distance returned {value!r}; a number is needed")
    if isinstance(plain, float) and not math.isfinite(plain):
        return math.inf
    if plain < 0:
        raise BadInput(f"the distance returned {value!r}; a distance is not negative")
    return Fraction(plain)


def _finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _is_float(value: Any) -> bool:
    return isinstance(value, float)


def _unit(value: Any) -> float:
    return 2.0**-23 if isinstance(value, Single) else 2.0**-52
