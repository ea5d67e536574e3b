"""Trees of certificates as models: on given inputs, at other values of ε, with choices, whole numbers, cut branches."""

from fractions import Fraction as F

import pytest
from tests.proofs.models.side_by_side import compare, evidence_of

from dpwitness import Answers, Interval, PureDP, Records, mechanism
from dpwitness.core import exp, sqrt
from dpwitness.core.coexecution import Unfaithful
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.programs.route import ProgramProver


def claim_of(program, data, claim=lambda eps: PureDP(eps), **typical):
    return mechanism(data=data, claim=claim, typical={"eps": 1, **typical})(program).claims()[0]


def decided(claim):
    found = evidence_of(claim, [ProgramProver()])
    assert found is not None
    return found


def above(noise, d, *, eps):
    return "many" if sum(d) + noise.laplace(1 / eps) > 1 else "few"


def test_one_tree_for_each_dataset():
    claim = claim_of(above, Records([0, 1], 2))
    found = decided(claim)
    assert isinstance(found, UpperBound)
    assert found.certificate["type"] == "program-finite"
    assert compare(claim, found).inputs == 4
    use = found.certificate["use"]
    with pytest.raises(Unfaithful):
        compare(claim, found, {"use": use[::-1]})


def test_two_datasets_that_break_a_claim():
    claim = claim_of(above, Records([0, 3], 2))
    found = decided(claim)
    assert isinstance(found, Counterexample)
    assert found.certificate["type"] == "program-pair"
    done = compare(claim, found)
    assert done.inputs == 2
    with pytest.raises(Unfaithful):
        compare(claim, found, {"trees": found.certificate["trees"][::-1]})


def test_a_tree_with_choices_and_draws_between_them():
    def mixed(noise, q, *, eps):
        if noise.bernoulli(F(1, 3)):
            return noise.argmax([x + noise.laplace(2 / eps) for x in q])
        kind = noise.choice(weights=[1, 2, 3])
        return [kind, q[0] + noise.laplace(1 / eps) > 0]

    claim = claim_of(mixed, Answers("one", 1, size=2))
    found = decided(claim)
    done = compare(claim, found)
    assert done.places == 8
    tree = found.certificate["tree"]
    for k in range(len(tree["choices"])):
        choices = [list(entry) for entry in tree["choices"]]
        choices[k] = choices[k][::-1]
        with pytest.raises(Unfaithful, match="draw"):
            compare(claim, found, {"tree": {**tree, "choices": choices}})


def test_a_tree_for_every_epsilon_is_run_at_others():
    def release(noise, q, *, eps):
        return q[0] + noise.laplace(1 / eps) > noise.laplace(1 / eps)

    def squared(noise, q, *, eps):
        return q[0] + noise.laplace(1 / eps) > noise.laplace(1 / (eps * eps))

    claim = claim_of(release, Answers("one", 1, size=1))
    found = decided(claim)
    assert found.certificate["tree"]["unit"] == "eps"
    compare(claim, found)
    with pytest.raises(Unfaithful, match="draw 1"):
        compare(claim_of(squared, Answers("one", 1, size=1)), found)


def test_whole_numbers_reach_leaves_that_lie_between_them():
    def exactly(noise, q, *, eps):
        k = q[0] + noise.discrete_laplace(1 / eps)
        return "below" if k <= 1 else "two" if k < 3 else "above"

    claim = claim_of(exactly, Answers("one", 1, size=1, values=(0, 1, 2)), lambda eps: PureDP(2 * eps))
    done = compare(claim, decided(claim))
    assert done.reached == done.places == 3


def test_leaves_of_small_probability_are_reached():
    def far(noise, q, *, eps):
        drawn = q[0] + noise.laplace(1 / eps)
        if 1000 < drawn < 1001:
            return "here"
        return "there" if drawn > 10**6 else "elsewhere"

    claim = claim_of(far, Answers("one", 1, size=1))
    done = compare(claim, decided(claim))
    assert done.reached == done.places == 4


def test_leaves_beyond_the_bounds_of_the_space_are_empty():
    def bounded(noise, q, *, eps):
        if q[0] < 5:
            return q[0] + noise.laplace(1 / eps)
        return q[0] + noise.laplace(1 / eps)

    claim = claim_of(bounded, Records(Interval(0, 1), 1))
    done = compare(claim, decided(claim))
    assert done.reached == done.places == 1


def test_a_branch_that_is_cut_off_wrongly_is_seen():
    def sometimes(noise, q, *, eps):
        return q[0] + noise.laplace(1 / eps) if noise.laplace(1) > 0 else None

    claim = claim_of(sometimes, Answers("one", 1, size=1))
    found = decided(claim)
    tree = found.certificate["tree"]
    nodes = ["d0", ["t0", tree["nodes"][1][1], ["x", {}]]]
    with pytest.raises(Unfaithful, match="impossible"):
        compare(claim, found, {"tree": {**tree, "nodes": nodes}})


def test_a_leaf_that_no_input_reaches_is_unfaithful():
    def release(noise, q, *, eps):
        return q[0] + noise.laplace(1 / eps)

    claim = claim_of(release, Answers("one", 1, size=1, whole=True))
    found = decided(claim)
    tree = found.certificate["tree"]
    same = tree["nodes"]
    far = {"tests": [["q0-1000000000000", True]], "nodes": ["t0", same, same]}
    assert compare(claim, found, {"tree": {**tree, **far}}).reached == 2, "far away, and yet an input of the space"
    between = {"tests": [["q0", True], ["-q0+1", True]], "nodes": ["t0", ["t1", same, same], same]}
    with pytest.raises(Unfaithful, match="no run reaches"):
        compare(claim, found, {"tree": {**tree, **between}})
    nowhere = {"tests": [["q0", True], ["-q0", True]], "nodes": ["t0", ["t1", same, same], same]}
    assert compare(claim, found, {"tree": {**tree, **nowhere}}).places == 2, "shown to be empty"


def test_constants_and_weights_that_are_not_rational_have_their_values():
    def threshold(noise, q, *, eps):
        if noise.bernoulli(exp(-2)):
            return q[0] + noise.laplace(1 / eps) > sqrt(2)
        return None

    claim = claim_of(threshold, Answers("one", 1, size=1))
    found = decided(claim)
    tree = found.certificate["tree"]
    assert "w0" in str(tree["tests"])
    assert "?" in str(tree["choices"])
    done = compare(claim, found)
    assert done.reached == done.places == 3

    def another(noise, q, *, eps):
        if noise.bernoulli(exp(-2)):
            return q[0] + noise.laplace(1 / eps) > -sqrt(2)
        return None

    with pytest.raises(Unfaithful, match="does not give the tree"):
        compare(claim_of(another, Answers("one", 1, size=1)), found)
