"""Helpers for pushes: they read a push with its job, and run the worker in this process."""

import json
from typing import Any

from balcao import app
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import Worker
from tests.registry.conftest import DUE

LETTER = """
SELECT o.id::text, o.dirty::text, o.attempts_log::text, o.given_up, o.version,
    j.status::text, j.attempts, extract(epoch FROM j.execute_after - now())::float8 AS wait
FROM registry.outbox AS o LEFT JOIN queue.pgqueuer AS j ON j.id = o.job WHERE o.cpf = $1
"""
WAITING = "SELECT FROM registry.outbox WHERE cpf = ANY($1)"


def codes(found: Any) -> list[tuple[int | None, str]]:
    return [(entry["status"], entry["code"]) for entry in json.loads(found["attempts_log"])]


async def worked(platform: Platform) -> None:
    """Make all waiting pushes due, and run the worker until no job is due."""
    await platform_rows(platform, DUE)
    await Worker(platform.database, app.list_job_kinds(), platform).drain()


async def platform_rows(platform: Platform, statement: str, *args: Any) -> list[Any]:
    async with platform.database.connection() as connection:
        return list(await connection.fetch(statement, *args))
