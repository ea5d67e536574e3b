"""The other libraries, each imported on first use; a test is skipped where one is not installed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

WANTED = "needs the other accounting libraries: pip install 'dpwitness[oracles]'"


@pytest.fixture(scope="session")
def accounting() -> Any:
    """Google's dp-accounting."""
    package = pytest.importorskip("dp_accounting", reason=WANTED)
    laws = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism", reason=WANTED)
    tables = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason=WANTED)
    return SimpleNamespace(package=package, laws=laws, tables=tables)


@pytest.fixture(scope="session")
def autodp() -> Any:
    """autodp."""
    names = ("dp_bank", "mechanism_zoo", "transformer_zoo")
    return SimpleNamespace(**{name: pytest.importorskip(f"autodp.{name}", reason=WANTED) for name in names})


@pytest.fixture(scope="session")
def prv() -> Any:
    """Microsoft's prv-accountant."""
    package = pytest.importorskip("prv_accountant", reason=WANTED)
    variables = pytest.importorskip("prv_accountant.privacy_random_variables", reason=WANTED)
    return SimpleNamespace(package=package, variables=variables)
