"""Retention: a nightly job erases the data of each kind whose retention has ended (rules: registry 5)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Concatenate, ParamSpec

import msgspec

from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Database
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import JobKind, failure_code
from balcao.core.logs import log
from balcao.core.values.ids import new_id

P = ParamSpec("P")

OPERATION = "platform.apply_retention"
REASON = "Prazo de guarda"


@dataclass(frozen=True)
class RetentionCount:
    """The number of rows of one kind before the run, and how many of them were erased."""

    checked: int
    removed: int


@dataclass(frozen=True)
class Retention:
    """One kind of data. `apply` erases its expired data in a transaction with the owner's role."""

    kind: str
    apply: Callable[[Call, Connection], Awaitable[RetentionCount]]


class OldRows(Retention):
    """The common case: `count` counts all rows of the kind, and `remove` deletes the rows that are too old.

    `limits` are the further arguments of `remove`: the maximum age, unless the statement itself contains it.
    """

    def __init__(
        self,
        kind: str,
        count: Callable[[Connection], Awaitable[int]],
        remove: Callable[Concatenate[Connection, P], Awaitable[int]],
        *limits: P.args,
        **named: P.kwargs,
    ) -> None:
        async def apply(_: Call, connection: Connection) -> RetentionCount:
            return RetentionCount(await count(connection), await remove(connection, *limits, **named))

        super().__init__(kind, apply)


class Report(msgspec.Struct, frozen=True):
    """The result of one run for one kind."""

    run: str
    kind: str
    at: datetime
    checked: int
    removed: int


@statement("""
INSERT INTO platform.retention_report (run, kind, checked, removed) VALUES (:run, :kind, :checked, :removed)
RETURNING run::text, kind, at, checked, removed
""")
async def _insert_report(connection: Connection, run: str, kind: str, swept: RetentionCount) -> Report: ...


@statement("""
SELECT run::text, kind, at, checked, removed FROM platform.retention_report ORDER BY at DESC, kind LIMIT :limit
""")
async def list_reports(connection: Connection, limit: int) -> list[Report]:
    """Return the most recent reports, newest first."""


class _DryRun(Exception):
    """Raised in a dry run to roll back what a retention has erased."""


async def run_retention(call: Call, retentions: Sequence[Retention], *, dry_run: bool = False) -> list[Report]:
    """Apply each retention in its own transaction and return the reports.

    If a retention fails, the following retentions still run, and the first exception is raised at the end. A dry run
    rolls back everything, including the reports.
    """
    reports, failures, number = [], [], new_id()
    call.state_reason(REASON)
    owner = Database(call.platform.owner_url, size=2, role=None)
    await owner.open()
    try:
        for retention in retentions:
            try:
                async with owner.transaction() as connection:
                    swept = await retention.apply(call, connection)
                    reports.append(await _insert_report(connection, number, retention.kind, swept))
                    if dry_run:
                        raise _DryRun
            except _DryRun:
                continue
            except Exception as failure:
                log.error("retention.failed", kind=retention.kind, code=failure_code(failure))
                failures.append(failure)
    finally:
        await owner.close()
    if failures:
        raise failures[0]
    return reports


def make_nightly_job(retentions: Sequence[Retention]) -> JobKind:
    """Return the job that applies retention every night, at 03:15 in Brasília."""

    async def apply(platform: Platform, _: Mapping[str, Any]) -> None:
        await run_retention(worker_call(platform, OPERATION), retentions)

    return JobKind(OPERATION, apply, first_delay=timedelta(minutes=5), cron="15 6 * * *")
