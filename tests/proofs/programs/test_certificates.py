"""Certificates: small, checked by the kernel alone, and refused when a number is changed, unless still true."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from fractions import Fraction

import pytest

from dpwitness.proofs.kernel.arith import number
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.moves import read_moves
from dpwitness.proofs.kernel.programs.trees import read_tree
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.shift import bound
from dpwitness.proofs.programs.tables import Table

PROVED = {
    "noisy max": lambda p: (p.noisy_max(), "all"),
    "running max": lambda p: (p.running_max, "all"),
    "svt": lambda p: (p.svt(), "all"),
    "svt monotone": lambda p: (p.svt(2, 2), "up"),
    "fresh": lambda p: (p.svt(3, 6, release="fresh"), "all"),
    "gap": lambda p: (p.svt(release="gap"), "all"),
    "gap of the maximum": lambda p: (p.gap_of_maximum, "all"),
    "sum": lambda p: (p.partial_sum(), "one"),
}


def certificate(programs, name, n=3):
    program, moves = PROVED[name](programs)
    n = max(n, 4) if name == "gap of the maximum" else n
    return ProgramProver(queries=n).run(programs.make(program, moves, name="p").claims()[0]).certificate


@pytest.mark.parametrize("name", list(PROVED))
def test_small_and_valid(programs, name):
    proof = certificate(programs, name, 5)
    text = json.dumps(proof, separators=(",", ":"))
    assert len(text) <= 15_000
    assert examine(json.loads(text))


def numbers(value, path=()):
    """Places of all number texts, whole numbers and forms."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from numbers(entry, (*path, key))
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            yield from numbers(entry, (*path, i))
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield path, value + 1
    elif isinstance(value, str) and any(c.isdigit() for c in value):
        try:
            yield path, str(number(value) - 1)
            yield path, str(number(value) * 2)
        except Exception:
            yield (
                path,
                "-1*" + value if value[0] in "nqu" else value + "+1" if path[-1] != 0 or len(value) > 2 else value,
            )


def put(proof, path, new):
    changed = copy.deepcopy(proof)
    spot = changed
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = new
    return changed


@pytest.mark.parametrize("name", list(PROVED))
def test_changing_one_number_is_noticed_unless_the_statement_is_still_true(programs, name):
    proof = certificate(programs, name)
    statement = examine(proof).statement
    tried = accepted = 0
    for path, new in numbers(proof):
        if path[0] in ("program", "target", "type"):
            continue
        changed = put(proof, path, new)
        if changed == proof:
            continue
        tried += 1
        result = examine(changed)
        if not result:
            continue
        accepted += 1
        if path[0] not in ("tree", "adjacency"):
            assert result.statement == statement, (path, new)
            continue
        tree = read_tree(changed["tree"])
        moves = read_moves(changed["adjacency"], tree.queries)
        truth = bound(Table(tree, changed["tree"], None, len(tree.leaves)), moves)
        assert truth.upper is not None
        assert truth.upper <= Fraction(changed["bound"]), (path, new)
    assert tried > 20
    assert accepted < tried


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.pop("tree"),
        lambda c: c["tree"].update(nodes=["d9", ["o0"]]),
        lambda c: c["tree"].update(nodes=["o0"]),
        lambda c: c["tree"].update(unit="2"),
        lambda c: c.update(extra=1),
        lambda c: c.update(bound="0"),
        lambda c: c.update(bound=1.0),
        lambda c: c["use"].clear(),
        lambda c: c["adjacency"].update(by="2"),
        lambda c: c["adjacency"].update(relation="l7"),
        lambda c: c["tree"]["draws"].append(["laplace", "0"]) or c["tree"].update(draws=[["laplace", "-2"]]),
        lambda c: c["tree"].update(draws=[["gaussian", "2"], ["gaussian", "4"]]),
        lambda c: c["lower"].update(move=["2", "0", "0"]),
        lambda c: c["lower"].update(point={}),
    ],
)
def test_malformed_certificates_are_refused_without_an_error(programs, change):
    proof = copy.deepcopy(certificate(programs, "svt"))
    change(proof)
    result = examine(proof)
    if proof["tree" if "tree" in proof else "type"] != "program-bound" and proof.get("tree", {}).get("nodes") == ["o0"]:
        assert not result or "0" in result.statement  # a constant program: still a true statement about another tree
        return
    assert not result
    assert result.reason


def test_a_branch_cannot_be_cut_off_without_a_proof(programs):
    proof = copy.deepcopy(certificate(programs, "svt"))
    node = proof["tree"]["nodes"]
    while node[0][0] != "t":
        node = node[1]
    node[2] = ["x", {"0": "1"}]
    assert not examine(proof)


def test_a_leaf_must_not_use_draws_before_they_are_made(programs):
    proof = copy.deepcopy(certificate(programs, "svt"))
    proof["tree"]["tests"][0][0] = "-n0+n3+q0"
    assert "before it is drawn" in examine(proof).reason


def test_the_kernel_checks_alone(programs, tmp_path):
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(certificate(programs, "running max", 4)))
    code = (
        "import json, sys\n"
        "from dpwitness.proofs.kernel.check import examine\n"
        f"assert examine(json.load(open({str(path)!r})))\n"
        "bad = [m for m in sys.modules if m.startswith('dpwitness.proofs.') and '.kernel' not in m]\n"
        "bad += [m for m in sys.modules if m.split('.')[0] in ('numpy', 'scipy', 'sympy', 'z3')]\n"
        "assert not bad, bad\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
