"""A changed formula gets the verdict of the changed claim: no verdict is looked up."""

from fractions import Fraction
from typing import Any

import pytest

from dpwitness.literature import claims, decide, get
from dpwitness.literature.composition.advanced import independent_tail, same_coin_tail
from dpwitness.literature.noise_calibration.sensitivity import sensitivity
from dpwitness.literature.smooth_sensitivity.local_and_smooth import manhattan
from dpwitness.literature.survey.tour import two_independent

F = Fraction
SQUARED = ("1", "exp(e)*(1 - 2*d) + d")

# (claim, change, verdict of the changed claim, what was changed)
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("000-C1", {"close": lambda p, q, g: p <= g * q}, "FALSE", "one-sided"),
    ("000-C2", {"high": "1 + e + e**2"}, "HOLDS", "second-order term added"),
    ("000-C2", {"high": "1 + 2*e"}, "HOLDS", "twice the slope, which suffices on [0, 1]"),
    ("000-C3", {"scale": "1/(2*e)"}, "FALSE", "half the noise"),
    ("000-C3", {"scale": "e"}, "FALSE", "scale ε for 1/ε"),
    ("000-C3", {"scale": "2/e"}, "HOLDS", "more noise"),
    ("000-C4", {"log_bound": "Abs(y) - Abs(w)"}, "FALSE", "a sign"),
    ("000-C4", {"log_ratio": "Abs(y) - Abs(w)"}, "FALSE", "the ratio upside down"),
    ("000-C5", {"bound": "(g-1)/g"}, "FALSE", "another bound on SD"),
    ("000-C6", {"distance": lambda n: F(2, n)}, "FALSE", "a factor 2"),
    ("000-C7", {"measure": lambda f, domain, n: 2 * sensitivity(f, domain, n)}, "FALSE", "not the smallest number"),
    ("000-C7", {"measure": lambda f, domain, n: sensitivity(f, domain, n) / 2}, "FALSE", "half of it"),
    ("000-C8", {"sensitivity": 2}, "FALSE", "a factor 2"),
    ("000-C9", {"bins": (2, 3, 4)}, "HOLDS", "at least two bins"),
    ("000-C9", {"sensitivity": 1}, "FALSE", "a factor 2"),
    ("000-C10", {"scale": "S/(2*e)"}, "FALSE", "half the noise"),
    ("000-C11", {"refusals": {"by transcript": lambda x, past: "1" in past}}, "HOLDS", "refusals read the transcript"),
    ("000-C12", {"triangle": False}, "FALSE", "no triangle inequality"),
    ("000-C13", {"rate": "e/S"}, "FALSE", "the 2 dropped"),
    ("000-C14", {"sampled": "e"}, "HOLDS", "S once"),
    ("000-C14", {"density": "e/S"}, "FALSE", "the 2 dropped"),
    ("000-C15", {"constant_normaliser": False}, "FALSE", "the condition dropped"),
    ("000-C15", {"rate": "2*e/S"}, "FALSE", "a factor 2"),
    ("000-C16", {"laplace": "r/(2*S/e)"}, "FALSE", "a factor 2"),
    ("000-C17", {"tables": {"full": ((0, 1), (0, F(1, 2)))}}, "HOLDS", "full swing"),
    ("000-C18", {"size": lambda d: 2**d}, "FALSE", "a factor 2"),
    ("000-C19", {"weight": F(1, 3)}, "FALSE", "not the midpoint"),
    ("000-C20", {"sign": lambda r, x, b: (-1) ** (((r & x).bit_count() + b + 1) % 2)}, "FALSE", "a sign"),
    ("000-C21", {"restricted": lambda d: F(-1, 2**d - 1)}, "HOLDS", "the right correlation"),
    ("000-C21", {"restricted": lambda d: F(-1, 2**d)}, "FALSE", "only the sign repaired"),
    (
        "000-C22",
        {
            "first": lambda s2, s1, n: F(s2, n**2) - F(s1 * s1 - s2, n**2 * (n - 1)),
            "second": lambda s2, s1, n: (F(s2, n) - F(s1, n) ** 2) / (n - 1),
        },
        "HOLDS",
        "the right expansion",
    ),
    ("000-C23", {"factor": F(1, 4)}, "FALSE", "too small for d = 1"),
    ("000-C23", {"factor": F(100)}, "LOOSE", "still looser"),
    ("000-C24", {"beta": lambda t, delta, n: t * t / (100 * delta * delta * n)}, "FALSE", "β too small"),
    ("000-C25", {"fraction": lambda b, a: 1 - b / a}, "HOLDS", "Markov"),
    ("000-C26", {"constant": F(1)}, "FALSE", "still false"),
    ("000-C27", {"power": F(1)}, "FALSE", "too fast a decay"),
    ("000-C27", {"largest_eps": 1}, "HOLDS", "ε ≤ 1 stated"),
    ("000-C28", {"d_power": F(1)}, "FALSE", "too fast a decay"),
    ("000-C29", {"alpha": "1/(3*n)"}, "FALSE", "half the union bound"),
    ("000-C29", {"steps": "n"}, "FALSE", "half the hybrids"),
    ("001-C1", {"near_high": "1 + 2*e"}, "FALSE", "a factor 2"),
    ("001-C2", {"recovered": "n*A - n*B"}, "FALSE", "n for n − 1"),
    ("001-C3", {"joints": {"own coins": two_independent}}, "HOLDS", "independent coins"),
    ("001-C3", {"factor": 1}, "FALSE", "ε for 2ε"),
    ("001-C4", {"outputs": {"the data": lambda x: {x: F(1)}}}, "FALSE", "an output that depends on X"),
    ("001-C5", {"effect": "b/(n-1)"}, "FALSE", "n − 1 for n"),
    ("001-C6", {"log_ratio": "s*x*b/n"}, "FALSE", "a factor 2"),
    ("001-C7", {"scale": "b/n"}, "FALSE", "ε left out"),
    ("001-C8", {"failure": F(1, 2)}, "HOLDS", "failure probability 1/2 allowed"),
    ("001-C8", {"needed": "1/(2*e*a)"}, "FALSE", "half the sample"),
    ("001-C9", {"scale": "G*e"}, "FALSE", "a unit error"),
    ("001-C10", {"share": "2*e/k"}, "FALSE", "a factor 2"),
    ("001-C11", {"group": (5, 1)}, "FALSE", "an unbalanced group"),
    ("001-C12", {"scale": lambda ls, gs: gs}, "FALSE", "constant noise is private"),
    ("001-C13", {"noises": ("heavy",)}, "HOLDS", "heavy-tailed noise only"),
    ("001-C14", {"samples": {"blocks": ((0, 1), (2, 3))}}, "HOLDS", "disjoint samples"),
    ("001-C15", {"losses": {"Huber": (lambda x: min(x, F(2)), F(0))}}, "HOLDS", "bounded slope"),
    ("001-C15", {"losses": {"absolute": (lambda x: min(x, F(2)), F(2))}}, "FALSE", "a kink"),
    ("001-C16", {"rate": "e/G"}, "FALSE", "the 2 dropped"),
    ("001-C17", {"count": lambda d: 2**d}, "FALSE", "two choices for three"),
    ("001-C18", {"alpha_power": 2}, "FALSE", "α² for α³"),
    ("001-C19", {"changes": ("lie",)}, "HOLDS", "substitution only"),
    ("002-C1", {"eps": "2*d"}, "HOLDS", "ε = 2δ works"),
    ("002-C2", {"eps": "3*d", "steps": (("d", "d"),)}, "FALSE", "ε = 3δ fails near δ = 1/2"),
    ("002-C3", {"left": "d"}, "HOLDS", "one outcome"),
    ("002-C4", {"delta": max}, "FALSE", "max for sum"),
    ("002-C4", {"growth": max}, "FALSE", "max ε for sum"),
    ("002-C5", {"within": lambda p, q, g: q > 0 and p <= g * g * q and q <= g * g * p}, "FALSE", "2ε"),
    ("002-C6", {"outside": lambda p, q, g: q > g * p}, "FALSE", "the wrong tail"),
    ("002-C7", {"flip": "1/(exp(e)+2)"}, "FALSE", "not a law"),
    ("002-C8", {"limit": "e**2/2"}, "HOLDS", "the right limit"),
    ("002-C9", {"centre": "e*(exp(e)-1)/(exp(e)+1)"}, "HOLDS", "centred"),
    ("002-C10", {"families": {"independent": independent_tail}}, "HOLDS", "independent"),
    ("002-C10", {"exponent": "2*t**2/(k*e**2)"}, "FALSE", "a factor 4"),
    ("002-C10", {"families": {"one coin": same_coin_tail}}, "FALSE", "no independent family"),
    ("002-C11", {"t": "e*sqrt(2*k*L)"}, "HOLDS", "the missing 2"),
    ("002-C12", {"first": "e*sqrt(k*L)"}, "HOLDS", "ε₀ outside the root"),
    ("002-C13", {"constant": F(1, 10)}, "FALSE", "a constant too small"),
    ("002-C14", {"advanced": "k*e*tanh(e/2)"}, "FALSE", "the deviation dropped"),
    ("003-C1", {"norm": lambda u: max(abs(v) for v in u)}, "FALSE", "ℓ∞ for ℓ₁"),
    ("003-C2", {"sensitivity": lambda top: top / 2}, "FALSE", "half"),
    ("003-C3", {"combine": min}, "FALSE", "min for max"),
    ("003-C4", {"local": lambda X, m: min(X(m) - X(m - 1), X(m + 1) - X(m))}, "FALSE", "min for max"),
    ("003-C4", {"local": lambda X, m: X(m + 1) - X(m - 1)}, "FALSE", "the sum of the gaps"),
    ("003-C5", {"local": (1, 1)}, "FALSE", "no jump"),
    ("003-C6", {"predicate": lambda s, ls, u: all(s[x] >= ls[x] for x in s)}, "FALSE", "jumps allowed"),
    ("003-C6", {"constant_rate": F(2)}, "FALSE", "a constant that falls"),
    ("003-C7", {"weight": lambda u, k: 1 / u**k}, "FALSE", "a sign"),
    ("003-C8", {"weight": lambda u, k: u ** (2 * k)}, "FALSE", "2β"),
    ("003-C9", {"last": lambda n: 0}, "FALSE", "k = 0 only"),
    ("003-C10", {"outside": True}, "HOLDS", "the convention stated"),
    ("003-C10", {"gap": lambda X, m, k, t: X(m + t) - X(m + t - k)}, "FALSE", "k for k + 1"),
    ("003-C11", {"bound": "5*n"}, "FALSE", "linear"),
    ("003-C12", {"least": "2/n"}, "FALSE", "a lower bound that fails at β = 1"),
    ("003-C12", {"closed": "exp(-b)/(b*n)"}, "FALSE", "another closed form"),
    ("003-C13", {"scale": "g"}, "FALSE", "noise too small"),
    ("003-C13", {"rate": "g/2"}, "FALSE", "β too large"),
    ("003-C13", {"scale": "2*(g - 1)**(1 - 1/g)", "rate": "2*Max(1, g - 1)"}, "HOLDS", "the sharp constants"),
    ("003-C14", {"inverse_cap": "g+1"}, "FALSE", "λ twice as large"),
    ("003-C14", {"growth": "l*(g+1)"}, "FALSE", "a sign"),
    (
        "003-C15",
        {"ratio": "h/k", "step": "D*g", "capped": "e*g/(2*(g+1))"},
        "HOLDS",
        "both misprints repaired",
    ),
    ("003-C15", {"ratio": "h/k"}, "FALSE", "only one repaired"),
    ("003-C16", {"beta": "e/L"}, "FALSE", "β twice as large"),
    ("003-C17", {"beta": "e/L"}, "FALSE", "β twice as large"),
    ("003-C18", {"dimensions": (1,)}, "HOLDS", "on the line"),
    ("003-C18", {"jacobian": lambda c, d: c**d}, "HOLDS", "the right factor"),
    ("003-C19", {"shift": "(u - v)/N"}, "HOLDS", "the sign repaired"),
    ("003-C19", {"shift": "(u - v)/N", "delta": "d"}, "FALSE", "a smaller δ"),
    ("003-C20", {"factor": "1"}, "FALSE", "not a density"),
    ("004-C1", {"norm": lambda u: 2 * manhattan(u)}, "FALSE", "a factor 2"),
    ("004-C2", {"fraction": lambda n: F(1, n + 1)}, "FALSE", "n + 1 for n"),
    ("004-C3", {"scale": "S/e**2"}, "FALSE", "ε²"),
    ("004-C4", {"adjacencies": ("add-remove",)}, "HOLDS", "the neighbour relation stated"),
    ("004-C4", {"adjacencies": ("substitute",), "histogram": 2}, "HOLDS", "substitution with 2"),
    ("004-C5", {"tail": "exp(-t)/2"}, "FALSE", "one side only"),
    ("004-C6", {"threshold": "log(1/d)"}, "FALSE", "k dropped"),
    ("004-C7", {"off": "within"}, "HOLDS", "no estimate is off by more"),
    ("004-C8", {"variance": "2*L + log(25/16)"}, "HOLDS", "2 ln(1.25/δ)"),
    ("004-C10", {"norm_squared": "Max(a, b)**2"}, "FALSE", "ℓ∞"),
    ("004-C12", {"adjacencies": ("add-remove",)}, "HOLDS", "the neighbour relation stated"),
    ("004-C12", {"scale": F(2)}, "HOLDS", "Lap(2/ε)"),
    ("004-C12", {"scale": F(1, 2)}, "FALSE", "half the noise"),
    ("004-C13", {"relation": ">=", "second_counts": "D'"}, "HOLDS", "both slips repaired"),
    ("004-C13", {"relation": ">="}, "FALSE", "only one repaired"),
    ("004-C14", {"naive": "1"}, "FALSE", "equal noise"),
]


@pytest.mark.parametrize(("name", "change", "verdict", "what"), CASES, ids=[f"{c[0]}: {c[3]}" for c in CASES])
def test_the_verdict_follows_the_formula(name: str, change: dict[str, Any], verdict: str, what: str) -> None:
    found = decide(name, get(name).formula.but(**change))
    assert found.verdict == verdict, (what, found.witness, found.argument)


def test_enough_claims_are_perturbed_into_another_verdict(findings: dict[str, Any]) -> None:
    changed = {name for name, _, verdict, _ in CASES if verdict != findings[name].verdict}
    assert len(changed) >= 60
    assert {"HOLDS", "CONDITIONAL", "LOOSE", "FALSE"} == {findings[name].verdict for name in changed}


def test_without_any_entry_of_its_formula_a_claim_has_no_verdict() -> None:
    for claim in claims().values():
        assert len(claim.formula)
        for name in claim.formula:
            rest = {other: entry for other, entry in claim.formula.items() if other != name}
            with pytest.raises(KeyError):
                claim.decide(type(claim.formula)(**rest))
