from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs chromium; run with `pytest -m browser`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The browser is started only where it is asked for."""
    if not config.option.markexpr:
        chosen = [item for item in items if item.get_closest_marker("browser") and item.path.is_relative_to(HERE)]
        items[:] = [item for item in items if item not in set(chosen)]
        config.hook.pytest_deselected(items=chosen)
