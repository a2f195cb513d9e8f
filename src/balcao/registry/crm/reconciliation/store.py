"""SQL of the reconciliation's runs."""

from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.crm.changes import Source

RECONCILE_JOB = "crm_reconcile"


class Place(msgspec.Struct, frozen=True):
    """Where a run goes on: `page` counts its steps, `skip` the records of `moment` that it has seen already."""

    since: datetime
    source: Source
    moment: datetime
    skip: int
    page: int


class Run(msgspec.Struct, frozen=True):
    """A run as it is shown."""

    id: str
    since: datetime
    state: str
    people: int
    events: int
    refused: int
    requested_at: datetime
    finished_at: datetime | None


_RUN = "id::text, since, state, people, events, refused, requested_at, finished_at"
_OPEN = f"""
INSERT INTO registry.crm_reconciliation (id, since, source, moment, request_id)
VALUES ($1::text::uuid, $2, 'accounts', $2, $3)
ON CONFLICT (state) WHERE state = 'running' DO NOTHING
RETURNING {_RUN}
"""


async def open_run(connection: Connection, run: str, since: datetime, request_id: str) -> Run | None:
    """Open a run; None while another one is under way."""
    return _to_run(await connection.fetchrow(_OPEN, run, since, request_id))


_READ = f"SELECT {_RUN} FROM registry.crm_reconciliation WHERE id = $1::text::uuid"


async def read(connection: Connection, run: str) -> Run | None:
    return _to_run(await connection.fetchrow(_READ, run))


_PLACE = """
SELECT since, source, moment, skip, page FROM registry.crm_reconciliation
WHERE id = $1::text::uuid AND page = $2 AND state = 'running'
"""


async def find_place(connection: Connection, run: str, page: int, *, lock: bool = False) -> Place | None:
    """Return where the run goes on; None when this page of it is done, or the whole run ended."""
    row = await connection.fetchrow(_PLACE + ("FOR UPDATE" if lock else ""), run, page)
    return Place(**dict(row)) if row else None


_ADVANCE = """
UPDATE registry.crm_reconciliation
SET source = $2, moment = $3, skip = $4, page = $5, people = people + $6, events = events + $7, refused = refused + $8
WHERE id = $1::text::uuid
"""


async def advance(connection: Connection, run: str, place: Place, people: int, events: int, refused: int) -> None:
    """Write where the run goes on, and what the page brought."""
    await connection.execute(_ADVANCE, run, place.source, place.moment, place.skip, place.page, people, events, refused)


_FINISH = """
UPDATE registry.crm_reconciliation SET state = $2, finished_at = clock_timestamp()
WHERE id = $1::text::uuid AND state = 'running'
"""


async def finish(connection: Connection, run: str) -> None:
    await connection.execute(_FINISH, run, "done")


async def give_up(connection: Connection, run: str) -> None:
    """End a run that nobody is to go on with."""
    await connection.execute(_FINISH, run, "abandoned")


_COUNT = "SELECT count(*) FROM registry.crm_reconciliation"
_DELETE_OLD = """
DELETE FROM registry.crm_reconciliation WHERE finished_at <= now() - interval '90 days' RETURNING true
"""


async def count(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT)


async def delete_old(connection: Connection) -> int:
    """Delete runs that ended long ago; return how many. By the owner of the table only."""
    return len(await connection.fetch(_DELETE_OLD))


def _to_run(row: Row | None) -> Run | None:
    return Run(**dict(row)) if row else None
