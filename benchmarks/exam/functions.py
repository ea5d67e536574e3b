"""The 49 functions with the sensitivities that the benchmark states, as formulas; the records lie in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass

Params = tuple[tuple[str, object, object], ...]


@dataclass(frozen=True)
class Function:
    """A function of n records: its number and name, formula, stated sensitivity and public parameters."""

    number: int
    name: str
    formula: str
    stated: str
    params: Params = ()
    convention: str = ""


FUNCTIONS = tuple(
    Function(*row)  # type: ignore[arg-type]
    for row in (
        (1, "Σ xᵢ", "sum(x)", "1"),
        (2, "Π xᵢ", "prod(x)", "1"),
        (3, "max", "max(x)", "1"),
        (4, "min", "min(x)", "1"),
        (5, "mean", "mean(x)", "1/n"),
        (6, "√Σ xᵢ²", "sqrt(sum(x**2))", "1"),
        (7, "Σ |xᵢ − xᵢ₊₁|", "sum(abs(x[i] - x[i+1]) for i in range(n-1))", "2"),
        (8, "Σ |xᵢ − x̄|", "sum(abs(x - mean(x)))", "2*(n-1)/n"),
        (9, "Σ (xᵢ − x̄)²", "sum((x - mean(x))**2)", "(n-1)/n"),
        (10, "Σ (xᵢ − μ)²", "sum((x - centre)**2)", "1", (("centre", 0, 1),), "for every μ in [0, 1]"),
        (11, "Σ xᵢ²", "sum(x**2)", "1"),
        (12, "Σ xᵢ³", "sum(x**3)", "1"),
        (13, "Σ √xᵢ", "sum(sqrt(x))", "1"),
        (14, "Σ log(xᵢ + 1)", "sum(log(x + 1))", "log(2)"),
        (15, "Σ e^xᵢ", "sum(exp(x))", "exp(1)-1"),
        (16, "Σ sin πxᵢ", "sum(sin(pi*x))", "1"),
        (17, "Σ cos πxᵢ", "sum(cos(pi*x))", "2"),
        (18, "Σ arctan xᵢ", "sum(atan(x))", "pi/4"),
        (19, "Σ xᵢ(1 − xᵢ)", "sum(x*(1 - x))", "1/4"),
        (20, "Σ xᵢ²(1 − xᵢ)²", "sum(x**2*(1 - x)**2)", "1/16"),
        (21, "median", "median(x)", "1", (), "of an even number of records: the mean of the middle two"),
        (22, "interquartile range", "quantile(x, 3/4) - quantile(x, 1/4)", "1", (),
         "the p-quantile is the ⌈pn⌉-th smallest record"),
        (23, "#{xᵢ > 0.5}", "sum(x > 0.5)", "1"),
        (24, "#{xᵢ ∈ [a, b]}", "sum(a <= x <= b)", "1", (("a", 0, 1), ("b", 0, 1)), "for every a and b in [0, 1]"),
        (25, "Σ xᵢxᵢ₊₁", "sum(x[i]*x[i+1] for i in range(n-1))", "2"),
        (26, "Σ_{i<j} xᵢxⱼ", "(sum(x)**2 - sum(x**2))/2", "n-1"),
        (27, "Σ (x₂ᵢ₋₁ − x₂ᵢ)", "sum(x[2*i] - x[2*i+1] for i in range(n//2))", "1"),
        (28, "(Σ xᵢ)²", "sum(x)**2", "2*n-1"),
        (29, "Σ i·xᵢ", "sum((i+1)*x[i] for i in range(n))", "n"),
        (30, "1[Σ xᵢ > n/2]", "sum(x) > n/2", "1"),
        (31, "#{xᵢ > 0.7}", "sum(x > 0.7)", "1"),
        (32, "Π 1[xᵢ > τ]", "prod(x > tau)", "1", (("tau", 0, 1),), "for every τ in [0, 1]"),
        (33, "1[x₁ > x₂]", "x[0] > x[1]", "1"),
        (34, "#{xᵢ > 0.5} mod 2", "sum(x > 0.5) % 2", "1"),
        (35, "log(1 + Σ xᵢ²)", "log(1 + sum(x**2))", "log(2)"),
        (36, "√Σ (xᵢ − xᵢ₊₁ mod n)²", "sqrt(sum((x[i] - x[(i+1) % n])**2 for i in range(n)))", "sqrt(2)"),
        (37, "Σ xᵢ² / (1 + Σ xᵢ)", "sum(x**2)/(1 + sum(x))", "1/2"),
        (38, "exp(−Σ xᵢ²)", "exp(-sum(x**2))", "1-exp(-1)"),
        (39, "Σ 1/(1 + xᵢ²)", "sum(1/(1 + x**2))", "1/2"),
        (40, "Σ σ(xᵢ)", "sum(sigmoid(x))", "(1-exp(-1))/(2*(1+exp(-1)))"),
        (41, "Σ xᵢe^xᵢ / Σ e^xⱼ", "sum(x*exp(x))/sum(exp(x))", "exp(1)/(exp(1)+n-1)"),
        (42, "Σ |xᵢ − ½|", "sum(abs(x - 1/2))", "1/2"),
        (43, "Σ (xᵢ − xᵢ₊₁)²", "sum((x[i] - x[i+1])**2 for i in range(n-1))", "2"),
        (44, "Σ x_π(i)", "sum(x[perm(i)] for i in range(n))", "1", (), "for every permutation π"),
        (45, "rank of x_k", "sum(x[j] < x[0] for j in range(n))", "n-1", (),
         "how many records are smaller; k = 1, and the records are exchangeable"),
        (46, "Σ over even i", "sum(x[i] for i in range(1, n, 2))", "1"),
        (47, "Σ xᵢ/i", "sum(x[i]/(i+1) for i in range(n))", "1"),
        (48, "−Σ xᵢ log(xᵢ + δ)", "sum(-x*log(x + delta))", "log(1+delta)", (("delta", 1, None),), "for every δ ≥ 1"),
        (49, "Σ |xᵢ − i/n|", "sum(abs(x[i] - (i+1)/n) for i in range(n))", "1"),
    )
)  # fmt: skip
