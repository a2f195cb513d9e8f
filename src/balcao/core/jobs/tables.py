"""The queue's tables. They belong to the library, which creates and upgrades them before our migrations run."""

import asyncpg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from balcao.core.database.roles import ApplicationRole
from balcao.core.jobs.worker import QUEUE_SCHEMA, queue_queries

_GRANT = f"""
GRANT USAGE ON SCHEMA {QUEUE_SCHEMA} TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {QUEUE_SCHEMA} TO balcao_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {QUEUE_SCHEMA} TO balcao_app;
"""


async def prepare_queue(connection: asyncpg.Connection, role: ApplicationRole) -> None:
    """Create or upgrade the tables as the owner, and grant the application access to them."""
    queries: Queries = queue_queries(AsyncpgDriver(connection))
    if not await queries.schema_is_installed():
        await queries.install()
    elif (await queries.plan_upgrade()).statements:
        await queries.apply_upgrade()
    await connection.execute(role.grant_to(_GRANT))
