"""The front end: what it refuses, with which line; and that it reads the function that runs."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json

import pytest
from tests.proofs.anyn import private_other, private_sparse
from tests.proofs.anyn.claims import claim_of

from dpwitness.core import Answers, ApproxDP, PureDP, Records, mechanism, whole
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Unsupported, UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.budget import claimed
from dpwitness.proofs.anyn.reading.front import FrontEnd
from dpwitness.proofs.anyn.reading.source import read
from dpwitness.proofs.anyn.rederive import Diverged, rederive
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.kernel.algebra.laurent import Poly


def plain(noise, queries, *, eps):
    return [q + noise.laplace(1 / eps) for q in queries]


def load(folder, text, name="program"):
    file = folder / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_edited_file_is_noticed(tmp_path):
    text = "def f(noise, queries, *, eps):\n    return [q + noise.laplace(1 / eps) for q in queries]\n"
    module = load(tmp_path, text.replace(" + noise.laplace(1 / eps)", ""))
    (tmp_path / "program.py").write_text(text)
    with pytest.raises(OutsideFragment, match="not the code that runs"):
        read(module.f)


def test_replaced_code_is_noticed():
    def f(noise, queries, *, eps):
        return [q + noise.laplace(1 / eps) for q in queries]

    def g(noise, queries, *, eps):
        return [q for q in queries]  # noqa: C416

    f.__code__ = f.__code__.replace(co_code=f.__code__.co_code, co_consts=g.__code__.co_consts)
    with pytest.raises(OutsideFragment):
        read(f)


def test_wrappers_are_refused():
    @functools.wraps(plain)
    def wrapper(noise, queries, *, eps):
        return list(queries)

    with pytest.raises(OutsideFragment):
        read(wrapper)
    with pytest.raises(OutsideFragment):
        read(functools.partial(plain, eps=1))


def test_closures_are_refused():
    factor = 2

    def f(noise, queries, *, eps):
        return [factor * q + noise.laplace(1 / eps) for q in queries]

    with pytest.raises(OutsideFragment, match="closure"):
        read(f)


@pytest.mark.parametrize("name", ["len", "range", "sum", "max", "enumerate"])
def test_shadowed_builtins_are_noticed(tmp_path, name):
    text = (
        f"{name} = lambda *a: 0\n"
        "def f(noise, queries, *, eps):\n"
        "    s = sum(queries) + max(0, len(queries))\n"
        "    for i, q in enumerate(queries):\n"
        "        pass\n"
        "    for j in range(3):\n"
        "        pass\n"
        "    return s + noise.laplace(1 / eps)\n"
    )
    module = load(tmp_path, text, f"shadow_{name}")
    with pytest.raises(OutsideFragment, match=f"own {name}"):
        read(module.f)


def test_programs_without_a_file_are_refused():
    space = {}
    exec("def f(noise, queries, *, eps):\n    return 0\n", space)
    with pytest.raises(OutsideFragment, match="source"):
        read(space["f"])


def test_nested_programs_are_read_with_their_docstring():
    def inner(noise, queries, *, eps):
        """One line.

        Another, indented.
        """
        return [q + noise.laplace(1 / eps) for q in queries]

    assert isinstance(AnyNProver().run(claim_of(inner, "one")), UpperBound)


def bad_line(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
        out.sort()
    return out


def private_test(noise, queries, *, eps):
    out = []
    for q in queries:
        if q == 0:
            out.append(q + noise.laplace(1 / eps))
    return out


def gaussian(noise, queries, *, eps):
    return [q + noise.gaussian(1 / eps) for q in queries]


def no_domain(noise, queries, *, eps, scale):
    s = 0
    for q in queries:
        s += q
    return s + noise.laplace(scale / eps)


def out_of_range(noise, queries, *, eps):
    s = 0
    for i in range(len(queries)):
        s += queries[i + 1]
    return s + noise.laplace(1 / eps)


@pytest.mark.parametrize(
    ("program", "offset", "words"),
    [
        (bad_line, 4, "a call of out.sort"),
        (private_test, 3, "equality"),
        (gaussian, 1, "noise.gaussian"),
        (no_domain, 4, "not known to be positive"),
        (out_of_range, 3, "out of range"),
    ],
)
def test_refusals_name_the_line(program, offset, words):
    evidence = AnyNProver().run(claim_of(program, "one"))
    assert isinstance(evidence, Unsupported)
    assert words in evidence.reason
    assert evidence.line == inspect.getsourcelines(program)[1] + offset


def test_domains_are_declarations():
    made = mechanism(
        data=Answers("one"), claim=lambda eps: PureDP(eps), typical={"eps": 1, "scale": 1}, domains={"scale": whole(1)}
    )(no_domain)
    evidence = AnyNProver().run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee == PureDP(1)


def test_kinds_of_claims():
    black = claim_of(plain, "one")
    prover = AnyNProver()
    assert prover.supports(black) is None
    approximate = mechanism(data=Answers("one"), claim=lambda eps: ApproxDP(eps, "1/10"), typical={"eps": 1})(plain)
    assert "pure" in prover.supports(approximate.claims()[0])
    records = mechanism(data=Records([0, 1], size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1})(plain)
    assert "answers" in prover.supports(records.claims()[0])


def promise(claim, **typical):
    def f(noise, queries, *, eps, cutoff):
        return [q + noise.laplace(1 / eps) for q in queries]

    made = mechanism(data=Answers("one"), claim=claim, typical=typical, domains={"cutoff": whole(1)})(f)
    return claimed(made.claims()[0])


def test_claims_as_polynomials():
    eps, cutoff = Poly.symbol("eps"), Poly.symbol("cutoff")
    assert promise(lambda eps: PureDP(eps), eps=1, cutoff=2) == eps
    assert promise(lambda eps, cutoff: PureDP(2 * eps / cutoff + eps**2), eps=1, cutoff=2) == (
        eps * cutoff.power(-1) * 2 + eps * eps
    )
    assert promise(lambda eps: PureDP(min(eps, 1)), eps="1/2", cutoff=2) is None
    assert promise(lambda eps, cutoff: PureDP(eps if cutoff < 5 else 2 * eps), eps=1, cutoff=2) is None
    assert promise(lambda eps, cutoff: PureDP(eps * int(cutoff)), eps=1, cutoff=2) is None
    assert promise(lambda eps: PureDP(float(eps)), eps=1, cutoff=2) is None


def test_a_claim_at_given_numbers_is_compared_there():
    """Where the claim is not a polynomial in the parameters, the evidence speaks of the claim's ε only."""
    made = mechanism(data=Answers("one"), claim=lambda eps: PureDP(min(eps, 1)), typical={"eps": 1})(plain)
    evidence = AnyNProver().run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert (evidence.guarantee, evidence.scope.epsilon, evidence.formula) == (PureDP(1), "1", "eps")


def test_same_evidence_twice():
    claim = claim_of(private_sparse.sparse, "all")
    first, second = (AnyNProver().run(claim).certificate for _ in range(2))
    assert first == second


def test_nodes_follow_flags():
    """Truth values of the state are part of the node; numbers are not."""
    claim = claim_of(private_sparse.sparse_alternating, "all")
    model = FrontEnd(read(private_sparse.sparse_alternating), claim.mechanism.domains).model()
    assert len(model.nodes) == 2
    assert {s for n in model.nodes.values() for s in n.private} == {"%t"}
    assert "$count" in model.known.whole


def test_two_loops_are_two_nodes():
    claim = claim_of(private_other.total_as_threshold, "one")
    model = FrontEnd(read(private_other.total_as_threshold), claim.mechanism.domains).model()
    assert sorted(n.loop for n in model.nodes.values()) == [1, 2]


def test_certificates_are_tied_to_their_program():
    claim, other = claim_of(private_sparse.first_above, "all"), claim_of(private_sparse.first_below, "all")
    certificate = AnyNProver().run(claim).certificate
    model, contest = rederive(claim.mechanism, certificate)
    assert (model.json, contest) == (certificate["model"], None)
    with pytest.raises(Diverged, match="trees"):
        rederive(other.mechanism, certificate)
    with pytest.raises(Diverged, match="trees"):
        rederive(claim.mechanism, {**certificate, "model": {**certificate["model"], "heads": {}}})
    with pytest.raises(Diverged, match="domains"):
        rederive(claim.mechanism, {**certificate, "model": {**certificate["model"], "params": {}}})


def test_replaying_notices_a_false_certificate():
    """A certificate whose shifts are too small does not survive real runs."""
    claim = claim_of(private_sparse.first_above, "all")
    certificate = json.loads(json.dumps(AnyNProver().run(claim).certificate))
    assert replay(claim, certificate, runs=40)
    for move in certificate["orders"][0]["moves"]:
        move["shift"] = {}
    assert not replay(claim, certificate, runs=40)


def many_paths(noise, queries, *, eps):
    s = 0
    for q in queries:
        for _ in range(12):
            if q + noise.laplace(1 / eps) > s:
                s += 1
    return s


def test_time_is_limited():
    evidence = AnyNProver().run(claim_of(many_paths, "all"), 1)
    assert isinstance(evidence, Unsupported)
