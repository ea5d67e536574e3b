"""Automatic reruns are refused: a test that may be repeated until it passes has no false-alarm rate to speak of."""

from __future__ import annotations

from typing import Any

import pytest

_REASON = (
    "assert_private refuses automatic reruns ({what}). A violation of privacy that was seen once was seen: running "
    "again until it is not seen hides it, and the false-alarm rate is already held below --dp-alpha without reruns. "
    "Take the test out of the reruns; if it fails by chance more often than --dp-alpha allows, that is a bug."
)
_OPTIONS = (("reruns", "--reruns"), ("retries", "--retries"), ("force_flaky", "--force-flaky"))

_STARTED = pytest.StashKey[bool]()


def refuse_rerun(item: Any) -> None:
    """Fail the test where a plugin would run it again, or already does."""
    what = _asked_for(item)
    if what is None and item.stash.get(_STARTED, False):
        what = "this test was already run in this session"
    item.stash[_STARTED] = True
    if what is not None:
        pytest.fail(_REASON.format(what=what), pytrace=False)


def _asked_for(item: Any) -> str | None:
    """How reruns were asked for: by a marker, by an option, or by a decorator of the package flaky."""
    marker = item.get_closest_marker("flaky")
    if marker is not None and _times(marker) != 0:
        return "the marker flaky"
    function = getattr(item, "obj", None)
    if any(name.startswith("_flaky_") for name in getattr(function, "__dict__", ())):
        return "the decorator flaky"
    if marker is not None:
        return None  # flaky(reruns=0) takes the test out
    for name, shown in _OPTIONS:
        value = item.config.getoption(name, default=None)
        if value:
            return f"{shown}={value}"
    return None


def _times(marker: pytest.Mark) -> Any:
    named = marker.kwargs.get("reruns", marker.kwargs.get("retries"))
    return named if named is not None else (marker.args[0] if marker.args else 1)
