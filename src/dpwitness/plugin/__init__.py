"""The pytest plugin: privacy regression tests with a controlled false-alarm rate.

    def test_release_is_private(assert_private):
        assert_private(release, [0, 0], [1, 0], epsilon=1.0)

The false-alarm rate of the whole session, ``--dp-alpha``, is shared among the tests that use the fixture, by weights
that are fixed when the tests are collected; seeds come from the session's seed and the test's name. So every process
of ``pytest -n 2`` finds the same shares and seeds, and the results are the same bytes as those of a serial run.

This module is loaded in every pytest run of an environment in which dpwitness is installed, so it imports nothing
heavy: the tool itself is loaded by the first test that uses it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from dpwitness.plugin.accounting import assert_account
from dpwitness.plugin.options import SETTINGS, add_options, read_settings
from dpwitness.plugin.reruns import refuse_rerun
from dpwitness.plugin.sharing import MARK, SHARES, Share, dp_items, plan

if TYPE_CHECKING:
    from dpwitness.plugin.checking import AssertPrivate
    from dpwitness.plugin.stepping import AssertPrivateStep

__all__ = ["assert_account", "assert_private", "assert_private_step"]

_RECORDS = pytest.StashKey[list[dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and their ini twins."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings and register the marker."""
    from dpwitness.plugin.recording import Recorder

    config.addinivalue_line("markers", f"{MARK}: what assert_private should assume in this test; {_MARK_HELP}")
    config.stash[SETTINGS] = read_settings(config)
    config.stash[SHARES] = {}
    config.pluginmanager.register(Recorder(config), "dpwitness-recorder")


_MARK_HELP = (
    "keywords: epsilon, delta, max_pairs, numerics (defaults for the fixture), weight (of this test's share of alpha) "
    "and checks (how many calls it makes)"
)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fix every test's share of α and its seed, before anything runs."""
    items = dp_items(session.items)
    if items:
        settings = session.config.stash[SETTINGS]
        session.config.stash[SHARES].update(plan(items, settings.alpha, settings.seed))


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> AssertPrivate:
    """Call it with a function, a mechanism or a black box; it fails the test with a counterexample.

    ``assert_private(target, left, right, *, epsilon, delta=0, ...)``; see `dpwitness.plugin.checking.AssertPrivate`.
    """
    from dpwitness.plugin.checking import AssertPrivate

    item, config = request.node, request.config
    share = _share(request, "assert_private")
    records = item.stash.setdefault(_RECORDS, [])
    return AssertPrivate(item, share, config.stash[SETTINGS], records)


@pytest.fixture
def assert_private_step(request: pytest.FixtureRequest) -> AssertPrivateStep:
    """Call it with a training step, a batch and examples to add; it fails the test with what it found, in words.

    ``assert_private_step(step, batch, examples, *, noise_multiplier, clip=1, reseed=...)``; see `dpwitness.audit_step`.
    """
    from dpwitness.plugin.stepping import AssertPrivateStep

    return AssertPrivateStep(request.node, _share(request, "assert_private_step"))


def _share(request: pytest.FixtureRequest, name: str) -> Share:
    """What the test may spend; it must have been known when the tests were collected."""
    refuse_rerun(request.node)
    share = request.config.stash[SHARES].get(request.node.nodeid)
    if share is None:
        pytest.fail(
            f"{name} was asked for while the test runs, so no share of alpha was set aside for it: "
            "name it as an argument of the test, or mark the test with @pytest.mark.dp",
            pytrace=False,
        )
    return share


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what the test found along with its report: under pytest-xdist the report is all that travels."""
    report = yield
    if call.when == "call" and _RECORDS in item.stash:
        report.dp_records = item.stash[_RECORDS]  # type: ignore[attr-defined]
    return report
