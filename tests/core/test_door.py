"""Programs are read through one door: the gate, and a memory that is the same afterwards."""

from __future__ import annotations

import ast
import types
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpwitness
from dpwitness.core.errors import ImpureProgram, OutsideFragment
from dpwitness.core.readers.door import reading, require
from dpwitness.core.readers.finite import finite_law
from dpwitness.core.readers.paths import SymbolicRun, symbolic_paths

STATE: dict[str, Any] = {"count": 0, "deep": [[1, {"a": [Fraction(1, 2)]}]], "long": list(range(50_000))}
LETTERS = {"a", "b"}


def noisy(noise: Any, q: Any, *, eps: Any) -> Any:
    return q[0] + noise.laplace(1 / eps)


def looks_up(noise: Any, q: Any, *, eps: Any) -> Any:
    return q[0] + STATE["deep"][0][0] + noise.laplace(1 / eps)


def test_a_program_may_look_things_up() -> None:
    with reading(looks_up):
        looks_up_again = symbolic_paths(looks_up, [0], {"eps": Fraction(1)})
    assert len(looks_up_again.paths) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: STATE.update(count=STATE["count"] + 1),
        lambda: STATE["deep"][0][1]["a"].append(1),
        lambda: STATE["deep"][0][1].update(a=[0.5 if isinstance(STATE["deep"][0][1]["a"][0], Fraction) else 2]),
        lambda: STATE["long"].__setitem__(49_999, STATE["long"][49_999] + 1),  # far beyond what a shortened text shows
        lambda: STATE.update(count=float(STATE["count"]) if isinstance(STATE["count"], int) else int(STATE["count"])),
        lambda: STATE.update(deep=[*STATE["deep"]]),  # another list with the same content could be shared elsewhere
    ],
)
def test_whatever_changes_is_noticed(change: Any) -> None:
    with pytest.raises(ImpureProgram, match="STATE"), reading(looks_up):
        change()


def test_a_set_is_compared_by_its_elements() -> None:
    def asks(noise: Any, q: Any, *, eps: Any) -> Any:
        return q[0] + noise.laplace(1 / eps) if "a" in LETTERS else 0

    with pytest.raises(ImpureProgram, match="LETTERS"), reading(asks):
        LETTERS.add(str(len(LETTERS)))


def test_default_arguments_are_memory() -> None:
    def keeps(noise: Any, q: Any, *, eps: Any, seen: Any = []) -> Any:  # noqa: B006
        seen.append(1)
        return q[0] + noise.laplace(1 / eps)

    with pytest.raises(ImpureProgram, match="default"):
        symbolic_paths(keeps, [0], {"eps": Fraction(1)})


def test_a_counter_in_the_function_around_is_refused() -> None:
    n = Fraction(1, 2)

    def counts(noise: Any, q: Any, *, eps: Any) -> Any:
        nonlocal n
        n = n + 1
        return q[0] + noise.laplace(1 / eps)

    with pytest.raises(OutsideFragment, match="nonlocal"):
        symbolic_paths(counts, [0], {"eps": Fraction(1)})


def test_a_counter_inside_the_program_is_its_own() -> None:
    def counts(noise: Any, q: Any, *, eps: Any) -> Any:
        n = 0

        def step() -> None:
            nonlocal n
            n += 1

        step()
        return q[0] + n + noise.laplace(1 / eps)

    assert len(symbolic_paths(counts, [0], {"eps": Fraction(1)}).paths) == 1


def _scaled(kind: Any) -> Any:
    def helper(x: Any) -> Any:
        return kind(x)

    return helper


HARMLESS_HELPER, SLY_HELPER = _scaled(abs), _scaled(type)


def test_two_functions_of_one_code_are_both_looked_at() -> None:
    def sly(noise: Any, q: Any, *, eps: Any) -> Any:
        return HARMLESS_HELPER(q[0]) if SLY_HELPER(q[0]) == 1 else 0

    with pytest.raises(OutsideFragment, match="type"):
        symbolic_paths(sly, [0], {"eps": Fraction(1)})


def _with_attribute() -> None:
    return None


_with_attribute.copy = isinstance  # type: ignore[attr-defined]
made_up = types.ModuleType("made_up")
made_up.__getattr__ = lambda name: abs  # type: ignore[method-assign]


def test_values_behind_the_names_of_methods_are_refused() -> None:
    def asks(noise: Any, q: Any, *, eps: Any) -> Any:
        return 0 if _with_attribute.copy(q[0], float) else q[0]  # type: ignore[attr-defined]

    with pytest.raises(OutsideFragment, match="attributes of its own"):
        symbolic_paths(asks, [0], {"eps": Fraction(1)})


def test_modules_that_make_up_their_parts_are_refused() -> None:
    def asks(noise: Any, q: Any, *, eps: Any) -> Any:
        return made_up.size(q[0])

    with pytest.raises(OutsideFragment, match="made_up"):
        symbolic_paths(asks, [0], {"eps": Fraction(1)})


def test_readers_cannot_be_made_outside_the_door() -> None:
    with pytest.raises(RuntimeError, match="door"):
        SymbolicRun([], [], None, None)
    with pytest.raises(RuntimeError, match="door"):
        require()
    with reading(noisy):
        SymbolicRun([], [], None, None)


def test_the_enumerator_passes_the_gate() -> None:
    with pytest.raises(OutsideFragment, match="isinstance"):
        finite_law(lambda noise: isinstance(noise, int))


def test_whoever_calls_a_program_with_a_reader_of_its_own_goes_through_the_door() -> None:
    """Every class of noise in the package that is not a sampler asks for the door when it is made."""
    root = Path(dpwitness.__file__).parent
    plain = {"Scalar", "Lanes", "Recorder", "Scripted"}  # they hand out numbers, as whoever ships the program does
    passed_on = {"Sampled"}  # asks another reader
    found = set()
    for path in [*root.rglob("core/**/*.py"), *root.rglob("proofs/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == "Noise" for b in node.bases):
                found.add(node.name)
                body = ast.unparse(node)
                assert node.name in plain | passed_on or "require()" in body, (path, node.name)
    assert {"SymbolicRun", "Outcomes"} <= found
