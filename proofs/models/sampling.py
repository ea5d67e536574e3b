"""Models of programs that see one random sample of their records: the sample is drawn, then the inner model is run."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Model, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.laws import Law
from dpwitness.core.spaces import Records
from dpwitness.proofs.models import programs
from dpwitness.proofs.spaces import finite_space


@dataclass
class SampledModel:
    """A sample of the records, then a model on the sample."""

    claim: Claim
    kind: str
    size: Fraction
    inner: Model

    def places(self) -> Collection[str]:
        """Those of the inner model."""
        return self.inner.places()

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Draw the sample as `noise.subsample` and `noise.sample` do, and go on."""
        space = self.claim.space
        if not isinstance(space, Records) or not space.fewest <= len(data) <= space.most:
            raise UnknownInput("it has another number of records than the datasets that were read")
        asked: list[Law] = []

        def ask(law: Law) -> Any:
            asked.append(law)
            return source(law)

        if self.kind == "poisson":
            sample = [record for record in data if ask(laws.Bernoulli(self.size))]
        else:
            rest = list(data)
            sample = [rest.pop(ask(laws.Choice((Fraction(1),) * len(rest)))) for _ in range(int(self.size))]
        trace = self.inner.run(tuple(sample), params, ask)
        return replace(trace, laws=tuple(asked))

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Those of the inner model, with draws before them that take its input as the sample."""
        space = claim.space
        assert isinstance(space, Records)
        assert not isinstance(space.domain, tuple) or space.domain
        for probe in self.inner.probes(claim, rng):
            more = [space.domain[0]] * max(0, space.fewest - len(probe.data))  # type: ignore[index]
            data = (*probe.data, *more)
            if self.kind == "poisson":
                first: tuple[Any, ...] = (True,) * len(probe.data) + (False,) * len(more)
            else:
                first = (0,) * len(probe.data)
            yield replace(probe, data=data, draws=(*first, *probe.draws))


def proof(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``subsampled``: the sample, and the first of the inner certificates, which speaks of all samples."""
    if finite_space(claim.space)[0].to_json() != certificate["space"]:
        raise Unfaithful(f"{claim.target}: the certificate speaks of other inputs than the claim")
    inner = next(iter(certificate["inner"].values()))
    assert isinstance(claim.space, Records)
    stated = inner["space"]
    part = replace(claim, space=Records(claim.space.domain, (stated["fewest"], stated["most"]), stated["relation"]))
    make = {"program-finite": programs.shared_or_own, "program-pairs": programs.pairs}[inner["type"]]
    found = make(part, inner)
    sampling = certificate["sampling"]
    model = SampledModel(claim, sampling["kind"], Fraction(sampling["size"]), found)
    return Scoped(model, None, programs.parameters(claim, "1"))
