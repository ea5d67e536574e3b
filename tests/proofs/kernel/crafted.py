"""Certificates that are crafted to cost much or to say more than they prove; run as a program, one after the other.

``python -m tests.proofs.kernel.crafted`` checks each under a limit of processor time and memory that kills the process,
and prints what came of it.
"""

from __future__ import annotations

import itertools
import json
import resource
import signal
import sys
from collections.abc import Iterator
from typing import Any

from tests.proofs.kernel.released import noise
from tests.proofs.kernel.test_program_attacks import INT, bound, counterexample, finite, tree

PURE = {"kind": "pure", "epsilon": "1"}
FEW = {"records": ["int:0", "int:1"], "fewest": 1, "most": 1, "relation": "substitute"}
WHOLE = {"outputs": ["int:0", "int:1"], "epsilon": "1", "delta": "0"}
LAPLACE = {"name": "laplace", "scale": "1"}
Certificate = dict[str, Any]


def nested(inner: Any, depth: int) -> Any:
    for _ in range(depth):
        inner = [inner]
    return inner


def primes(digits: int, count: int) -> Iterator[int]:
    """Different odd numbers of so many digits: most pairs of them have few common factors."""
    return itertools.islice(itertools.count(10 ** (digits - 1) + 1, 2), count)


def tables(rows: list[Any], **more: Any) -> Certificate:
    return {"type": "tables", "space": FEW, "rows": rows, "use": [0, 1], **WHOLE, **more}


def many_terms() -> Iterator[tuple[str, Certificate]]:
    big = "1" + "0" * 5_000
    wide = {f"{k}/7": "1" for k in range(40_000)}
    yield "weights-of-many-terms", tables([[wide, "1"], ["1", wide]])
    yield "weights-of-huge-exponents", tables([[{big: "1"}, "1"], [{"-" + big: "1"}, "1"]])
    yield "weights-with-many-denominators", tables([[{"0": f"1/{p}"}, f"1/{p + 2}"] for p in primes(300, 2)])
    long = [f"1/{p}" for p in primes(40, 5_000)]
    outputs = [f"int:{k}" for k in range(len(long))]
    yield "sums-of-many-denominators", tables([long, long[::-1]], outputs=outputs)
    scales = [{"name": "laplace", "scale": f"{p}/{p + 1}"} for p in primes(40, 2_000)]
    yield "losses-of-many-denominators", noise(scales, "all", ["1"] * len(scales), PURE)
    scales = [{"name": "laplace", "scale": f"{k}/7"} for k in range(1, 40)]
    delta = {"kind": "approximate", "epsilon": "1", "delta": "1/2"}
    yield "product-of-different-losses", noise(scales, "all", ["1"] * len(scales), delta)
    yield "product-of-equal-losses", noise([LAPLACE] * 3_000, "all", ["1"] * 3_000, delta)
    for name in ("discrete_gaussian", "discrete_laplace", "gaussian", "staircase"):
        law = {"name": name, "variance": "1" + "0" * 300}
        if name == "discrete_laplace":
            law = {"name": name, "scale": "1" + "0" * 300}
        if name == "staircase":
            law = {"name": name, "eps": "1/1" + "0" * 300, "sensitivity": "1", "split": "1/3"}
        yield f"wide-{name}", noise([law], "all", ["1" + "0" * 200], delta)
        yield f"close-{name}", noise([law], "all", ["1"], {"kind": "approximate", "epsilon": "0", "delta": "1/" + big})


def formulas() -> Iterator[tuple[str, Certificate]]:
    def positive(formula: str, proof: Any) -> Certificate:
        return {"type": "positive", "formula": formula, "box": {"x": ["1/2", "1"]}, "strict": False, "proof": proof}

    yield "power-of-powers", positive("((9**999)**999)**999", {"by": "interval"})
    yield "polynomial-bomb", positive("((x+1)**999+x)**999", {"by": "mean"})
    tower = "x"
    for _ in range(55):
        tower = f"exp({tower})"
    yield "tower", positive(tower, {"by": "mean"})
    product = "*".join(f"(x+{k})" for k in range(300))
    deep: Any = {"by": "interval"}
    for _ in range(6):
        deep = {"by": "rising", "variable": "x", "slope": deep, "face": {"by": "exact"}}
    yield "derivatives-of-a-product", positive(product, deep)
    cut: Any = {"by": "mean"}
    for k in range(1, 390):
        cut = {"by": "split", "variable": "x", "at": f"{2**k + 1}/{2 ** (k + 1)}", "parts": [cut, {"by": "mean"}]}
    yield "many-cuts", positive(product + "-1", cut)
    yield "deep-proof", positive("x", {"by": "split", "variable": "x", "at": "3/4", "parts": nested({}, 100_000)})
    common = {"type": "density", "change": "slide", "by": "1", "epsilon": "1"}
    for k, formula in enumerate((
        "exp(-Abs(z))*(2+tanh(50*z)*tanh(51*z)*tanh(52*z))", "1/(1+Abs(z)**(1001/1000))", "exp(-z**2)**999",
        "exp(-Abs(z))+exp(-Abs(z-1))+exp(-Abs(z-2))+exp(-Abs(z-3))", "1/(1+z**2+Abs(z)**(1/3))*(1+exp(-z**4))",
        "Max(exp(-Abs(z)),Min(exp(-z**2),1/(1+z**2)))", "1/cosh(999*z)**999",
    )):  # fmt: skip
        yield f"density-{k}", {**common, "formula": formula, "delta": "1/1000"}
        yield f"pure-density-{k}", {**common, "formula": formula, "delta": "0"}
    for k, slope in enumerate(("(9**999*exp(m)+1)**40", "-1/((9**999+exp(m))**40)", "exp(999999*m)")):
        yield f"slope-{k}", {
            "type": "minimiser", "noise": "inside", "slope": slope, "range": ["-1", "0"], "curvature": "1",
            "points": ["int:0", "int:1"], "vectors": [["1"], ["0"]], "size": 3, "ridge": "1", "scale": "9",
            "guarantee": PURE,
        }  # fmt: skip


def programs() -> Iterator[tuple[str, Certificate]]:
    draws = [["laplace", "1"]]
    chain: Any = ["o0"]
    for _ in range(100_000):
        chain = ["d0", chain]
    yield "deep-tree", bound(tree(chain, draws=draws))
    wide: Any = ["o0"]
    for _ in range(390):
        wide = ["t0", wide, ["o1"]]
    yield (
        "long-tree",
        bound(tree(["d0", wide], draws=draws, tests=[["n0+q0", True]]), use={str(k): 0 for k in range(400)}),
    )
    bushy: Any = ["o0"]
    for _ in range(14):
        bushy = ["t0", bushy, bushy]
    yield "bushy-tree", bound(tree(["d0", bushy], draws=draws, tests=[["n0+q0", True]]))
    many: Any = ["m0", *[["o0"]] * 60]
    for _ in range(60):
        many = ["d0", many]
    forms = [[f"n{k}+q0" for k in range(60)]]
    yield "contest-of-many", counterexample(tree(many, draws=draws, maxima=forms), "0", "1")
    small: Any = ["m0", *[["o0"]] * 12]
    for _ in range(12):
        small = ["d0", small]
    for law, scale in (
        ("laplace", "1"),
        ("discrete_laplace", "1"),
        ("discrete_laplace", "1/1000"),
        ("laplace", "997/991"),
    ):
        forms = [[f"{k + 1}*n{k}+q0" for k in range(12)]]
        made = tree(small, draws=[[law, scale]], maxima=forms)
        yield f"contest-{law}-{scale}", counterexample(made, "0", "1")
    ring = [[f"n{k}-{k + 2}/7*n{(k + 1) % 9}+q0", True] for k in range(9)]
    circle: Any = ["o0"]
    for k in range(9):
        circle = [f"t{k}", circle, ["o1"]]
    for _ in range(9):
        circle = ["d0", circle]
    for law in ("laplace", "discrete_laplace"):
        yield f"circle-{law}", counterexample(tree(circle, draws=[[law, "3/7"]], tests=ring), "0", "1")
    choice = tree(
        ["c0", *[["o0"]] * 2_000], choices=[[f"exp({k}/13)" for k in range(2_000)]], queries=0, outputs=INT[:1]
    )
    yield "choice-of-many", {**finite(), "trees": [choice, choice]}
    odds = [[f"exp({k * k}/1001)" for k in range(60)], [f"exp({k * k * k}/997)" for k in range(60)]]
    pairs = [tree(["c0", *[[f"o{k % 2}"] for k in range(60)]], choices=[w], queries=0, outputs=INT[:2]) for w in odds]
    yield "signs-of-large-degree", {**finite(), "trees": pairs}
    yield "signs-of-huge-exponents", {**finite(), "trees": [
        tree(["c0", ["o0"], ["o1"]], choices=[[f"exp({10**k})", "exp(0)"]], queries=0, outputs=INT[:2])
        for k in (9, 4000)
    ]}  # fmt: skip
    values = [str(k) for k in range(64)]
    space = {"answers": values, "queries": 2, "relation": "linf", "by": "1"}
    plain = tree(["c0", ["o0"], ["o1"]], choices=[["1", "2"]], queries=2, outputs=INT[:2])
    yield "space-of-many-pairs", {"type": "program-finite", "space": space, "trees": [plain], "claim": {"factor": "1"}}
    normal = tree(["d0", ["d0", ["t0", ["o0"], ["o1"]]]], draws=[["gaussian", "1/1" + "0" * 300]],
                  tests=[["n0-7*n1+q0", True]], unit="1", queries=1, outputs=INT[:2])  # fmt: skip
    line = {"answers": ["0", "1"], "queries": 1, "relation": "linf", "by": "1"}
    yield (
        "narrow-normal",
        {"type": "program-normal", "tree": normal, "space": line, "claim": {"epsilon": "1", "delta": "0"}},
    )
    star: Any = ["o0"]
    for k in range(1, 30):
        star = [f"t{k - 1}", star, ["o1"]]
    for _ in range(30):
        star = ["d0", star]
    tests = [[f"n0-{k}/31*n{k}+q0", True] for k in range(1, 30)]
    normal = tree(star, draws=[["gaussian", "1"]], tests=tests, unit="1", outputs=INT[:2])
    yield (
        "wide-normal",
        {"type": "program-normal", "tree": normal, "space": line, "claim": {"epsilon": "1", "delta": "0"}},
    )


def sizes() -> Iterator[tuple[str, Certificate]]:
    yield "many-values", tables([["1", "1"]] * 300_000)
    yield "many-texts", tables([["1" * 6_000, "1"], ["1", "1"]], about={"target": "x" * 15_000_000})
    yield "deep-label", tables([["1", "1"]], use=[0, 0], about=nested("x", 50_000))
    rows = [["1"] * 40, ["-1"] * 40]
    pieces = [{"rows": [rows[k % 2]], "value": rows[0]} for k in range(60)]
    yield "many-pieces", {
        "type": "piecewise-release", "records": ["0", "1"], "pieces": pieces, "step": "40",
        "proofs": [[]] * (60 * 60 * 39), "law": {"name": "laplace", "scale": "40"}, "guarantee": PURE,
    }  # fmt: skip
    form = {"power": 0, "gaps": ["1"] * 40}
    forms = [{"power": k, "gaps": [str((k * j) % 7) for j in range(40)]} for k in range(100)]
    yield "many-forms", {
        "type": "sorted-release", "records": ["0", "1"], "location": ["1"] * 40, "scales": [*forms, form], "unit": "1",
        "beta": "0", "step": "1", "growth": 1000, "noise": LAPLACE_ONE, "guarantee": PURE,
    }  # fmt: skip
    laws = [[f"{k}*sqrt(2)", "exp(1/3)"] for k in range(2_000)]
    space = {"records": [f"int:{k}" for k in range(2_000)], "fewest": 1, "most": 1, "relation": "substitute"}
    yield "many-laws", {
        "type": "scales", "space": space, "output": ["slot"], "noise": LAPLACE_ONE, "laws": laws,
        "use": list(range(2_000)), "guarantee": {"kind": "pure", "epsilon": "10000"},
    }  # fmt: skip
    yield "parts-of-parts", {"type": "all-of", "parts": [{"type": "all-of", "parts": []}]}


LAPLACE_ONE = {"name": "laplace"}


def empty() -> Iterator[tuple[str, Certificate]]:
    yield "no-rows", tables([], use=[])
    yield "no-outputs", tables([[], []], outputs=[])
    yield "no-laws", {**noise([LAPLACE], "all", ["1"], PURE), "laws": [], "rows": [], "offsets": [], "output": ["list"]}
    yield "no-leaves", bound(tree(["x", {}]))
    yield "no-proofs", {"type": "program-pairs", "space": FEW, "bound": "0", "proofs": [], "use": [0]}
    yield "no-trees", {**finite(), "trees": [], "use": []}
    yield "no-parts", {"type": "all-of", "parts": []}
    yield "no-pieces", {"type": "piecewise-release", "records": ["0", "1"], "pieces": [], "step": "0", "proofs": [],
                        "law": LAPLACE, "guarantee": PURE}  # fmt: skip
    yield "no-event", {"type": "table-violation", "inputs": [["int:0"], ["int:1"]], "left": ["1", "0"], "event": [],
                       "right": ["0", "1"], **WHOLE}  # fmt: skip
    yield "one-input-twice", {"type": "table-violation", "inputs": [["int:0"], ["int:0"]], "left": ["1", "0"],
                              "event": [0], "right": ["0", "1"], **WHOLE}  # fmt: skip
    yield "a-law-that-no-input-has", tables([["1", "0"], ["0", "1"]], use=[0, 0])


def everything() -> dict[str, Certificate]:
    """All crafted certificates that must be refused, by name."""
    makers = (many_terms, formulas, programs, sizes, empty)
    return {name: certificate for maker in makers for name, certificate in maker()}


def main(seconds: float, megabytes: int) -> None:
    """Check each certificate; the process is killed where one of them takes more than it may."""
    from dpwitness.proofs.kernel.check import check, checkers
    from dpwitness.proofs.kernel.limits import Rejected

    checkers()
    made = everything()
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (base + megabytes * 2**20,) * 2)
    for name, certificate in made.items():
        before = resource.getrusage(resource.RUSAGE_SELF)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            said, reason = check(certificate).statement, ""
        except Rejected as error:
            said, reason = "", str(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        grown = (after.ru_maxrss - before.ru_maxrss) // 1024
        row = {"name": name, "statement": said[:200], "reason": reason[:200], "seconds": spent, "megabytes": grown}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
