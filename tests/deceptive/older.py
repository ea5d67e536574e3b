"""The deceptive programs that stand beside the provers which they were written for, as cases."""

from __future__ import annotations

from typing import Any

from dpwitness import Answers, PureDP, mechanism
from dpwitness.mechanisms.objective_perturbation import LABELLED
from tests.deceptive.kit import Case
from tests.proofs.anyn import deceptive_names, deceptive_noise, deceptive_state, deceptive_values
from tests.proofs.anyn.claims import claim_of
from tests.proofs.laws import test_deceptive_releases as releases
from tests.proofs.laws.deceptive_gradients import MORE_DECEPTIVE
from tests.proofs.laws.deceptive_minimisers import DECEPTIVE
from tests.proofs.programs import deceptive, deceptive_kinds


def _made(program: Any, space: Any, home: str, **typical: Any) -> Any:
    name = f"{home}:{program.__name__}"
    values = {"eps": 1, **typical}
    return mechanism(data=space, claim=lambda eps: PureDP(eps), typical=values, name=name)(program)


ALL_THE_SAME = {
    "equal_lists",  # a list equals its copy
    "which_list_is_kept",  # an empty list counts as false, so the other one is kept
    "list_read_back",  # a number minus itself
    "undeclared_count", "undeclared_scale", "scale_may_vanish",  # private at the value that the parameter has here
}  # fmt: skip


def loops() -> list[Case]:
    """Written against the reader of loops, which may prove none of them; but for a few they are not private either."""
    modules = (deceptive_values, deceptive_state, deceptive_noise, deceptive_names)
    programs = [program for module in modules for program in module.EVIL]
    return [Case(claim_of(program, "one").mechanism, program.__name__ in ALL_THE_SAME) for program in programs]


def kinds() -> list[Case]:
    """Written against the symbolic reader: they ask what they are given, or lean on Python's odd corners."""
    assert deceptive_kinds.dispatched in deceptive.LEAKS
    two = Answers("one", size=2)
    return [
        *(Case(_made(program, two, "kinds"), False) for program in deceptive.LEAKS),
        *(Case(_made(program, two, "kinds"), True) for program in deceptive.HARMLESS),
    ]


def real_records() -> list[Case]:
    """Releases that look like known ones."""
    return [
        *(Case(_made(program, space, "releases"), False) for program, space in releases.LEAKS),
        *(Case(_made(program, space, "releases"), True) for program, space in releases.PRIVATE),
    ]


def minimisers() -> list[Case]:
    """Programs that look like objective perturbation."""
    return [Case(_made(program, LABELLED, "minimisers", ridge=1), False) for program in DECEPTIVE + MORE_DECEPTIVE]


def all_older() -> list[Case]:
    """All of them."""
    return [*loops(), *kinds(), *real_records(), *minimisers()]
