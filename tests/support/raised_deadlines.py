"""Raises production's deadlines for all tests, so that no test fails on a busy machine.

In production a request waits two seconds for a connection and three for an issuer's keys. If other work took the
processor, a test would exceed these limits by chance. A test of a limit sets the value that it needs. Tests must patch
the limits, because they are constants: no operator changes them, so there are no settings for them.
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
