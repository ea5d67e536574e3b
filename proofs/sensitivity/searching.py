r"""Find the sensitivity of a function: a pair that moves it far, a formula for that move, and a proof of it.

For every n ≥ n₀ the pairs are families: all other records equal, one record changes. The family that moves the function
furthest at a few n gives a formula in n, which is then tried as an upper bound with each rule of the kernel. Smaller n
are cases of their own. Where no bound is attained, multiples of the formula are tried, and the answer is an enclosure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.records import Box, Records
from dpwitness.proofs.kernel.arith import Rejected, text
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.limits import limited
from dpwitness.proofs.kernel.sensitivity.bounds import check_bound, read_bound
from dpwitness.proofs.kernel.sensitivity.families import Family
from dpwitness.proofs.kernel.sensitivity.language import nodes
from dpwitness.proofs.kernel.sensitivity.orders import order_bounds
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes
from dpwitness.proofs.sensitivity.agreement import compare_with_function
from dpwitness.proofs.sensitivity.candidates import WRONG, Candidates, lower_of
from dpwitness.proofs.sensitivity.cuts import with_cuts
from dpwitness.proofs.sensitivity.floats import moves
from dpwitness.proofs.sensitivity.proofs import composed, proofs
from dpwitness.proofs.sensitivity.reading import ADVICE
from dpwitness.proofs.sensitivity.result import Sensitivity, SensitivityCase
from dpwitness.proofs.sensitivity.settings import Function, as_json, make_setting, read_function, read_space

Norm = Literal["l1", "l2", "linf"]
STARTS, SECONDS, CANDIDATES, CUT = 4, 1.0, 4, 4


def sensitivity(
    f: Function,
    space: Records | None = None,
    norm: Norm = "l1",
    *,
    params: Mapping[str, tuple[object, object]] | None = None,
    n: int | Literal["any"] | None = None,
    seconds: float = 60.0,
) -> Sensitivity:
    r"""sup \|f(x) − f(x')\| over neighbouring datasets of real records, for every number of records.

    Parameters
    ----------
    f
        A formula such as ``"sum(x**2)/n"`` (several outputs: a list of formulas), or a Python function of the records.
    space
        ``Records(Interval(low, high), size, adjacency)``, or with a ``Box`` in the place of the interval, where each
        output reads one coordinate of the records (``"sum(r[0] for r in x)"``); records of [0, 1], one of them
        replaced, where None. Its sizes are those that are decided; with None the answer holds for every n.
    norm
        ``"l1"``, ``"l2"`` or ``"linf"``, where f has several outputs.
    params
        Public parameters of a formula and their ranges: ``{"mu": (0, 1)}``; None is an end at infinity.
    n
        ``"any"`` for every number of records, or a number; overrides the sizes of the space.
    seconds
        Processor time after which no further proof is tried.

    Returns
    -------
    Sensitivity
        Cases by n with bounds, witnesses and a certificate that ``dpwitness check`` accepts.

    >>> for line in sensitivity("sum(abs(x[i] - x[i+1]) for i in range(n-1))").lines()[2:]:
    ...     print(line.strip())
    n = 1: 0
    n = 2: 1
    attained at n = 2: (0, 0) and (1, 0)
    every n >= 3: 2
    attained at n = 3: (0, 0, 0) and (0, 1, 0)
    """
    if isinstance(space, Records) and isinstance(space.domain, Box):
        from dpwitness.proofs.sensitivity.boxes import box_sensitivity

        if params:
            raise BadInput("public parameters of functions of vectors are not read: put numbers in their place")
        return box_sensitivity(f, space, norm, n=n, seconds=seconds)
    names = tuple(sorted(params or {}))
    texts = read_function(f, names)
    relation, ends, sizes = read_space(space, n)
    setting = make_setting(texts, params or {}, ends, relation, norm)
    if callable(f):
        compare_with_function(f, setting)
    with limited(seconds):
        found = _Search(setting).run(sizes)
    certificate = {**as_json(setting), "type": "sensitivity", "cases": [item for item, _ in found]}
    try:
        statement = check(certificate, seconds=60.0).statement
    except Rejected as error:  # every case was checked alone
        raise OutsideFragment(f"the certificate is too large: {error}") from None
    cases = tuple(case for _, case in found)
    return Sensitivity(tuple(texts), norm, relation, setting, cases, certificate, statement)


Found = tuple[dict[str, Any], SensitivityCase]


class _Search(Candidates):
    def run(self, sizes: Sequence[int] | None) -> list[Found]:
        if sizes is not None:
            return [self.at(n) for n in sizes]
        if self.setting.relation == "substitute" and any(node.op == "order" for node in nodes(self.setting.whole)):
            found = self.by_class()
            if found:
                return found
        for loose in (False, True):
            for first in range(self.fewest, self.fewest + max(STARTS, 2 * self.spread + 1)):
                whole = self.case(Sizes(first, 1), loose=loose)
                if whole is not None:
                    small = [self.at(n) for n in range(self.fewest, first) if self.defined(n)]
                    return [*small, whole]
        raise OutsideFragment(
            f"no bound for every n was found ({self.reason}). "
            f"Ask for one number of records (n=3, --n 3), for another interval, or simplify. {ADVICE}"
        )

    def defined(self, n: int) -> bool:
        """Whether the function has a value for so many records."""
        points = [float(p) for p in self.points]
        tries = [([p] * n, [p] * n) for p in points]
        return any(moves(self.setting.outputs, "l1", a, b, self.middle) >= 0 for a, b in tries)

    def at(self, n: int) -> Found:
        """The case of one number of records."""
        for loose in (False, True):
            found = self.case(Sizes(n), loose=loose)
            if found is not None:
                return found
        raise OutsideFragment(f"no bound was found for n = {n} ({self.reason}). {ADVICE}")

    def by_class(self) -> list[Found]:
        """Order statistics: the n of one parity, or of one remainder, have the same largest weight."""
        try:
            for period in (1, 2, 4, 3, 5, 6, 8, 10):
                bounds = [order_bounds(self.setting.outputs[0], Sizes(n, period)) for n in range(1, period + 1)]
                if all(low == high for low, high in bounds):
                    break
                late = [order_bounds(self.setting.outputs[0], Sizes(n + period, period)) for n in range(1, period + 1)]
                if period == 1 and all(low == high for low, high in late):
                    return [self.at(1), *self.made(Sizes(2, 1), late[0][1])]
            else:
                return []
        except Rejected as error:
            self.reason = str(error)
            return []
        return [f for n, (_, w) in enumerate(bounds, 1) for f in self.made(Sizes(n, period), w)]

    def made(self, sizes: Sizes, weight: Fraction) -> list[Found]:
        bound = text(weight * (self.setting.ends[1] - self.setting.ends[0]))
        found = self.proved(sizes, bound, "order" if weight else "none", [{"by": "order"}])
        return [] if found is None else [found]

    def case(self, sizes: Sizes, *, loose: bool) -> Found | None:
        """A case with a bound that is attained, or (`loose`) a bound above it."""
        tries = list(proofs(self.setting, one_size=sizes.only is not None))
        families = list(self.families(sizes))
        if not loose:
            done: set[str] = set()
            for bound, witness in self.candidates(sizes, families):
                if bound in done or len(done) >= CANDIDATES:
                    continue
                done.add(bound)
                found = self.proved(sizes, bound, witness, tries, cut=len(done) == 1)
                if found is not None:
                    return found
            return None
        for bound, proof in composed(self.setting, sizes, _prove):
            for there, witness in (*self.candidates(sizes, families), (self.short(bound, sizes), self.one_pair(sizes))):
                found = self.proved(sizes, there, witness, [proof])
                if found is not None:
                    return found
        tries = self.hopeful(sizes, families, tries)
        for number, (bound, witness) in enumerate(self.loose(sizes, families) if tries else ()):
            found = self.proved(sizes, bound, witness, tries, cut=number < CUT)
            if found is not None:
                return found
        return None

    def hopeful(
        self, sizes: Sizes, families: Sequence[tuple[float, Family]], tries: Sequence[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """The proofs that show some multiple of the best move, in another form perhaps; the others are left alone."""
        bounds = self.largest(sizes, families)
        return [p for p in tries if any(self.proved(sizes, bound, None, [p], cut=True) is not None for bound in bounds)]

    def proved(
        self, sizes: Sizes, bound: str, witness: Any, tries: Sequence[dict[str, Any]], *, cut: bool = False
    ) -> Found | None:
        """The case, where one of the proofs is accepted; `cut` looks for cuts of the box as well."""
        try:
            limit = read_bound(self.setting, bound)
        except Rejected as error:
            self.reason = str(error)
            return None
        for proof in tries:
            try:
                with limited(SECONDS):
                    check_bound(self.setting, sizes, limit, proof)
            except WRONG as error:
                self.reason = str(error)
                continue
            return self.made_of(sizes, bound, proof, witness)
        for proof in tries if cut else ():
            try:
                with limited(SECONDS):
                    longer = with_cuts(self.setting, sizes, limit, proof)
                    if longer is not None:
                        check_bound(self.setting, sizes, limit, longer)
                        return self.made_of(sizes, bound, longer, witness)
            except WRONG:
                continue
        return None

    @staticmethod
    def made_of(sizes: Sizes, bound: str, proof: dict[str, Any], witness: Any) -> Found:
        """The case as it stands in the certificate, and for the reader."""
        item = {"sizes": sizes.to_json(), "bound": bound, "proof": proof, "witness": witness}
        return item, SensitivityCase(sizes, bound, lower_of(bound, witness), witness)


def _prove(setting: Setting, sizes: Sizes) -> tuple[str, dict[str, Any]] | None:
    """A bound of a part of a function, and its proof."""
    search = _Search(setting)
    for loose in (False, True):
        found = search.case(sizes, loose=loose)
        if found is None and not loose and setting.relation == "substitute" and setting.outputs[0].op == "order":
            low = order_bounds(setting.outputs[0], sizes)[1] * (setting.ends[1] - setting.ends[0])
            found = search.proved(sizes, text(low), None, [{"by": "order"}])
        if found is not None:
            return found[0]["bound"], found[0]["proof"]
    return None


__all__ = ["sensitivity"]
