"""If the database does not respond, every operation returns 503, long before the driver would give up."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from balcao import app
from balcao.core.access.rules import AUTHENTICATED, MACHINE, PUBLIC
from balcao.core.database import pool
from balcao.core.http.openapi import find_example
from balcao.settings import Settings
from tests.core.relay import Relay
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations
from tests.support.proof_sizes import FULL
from tests.support.server import RunningServer

pytestmark = pytest.mark.long

PATIENCE = 25  # seconds, less than the driver's own limit of 30
# This time replaces the platform's limits, which are several seconds, to make the test fast.
MOMENT = 0.1


@pytest.fixture(scope="module")
def stopped(settings: Settings, database_url: str) -> Iterator[str]:
    """Yield the address of a gateway. Its database froze after the gateway had started."""
    with (
        pytest.MonkeyPatch.context() as patch,
        Relay(database_url) as relay,
        RunningServer(app.build_application(settings, relay.url)) as running,
    ):
        patch.setattr(pool, "SERVING_SECONDS", MOMENT)
        patch.setattr(pool, "LOOKUP_SECONDS", MOMENT)
        relay.stop()
        yield running.url
        relay.resume()


async def test_every_operation_says_so(stopped: str, issuer: Issuer) -> None:
    """Operations that need no database, or refuse the call before using it, respond as usual.

    In a proof, a person, an administrator and a machine call each operation. In an ordinary run, only an allowed caller
    calls it. If the rule allows only administrators, a person calls it too and is refused.
    """
    person, admin, machine = issuer.person(ANA), issuer.admin(), issuer.machine("crm-sandbox")

    def callers(served: Served) -> list[str]:
        rule = served.operation.rule
        if FULL:
            return [person, admin, machine]
        if rule.owner or rule.action in {PUBLIC, AUTHENTICATED}:
            return [person]
        return [machine] if rule.action == MACHINE else [admin, person]

    async def call(http: httpx.AsyncClient, served: Served, token: str) -> int:
        body = find_example(served.operation)
        answer = await http.request(served.method, served.filled(), headers=bearer(token), json=body)
        return answer.status_code

    # The timeout starts when a call is sent. The wait for one of the client's connections has no limit.
    limits, timeout = httpx.Limits(max_connections=50), httpx.Timeout(PATIENCE, pool=None)
    async with httpx.AsyncClient(base_url=stopped, timeout=timeout, limits=limits) as http:
        calls = [(served, token) for served in all_operations() if not served.endless for token in callers(served)]
        statuses = await asyncio.gather(*(call(http, *one) for one in calls))
    # This gateway has no CRM, so an operation that calls the CRM before the database returns 502.
    assert {status for status in statuses if status >= 500} <= {502, 503}
    away = {str(served) for (served, _), status in zip(calls, statuses, strict=True) if status == 503}
    assert away >= {
        "registry.read_preferences",
        "registry.read_citizen",
        "registry.declare_gender",
        "registry.register_vehicle",
        "registry.receive_crm_event",
        "registry.list_audit_events",
        "registry.readiness",
        "search.read_migration_history",
        "agents.read_config",
        "access.update_action",
    }
    assert len(away) > 60
