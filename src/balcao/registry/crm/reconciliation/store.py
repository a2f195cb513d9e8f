"""SQL for reconciliation runs."""

from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.crm.changes import Source

RECONCILE_JOB = "crm_reconcile"


class Cursor(msgspec.Struct, frozen=True):
    """The position of a run, which continues after the record `after_id` that changed at `moment`.

    If `after_id` is empty, the run continues with the first record that changed at `moment` or later.
    """

    since: datetime
    source: Source
    moment: datetime
    after_id: str
    page: int


class Run(msgspec.Struct, frozen=True):
    """A run as the API returns it."""

    id: str
    since: datetime
    state: str
    people: int
    events: int
    refused: int
    requested_at: datetime
    finished_at: datetime | None


_RUN = "id::text, since, state, people, events, refused, requested_at, finished_at"


@statement(f"""
INSERT INTO registry.crm_reconciliation (id, since, source, moment, request_id)
VALUES (:run::text::uuid, :since, 'accounts', :moment, :request_id)
ON CONFLICT (state) WHERE state = 'running' DO NOTHING
RETURNING {_RUN}
""")
async def open_reconciliation(
    connection: Connection, run: str, since: datetime, moment: datetime, request_id: str
) -> Run | None:
    """Start a run. Return None if another run is active."""


@statement(f"SELECT {_RUN} FROM registry.crm_reconciliation WHERE id = :run::text::uuid")
async def select_reconciliation(connection: Connection, run: str) -> Run | None: ...


_PLACE = """
SELECT since, source, moment, after_id, page FROM registry.crm_reconciliation
WHERE id = :run::text::uuid AND page = :page AND state = 'running'
"""


@statement(_PLACE)
async def find_reconciliation_place(connection: Connection, run: str, page: int) -> Cursor | None:
    """Return the run's cursor, or None if this page is done or the run has ended."""


@statement(f"{_PLACE} FOR UPDATE")
async def lock_reconciliation_place(connection: Connection, run: str, page: int) -> Cursor | None:
    """Like `find_reconciliation_place`, but also lock the run until the transaction ends."""


@statement("""
UPDATE registry.crm_reconciliation
SET source = :source, moment = :moment, after_id = :after_id, page = :page,
    people = people + :people, events = events + :events, refused = refused + :refused
WHERE id = :run::text::uuid
""")
async def advance_reconciliation(
    connection: Connection, run: str, place: Cursor, people: int, events: int, refused: int
) -> None:
    """Store the new cursor, and add the page's counts."""


def _end_sql(state: str) -> str:
    """Return the SQL statement that ends a run with this state."""
    return f"""
UPDATE registry.crm_reconciliation SET state = '{state}', finished_at = clock_timestamp()
WHERE id = :run::text::uuid AND state = 'running'
"""


@statement(_end_sql("done"))
async def finish_reconciliation(connection: Connection, run: str) -> None: ...


@statement(_end_sql("abandoned"))
async def abandon_reconciliation(connection: Connection, run: str) -> None:
    """End a run whose job an operator has dropped."""


@statement("SELECT count(*) FROM registry.crm_reconciliation")
async def count_reconciliations(connection: Connection) -> int: ...


@statement("DELETE FROM registry.crm_reconciliation WHERE finished_at <= now() - interval '90 days'")
async def delete_old_reconciliations(connection: Connection) -> int:
    """Delete runs that ended over 90 days ago. Return how many were deleted. Only the table's owner may do this."""
