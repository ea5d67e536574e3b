"""All claims, decided once for the whole session."""

import pytest

from dpwitness.literature import Finding, decide_all


@pytest.fixture(scope="session")
def findings() -> dict[str, Finding]:
    """Every finding by the id of its claim."""
    return {found.id: found for found in decide_all()}
