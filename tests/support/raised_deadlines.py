"""Raises production's deadlines for all tests, so that no test fails on a busy machine.

In production a request waits two seconds for a connection and three for an issuer's keys. A test would exceed these
limits by chance if other work takes the processor. A test of a limit sets the value that it needs. The limits are
constants and not settings, because no operator changes them, so tests must patch them.
"""

from collections.abc import Iterator

import httpx
import pytest

from balcao.core.access import keys
from balcao.core.database import connections, pool
from tests.support.polling import PATIENCE


@pytest.fixture(scope="session", autouse=True)
def _patient_platform() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "ACQUIRE_SECONDS", PATIENCE)
        patch.setattr(pool, "SERVING_SECONDS", PATIENCE)
        patch.setattr(pool, "REPLICA_SECONDS", PATIENCE)
        patch.setattr(keys, "FETCH_TIMEOUT", httpx.Timeout(PATIENCE))
        patch.setattr(keys, "FETCH_SECONDS", PATIENCE)
        # Fetch the keys for every unknown key, without the usual pause between two fetches.
        patch.setattr(keys, "UNKNOWN_KEY_SECONDS", 0.0)
        yield
