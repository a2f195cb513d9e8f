"""The queue's tables: made and upgraded by the library that owns them, before the migrations."""

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
    """Bring the tables up to date, as the owner, and let the application use them."""
    queries: Queries = queue_queries(AsyncpgDriver(connection))
    if not await queries.schema_is_installed():
        await queries.install()
    elif (await queries.plan_upgrade()).statements:
        await queries.apply_upgrade()
    await connection.execute(role.grant_to(_GRANT))
