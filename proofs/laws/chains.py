"""The laws of programs with loops that end by chance: a finite chain for each input, and how often its states are met.

The numbers of visits solve linear equations over sums of exponentials (`dpwitness.proofs.kernel.releases.chains`). They
are found here, by fraction-free elimination, and verified by the kernel.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_poly

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment, ProgramTimeout
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.chains import Chain, Choice, leaves, read_chain
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.releases.chains import Masses, law_of_chain, masses
from dpwitness.proofs.kernel.releases.tables import Row
from dpwitness.proofs.programs.building import plain_output
from dpwitness.proofs.spaces import finite_space, names

MAX_INPUTS, MAX_DEGREE, MAX_EXPONENTIAL = 3_000, 2_000, 60
Pairs = Mapping[tuple[int, int], tuple[Any, Any]]


class ChainTables:
    """The chains of all inputs and their laws; equal chains and mirrored pairs are kept once.

    Input i of the space has the chain ``chains[use[i]]`` and the law ``rows[use[i]]``.
    """

    kind, method = "chains", "exact law of loops that end by chance"

    def __init__(self, claim: Claim, deadline: float) -> None:
        assert isinstance(claim.mechanism, Mechanism)
        self.claim = claim
        self.space, inputs = finite_space(claim.space)
        if len(inputs) > MAX_INPUTS:
            raise OutsideFragment(f"more than {MAX_INPUTS} inputs")
        found: list[Chain] = []
        for data in inputs:
            if time.monotonic() > deadline:
                raise ProgramTimeout(f"the chains of all inputs were not found: {len(found)} done")
            found.append(read_chain(claim.mechanism.bind(data, claim.params), end=deadline))
        self.circular = any(chain.circular() for chain in found)
        ends = {leaf[1] for chain in found for tree in chain.states for leaf in leaves(tree) if leaf[0] == "output"}
        self.outputs = sorted(ends, key=repr)
        self.choices: dict[tuple[Any, ...], int] = {}
        self.weights: list[list[ExpSum]] = []
        self.chains: list[list[Any]] = []
        self.use: list[int] = []
        known: dict[str, int] = {}
        for chain in found:
            trees = [self._tree(tree) for tree in chain.states]
            self.use.append(known.setdefault(str(trees), len(self.chains)))
            if self.use[-1] == len(self.chains):
                self.chains.append(trees)
        self.flows: list[list[ExpSum]] = []
        self.rows: list[Row] = []
        self.pairs: dict[tuple[int, int], tuple[Any, Any]] = {}
        neighbours = self.space.pairs()
        if not neighbours:
            raise OutsideFragment("the space has no neighbouring pairs")
        for a, b in neighbours:
            i, j = self.use[a], self.use[b]
            if i != j:
                self.pairs.setdefault(
                    (min(i, j), max(i, j)), (inputs[a], inputs[b]) if i < j else (inputs[b], inputs[a])
                )

    def solve(self, deadline: float) -> None:
        """Find the laws of all chains."""
        for trees in self.chains:
            if time.monotonic() > deadline:
                raise ProgramTimeout("the equations of all chains were not solved in time")
            states = [masses(tree, self.weights) for tree in trees]
            self.flows.append(visits(states))
            self.rows.append(law_of_chain(states, self.flows[-1], len(self.outputs)))

    def _tree(self, tree: Any) -> Any:
        """A tree as it stands in certificates."""
        if isinstance(tree, Choice):
            weights = _common(tree)
            key = tuple(tuple(sorted(w.terms.items())) for w in weights)
            number = self.choices.setdefault(key, len(self.weights))
            if number == len(self.weights):
                self.weights.append(weights)
            return [f"c{number}", *map(self._tree, tree.ways)]
        kind, what = tree
        if kind == "never":
            return "x"
        return f"n{what}" if kind == "state" else f"o{self.outputs.index(what)}"

    def model(self) -> dict[str, Any]:
        """The chains of all inputs as certificates state them."""
        return {"space": self.space.to_json(), **self._stated(range(len(self.chains))), "use": self.use}

    def sides(self, one: int, other: int, inputs: tuple[Any, Any]) -> dict[str, Any]:
        """Two inputs and their chains as certificates of violations state them."""
        given = [names(data, self.claim.space) for data in inputs]
        return {"type": "chain-violation", "inputs": given, **self._stated([one, other])}

    def _stated(self, used: Sequence[int]) -> dict[str, Any]:
        return {
            "outputs": [plain_output(output) for output in self.outputs],
            "choices": [[w.to_json() for w in weights] for weights in self.weights],
            "chains": [self.chains[k] for k in used],
            "flows": [[u.to_json() for u in self.flows[k]] for k in used],
        }


def _common(choice: Choice) -> list[ExpSum]:
    """The chances of a choice as weights without denominators."""
    bottoms = []
    for chance in choice.chances:
        if chance.top.terms and chance.bottom not in bottoms:
            bottoms.append(chance.bottom)
    weights = []
    for chance in choice.chances:
        weight = ExpSum(dict(chance.top.terms))
        for bottom in bottoms if weight.terms else ():
            if bottom != chance.bottom:
                weight = weight * ExpSum(dict(bottom.terms))
        weights.append(weight)
    return weights


def visits(states: Sequence[Masses]) -> list[ExpSum]:
    """The numbers u of a chain, as the kernel's rule wants them.

    >>> once = {"n0": ExpSum.of(1), "n1": ExpSum.of(1)}
    >>> [str(u) for u in visits([once, {"n0": ExpSum.of(1), "o0": ExpSum.of(2)}])]
    ['3', '1']
    """
    exponents = {r for state in states for mass in state.values() for r in mass.terms}
    if exponents <= {Fraction(0)}:
        return _rational(states)
    if len(states) > MAX_EXPONENTIAL:
        raise OutsideFragment(f"a loop with {len(states)} states and irrational chances; {MAX_EXPONENTIAL} are solved")
    return _exponential(states, lcm(*(r.denominator for r in exponents)))


def _rational(states: Sequence[Masses]) -> list[ExpSum]:
    size = len(states)
    matrix = fmpq_mat(size, size)
    for i, state in enumerate(states):
        for leaf, mass in state.items():
            value = mass.terms.get(Fraction(0), Fraction(0))
            number = fmpq(value.numerator, value.denominator)
            matrix[i, i] += number
            if leaf[0] == "n":
                matrix[int(leaf[1:]), i] -= number
    right = fmpq_mat(size, 1)
    right[0, 0] = 1
    found = matrix.solve(right)
    values = [Fraction(int(found[i, 0].p), int(found[i, 0].q)) for i in range(size)]
    common = lcm(*(value.denominator for value in values))
    return [ExpSum.of(value * common) for value in values]


def _exponential(states: Sequence[Masses], parts: int) -> list[ExpSum]:
    """The same where weights are polynomials in e^(1/parts), each state by its own power and factor."""
    size = len(states)
    matrix = [[fmpz_poly([]) for _ in states] for _ in states]
    factors = []
    for i, state in enumerate(states):
        low = min(r for mass in state.values() for r in mass.terms)
        whole = lcm(*(c.denominator for mass in state.values() for c in mass.terms.values()))
        factors.append(ExpSum({-low: Fraction(whole)}))
        for leaf, mass in state.items():
            degrees = {int((r - low) * parts): int(c * whole) for r, c in mass.terms.items()}
            if max(degrees) > MAX_DEGREE:
                raise OutsideFragment("the exponents of the chances have too many different denominators")
            value = fmpz_poly([degrees.get(k, 0) for k in range(max(degrees) + 1)])
            matrix[i][i] += value
            if leaf[0] == "n":
                matrix[int(leaf[1:])][i] -= value
    found = _eliminated(matrix)
    shared = fmpz_poly([])
    for value in found:
        shared = shared.gcd(value)
    made = [_sum(value // shared, parts) * factor for value, factor in zip(found, factors, strict=True)]
    return made if size and made[0].sign() > 0 else [-u for u in made]


def _eliminated(matrix: list[list[Any]]) -> list[Any]:
    """x with A x = det(A)·(1, 0, …), by Bareiss; all leading minors are positive, so no rows are exchanged."""
    size = len(matrix)
    rows = [[*row, fmpz_poly([int(j == 0)])] for j, row in enumerate(matrix)]
    last = fmpz_poly([1])
    for k in range(size - 1):
        for i in range(k + 1, size):
            for j in range(k + 1, size + 1):
                rows[i][j] = (rows[k][k] * rows[i][j] - rows[i][k] * rows[k][j]) // last
        last = rows[k][k]
    whole = rows[-1][size - 1]
    found: list[Any] = [None] * size
    for i in reversed(range(size)):
        rest = whole * rows[i][size]
        for j in range(i + 1, size):
            rest -= rows[i][j] * found[j]
        found[i] = rest // rows[i][i]
    return found


def _sum(value: Any, parts: int) -> ExpSum:
    return ExpSum({Fraction(k, parts): Fraction(int(c)) for k, c in enumerate(value.coeffs()) if c})
