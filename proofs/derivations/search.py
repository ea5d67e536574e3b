"""Find a tree of rules that shows E ≥ 0 for all positive variables; the kernel replays it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dpwitness.proofs.derivations.quotients import refuted, roots, show
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.derivations.functions import derivative, exp, put
from dpwitness.proofs.kernel.derivations.ring import ONE, Quotient, Sum, factor, variable
from dpwitness.proofs.kernel.derivations.trees import far

Tree = dict[str, Any]
COEFFICIENTS: Tree = {"by": "coefficients"}


class Search:
    """A search with a budget of nodes.

    >>> x = variable("x")
    >>> Search(100).prove(x * x + ONE - x - x)["by"]
    'split'
    """

    def __init__(self, budget: int = 400) -> None:
        self.left = budget
        self.failed: dict[Quotient, int] = {}

    def prove(self, e: Quotient, depth: int = 6) -> Tree | None:
        """A proof of e ≥ 0, or None."""
        for deepest in range(1, depth + 1):
            self.failed.clear()
            found = self.at(e, deepest)
            if found is not None or self.left <= 0:
                return found
        return None

    def at(self, e: Quotient, depth: int) -> Tree | None:
        self.left -= 1
        try:
            sign = e.sign
        except (Undecided, Rejected):
            return None
        if sign in (0, 1):
            return COEFFICIENTS
        if sign == -1 or depth <= 0 or self.left <= 0 or self.failed.get(e, -1) >= depth or refuted(e):
            return None
        found = self.simplified(e, depth) or self.monotone(e, depth) or self.cut(e, depth)
        if found is None:
            self.failed[e] = depth
        return found

    def simplified(self, e: Quotient, depth: int) -> Tree | None:
        """Without positive factors."""
        if any(a.kind == "log" for t in e.top.terms for a, _ in t):
            try:
                seen = (exp(e) - ONE).sign in (0, 1)
            except (Undecided, Rejected):
                return None
            return {"by": "exponential", "then": COEFFICIENTS} if seen else None
        try:
            c, term, factors = factor(e.top)
        except (Undecided, Rejected):
            return None
        positive = [f for f, _ in factors if f.sign == 1]
        if not e.bottom and not term and not positive:
            return None
        divisor = Quotient(Sum({term: c if c > 0 else -c}))
        for f, k in factors:
            if f.sign == 1:
                for _ in range(k):
                    divisor = divisor * Quotient(f)
        if divisor == ONE:
            then = self.at(Quotient(e.top), depth)
            return None if then is None else {"by": "numerator", "then": then}
        small = Quotient(e.top) / divisor
        if small == e:
            return None
        then = self.at(small, depth)
        return (
            None
            if then is None
            else {"by": "numerator", "then": {"by": "times", "factor": show(ONE / divisor), "then": then}}
        )

    def monotone(self, e: Quotient, depth: int) -> Tree | None:
        """By a derivative of one sign and the limit at one end."""
        for name in sorted(e.variables, key=lambda n: (n != "t", n)):
            try:
                change = derivative(e, name)
            except (Undecided, Rejected):
                continue
            for rule, slope in (("rising", change), ("falling", -change)):
                if refuted(slope):
                    continue
                try:
                    start = far(e, name, at_zero=rule == "rising")
                except (Undecided, Rejected):
                    continue
                if start == "-infinity" or (isinstance(start, Quotient) and refuted(start)):
                    continue
                first = self.at(slope, depth - 1)
                if first is None:
                    continue
                end: Tree | None = COEFFICIENTS
                if isinstance(start, Quotient):
                    end = self.at(start, depth - 1)
                if end is not None:
                    return {"by": rule, "variable": name, "slope": first, "end": end}
        return None

    def cut(self, e: Quotient, depth: int) -> Tree | None:
        """At a place where the formula or its slope vanishes."""
        for name in sorted(e.variables, key=lambda n: (n != "t", n)):
            places = roots(e, name)
            with suppress(Undecided, Rejected):
                places += [r for r in roots(derivative(e, name), name) if r not in places]
            for at in places[:4]:
                tree = self.split(e, name, at, depth)
                if tree is not None:
                    return tree
        return None

    def split(self, e: Quotient, name: str, at: Quotient, depth: int) -> Tree | None:
        v = variable(name)
        trees = []
        for part in (at / (ONE + v), at, at + v):
            try:
                here = put(e, {name: part})
            except (Undecided, Rejected):
                return None
            tree = self.at(here, depth - 1)
            if tree is None:
                return None
            trees.append(tree)
        return {
            "by": "split",
            "variable": name,
            "at": show(at),
            "below": trees[0],
            "equal": trees[1],
            "above": trees[2],
        }
