"""Each number of a certificate's model is tested: where it is changed, the model is not the program any more."""

from fractions import Fraction as F
from functools import cache

import pytest
from tests.proofs.models.side_by_side import compare, evidence_of

from dpwitness import Answers, Interval, PureDP, Records, exp, mechanism
from dpwitness.catalogue import catalogue
from dpwitness.core.coexecution import Unfaithful
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.proofs.laws.finite import FiniteProver
from dpwitness.proofs.laws.minimising.prover import MinimiserProver
from dpwitness.proofs.laws.pieces import PieceProver
from dpwitness.proofs.laws.scales import ScaleProver
from dpwitness.proofs.laws.tents import TentProver
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.subsampling import SubsamplingProver


@mechanism(data=Records([0, 1, 2], 2), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def wider_where_larger(noise, d, *, eps):
    """A scale that depends on the data, smooth enough for ε."""
    return d[0] + d[1] + 40 / eps * (1 + (d[0] + d[1]) / 100) * noise.admissible(4)


@mechanism(data=Records(Interval(0, 1), (1, 3)), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def mean(noise, d, *, eps):
    """A mean of one to three records."""
    return sum(d) / len(d) + noise.laplace(1 / eps)


@mechanism(data=Records([0, 1, 2], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def by_rejection(noise, d, *, eps):
    """A loop that ends by chance."""
    while True:
        k = noise.choice([1, 1, 1])
        if k == d[0] or noise.bernoulli(exp(-eps)):
            return k


CASES = {
    "noise": ("laplace-count", 0, AdditiveProver()),
    "noise-violation": ("laplace-count/half-the-scale", 0, AdditiveProver()),
    "tables": ("randomized-response", 0, FiniteProver()),
    "chains": (by_rejection, 0, FiniteProver()),
    "scales": (wider_where_larger, 0, ScaleProver()),
    "piecewise-release": ("sample-and-aggregate", 0, PieceProver()),
    "tent": ("metric-on-the-unit", 0, TentProver()),
    "sorted-release": ("smooth-median", 1, ScaleProver()),
    "minimiser": ("objective-perturbation", 0, MinimiserProver()),
    "program-bound": ("tree-sum", 0, ProgramProver()),
    "program-counterexample": ("above-threshold/no-query-noise", 0, ProgramProver()),
    "subsampled": ("subsampled-count", 0, SubsamplingProver()),
    "all-of": (mean, 0, AdditiveProver()),
}


@cache
def known(kind):
    name, index, prover = CASES[kind]
    claim = (catalogue()[name] if isinstance(name, str) else name).claims()[index]
    found = evidence_of(claim, [prover])
    assert found is not None
    assert found.certificate["type"] == kind
    return claim, found


@pytest.mark.parametrize("kind", CASES)
def test_the_model_that_a_certificate_states_is_the_program(kind):
    claim, found = known(kind)
    done = compare(claim, found)
    assert done.reached == done.places > 0


def changed(value, how):
    """The value with one of its parts replaced: `how` is a path to a part, and its new value."""
    *path, last, new = how
    made = _copied(value)
    part = made
    for step in path:
        part = part[step]
    part[last] = new(part[last]) if callable(new) else new
    return made


def _copied(value):
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list | tuple) else value


def doubled(text):
    return str(2 * F(text))


def raised(text):
    return str(F(text) + F(1, 1000))


CHANGES = [
    ("noise", ("rows", 0, 0, doubled)),
    ("noise", ("offsets", 0, raised)),
    ("noise", ("output", ["list", ["slot"]])),
    ("noise", ("laws", 0, "scale", doubled)),
    ("noise-violation", ("laws", 0, "scale", doubled)),
    ("tables", ("use", lambda use: use[::-1])),
    ("tables", ("outputs", lambda names: names[::-1])),
    ("chains", ("use", lambda use: use[::-1])),
    ("chains", ("outputs", lambda outputs: outputs[::-1])),
    ("chains", ("outputs", 0, 1, "bool")),
    ("chains", ("choices", 0, 0, raised)),
    ("chains", ("chains", 0, 0, 1, "n0")),
    ("chains", ("chains", 0, 0, 2, 1, "n0")),
    ("scales", ("laws", 1, 0, raised)),
    ("scales", ("laws", 1, 1, raised)),
    ("scales", ("noise", "gamma", "3")),
    ("scales", ("use", lambda use: use[::-1])),
    ("piecewise-release", ("pieces", 3, "value", 0, raised)),
    ("piecewise-release", ("law", "scale", doubled)),
    ("tent", ("rate", raised)),
    ("tent", ("offset", raised)),
    ("tent", ("coefficients", 0, raised)),
    ("sorted-release", ("unit", raised)),
    ("sorted-release", ("location", 0, raised)),
    ("sorted-release", ("beta", raised)),
    ("sorted-release", ("scales", 0, "gaps", 1, raised)),
    ("minimiser", ("ridge", raised)),
    ("minimiser", ("scale", "3")),
    ("minimiser", ("slope", "-1/(2 + exp(m))")),
    ("minimiser", ("vectors", 0, 0, raised)),
    ("minimiser", ("noise", "outside")),
    ("program-bound", ("tree", "draws", 0, 1, doubled)),
    ("program-bound", ("tree", "draws", 0, 0, "exponential")),
    ("program-counterexample", ("tree", "tests", 0, 1, lambda strict: not strict)),
    ("program-counterexample", ("tree", "draws", 0, 1, doubled)),
    ("subsampled", ("sampling", "size", "1/3")),
    ("all-of", ("parts", 1, "offsets", 0, raised)),
    ("all-of", ("parts", lambda parts: parts[1:])),
]


@pytest.mark.parametrize(
    ("kind", "how"), CHANGES, ids=lambda x: x if isinstance(x, str) else "-".join(map(str, x[:-1]))
)
def test_a_certificate_with_another_number_in_its_model_is_not_about_the_program(kind, how):
    claim, found = known(kind)
    certificate = changed(found.certificate, how)
    assert certificate != _copied(found.certificate)
    with pytest.raises(Unfaithful):
        compare(claim, found, certificate)


def test_answers_beyond_the_size_that_was_read_are_unknown():
    claim, found = known("program-bound")
    tree = found.certificate["tree"]
    with pytest.raises(Unfaithful, match="was read on 1 numbers"):
        compare(claim, found, {"tree": {**tree, "queries": 1}})


def test_a_space_of_other_inputs_is_refused():
    claim, found = known("tables")
    with pytest.raises(Unfaithful, match="other inputs"):
        compare(claim, found, {"space": {**found.certificate["space"], "most": 7}})


def test_every_epsilon_means_that_other_values_are_tried():
    @mechanism(data=Answers("one", 1, size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def scale_of_eps(noise, q, *, eps):
        return q[0] + noise.laplace(eps)

    claim = scale_of_eps.claims()[0]
    found = evidence_of(claim, [AdditiveProver()])
    compare(claim, found)
    certificate = {**found.certificate, "unit": "eps"}
    with pytest.raises(Unfaithful, match="draw 0"):
        compare(claim, found, certificate)
