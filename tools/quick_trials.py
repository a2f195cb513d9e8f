"""A pytest plugin that ends the trial of a mutant early, at its first failure.

Tests without a database run first, because they detect most mutants, and filling a database takes longer than all of
them. A failed property test does not search for a smaller example.
"""

from collections.abc import Sequence

import pytest
from hypothesis import Phase, settings


def pytest_configure() -> None:
    phases = [phase for phase in settings().phases if phase not in {Phase.shrink, Phase.explain}]
    settings.register_profile("trial", settings(), phases=phases)
    settings.load_profile("trial")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "database_url" in _list_fixtures(item))


def _list_fixtures(item: pytest.Item) -> Sequence[str]:
    return item.fixturenames if isinstance(item, pytest.Function) else ()
