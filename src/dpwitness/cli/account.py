"""``dpwitness account``: what a composition of steps costs, as a certified bracket."""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from math import inf
from typing import Any

from dpwitness.cli.common import console, progress, write_json
from dpwitness.core.errors import BadInput

REFUTED, UNDECIDED = 1, 3


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "account",
        help="certified bounds on the privacy of a composition",
        description="EXPR composes steps, such as 'poisson(0.01, gaussian(1.0)) * 1000 + laplace(2)'; "
        "a file CONFIG.toml describes a training run and the epsilon claimed for it.",
    )
    command.add_argument("expression", metavar="EXPR | CONFIG.toml")
    command.add_argument("--delta", metavar="D", help="print the bracket of epsilon at this delta")
    command.add_argument("--epsilon", metavar="E", help="print the bracket of delta; with --delta, decide (E, D)")
    command.add_argument("--relation", choices=("add-remove", "replace"), help="refuse steps of the other relation")
    command.add_argument("--certificate", metavar="FILE", help="write the certificate of what was decided")
    command.add_argument("--compare", action="store_true", help="put other installed accountants beside the bracket")
    command.add_argument("--explain", action="store_true", help="how the bracket was found, and what is trusted")
    command.add_argument("--strict", action="store_true", help="exit status 3 where (E, D) lies between the bounds")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Account and print; status 1 where a claimed (ε, δ) is refuted."""
    from dpwitness.proofs.accounting.composition import compose
    from dpwitness.proofs.accounting.config import read_config
    from dpwitness.proofs.accounting.expressions import read_composition

    eps, delta = options.epsilon, options.delta
    if options.expression.endswith(".toml"):
        found = read_config(options.expression)
        whole, delta = found.whole, delta or str(found.delta)
        eps = eps or (None if found.epsilon is None else str(found.epsilon))
    else:
        whole = read_composition(options.expression)
    if options.relation:
        whole = compose(whole, relation=options.relation)
    if eps is None and delta is None:
        raise BadInput("say --delta for a bracket of epsilon, --epsilon for one of delta, or both to decide a claim")
    for name in ("compare", "explain"):
        if getattr(options, name) and delta is None:
            raise BadInput(f"--{name} is about epsilon at a delta: give --delta too")
    if options.certificate and (eps is None or delta is None):
        raise BadInput("a certificate is about one epsilon and one delta: give both")
    with progress(None, quiet=options.json == "-") as bar:
        bar.tell("accounting")
        result, lines = _measure(whole, eps, delta, options)
    if options.json:
        write_json(result, options.json)
    if options.json != "-":
        screen = console()
        for line in lines:
            screen.print(line, markup=False)
    return (
        REFUTED
        if result["verdict"] == "REFUTED"
        else UNDECIDED
        if result["verdict"] == "UNDECIDED" and options.strict
        else 0
    )


def _measure(
    whole: Any, eps: str | None, delta: str | None, options: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    from dpwitness.proofs.accounting.bracket import Bracket
    from dpwitness.proofs.accounting.engine import PrecisionReached
    from dpwitness.proofs.accounting.peers import compare

    result: dict[str, Any] = {"steps": str(whole), "relation": whole.relation, "verdict": None}
    lines = [str(whole)]
    for name, given in (("epsilon", delta), ("delta", eps)):
        if given is not None:
            begun = time.perf_counter()
            try:
                bracket, why = getattr(whole, name)(given), ""
            except PrecisionReached as error:
                bracket, why = Bracket(Fraction(0), inf if name == "epsilon" else Fraction(1)), f"; {error}"
            seconds = time.perf_counter() - begun
            at = "delta" if name == "epsilon" else "epsilon"
            result[name] = {
                "at": given,
                "low": str(bracket.low),
                "high": str(bracket.high),
                "seconds": round(seconds, 3),
            }
            lines.append(f"{name} at {at} {given}: {bracket}  ({seconds:.2f} s{why})")
    if eps is not None and delta is not None:
        verdict, certificate = decide(whole, eps, delta)
        result["verdict"] = verdict
        lines.append(f"({eps}, {delta})-DP: {verdict}")
        if options.certificate and certificate is not None:
            write_json(certificate, options.certificate)
            lines.append(f"certificate: {options.certificate}")
        elif options.certificate:
            lines.append("no certificate is written: the claim lies between the bounds")
    if options.explain and delta is not None:
        lines.append(whole.explain(delta))
    if options.compare and delta is not None:
        found = compare(whole, delta)
        lines += [str(peer) for peer in found.peers]
        result["peers"] = [{"name": p.name, "value": p.value, "place": p.place, "note": p.note} for p in found.peers]
    return result, lines


def decide(whole: Any, eps: str, delta: str) -> tuple[str, dict[str, Any] | None]:
    """PROVED or REFUTED with a certificate that the kernel accepts, or UNDECIDED."""
    from dpwitness.proofs.accounting.composition import PrecisionReached

    try:
        found = whole.certificate(eps, delta)
    except PrecisionReached:
        return "UNDECIDED", None
    return "REFUTED" if found["type"] == "composition-violation" else "PROVED", found
