"""Fixtures of the employability service without the other services, with its demo data."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from balcao import app
from balcao.core.context.platform import assemble
from balcao.employability import SERVICE
from balcao.settings import Settings
from balcao_sandbox.demo.services import DEMOS
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    with RunningServer(app.build_application(settings, database_url, [SERVICE.name])) as running:
        yield running


@pytest.fixture(scope="module")
def load_demo(settings: Settings, database_url: str) -> Callable[[], Mapping[str, Any]]:
    """Return a function that loads the demo data as the sandbox does and returns the examples."""

    async def once() -> Mapping[str, Any]:
        platform = assemble(settings, database_url)
        async with app.open_services(platform, [SERVICE]):
            found: dict[str, Any] = {}
            for demo in DEMOS[SERVICE.name]:
                await demo.load(platform)
                found |= await demo.examples(platform)
            return found

    return lambda: asyncio.run(once())


@pytest.fixture(scope="module")
def examples(load_demo: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    return load_demo()


@pytest.fixture
def unwritable_audit(sql: Callable[..., Any]) -> Iterator[None]:
    """Make all inserts into the audit trail fail, as on a full disk."""
    sql("""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$""")
    sql("CREATE TRIGGER refuse BEFORE INSERT ON platform.audit_event EXECUTE FUNCTION refuse()")
    yield
    sql("DROP FUNCTION refuse() CASCADE")


@pytest.fixture
def events(sql: Callable[..., Any]) -> Callable[[str], list[dict[str, Any]]]:
    """Return a function that returns an operation's audit events, oldest first."""

    def of(operation: str) -> list[dict[str, Any]]:
        rows = sql("SELECT * FROM platform.audit_event WHERE operation = $1 ORDER BY at", operation)
        return [dict(row) for row in rows]

    return of
