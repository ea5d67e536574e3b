"""Does a certificate speak of this program? The front end is run again and its result compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.anyn import argmax, flipping, ranking
from dpwitness.proofs.anyn.invariants import find
from dpwitness.proofs.anyn.model import Model, domains_json
from dpwitness.proofs.anyn.reading.front import FrontEnd
from dpwitness.proofs.anyn.reading.source import Source, read
from dpwitness.proofs.anyn.shifts import cost_monomials
from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json, to_json
from dpwitness.proofs.kernel.loops.contests import Contest


class Diverged(Exception):
    """A certificate and a program do not fit together."""


def rederive(mechanism: Mechanism, certificate: Mapping[str, Any]) -> tuple[Model, Contest | None]:
    """The transitions of the program, which must be those of the certificate; and its contest, where it holds one.

    Raises
    ------
    Diverged
        Where the domains of the parameters or the model are no longer those of the certificate.
    """
    source = read(mechanism.program)
    if certificate["model"]["params"] != domains_json(source.params, mechanism.domains):
        raise Diverged("the certificate was made for other domains of the parameters")
    bound = from_json(certificate["bound"])
    kind = certificate["type"]
    if kind in ("ranking-shift", "permute-and-flip"):
        return _shaped(source, mechanism, certificate, bound)
    for peel in (False, True):
        try:
            model = FrontEnd(source, mechanism.domains, peel=peel).model()
        except OutsideFragment:
            continue
        if model.json == certificate["model"]:
            if kind == "argmax-shift":
                return model, argmax.recognise(model, find(model, cost_monomials(model, [bound])))
            dead = [k for k, t in enumerate(model.transitions) if t.place in certificate["dead"]]
            return (model.merged(dead) if certificate["merged"] else model) or model, None
    raise Diverged("the program no longer has the trees of the certificate")


def _shaped(source: Source, mechanism: Mechanism, certificate: Mapping[str, Any], bound: Poly) -> tuple[Model, Contest]:
    """Programs of a known shape: their values are read from the program that releases the largest one only."""
    shape = ranking.recognise(source)
    only = flipping.recognise(source) if certificate["type"] == "permute-and-flip" else shape and shape[1]
    if only is not None:
        model = FrontEnd(only, mechanism.domains, peel=True).model()
        contest = argmax.recognise(model, find(model, cost_monomials(model, [bound])))
        if contest is not None and _fits(contest, shape and shape[0], certificate["model"]):
            return model, contest
    raise Diverged("the program no longer has the model of the certificate")


def _fits(contest: Contest, shape: ranking.Ranking | None, model: Mapping[str, Any]) -> bool:
    if "rate" in model:
        return [model["rate"]] == [to_json(draw.rate) for draw, _ in contest.draws]
    if shape is None or [to_json(shape.count), shape.lead] != [model["count"], model["lead"]]:
        return False
    draws = [[to_json(draw.rate), draw.kind] for draw, _ in contest.draws]
    return draws == [list(d) for d in model["draws"]] and to_json(contest.value) == model["value"]
