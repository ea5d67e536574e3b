"""What can be read off a function's code: the names it uses, and whether it belongs to a library that is trusted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType

_TRUSTED = frozenset({*sys.stdlib_module_names, "numpy", "scipy", "dpwitness"} - {"__main__"})


def names_in(code: CodeType) -> Iterator[str]:
    """Names that the code and the functions inside it use.

    >>> sorted(names_in((lambda rng: [rng.normal() for _ in range(n)]).__code__))
    ['n', 'normal', 'range']
    """
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def foreign(module: str) -> bool:
    """Whether a module is not the user's: the standard library, numpy, scipy, or this project.

    >>> foreign("numpy.random"), foreign("my_mechanisms")
    (True, False)
    """
    return module.partition(".")[0] in _TRUSTED
