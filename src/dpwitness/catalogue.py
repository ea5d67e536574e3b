"""Finding mechanisms: the catalogue, the corpus of documented bugs, tags, files and modules."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from types import ModuleType

from dpwitness.core.errors import DPWitnessError, UnknownTarget
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.importing import load_file, load_module

Target = Mechanism | BlackBox


def of_module(module: ModuleType) -> list[Target]:
    """The mechanisms of a module in the order of definition, each followed by its twins."""
    found: dict[int, Target] = {}
    for value in vars(module).values():
        if isinstance(value, Mechanism) and value.parent is None:
            found.setdefault(id(value), value)
            found.update({id(twin): twin for twin in value.twins})
        elif isinstance(value, BlackBox):
            found.setdefault(id(value), value)
    return list(found.values())


@cache
def catalogue() -> dict[str, Target]:
    """Every mechanism of `dpwitness.mechanisms` by name."""
    import dpwitness.mechanisms as package

    result: dict[str, Target] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        for target in of_module(importlib.import_module(f"{package.__name__}.{info.name}")):
            if result.setdefault(target.name, target) is not target:
                raise DPWitnessError(f"two catalogue entries are called {target.name!r}")
    return result


@cache
def corpus() -> dict[str, Target]:
    """Every program of `dpwitness.corpus` by name; no part of the catalogue."""
    from dpwitness.corpus import bugs

    targets = [side for bug in bugs().values() for side in (bug.broken, bug.repaired) if side is not None]
    return {target.name: target for target in targets}


def tags() -> list[str]:
    """All tags of the catalogue."""
    return sorted({tag for target in catalogue().values() for tag in target.tags})


def find(names: list[str]) -> list[Target]:
    """The mechanisms that the given targets name, in order, without repetition; no names: the whole catalogue."""
    if not names:
        return list(catalogue().values())
    found: dict[int, Target] = {}
    for name in names:
        for target in _find_one(name):
            found.setdefault(id(target), target)
    return list(found.values())


def _find_one(name: str) -> list[Target]:
    if name.startswith("@"):
        tagged = [t for t in catalogue().values() if name[1:] in t.tags]
        tagged = tagged or [t for t in corpus().values() if name[1:] in t.tags]
        if not tagged:
            raise UnknownTarget(_hint(f"no mechanism has the tag {name!r}", name, ["@" + t for t in tags()]))
        return tagged
    if "::" in name:
        path, _, attribute = name.partition("::")
        return _attribute(load_file(path), attribute, name)
    if ":" in name:
        module_name, _, attribute = name.partition(":")
        try:
            module = load_module(module_name)
        except UnknownTarget as error:
            raise UnknownTarget(f"{name!r}: cannot import {module_name!r}: {error}") from error
        return _attribute(module, attribute, name)
    if name in catalogue():
        return [catalogue()[name]]
    if name.startswith(("library/", "library-with-controls/")):
        return _of_library(name)
    if name.startswith("corpus/"):
        if name not in corpus():
            raise UnknownTarget(_hint(f"the corpus has no {name!r}", name, list(corpus())))
        return [corpus()[name]]
    if name.endswith(".py"):
        found = of_module(load_file(name))
        if not found:
            raise UnknownTarget(f"{name!r} defines no mechanism and no black box")
        return found
    raise UnknownTarget(_hint(f"no mechanism is called {name!r}", name, list(catalogue())))


def _of_library(name: str) -> list[Target]:
    """What an adapter says that a library releases: ``library/NAME`` all of it, ``library/NAME/item`` one."""
    from dpwitness.libraries import targets

    kind, _, rest = name.partition("/")
    library, _, item = rest.partition("/")
    found = targets(library, controls=kind != "library" or item.endswith("/half"))
    chosen = [target for target in found if not item or target.name == name]
    if not chosen:
        raise UnknownTarget(_hint(f"{library} has no {name!r}", name, [target.name for target in found]))
    return list(chosen)


def _hint(message: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    near = near or [k for k in known if name.strip("@").lower() in k.lower()][:3]
    return message + (f"; did you mean {', '.join(near)}?" if near else "; `dpwitness list` shows all names")


def _attribute(module: ModuleType, attribute: str, name: str) -> list[Target]:
    value = getattr(module, attribute, None)
    if value is None:
        names = [k for k, v in vars(module).items() if isinstance(v, Mechanism | BlackBox)]
        raise UnknownTarget(_hint(f"{name!r}: there is no {attribute!r} in that file", attribute, names))
    if not isinstance(value, Mechanism | BlackBox):
        raise UnknownTarget(
            f"{name!r} is a {type(value).__name__}; decorate the function with "
            "@mechanism(data=..., claim=..., typical=...) to say what it claims, or audit it on two inputs: "
            f"dpwitness audit {name} --left 0 --right 1 --epsilon 1"
        )
    return [value, *value.twins] if isinstance(value, Mechanism) else [value]
