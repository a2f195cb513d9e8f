"""A plugin of pytest: run the tests that need no database before the others.

A trial ends with the first test that fails, and most changes are noticed without a database, which takes longer to fill
than all tests before it.
"""

from collections.abc import Sequence

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "database_url" in _list_fixtures(item))


def _list_fixtures(item: pytest.Item) -> Sequence[str]:
    return item.fixturenames if isinstance(item, pytest.Function) else ()
