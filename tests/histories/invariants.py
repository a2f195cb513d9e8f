"""Invariants that must hold for every complete history once all jobs are done."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import httpx
import msgspec

from balcao.settings import Settings
from balcao_sandbox.identity.demo import people_by_login
from balcao_sandbox.postgresql import supervisor
from tests.histories import published, request_cases, rights
from tests.histories.recorder import MARK, Operation
from tests.support.database_dump import TABLES
from tests.support.polling import PATIENCE

NANOSECONDS = 1_000_000_000
KINDS = ["crm_push", "crm_event", "invite_email", "crm_request"]
# Do not wait for the pauses between the attempts of a push (rules: registry 4.5). A hastened job starts with all its
# attempts, because a busy machine may need many.
HASTEN = """
UPDATE queue.pgqueuer SET execute_after = now(), attempts = 0 WHERE entrypoint = ANY($1) AND status = 'queued'
"""
UNFINISHED = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = ANY($1) AND status IN ('queued', 'picked')"
DEAD = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = ANY($1) AND status = 'failed'"
# Why pushes were dead-lettered. The demo data contain one: STRING_TOO_LONG.
REASONS = """
SELECT DISTINCT tried ->> 'code' FROM registry.outbox, jsonb_array_elements(attempts_log) AS tried WHERE given_up
"""
UNSENT = "SELECT count(*) FROM registry.outbox WHERE NOT given_up"
UNAPPLIED = "SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL"
APPLIED = "SELECT count(*) FROM registry.crm_event WHERE applied_at IS NOT NULL"
APPLICATIONS = "SELECT count(*) FROM platform.audit_event WHERE operation = 'registry.apply_crm_event'"
CHANGES = """
SELECT request_id, count(*) FROM (
    SELECT request_id FROM platform.audit_event
    WHERE action IN ('create', 'update', 'delete') AND actor_kind <> 'worker'
    UNION ALL
    SELECT request_id FROM access.audit_event
    WHERE outcome = 'done' AND operation <> 'group.read_members') AS event
WHERE request_id = ANY($1) GROUP BY request_id
"""
# Decode bytea as text, because payloads and stored responses are JSON.
READABLE = "SET bytea_output = 'escape'"
MARKED = """
SELECT DISTINCT found[1] FROM {table} AS whole_row, regexp_matches(whole_row::text, $1, 'g') AS found
WHERE found[1] = ANY($2)
"""
MIRRORED = "SELECT cpf, value FROM registry.register WHERE field = $1 AND cpf = ANY($2)"


class Pushed(NamedTuple):
    """A mirrored field that the clients of a resource write, and the field's name in the CRM."""

    resource: str
    field: str
    in_the_crm: str


PUSHED = (Pushed("declared", "genero", "Genero__c"), Pushed("own", "nomeExibicao", "NomeExibicao__c"))


class Whole(NamedTuple):
    """A history, and what the platform and the CRM have stored by its end.

    `stored` contains those marks of refused writes that were found in a table.
    """

    operations: Sequence[Operation]
    changes: Mapping[str, int]
    jobs: Mapping[str, int]
    mirrored: Mapping[tuple[str, str], Any]
    accounts: Sequence[Mapping[str, Any]]
    stored: frozenset[str]
    requests: Sequence[request_cases.SentRequest] = ()


class Broken(NamedTuple):
    """A violation of an invariant: its name, a description, and the operation that reveals the fault, if any."""

    invariant: str
    where: str
    shown_by: Operation | None = None


def read_history(history: Path) -> list[Operation]:
    with history.open("rb") as lines:
        return [msgspec.json.decode(line, type=Operation) for line in lines]


def examine(settings: Settings, history: Path, outage: float = 0.0) -> list[Broken]:
    """Wait until the jobs are done, and return the violations of invariants.

    For `outage` seconds, a process may have been unable to read changes of rights, sessions and services.
    """
    whole = asyncio.run(_read_whole(settings, read_history(history)))
    lags = {
        "holiday": settings.database_read_lag if settings.database_read_url else 0.0,
        "published": published.LIMIT_SECONDS + outage,
    }
    return [
        *find_untold_changes(whole),
        *find_undone_jobs(whole),
        *(Broken("jobs", wrong) for wrong in request_cases.find_wrong_cases(whole.requests)),
        *find_refused_writes(whole),
        *find_foreign_data(whole.operations),
        *find_revoked_rights(whole.operations, rights.LIMIT_SECONDS + outage),
        *find_ended_sessions(whole.operations, rights.LIMIT_SECONDS + outage),
        *find_late_reads(whole.operations, lags),
    ]


def count_until(operations: Iterable[Operation], broken: Broken) -> int:
    """Count the operations on the key of the violation, up to the operation that reveals the fault.

    If no operation reveals the fault, count all operations.
    """
    shown_by = broken.shown_by
    return sum(
        shown_by is None or ((one.resource, one.key) == (shown_by.resource, shown_by.key) and one.call <= shown_by.call)
        for one in operations
    )


def find_untold_changes(whole: Whole) -> Iterator[Broken]:
    """Yield each operation with a wrong number of audit events. Reads and refused writes must have none."""
    for one in whole.operations:
        found = whole.changes.get(one.request, 0)
        allowed = one.events if one.is_acknowledged else (0,) if one.is_refused else (0, *one.events)
        if found not in allowed:
            yield Broken("audit", f"{found} events of {_describe(one)}", one)


def find_undone_jobs(whole: Whole) -> Iterator[Broken]:
    """Yield the jobs that did not take effect exactly once.

    No job may be waiting or dead-lettered, and each person must have one CRM account with the last value.
    """
    for what, count in whole.jobs.items():
        if count:
            yield Broken("jobs", f"{count} {what}")
    for resource, field, in_the_crm in PUSHED:
        accounts: dict[str, list[Any]] = defaultdict(list)
        for account in whole.accounts:
            accounts[account["CPF__c"]].append(account[in_the_crm])
        for (mirrored, cpf), value in whole.mirrored.items():
            if mirrored == field and accounts[cpf] != [value]:
                yield Broken("jobs", f"{resource}: {field} is {value}, in the CRM {accounts[cpf]}")


def find_refused_writes(whole: Whole) -> Iterator[Broken]:
    """Yield each refused write whose data is shown or stored."""
    refused = _list_refused(whole.operations)
    for one in whole.operations:
        for mark in set(one.shown) & set(refused):
            yield Broken("refused", f"{_describe(refused[mark])} is shown to {_describe(one)}", one)
    for mark in whole.stored & set(refused):
        yield Broken("refused", f"{_describe(refused[mark])} is stored", refused[mark])


def find_foreign_data(operations: Sequence[Operation]) -> Iterator[Broken]:
    """Yield each response that shows data written under another key."""
    owner = {one.mark: one.key for one in operations}
    for one in operations:
        for mark in one.shown:
            if owner.get(mark, one.key) != one.key:
                yield Broken("foreign", f"{mark} is shown to {_describe(one)}", one)


def find_revoked_rights(operations: Iterable[Operation], within: float) -> Iterator[Broken]:
    """Yield each use of a right that was accepted more than `within` seconds after the right was revoked.

    Uses are ignored if the right may have been granted again.
    """
    keys: dict[str, list[Operation]] = defaultdict(list)
    for one in operations:
        if one.resource == "rights":
            keys[one.key].append(one)
    for key in keys.values():
        grants = [one for one in key if one.input["do"] == "grant" and not one.is_refused]
        revocations = [one for one in key if one.input["do"] == "revoke" and one.is_acknowledged]
        for used in key:
            if used.input["do"] != "use" or not used.is_acknowledged:
                continue
            for revoked in revocations:
                late = used.call - revoked.answered
                again = any(
                    grant.call < used.answered and (grant.output is None or grant.answered > revoked.call)
                    for grant in grants
                )
                if late > within * NANOSECONDS and not again:
                    yield Broken("rights", f"{late / NANOSECONDS:.1f} s after it was revoked: {_describe(used)}", used)


def find_ended_sessions(operations: Iterable[Operation], within: float) -> Iterator[Broken]:
    """Yield each use of a session that was accepted more than `within` seconds after the end of the session."""
    sessions: dict[str, list[Operation]] = defaultdict(list)
    for one in operations:
        if one.resource == "session":
            sessions[one.key].append(one)
    for session in sessions.values():
        ends = [one.answered for one in session if one.input["do"] == "end" and one.is_acknowledged]
        for used in session:
            if ends and used.input["do"] == "use" and used.is_acknowledged:
                late = (used.call - min(ends)) / NANOSECONDS
                if late > within:
                    yield Broken("sessions", f"{late:.1f} s after it was ended: {_describe(used)}", used)


def find_late_reads(operations: Iterable[Operation], lags: Mapping[str, float]) -> Iterator[Broken]:
    """Yield each read of a state that had already been replaced, or that was never committed."""
    for read, late in measure_lateness(operations, lags):
        if late > (lags[read.resource] if read.input["may_lag"] else 0):
            yield Broken("lag", f"{_describe(read)} {read.output}, {late:.1f} s late", read)


def measure_lateness(operations: Iterable[Operation], resources: Container[str]) -> Iterator[tuple[Operation, float]]:
    """Yield each read with its lag: how long ago the state that it shows had been replaced when the read was sent.

    The lag is a lower bound in seconds. It is at most 0 for the current state, and infinite for a state that no write
    had created.
    """
    histories: dict[str, list[Operation]] = defaultdict(list)
    for one in operations:
        if one.resource in resources:
            histories[one.key].append(one)
    for history in histories.values():
        writes = [one for one in history if one.is_write and not one.is_refused]
        states = [_State("", 0, _find_replacement(writes, 0)), *(_make_state(one, writes) for one in writes)]
        for read in history:
            if not read.is_write and read.output is not None:
                shown = read.output["name"]
                ends = [one.end for one in states if one.name in (shown, None) and one.begin < read.answered]
                yield read, (read.call - max(ends, default=-math.inf)) / NANOSECONDS


class _State(NamedTuple):
    """A state and its name in reads.

    It starts at `begin` or later, and ends by `end`.

    If the name is None, the state may have any name.
    """

    name: str | None
    begin: float
    end: float


def _make_state(write: Operation, writes: Sequence[Operation]) -> _State:
    if not write.is_acknowledged:  # it may take effect at any time
        return _State(write.input["name"], write.call, math.inf)
    name = (write.output or {}).get("name", write.input["name"])
    return _State(name, write.call, _find_replacement(writes, write.answered))


def _find_replacement(writes: Sequence[Operation], since: float) -> float:
    """Return when the first of the writes sent after `since` was acknowledged."""
    return min((one.answered for one in writes if one.is_acknowledged and one.call > since), default=math.inf)


def _list_refused(operations: Iterable[Operation]) -> dict[str, Operation]:
    return {one.mark: one for one in operations if one.mark and one.is_refused}


def _describe(one: Operation) -> str:
    return f"{one.actor} on {one.resource} {one.key}: {dict(one.input)} -> {one.status}, request {one.request}"


async def connect(settings: Settings) -> asyncpg.Connection:
    """Connect as the owner to the writable server in the settings, or to the embedded database."""
    if settings.database_owner_url:
        return await asyncpg.connect(settings.database_owner_url, target_session_attrs="primary")
    server = supervisor.find_running(settings.data_dir)
    assert server
    return await asyncpg.connect(server.url)


async def _read_whole(settings: Settings, operations: Sequence[Operation]) -> Whole:
    connection = await connect(settings)
    try:
        await _wait_for_jobs(connection)
        async with httpx.AsyncClient(timeout=PATIENCE) as crm:
            accounts = await crm.get(f"{settings.crm_url}/_sandbox/accounts")
            cases = await crm.get(f"{settings.crm_url}/_sandbox/cases")
        return Whole(
            operations=operations,
            changes=await _read_changes(connection, operations),
            jobs=await _read_jobs(connection),
            mirrored=await _read_mirrored(connection, operations),
            accounts=accounts.json(),
            stored=await _read_marks(connection, list(_list_refused(operations))),
            requests=await request_cases.read_requests(connection, cases.json()),
        )
    finally:
        await connection.close()


async def _wait_for_jobs(connection: asyncpg.Connection) -> None:
    async with asyncio.timeout(PATIENCE):
        while await connection.fetchval(UNFINISHED, KINDS):
            await connection.execute(HASTEN, KINDS)
            await asyncio.sleep(0.1)


async def _read_changes(connection: asyncpg.Connection, operations: Sequence[Operation]) -> dict[str, int]:
    return {row[0]: row[1] for row in await connection.fetch(CHANGES, [one.request for one in operations])}


async def _read_jobs(connection: asyncpg.Connection) -> dict[str, int]:
    """Return how many jobs and events violate the invariant, by description.

    One job in the demo data is dead-lettered.
    """
    reasons = sorted(row[0] for row in await connection.fetch(REASONS))
    return {
        f"dead jobs, pushes with {reasons}": await connection.fetchval(DEAD, KINDS) - 1,
        "changes that no job sends to the CRM": await connection.fetchval(UNSENT),
        "events that no job applies": await connection.fetchval(UNAPPLIED),
        "events applied twice": max(0, await connection.fetchval(APPLICATIONS) - await connection.fetchval(APPLIED)),
    }


async def _read_mirrored(connection: asyncpg.Connection, operations: Sequence[Operation]) -> dict[tuple[str, str], Any]:
    """Return the mirrored values by field and CPF, for the people whose fields the history wrote."""
    found: dict[tuple[str, str], Any] = {}
    for resource, field, _ in PUSHED:
        logins = people_by_login()
        written = {one.key for one in operations if one.resource == resource and one.is_write and one.is_acknowledged}
        people = [logins[key].cpf if key in logins else key for key in written]
        for row in await connection.fetch(MIRRORED, field, people):
            found[field, row["cpf"]] = msgspec.json.decode(row["value"])
    return found


async def _read_marks(connection: asyncpg.Connection, wanted: Sequence[str]) -> frozenset[str]:
    """Return those of the wanted marks that occur in a row of any table."""
    await connection.execute(READABLE)
    found: set[str] = set()
    for table in [row["name"] for row in await connection.fetch(TABLES)]:
        with suppress(asyncpg.UndefinedTableError):  # a migration may have dropped the table in the meantime
            marked = await connection.fetch(MARKED.format(table=table), MARK.pattern, wanted)
            found.update(row[0] for row in marked)
    return frozenset(found)
