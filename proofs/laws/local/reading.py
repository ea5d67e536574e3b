"""Programs of one unknown record as the trees of `dpwitness.proofs.kernel.local.trees`.

The program is read by its paths. Chances, weights and ends of uniform draws may depend on the record; whether they are
valid for all records is decided by the kernel, and not here. ε stays a symbol, or is the number that was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol, deep_symbols
from dpwitness.core.functions import invert
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.paths import Path, SymbolicRun, symbolic_paths, unknown_inputs
from dpwitness.core.readers.shipping import check_drift, check_left
from dpwitness.core.readers.steadiness import check_terms
from dpwitness.core.readers.symbolic import Sym
from dpwitness.proofs.laws.formulas import formula
from dpwitness.proofs.laws.layouts import as_json
from dpwitness.proofs.programs.excluded import refuse_excluded

MAX_WAYS = 64
# values of ε between and beyond those of test runs, at which nothing comes out even
SETTINGS = (0.11, 0.37, 0.63, 1.07, 1.53, 2.09, 3.1, 4.3, 6.1, 8.3, 11.2, 16.3, 23.1, 30.2, 37.4, 43.3, 49.1, 101.3)
Tree = dict[str, Any]


class LocalRun(SymbolicRun):
    """A run in which chances, weights and ends of uniform draws may depend on the record.

    Parameters of other laws are checked as always.
    """

    keeps_formulas = True

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        if isinstance(value, Sym) and name in ("p", "weights", "log_weights", "log_odds", "low", "high", "high - low"):
            check_drift(value.form, value.ships, self.params)
            check_left(name, value.form, value.ships)
            return value.form
        return super().check(name, value, above=above, below=below, closed=closed)


def read_tree(claim: Claim, *, opened: bool) -> Tree:
    """The tree of the claim's program; `opened`: with ε as a symbol."""
    assert isinstance(claim.mechanism, Mechanism)
    table = symbolic_paths(
        claim.mechanism.program,
        unknown_inputs(1),
        claim.params,
        symbolic=("eps",) if opened else (),
        max_paths=MAX_WAYS,
        reader=LocalRun,
    )
    if not table.complete:
        raise OutsideFragment(f"more than {MAX_WAYS} ways through the program")
    refuse_excluded(path.conditions for path in table.paths)
    root: Tree = {}
    for number, path in enumerate(table.paths):
        _add(root, path, number)
    return root


def _add(root: Tree, path: Path, number: int) -> None:
    """One way, along the nodes that other ways have made already.

    A number of the output without a draw is a formula in parameters. Python rounds it as it was computed, so that two
    ways with equal formulas may return different floats: each way has an output of its own.
    """
    if len(path.values) > 1:
        raise OutsideFragment("an output of more than one number that is not a constant")
    for value in path.values:  # its type must not tell anything: Python's draws and powers of e are floats
        if not any(symbol.kind == "draw" or symbol.name == "exp" for symbol in deep_symbols(value)):
            raise OutsideFragment(f"the output {value}, of which it is not known which type it has at every eps")
        _check_rounding([value])
    node, answers = root, iter(path.answers)
    for step in path.trace:
        node = _next(node, step, answers)
    alone = any(symbol.kind == "draw" for value in path.values for symbol in value.symbols()) or not path.values
    node["output"] = [as_json(path.output), None if alone else number]
    node["values"] = [form_json(value) for value in path.values]


def _next(node: Tree, step: Sequence[Any], answers: Any) -> Tree:
    if step[0] == "draw":
        if not isinstance(step[1], laws.Uniform):
            raise OutsideFragment(f"{step[1].name} noise: only choices and uniform draws are followed")
        if not node:
            ends = [_form(end) for end in (step[1].low, step[1].high)]
            _check_rounding(ends)
            node |= {"uniform": [form_json(end) for end in ends], "then": {}}
        then: Tree = node["then"]
        return then
    if step[0] == "choice":
        if not node:
            node |= _choice(step[1])
    elif step[0] == "if":
        if not node:
            _check_rounding([step[1]])
            node |= {"test": form_json(step[1]), "strict": step[2], "then": [{}, {}]}
    else:
        raise OutsideFragment("a selection among numbers that depend on the data or on noise")
    branch: Tree = node["then"][next(answers)]
    return branch


def _choice(law: Law) -> Tree:
    """A coin, or a choice by weights."""
    if isinstance(law, laws.Bernoulli | laws.Logit):
        p = _form(law.p) if isinstance(law, laws.Bernoulli) else _logistic(_power(_form(law.log_odds)))
        _check_rounding([p], 1.0)
        return {"coin": form_json(p), "then": [{}, {}]}
    if not isinstance(law, laws.Choice | laws.LogChoice):
        raise OutsideFragment(f"the finite law {law.name}")
    weights = law.weights if isinstance(law, laws.Choice) else [_power(_form(a)) for a in law.log_weights]
    _check_rounding([_form(weight) for weight in weights])
    return {"choose": [form_json(_form(weight)) for weight in weights], "then": [{} for _ in weights]}


def _power(exponent: Form) -> Form:
    if exponent.private:
        raise OutsideFragment("e to the power of the record")
    return Form.of_symbol(Symbol("atom", 0, "exp", exponent)) if exponent.terms else Form.constant(1)


def _logistic(odds: Form) -> Form:
    return odds * invert(odds + 1)


def _form(value: Any) -> Form:
    return value if isinstance(value, Form) else Form.constant(value)


def _check_rounding(forms: Sequence[Form], floor: float = 0.0) -> None:
    """Refuse coefficients in which public terms cancel: Python's rounding is not in the tree.

    They are compared with the largest coefficient of all forms, or with a floor: the other way of a coin weighs 1 − p.
    """
    check_terms([part for form in forms for part in _coefficients(form).values()], floor, SETTINGS)


def form_json(form: Form) -> dict[str, str]:
    """A form in the record and the draws, as certificates state it."""
    found = _coefficients(form)
    return {key: formula(value, True) for key, value in sorted(found.items()) if value.terms}


def _coefficients(form: Form) -> dict[str, Form]:
    """Its public coefficients, by the names that certificates have for the record and the draws."""
    found: dict[str, Form] = {}
    for mono, number in form.terms.items():
        private = [(symbol, power) for symbol, power in mono if symbol.private]
        record = [symbol for symbol, _ in private if symbol.kind == "input"]
        drawn = [symbol for symbol, _ in private if symbol.kind == "draw"]
        if any(power != 1 for _, power in private) or len(drawn) > 1:
            raise OutsideFragment(f"{form} is not linear in the record and in each draw")
        key = " ".join(["x" for _ in record] + [f"v{symbol.index}" for symbol in drawn]) or "1"
        public = tuple((symbol, power) for symbol, power in mono if not symbol.private)
        found[key] = found.get(key, Form()) + Form({public: number})
    return found


__all__ = ["LocalRun", "Tree", "form_json", "read_tree"]
