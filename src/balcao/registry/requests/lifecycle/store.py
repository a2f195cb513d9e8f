"""SQL for requests and their steps."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.queue import dead_sql, pending_sql
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.requests.lifecycle.schemas import RequestSummary
from balcao.registry.requests.lifecycle.states import Author, State

SEND_JOB = "crm_request"


class StoredRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A stored request. `owner` is empty for a request made without a login, and after an erasure."""

    id: str
    owner: str
    number: str
    type: str
    version: int
    answers: Mapping[str, Any]
    description: str | None
    place: str | None
    departments: list[str]
    channel: str
    state: State
    code_hash: bytes | None
    created_at: datetime
    updated_at: datetime
    deadline: datetime
    closed_at: datetime | None
    erased_at: datetime | None
    protocol: str | None
    crm_status: str | None
    crm_message: str | None
    crm_changed_at: datetime | None
    last_step: int
    sent_step: int
    stars: int | None
    comment: str | None
    rated_at: datetime | None


class NumberedStep(msgspec.Struct, kw_only=True):
    """A stored step, with its number within the request. `files` are the ids of the files of a citizen's answer."""

    seq: int
    state: State | None
    text: str | None
    author: Author
    at: datetime
    files: list[str]


class RequestFilters(msgspec.Struct, frozen=True):
    """The filters that staff can apply to the list of requests.

    `handled` contains the caller's departments, or is None for all departments.
    """

    states: Sequence[str]
    type: str | None
    department: str | None
    handled: Sequence[str] | None
    overdue: bool | None


# Two statements read a request and its steps. They must share a snapshot: otherwise, a step added between them would
# contradict the state that was read.
ONE_SNAPSHOT = "repeatable_read"
_COLUMNS = """
    id::text, cpf AS owner, number, type, version, answers::text, description, place, departments, channel, state,
    code_hash, created_at, updated_at, deadline, closed_at, erased_at, protocol, crm_status, crm_message,
    crm_changed_at, last_step, sent_step, stars, comment, rated_at
"""


# A lock for each person. Concurrent calls that create or reopen requests wait for it, so that together they cannot
# exceed the limit on open requests.
@statement("SELECT pg_advisory_xact_lock(hashtextextended('registry.request ' || :cpf::text, 0))")
async def lock_requests(connection: Connection, cpf: Cpf) -> None: ...


@statement("SELECT count(*) FROM registry.request WHERE cpf = :cpf AND closed_at IS NULL")
async def count_open_requests(connection: Connection, cpf: Cpf) -> int: ...


@statement("SELECT nextval('registry.request_number')")
async def draw_request_number(connection: Connection) -> int: ...


@statement("SELECT clock_timestamp()")
async def read_clock(connection: Connection) -> datetime: ...


@statement("""
INSERT INTO registry.request (
    cpf, id, number, type, version, answers, description, place, departments, channel, state, code_hash, created_at,
    updated_at, deadline, last_step)
VALUES (
    :owner, :id::text::uuid, :number, :type, :version, :answers::jsonb, :description, :place, :departments, :channel,
    :state, :code_hash, :created_at, :updated_at, :deadline, 0)
""")
async def insert_request(connection: Connection, row: StoredRequest) -> None: ...


@lookup(f"SELECT {_COLUMNS} FROM registry.request WHERE cpf = :cpf AND number = :number")
async def select_own_request(source: Source, cpf: Cpf, number: str) -> StoredRequest | None: ...


@statement(f"SELECT {_COLUMNS} FROM registry.request WHERE cpf = :cpf AND number = :number FOR UPDATE")
async def lock_own_request(connection: Connection, cpf: Cpf, number: str) -> StoredRequest | None: ...


@lookup(f"SELECT {_COLUMNS} FROM registry.request WHERE number = :number")
async def select_request(source: Source, number: str) -> StoredRequest | None: ...


@statement(f"SELECT {_COLUMNS} FROM registry.request WHERE number = :number FOR UPDATE")
async def lock_request(connection: Connection, number: str) -> StoredRequest | None: ...


@statement(f"SELECT {_COLUMNS} FROM registry.request WHERE id = :request::text::uuid")
async def select_request_by_id(connection: Connection, request: str) -> StoredRequest | None: ...


@statement(f"SELECT {_COLUMNS} FROM registry.request WHERE cpf = :cpf ORDER BY created_at, number")
async def list_own_requests(connection: Connection, cpf: Cpf) -> list[StoredRequest]: ...


@statement("""
SELECT seq, state, text, author, at, files::text[] FROM registry.request_step
WHERE cpf = :owner AND request = :id::text::uuid ORDER BY seq
""")
async def list_steps(connection: Connection, row: StoredRequest) -> list[NumberedStep]: ...


# `closed_at` is when the request was last closed. Reopening clears it.
@statement("""
WITH moved AS (
    UPDATE registry.request SET
        last_step = last_step + 1, state = coalesce(:state::text, state), updated_at = :at::timestamptz,
        closed_at = CASE WHEN :state::text IS NULL THEN closed_at WHEN :state::text IN ('done', 'refused') THEN :at END
    WHERE cpf = :row.owner AND id = :row.id::text::uuid
    RETURNING cpf, id, last_step
)
INSERT INTO registry.request_step (cpf, request, seq, state, text, author, at, files)
SELECT cpf, id, last_step, :state::text, :text, :author, :at, :files::uuid[] FROM moved
RETURNING seq
""")
async def add_step(
    connection: Connection,
    row: StoredRequest,
    state: State | None,
    text: str | None,
    author: Author,
    at: datetime,
    files: Sequence[UUID],
) -> int:
    """Add a step to a locked request, and return the step's number."""


@statement("""
UPDATE registry.request SET stars = :stars, comment = :comment, rated_at = :at
WHERE cpf = :owner AND id = :id::text::uuid
""")
async def rate_request(
    connection: Connection, row: StoredRequest, stars: int, comment: str | None, at: datetime
) -> None: ...


@statement("""
UPDATE registry.request SET sent_step = greatest(sent_step, :sent)
WHERE cpf = :owner AND id = :id::text::uuid
""")
async def mark_steps_sent(connection: Connection, row: StoredRequest, sent: int) -> None: ...


@statement("SELECT FROM registry.request WHERE id = :request::text::uuid FOR UPDATE")
async def _lock_request_by_id(connection: Connection, request: str) -> None: ...


# The dropped job is still in the queue. Another job of the request sends all its steps, so it must find them unsent.
@statement(f"""
UPDATE registry.request SET sent_step = last_step
WHERE id = :request::text::uuid AND 1 >= (
    SELECT count(*) FROM ({pending_sql(SEND_JOB)} UNION ALL {dead_sql(SEND_JOB)}) AS job
    WHERE job.payload ->> 'request' = :request)
""")
async def _give_up_steps(connection: Connection, request: str) -> None: ...


async def give_up_sending(connection: Connection, request: str) -> None:
    """Treat the steps of a request whose job was dropped as sent, so that changes in the CRM are applied again.

    Do nothing if the queue has another job for the request. The lock comes first and in its own statement, so that of
    two jobs that are dropped at the same time, the second sees that the first is gone.
    """
    await _lock_request_by_id(connection, request)
    await _give_up_steps(connection, request)


@statement("""
UPDATE registry.request SET
    protocol = :protocol, crm_status = :status, crm_message = :message, crm_changed_at = :changed
WHERE cpf = :owner AND id = :id::text::uuid
""")
async def note_crm_case(
    connection: Connection,
    row: StoredRequest,
    protocol: str,
    status: str | None,
    message: str | None,
    changed: datetime,
) -> None:
    """Store the protocol, status and message of the CRM's case, and when the case last changed."""


# `handled` is NULL if the caller may see the requests of all departments.
_MATCHING = """
  AND state = ANY (:states::text[])
  AND (:type::text IS NULL OR request.type = :type)
  AND (:department::text IS NULL OR departments @> ARRAY[:department::text])
  AND (:handled::text[] IS NULL OR departments && :handled::text[])
"""


def _list_sql(matching: str, order: str) -> str:
    return page_sql(
        f"""
        SELECT number, request.type, kind.definition ->> 'name' AS name, kind.definition ->> 'category' AS category,
               state, protocol, departments, cpf <> '' AS with_login, request.created_at, request.updated_at, deadline
        FROM registry.request
        JOIN registry.request_type_version AS kind ON kind.type = request.type AND kind.version = request.version
        WHERE {matching} {_MATCHING}
        ORDER BY {order} LIMIT :limit OFFSET :offset
        """,
        f"SELECT count(*) FROM registry.request WHERE {matching} {_MATCHING}",
    )


# Open and closed requests have a statement each, so that each reads the index with its order. The state alone would not
# let PostgreSQL use the index of the open requests.
@statement(
    _list_sql("closed_at IS NULL AND (:overdue::boolean IS NULL OR (deadline < now()) = :overdue)", "deadline, number")
)
async def list_open_requests(connection: Connection, filters: RequestFilters, page: Page) -> Paged[RequestSummary]: ...


# A closed request is never overdue.
@statement(_list_sql("closed_at IS NOT NULL AND :overdue::boolean IS NOT TRUE", "request.updated_at DESC, number DESC"))
async def list_closed_requests(
    connection: Connection, filters: RequestFilters, page: Page
) -> Paged[RequestSummary]: ...


# `UNION` ends the recursion even if a mistake in the city's file links departments into a cycle.
@lookup("""
WITH RECURSIVE handled AS (
    SELECT cd_ua FROM registry.staff_department WHERE cpf = :cpf
    UNION
    SELECT below.cd_ua FROM handled JOIN registry.department AS below ON below.cd_ua_pai = handled.cd_ua
)
SELECT cd_ua FROM handled
""")
async def list_handled_departments(source: Source, cpf: Cpf) -> list[str]:
    """Return the departments for which a member of staff works, and all departments below them."""


# The city retains an erased person's requests, but without the CPF, the answers and the texts.
@statement("""
WITH erased AS (
    UPDATE registry.request SET
        cpf = '', answers = '{}', description = NULL, place = NULL, code_hash = NULL, comment = NULL, erased_at = :at,
        crm_message = NULL
    WHERE cpf = :cpf AND created_at <= :at
    RETURNING id
)
SELECT id::text FROM erased
""")
async def detach_requests(connection: Connection, cpf: Cpf, at: datetime) -> list[str]: ...


@statement(
    "UPDATE registry.request_step SET text = NULL, files = '{}' WHERE cpf = '' AND request = ANY (:ids::text[]::uuid[])"
)
async def erase_texts(connection: Connection, ids: Sequence[str]) -> None: ...


async def erase_requests(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Remove the person, the answers, the texts and the files from the person's requests.

    Return the number of changed requests.
    """
    ids = await detach_requests(connection, cpf, at)
    if ids:
        await erase_texts(connection, ids)
    return len(ids)


@statement("SELECT count(*) FROM registry.request")
async def count_requests(connection: Connection) -> int: ...


class OldRequest(msgspec.Struct, frozen=True):
    """A request that is about to be deleted, and the person who made it."""

    cpf: Cpf
    id: UUID


_OLD = "closed_at < now() - interval '5 years'"


@statement(f"SELECT cpf, id FROM registry.request WHERE {_OLD} AND cpf <> ''")
async def list_old_requests(connection: Connection) -> list[OldRequest]: ...


@statement(f"DELETE FROM registry.request WHERE {_OLD}")
async def delete_old_requests(connection: Connection) -> int:
    """Delete requests that were closed over five years ago, with their steps. Only the table's owner may do this."""


@statement("""
SELECT id::text, cpf, ARRAY['requests'] AS fields FROM registry.request
WHERE id = ANY (:ids::text[]::uuid[]) AND cpf <> ''
""")
async def find_request_owners(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]: ...


@statement("SELECT id::text FROM registry.request WHERE cpf = :cpf")
async def list_request_ids(connection: Connection, cpf: Cpf) -> list[str]: ...


class Position(msgspec.Struct, frozen=True):
    """The position of the poll: the next page starts after the case `after_id` that changed at `moment`.

    `after_id` is empty if the poll has read all cases up to `moment`.
    """

    moment: datetime
    after_id: str


@statement("SELECT moment, after_id FROM registry.request_poll FOR UPDATE")
async def lock_poll(connection: Connection) -> Position: ...


@statement("SELECT moment, after_id FROM registry.request_poll")
async def read_poll(connection: Connection) -> Position: ...


@statement("UPDATE registry.request_poll SET moment = :moment, after_id = :after_id")
async def move_poll(connection: Connection, place: Position) -> None: ...
