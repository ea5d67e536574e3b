r"""Releases of a function of records with noise, for every ε: sensitivity and noise together, or a pair that breaks it.

``release``: f(x) + noise. With |f(x) − f(x')| ≤ Δ_n and a scale formula s(n):

* ``laplace``, scale s/ε: ε-DP where Δ_n ≤ s, as the loss of a shift is shift over scale;
* ``gaussian-zcdp``, variance v/(2ρ): ρ-zCDP where Δ_n² ≤ v, as D_α of a shift d is α·d²/(2σ²);
* ``gaussian-gdp``, variance v/μ²: μ-GDP where Δ_n² ≤ v, as a shift d of normal noise is (d/σ)-GDP and no better.

``selection``: d columns of n records, one row changes, and the index j of the largest f(column j) + Z_j is released;
Z_j has density h: Gumbel, Laplace or exponential noise of scale s/ε. All of the columns move by at most Δ, so where j
wins with the noise z it wins on the neighbour with z + 2Δ·e_j. For all three laws h(z) ≤ e^(t·ε/s) h(z + t), t ≥ 0:

* Laplace: the triangle inequality; exponential: equality on z ≥ 0, and h(z) = 0 below;
* Gumbel, in units of the scale: h(z)/h(z + t) = e^t·exp(−e^(−z)(1 − e^(−t))) ≤ e^t.

So the loss is at most 2Δ·ε/s, for any number of columns: ε-DP where 2Δ_n ≤ s. Ties have probability 0.

A violation is a pair x, x' with d = |f(x) − f(x')|, exactly computed, or such a pair for every n. Releases:
d > s, or d² > v. Selections: k columns, of which the first goes up by d and the k − 1 others go down by d. With
g = d·ε/s and q = e^(−g), the first column wins with the probabilities P₁ (below the others by d) and P₂ (above them):

* Gumbel: :math:`P_1 = 1/(1 + (k-1)e^{g}),\ P_2 = 1/(1 + (k-1)e^{-g})`;
* exponential: :math:`P_1 = q/k` (the first exceeds the others' maximum by more than g) and
  :math:`P_2 = \int_0^1 (1 - q y)^{k-1} dy = (1 - (1-q)^k)/(kq)`;
* Laplace: :math:`\int h(x) H(x \pm g)^{k-1} dx`, in pieces between which h and H are exponentials (`laplace_wins`).

Broken is ε-DP where P₂ > e^ε P₁ at the ε of the certificate. P₁ falls and P₂ rises with g: a lower bound of g
will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb
from typing import Any

from flint import arb

from dpwitness.proofs.kernel.algebra.expr import Expr, num
from dpwitness.proofs.kernel.arith import Rejected, ball, number, precision, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.sensitivity.bounds import only_output, read_bound, start
from dpwitness.proofs.kernel.sensitivity.functions import attained, check_cases, moved, numbers_of, read_datasets
from dpwitness.proofs.kernel.sensitivity.language import parse_function, replaced
from dpwitness.proofs.kernel.sensitivity.ratios import Ratio
from dpwitness.proofs.kernel.sensitivity.setting import FIELDS, Setting, read_setting, read_sizes
from dpwitness.proofs.kernel.sensitivity.values import enclosed, sign_of, simplify, value_at
from dpwitness.proofs.kernel.statements import two_inputs
from dpwitness.proofs.kernel.theorem import Theorem, fingerprint

ADDED = {
    "laplace": ("pure", "epsilon", "eps"),
    "gaussian-zcdp": ("zcdp", "rho", "rho"),
    "gaussian-gdp": ("gaussian", "mu", "mu"),
}  # the guarantee, its field, and the parameter that is left open
SELECTED = ("gumbel", "laplace", "exponential")
MAX_COLUMNS, BITS = 4096, 256
ABOVE_ZERO = {"above": "0"}


def model(function: Mapping[str, Any], kind: str, noise: str, scale: str) -> str:
    """The fingerprint of a release: the function and its neighbours, and the noise with its scale or variance.

    The scale is a formula in n and the public parameters, in units of 1/ε; the variance in units of 1/(2ρ) or 1/μ².
    """
    return fingerprint({"function": {f: function[f] for f in FIELDS}, "kind": kind, "noise": noise, "scale": scale})


def guarantee(kind: str, noise: str) -> tuple[dict[str, Any], str]:
    """The guarantee that the release is about, and the parameter left open."""
    named, field, open_ = ADDED[noise] if kind == "release" else ("pure", "epsilon", "eps")
    return {"kind": named, field: ((Fraction(1), ((open_, 1),)),)}, open_


def read_release(certificate: Mapping[str, Any]) -> tuple[str, str, str]:
    """Kind, noise and scale."""
    kind, noise, scale = certificate["kind"], certificate["noise"], certificate["scale"]
    if kind not in ("release", "selection") or noise not in (ADDED if kind == "release" else SELECTED):
        raise Rejected(f"a release has noise of {', '.join(ADDED)}, a selection of {', '.join(SELECTED)}")
    function = certificate["function"]
    if guarantee(kind, noise)[1] in function["params"]:
        raise Rejected(f"the name {guarantee(kind, noise)[1]} stands for the guarantee: give the parameter another one")
    names = parse_function(scale, tuple(sorted(function["params"]))).variables()
    if function["relation"] != "substitute" and "n" in names:
        raise Rejected("where records are added or removed, the scale of the noise must not depend on their number")
    return kind, noise, scale


def check_release(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "function-release", "kind", "noise", "scale", "function"}``.

    ``function`` is a certificate of type ``sensitivity`` with one output.
    """
    function = fields(certificate, "type", "kind", "noise", "scale", "function", optional=("about",))[4]
    kind, noise, scale = read_release(certificate)
    setting, found = check_cases(function)
    only_output(setting)
    for case in found:
        convert = start(setting, case.sizes, frozenset(), {})
        size, bound = convert.ratio(read_bound(setting, scale)), convert.ratio(case.bound)
        convert.show(bound, Ratio.of(0))
        convert.show(size, Ratio.of(0))
        need = bound * bound if noise.startswith("gaussian") else bound + bound if kind == "selection" else bound
        convert.show(size, need)
    sizes = {case.sizes.describe() for case in found}
    held, left_open = guarantee(kind, noise)
    what = "released with" if kind == "release" else "the index of the largest of any number of columns, with"
    unit = {"eps": "1/eps", "rho": "1/(2 rho)", "mu": "1/mu^2"}[left_open]
    said = f"{setting.describe()}: {what} {noise} noise of size {scale} times {unit}: {held['kind']}, "
    said += "; ".join(sorted(sizes))
    numbers, counted = numbers_of([case.sizes for case in found])
    params: dict[str, Mapping[str, Any]] = {left_open: ABOVE_ZERO, **setting.open(), **counted}
    return Theorem(
        "function-release", said, model(function, kind, noise, scale), False, held, setting.stated(), numbers, params
    )


def put_in(setting: Setting, params: object) -> Setting:
    """The setting with numbers for its public parameters, each in its range."""
    if not isinstance(params, Mapping) or set(params) != set(setting.params):
        raise Rejected(f"a value is needed for each of the parameters {sorted(setting.params)}")
    values = {name: number(v) for name, v in params.items()}
    for name, (low, high) in setting.params.items():
        if (low is not None and values[name] < low) or (high is not None and values[name] > high):
            raise Rejected(f"{name} = {text(values[name])} lies outside its range")
    put = {Expr("var", name=name): num(value) for name, value in values.items()}
    outputs = tuple(replaced(f, put) for f in setting.outputs)
    return Setting(outputs, setting.texts, {}, setting.ends, setting.relation, setting.norm)


def check_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``function-release-violation``: ``params`` and ``where`` say for which inputs.

    ``where`` is ``{"left", "right"}`` or ``{"sizes", "bound", "witness", "reach"}``: a family that
    attains the bound for all these n (``"order"``: of an order statistic), and reach·scale is below the bound.
    ``columns`` and ``eps`` are null for a release, which is broken at every ε, ρ or μ.
    """
    function, params, where, columns, eps = fields(
        certificate, "type", "kind", "noise", "scale", "function", "params", "where", "columns", "eps",
        optional=("about",),
    )[4:]  # fmt: skip
    kind, noise, scale = read_release(certificate)
    fields(function, *FIELDS)
    whole = read_setting(function)
    setting = put_in(whole, params)
    only_output(setting)  # of several numbers the norm that counts would depend on the noise
    put = {Expr("var", name=name): num(number(v)) for name, v in params.items()}
    size = replaced(read_bound(whole, scale), put)
    held, left_open = guarantee(kind, noise)
    open_: dict[str, Mapping[str, Any]] = {name: {"equals": value} for name, value in params.items()}
    if kind == "release" and (columns is not None or eps is not None):
        raise Rejected("a release has no columns, and is broken at every eps")
    if kind == "selection" and setting.relation != "substitute":
        raise Rejected("columns that move against each other need a row that is replaced")
    at = number(eps) if kind == "selection" else Fraction(1)
    squared = noise.startswith("gaussian")
    if isinstance(where, Mapping) and "left" in where:
        inputs, sizes, gap, how = _on_a_pair(setting, where, size, kind, squared)
        open_["n"] = {"equals": str(min(sizes))}
    else:
        inputs, sizes, gap, how, open_["n"] = _on_a_family(setting, where, size, kind, squared)
    if kind == "selection":
        if type(columns) is not int or not 2 <= columns <= MAX_COLUMNS or at <= 0:
            raise Rejected(f"2 to {MAX_COLUMNS} columns, and eps > 0")
        with precision(BITS):
            low, high = WINS[noise](gap() * ball(at), columns)
            if not high > ball(at).exp() * low:
                raise Rejected("the first column's probabilities do not break the claim")
        how += f", and so does the first of {columns} columns against the others: it wins too often"
    open_[left_open] = {"equals": text(at)} if kind == "selection" else ABOVE_ZERO
    said = f"{setting.describe()}: {how}, with {noise} noise of size {scale}"
    if params:
        said += ", " + ", ".join(f"{name} = {value}" for name, value in params.items())
    return Theorem(
        "function-release-violation", said, model(function, kind, noise, scale), True, held, inputs, sizes, open_
    )


Place = tuple[dict[str, Any], tuple[int, ...], Callable[[], Any], str]


def _on_a_pair(setting: Setting, where: Mapping[str, Any], size: Expr, kind: str, squared: bool) -> Place:
    """Two datasets; `gap` is how far the function moves in units of the scale."""
    left, right = fields(where, "left", "right")
    small = min(left, right, key=len)
    sides = read_datasets(setting, read_sizes({"only": len(small)}), left, right)
    move, scale = moved(setting, *sides), value_at(size, min(sides, key=len), {})
    reach = simplify("*", (move, move)) if squared else move
    if sign_of(move) <= 0 or sign_of(scale) < 0:
        raise Rejected("the move must be positive, and the scale not negative")
    if kind == "release" and sign_of(simplify("-", (reach, scale))) <= 0:
        raise Rejected("the function does not move further than the noise allows")
    if kind == "selection" and sign_of(scale) == 0:
        raise Rejected("the scale must be positive")
    inputs, sizes = two_inputs(left, right)
    return (
        inputs,
        sizes,
        lambda: _ball(move) / _ball(scale),
        f"({', '.join(left)}) and ({', '.join(right)}): moves by {move}",
    )


def _on_a_family(
    setting: Setting, where: object, size: Expr, kind: str, squared: bool
) -> tuple[dict[str, Any], tuple[int, ...], Callable[[], Any], str, dict[str, Any]]:
    """A pair for every n: the function moves by the bound, which exceeds reach·scale (or its square the variance)."""
    sizes_json, shown, witness, reach_json = fields(where, "sizes", "bound", "witness", "reach")
    sizes, reach = read_sizes(sizes_json), number(reach_json)
    bound = read_bound(setting, shown)
    how = attained(setting, sizes, bound, witness)
    convert = start(setting, sizes, frozenset(), {})
    move, scale = convert.ratio(bound), convert.ratio(size)
    convert.show(scale, Ratio.of(0))
    convert.show(move, Ratio.of(0))
    if kind == "release":
        convert.show_positive((move * move if squared else move) - scale)
    else:
        if reach <= 0:
            raise Rejected("reach must be positive")
        convert.show_positive(scale)
        convert.show(move, scale * Ratio.of(reach))
    inputs = {"inputs": "family", "sizes": sizes.describe(), "witness": witness}
    text_ = f"{sizes.describe()}: moves by {shown} ({how})"
    return inputs, (sizes.first,), lambda: ball(reach), text_, sizes.stated()


def _ball(value: Expr) -> Any:
    found = enclosed(value, BITS)
    return found.lo.union(found.hi)


def gumbel_wins(g: Any, k: int) -> tuple[Any, Any]:
    """P₁ and P₂ with Gumbel noise."""
    return 1 / (1 + (k - 1) * g.exp()), 1 / (1 + (k - 1) * (-g).exp())


def exponential_wins(g: Any, k: int) -> tuple[Any, Any]:
    """P₁ and P₂ with exponential noise."""
    q = (-g).exp()
    return q / k, (1 - (1 - q) ** k) / (k * q)


def laplace_wins(g: Any, k: int) -> tuple[Any, Any]:
    r"""P₁ and P₂ with Laplace noise, N = k − 1; H(y) = e^y/2 below 0 and 1 − e^{−y}/2 above.

    :math:`P_1`: x < 0 gives :math:`2^{-N-1}e^{-Ng}/(N+1)`, 0 < x < g gives
    :math:`2^{-N-1}e^{-Ng}\int_0^g e^{(N-1)x}dx`, and x > g gives :math:`e^{-g}(1 - 2^{-N-1})/(N+1)`.
    :math:`P_2`: x < −g gives :math:`2^{-N-1}e^{-g}/(N+1)`, −g < x < 0 gives
    :math:`\tfrac12 e^{-g}\int_0^g e^{y}(1 - e^{-y}/2)^N dy`, and x > 0 gives :math:`(1 - (1 - q/2)^{N+1})/((N+1)q)`.
    The middle integral of P₂ is :math:`\sum_j \binom Nj (-1/2)^j \int_0^g e^{(1-j)y} dy`.
    """
    n, q, half = k - 1, (-g).exp(), arb(1) / 2
    power = half ** (n + 1)
    below = power * (-n * g).exp()
    middle = g if n == 1 else (((n - 1) * g).exp() - 1) / (n - 1)
    low = below / (n + 1) + below * middle + q * (1 - power) / (n + 1)
    total = arb(0)
    for j in range(n + 1):
        tick()
        part = g if j == 1 else (((1 - j) * g).exp() - 1) / (1 - j)
        total += comb(n, j) * (-half) ** j * part
    high = power * q / (n + 1) + half * q * total + (1 - (1 - q / 2) ** (n + 1)) / ((n + 1) * q)
    return low, high


WINS = {"gumbel": gumbel_wins, "laplace": laplace_wins, "exponential": exponential_wins}
CHECKERS = {"function-release": check_release, "function-release-violation": check_violation}
