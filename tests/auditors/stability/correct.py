"""Fifty transformations that keep the stability that is claimed of them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np

from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.core.stability.columns import choices, reals, wholes
from dpwitness.core.stability.rows import Rows

LETTERS, BITS, DIGITS = choices("a", "b", "c"), wholes(0, 1), wholes(0, 9)
UNIT, RAW = reals(0, 1), reals(nan=True, infinite=True)
REPLACED = {"size": (3, 3), "adjacency": "substitute"}
TABLE = {"key": LETTERS, "value": DIGITS}


def clamp(x, low, high):
    return low if not x > low else high if x > high else x  # NaN becomes low


def histogram(rows, keys):
    return {key: sum(x == key for x in rows) for key in keys}


def group_sums(rows):
    return {key: sum(min(v, 5) for k, v in rows if k == key) for key in "abc"}


def b_ary(leaves, branching=2):
    out, level = [], list(leaves)
    while len(level) > 1:
        out += level
        level = [sum(level[i : i + branching]) for i in range(0, len(level), branching)]
    return out + level


def quantile_scores(values, candidates=(2, 5, 8)):
    return [abs(sum(x < c for x in values) - sum(x > c for x in values)) for c in candidates]


def first_each(rows):
    kept = {}
    for key, value in rows:
        kept.setdefault(key, value)
    return len(kept)


def bounded_join(rows, copies=("a", "a", "b")):
    return [(x, i) for x in rows for i, y in enumerate(copies) if x == y]


def resize(rows, size=4):
    return (list(rows) + [0] * size)[:size]


def wrapped_counts(rows):
    return np.bincount(np.array(rows, dtype=int), minlength=10)


def mean_of_fixed(rows):
    return sum(rows) / 3


def median(rows):
    return sorted(rows)[len(rows) // 2]


def runs_of_ones(rows):
    return sum(1 for key, _ in itertools.groupby(rows) if key == 1)


# name, function, space, distance, bound
CORRECT: list[tuple[str, Any, Any, str, Any]] = [
    ("identity", list, Rows(DIGITS), "insert-delete", 1),
    ("clamp", lambda d: [clamp(x, 0.0, 1.0) for x in d], Rows(reals(-5, 5)), "symmetric", 1),
    ("clamp of NaN", lambda d: [clamp(x, 0.0, 1.0) for x in d], Rows(RAW), "symmetric", 1),
    ("clamped sum", lambda d: sum(clamp(x, 0, 1) for x in d), Rows(reals(-5, 5)), "l1", 1),
    ("clamped sum of NaN", lambda d: sum(clamp(x, 0.0, 1.0) for x in d), Rows(RAW), "l1", 1),
    ("clamped sum, replaced", lambda d: sum(clamp(x, -1, 1) for x in d), Rows(reals(-5, 5), **REPLACED), "l1", 2),
    ("sum in any order", lambda d: sum(d), Rows(DIGITS, any_order=True), "l1", 9),
    ("exact sum of floats", math.fsum, Rows(UNIT, any_order=True), "l1", 1),
    ("sum of squares", lambda d: sum(x * x for x in d), Rows(DIGITS), "l1", 81),
    ("count", len, Rows(DIGITS), "l1", 1),
    ("count of long datasets", len, Rows(BITS, (0, 3000)), "l1", 1),
    ("count, replaced", len, Rows(DIGITS, **REPLACED), "l1", 0),
    ("distinct", lambda d: len(set(d)), Rows(LETTERS), "l1", 1),
    ("histogram", lambda d: histogram(d, "abc"), Rows(LETTERS), "l1", 1),
    ("histogram, replaced", lambda d: histogram(d, "abc"), Rows(LETTERS, **REPLACED), "l1", 2),
    ("histogram in ℓ2, replaced", lambda d: histogram(d, "abc"), Rows(LETTERS, **REPLACED), "l2", 1.5),
    ("sparse histogram", lambda d: dict(Counter(d)), Rows(LETTERS), "sparse-l1", 1),
    ("histogram by numpy", wrapped_counts, Rows(DIGITS), "l1", 1),
    ("one-hot", lambda d: [[int(x == k) for k in "abc"] for x in d], Rows(LETTERS), "symmetric", 1),
    ("filter", lambda d: [x for x in d if x > 4], Rows(DIGITS), "symmetric", 1),
    ("map", lambda d: [2 * x + 1 for x in d], Rows(DIGITS), "symmetric", 1),
    ("flat map of two", lambda d: [x for x in d for _ in range(2)], Rows(DIGITS), "symmetric", 2),
    ("flat map, any number of steps", lambda d: [x for x in d for _ in range(2)], Rows(DIGITS), "symmetric",
     lambda k: 2 * k),
    ("sort", sorted, Rows(DIGITS, any_order=True), "symmetric", 1),
    ("reverse", lambda d: d[::-1], Rows(DIGITS), "insert-delete", 1),
    ("resize", resize, Rows(wholes(1, 9)), "insert-delete", 2),
    ("group sums", group_sums, Rows(TABLE), "l1", 5),
    ("group sums of dicts", lambda d: group_sums([tuple(r.values()) for r in d]), Rows(TABLE, form="dicts"), "l1", 5),
    ("one row a key", first_each, Rows(TABLE), "l1", 1),
    ("bounded join", bounded_join, Rows(LETTERS), "symmetric", 2),
    ("binary tree of counts", lambda d: b_ary([sum(x == i for x in d) for i in range(4)]), Rows(wholes(0, 3)), "l1", 3),
    ("ternary tree of a vector", lambda v: b_ary(v, 3), Answers("l1", 1, size=9, whole=True), "l1", 3),
    ("tree in ℓ2", lambda v: b_ary(v, 9), Answers("l2", 1, size=9, whole=True), "l2", "3.1623"),
    ("quantile scores", quantile_scores, Rows(DIGITS), "linf", 1),
    ("maximum", lambda d: max(d, default=0), Rows(DIGITS), "l1", 9),
    ("median, replaced", median, Rows(UNIT, **REPLACED), "l1", 1),
    ("mean of three, replaced", mean_of_fixed, Rows(UNIT, **REPLACED), "l1", "1/3"),
    ("mean of numpy, replaced", lambda d: float(d.mean()), Rows(UNIT, form="numpy", **REPLACED), "l1", "1/3"),
    ("sum of numpy int64", lambda d: int(d.sum()), Rows(wholes(0, 100), (0, 64), form="numpy"), "l1", 100),
    ("runs of ones", runs_of_ones, Rows(BITS), "l1", 1),
    ("parity", lambda d: len(d) % 2, Rows(BITS), "l1", 1),
    ("constant", lambda d: "nothing", Rows(RAW), "discrete", 0),
    ("raises always but for one size", lambda d: sum(d) if len(d) == 3 else 0, Rows(DIGITS, **REPLACED), "l1", 9),
    ("scaled vector", lambda v: [2 * x for x in v], Answers("l2", 1, size=3, whole=True), "l2", 2),
    ("sum of a vector", sum, Answers("l1", 1, size=4, whole=True), "l1", 1),
    ("largest of a vector", max, Answers("all", 1, size=4, whole=True), "l1", 1),
    ("clipped vector", lambda v: [clamp(x, 0, 3) for x in v], Answers("all", 1, size=3, whole=True), "linf", 1),
    ("records", lambda d: sum(d), Records(Interval(0, 1), (0, 4), "add-remove"), "l1", 1),
    ("records of text", lambda d: d.count("a"), Records(("a", "b"), 4), "l1", 1),
    ("missing as 0", lambda d: sum(0 if x is None else x for x in d), Rows(wholes(0, 9, missing=True)), "l1", 9),
]  # fmt: skip
FRAMES: list[tuple[str, Any, Any, str, Any]] = [
    ("pandas sum", lambda f: int(f["value"].clip(0, 5).sum()), Rows(TABLE, form="pandas"), "l1", 5),
    ("pandas groups", lambda f: f.groupby("key")["value"].sum().to_dict(), Rows(TABLE, form="pandas"), "sparse-l1", 9),
    ("pandas filter", lambda f: f[f["value"] > 4], Rows(TABLE, form="pandas"), "symmetric", 1),
    ("polars sum", lambda f: int(f["value"].clip(0, 5).sum()), Rows(TABLE, form="polars"), "l1", 5),
    ("polars filter", lambda f: f.filter(f["value"] > 4), Rows(TABLE, form="polars"), "symmetric", 1),
]
