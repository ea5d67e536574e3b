"""A course on differential privacy: fifteen short lessons, each in the terminal, as a notebook and as a page.

A lesson is one file with a function ``build() -> Lesson``. Whatever it states as a number is computed by the library
when it is built. The renderers are `terminal`, `notebook` and `page`; `solutions` checks exercises.

>>> from dpwitness.lessons import TITLES
>>> next(iter(TITLES))
'definition'
"""

from __future__ import annotations

import difflib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from dpwitness.core.errors import UnknownTarget

if TYPE_CHECKING:
    from dpwitness.lessons.model import Lesson

TITLES: dict[str, tuple[str, str]] = {
    "definition": ("The definition", "Two densities, one ratio, and the noise that keeps it small."),
    "total-variation": ("Close is not private", "Publishing one random record passes every test of closeness."),
    "sensitivity": ("Sensitivity", "How far one person moves an answer depends on who counts as a neighbour."),
    "sets": ("Outcomes and sets", "A homework that looks right, one outcome at a time, and its repair."),
    "gaussian": ("Gaussian noise, three ways", "Three formulas for one standard deviation; one fails, one wastes."),
    "median": ("The median", "Noise in proportion to the local sensitivity leaks. A smooth bound does not."),
    "admissible": (
        "Sliding and dilation",
        "Which noise survives when its place and width both depend on the data.",
    ),
    "composition": ("Composition", "From one randomized response to the optimum for a hundred."),
    "selection": ("Noisy max and sparse vector", "Six published programs for one task, of which some are wrong."),
    "interaction": ("Interaction", "Answer questions one by one, or publish once and for all."),
    "doubles": ("What doubles do to a proof", "The proof is about real numbers. The program is not."),
    "accounting": ("Accounting", "What a training run costs: two orders, rounding, and how many digits ε deserves."),
    "audit": ("How an audit works", "Betting against a claim, and what no number of samples can see."),
    "eighty-ways": ("Eighty ways to lose privacy", "Documented bugs of real libraries, and what finds each of them."),
    "one-run": ("What one run can and cannot show", "Canaries, right guesses, and leaks that come together."),
}
"""Name of a lesson: its title and what it is about."""


@cache
def load(name: str) -> Lesson:
    """Build a lesson by name; the same name gives the same lesson.

    >>> load("definition").title
    'The definition'
    """
    if name not in TITLES:
        near = difflib.get_close_matches(name, TITLES, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(TITLES)}"
        raise UnknownTarget(f"there is no lesson {name!r}; {hint}")
    module = import_module(f"dpwitness.lessons.course.{name.replace('-', '_')}")
    made: Lesson = module.build()
    return made
