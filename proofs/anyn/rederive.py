"""Does a certificate speak of this program? The front end is run again and its result compared."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.anyn import argmax, flipping, ranking
from dpwitness.proofs.anyn.front import FrontEnd
from dpwitness.proofs.anyn.invariants import find
from dpwitness.proofs.anyn.merge import merged
from dpwitness.proofs.anyn.model import Model, domains_json
from dpwitness.proofs.anyn.shifts import cost_monomials
from dpwitness.proofs.anyn.source import Source, read
from dpwitness.proofs.kernel.laurent import Poly, from_json, to_json


class Diverged(Exception):
    """A certificate and a program do not fit together."""


def rederive(mechanism: Mechanism, certificate: Mapping[str, Any]) -> tuple[Model, argmax.Contest | None]:
    """The transitions of the program, which must be those of the certificate; and its contest for ``argmax-shift``.

    Raises
    ------
    Diverged
        Where the source, the domains of the parameters or the transitions are no longer those of the certificate.
    """
    source = read(mechanism.program)
    if certificate["program"]["source"] != source.digest:
        raise Diverged("the certificate was made for another source text")
    if certificate["params"] != domains_json(source.params, mechanism.domains):
        raise Diverged("the certificate was made for other domains of the parameters")
    bound = from_json(certificate["bound"])
    if certificate["type"] == "ranking-shift":
        return _rederived(source, mechanism, certificate, bound)
    same = flipping.recognise(source)
    if (same is None) == (flipping.TRUSTS in certificate.get("trusts", ())):
        raise Diverged("the certificate and the program are not both about permute-and-flip")
    for peel in (False, True):
        model = FrontEnd(same or source, mechanism.domains, peel=peel).model()
        if certificate["type"] == "argmax-shift":
            contest = argmax.recognise(model, find(model, cost_monomials(model, [bound])))
            if contest is not None and _same_contest(contest, certificate):
                return model, contest
            continue
        for candidate in (model, merged(model)):
            if candidate is not None and [t.to_json() for t in candidate.transitions] == certificate["transitions"]:
                return candidate, None
    raise Diverged("the program no longer has the transitions of the certificate")


def _rederived(
    source: Source, mechanism: Mechanism, certificate: Mapping[str, Any], bound: Poly
) -> tuple[Model, argmax.Contest]:
    shape = ranking.recognise(source)
    if shape is not None:
        model = FrontEnd(shape[1], mechanism.domains, peel=True).model()
        contest = argmax.recognise(model, find(model, cost_monomials(model, [bound])))
        moves, by = certificate["adjacency"]["moves"], Fraction(certificate["adjacency"]["by"])
        if contest is not None:
            made = ranking.prove(source, mechanism.domains, shape[0], contest, bound, moves, by)
            parts = ("answer", "draw", "count", "lead")
            if made is not None and made[0] <= 1 and all(made[1][key] == certificate[key] for key in parts):
                return model, contest
    raise Diverged("the program is no longer the ranking of the certificate")


def _same_contest(contest: argmax.Contest, certificate: Mapping[str, Any]) -> bool:
    draws = [[d.symbol, to_json(d.rate), d.kind, to_json(b)] for d, b in contest.draws]
    same = contest.sign == certificate["sign"] and to_json(contest.answer) == certificate["answer"]
    return same and draws == [list(d) for d in certificate["draws"]]
