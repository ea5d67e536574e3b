"""The models of the whole catalogue are its programs: every proof and every exact refutation, for several seeds."""

import pytest
from tests.proofs.models.side_by_side import compare, evidence_of

from dpwitness.catalogue import catalogue
from dpwitness.core.coexecution import coexecute
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.proofs.models.registry import model_of

LOOPS = ("loop-shift", "argmax-shift", "ranking-shift", "permute-and-flip")  # tested beside their prover
NAMES = [name for name, target in catalogue().items() if isinstance(target, Mechanism)]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_decided_claim_of_the_catalogue_has_a_faithful_model(name):
    target = catalogue()[name]
    for claim in target.claims():
        found = evidence_of(claim)
        if found is None or found.certificate["type"] in LOOPS:
            continue
        for seed in range(3):
            with reading(target.program):
                model = model_of(claim, found)
                assert model is not None, f"there is no model of {found.certificate['type']} certificates"
                done = coexecute(claim, model, seed=seed)
            assert done.reached == done.places > 0
            assert done.doubtful <= done.runs / 10


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("query-server", "program-pairs"),
        ("gaussian-above-threshold/no-query-noise", "program-normal"),
        ("two-coins/rounded-down", "table-violation"),
        ("noisy-average/leaving-the-room", "table-violation"),
        ("smooth-median-laplace/local-sensitivity", "scales-violation"),
        ("uniform-output/range-of-the-data", "scales-violation"),
        ("metric-on-the-unit/without-the-factor-two", "tent-violation"),
        ("noisy-minimiser/regularisation-forgotten", "minimiser-violation"),
        ("sampled-sum", "subsampled"),
    ],
)
def test_one_claim_of_each_kind(name, kind):
    claim = catalogue()[name].claims()[0]
    found = evidence_of(claim)
    assert found is not None
    assert found.certificate["type"] == kind
    done = compare(claim, found)
    assert done.reached == done.places > 0
    assert done.runs >= 64
