"""SQL of the mirror. The merge condition of every write stands in its statement, so no write is lost to a race."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.jobs.worker import enqueue_sql, payload_bytes, withdraw_sql
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.mirror.outbox import FIRST_DELAY, PUSH_JOB
from balcao.registry.mirror.writes import Consent, OwnWrite, Value

# Locks the citizen's mirror until the transaction ends. Whoever reads registers to decide does it in a later statement,
# so that it sees what the holder before it has committed.
_LOCK = """
INSERT INTO registry.mirror_head (cpf, version) VALUES ($1, 1)
ON CONFLICT (cpf) DO UPDATE SET version = mirror_head.version + 1
RETURNING anonymised_at, consents_cleared_at
"""


async def lock(connection: Connection, cpf: Cpf) -> Row:
    row = await connection.fetchrow(_LOCK, cpf.digits)
    assert row is not None  # the upsert always returns its row
    return row


# The greater of two writes stays: later; at equal times own over CRM; null over any value; then the greater text.
_GREATER_STAYS = """
ON CONFLICT (cpf, field) DO UPDATE SET value = excluded.value, at = excluded.at, origin = excluded.origin
WHERE (excluded.at, excluded.origin <> 'crm', excluded.value = 'null', excluded.value::text COLLATE "C")
    > (register.at, register.origin <> 'crm', register.value = 'null', register.value::text COLLATE "C")
"""
_MERGE_REGISTERS = f"""
INSERT INTO registry.register (cpf, field, value, at, origin)
SELECT $1, offered.key, offered.value, $3, $4
FROM jsonb_each($2::jsonb) AS offered
{_GREATER_STAYS}
RETURNING field
"""  # noqa: S608 - our own texts


async def merge_registers(
    connection: Connection, cpf: Cpf, values: Mapping[str, Value], at: datetime, origin: str
) -> list[str]:
    """Answers the fields in which the write won."""
    return [r["field"] for r in await connection.fetch(_MERGE_REGISTERS, cpf.digits, json_text(values), at, origin)]


# What is empty is sent as null, and comes back so.
_RECORD_PUSHED = """
UPDATE registry.register
SET pushed_value = CASE WHEN value IN ('""', '[]') THEN 'null'::jsonb ELSE value END
WHERE cpf = $1 AND field = ANY($2) AND origin <> 'crm'
RETURNING field, value::text
"""


async def record_pushed(connection: Connection, cpf: Cpf, fields: Sequence[str]) -> dict[str, Value]:
    """Answers the values of those registers that hold the citizen's own word."""
    rows = await connection.fetch(_RECORD_PUSHED, cpf.digits, list(fields))
    return {row["field"]: msgspec.json.decode(row["value"], type=Value) for row in rows}


# Also of a register that the citizen has changed again meanwhile: the echo of this push is older than its confirmation.
_STAMP_PUSHED = """
UPDATE registry.register SET at = greatest(at, clock_timestamp()), pushed_at = clock_timestamp()
WHERE cpf = $1 AND field = ANY($2) AND origin <> 'crm'
"""


async def stamp_pushed(connection: Connection, cpf: Cpf, fields: Sequence[str]) -> None:
    await connection.execute(_STAMP_PUSHED, cpf.digits, list(fields))


_MERGE_CONSENTS = """
INSERT INTO registry.crm_consentimentos AS held
    (cpf, categoria, canal, status, acao, data, finalidade, motivo, at, origin)
SELECT $1, o.categoria, o.canal, o.status, o.acao, o.data, o.finalidade, o.motivo, $3, $4
FROM jsonb_to_recordset($2::jsonb) AS o(
    categoria text, canal text, status text, acao text, data text, finalidade text, motivo text)
ON CONFLICT (cpf, categoria, canal) DO UPDATE SET
    status = excluded.status, acao = excluded.acao, data = excluded.data, finalidade = excluded.finalidade,
    motivo = excluded.motivo, at = excluded.at, origin = excluded.origin
WHERE (excluded.at, excluded.origin <> 'crm', jsonb_build_array(excluded.acao, excluded.data, excluded.finalidade,
                                                          excluded.motivo, excluded.status)::text COLLATE "C")
    > (held.at, held.origin <> 'crm', jsonb_build_array(held.acao, held.data, held.finalidade,
                                                          held.motivo, held.status)::text COLLATE "C")
RETURNING true
"""


async def merge_consents(
    connection: Connection, cpf: Cpf, consents: Sequence[Consent], at: datetime, origin: str
) -> int:
    """Answers how many entries won."""
    offered = json_text([asdict(consent) for consent in consents])
    return len(await connection.fetch(_MERGE_CONSENTS, cpf.digits, offered, at, origin))


_CLEAR_CONSENTS = """
WITH head AS (
    UPDATE registry.mirror_head SET consents_cleared_at = greatest(consents_cleared_at, $2) WHERE cpf = $1
)
DELETE FROM registry.crm_consentimentos WHERE cpf = $1 AND at <= $2
"""


async def clear_consents(connection: Connection, cpf: Cpf, at: datetime) -> None:
    await connection.execute(_CLEAR_CONSENTS, cpf.digits, at)


# A clearing of consents that the tombstone covers says nothing more, and leaves no trace of its order.
_BURY = """
WITH head AS (
    UPDATE registry.mirror_head SET
        anonymised_at = greatest(anonymised_at, $2),
        consents_cleared_at = CASE WHEN consents_cleared_at > $2 THEN consents_cleared_at END
    WHERE cpf = $1
), registers AS (
    DELETE FROM registry.register WHERE cpf = $1 AND at <= $2
), remembered AS (
    UPDATE registry.register SET pushed_value = NULL
    WHERE cpf = $1 AND at > $2 AND pushed_value IS DISTINCT FROM value
), wordings AS (
    DELETE FROM registry.wording WHERE cpf = $1 AND at <= $2
)
DELETE FROM registry.crm_consentimentos WHERE cpf = $1 AND at <= $2
"""


async def bury(connection: Connection, cpf: Cpf, at: datetime) -> None:
    """Sets the tombstone and deletes what it covers (spec: webhook rule 4)."""
    await connection.execute(_BURY, cpf.digits, at)


_TOUCH = "UPDATE registry.mirror_head SET last_event_at = greatest(last_event_at, $2) WHERE cpf = $1"


async def touch(connection: Connection, cpf: Cpf, event_at: datetime) -> None:
    await connection.execute(_TOUCH, cpf.digits, event_at)


# Of an anonymisation asked for here: nothing that is in the mirror now is later, whatever time it claims.
_TOMBSTONE_MOMENT = """
SELECT greatest(
    clock_timestamp(),
    (SELECT max(at) FROM registry.register WHERE cpf = $1),
    (SELECT max(at) FROM registry.wording WHERE cpf = $1),
    (SELECT max(at) FROM registry.crm_consentimentos WHERE cpf = $1))
"""


async def tombstone_moment(connection: Connection, cpf: Cpf) -> datetime:
    """The mirror must be locked."""
    moment: datetime = await connection.fetchval(_TOMBSTONE_MOMENT, cpf.digits)
    return moment


# A change by the citizen or on their behalf, what it leaves for the CRM to be told, and its trace.
#
# Everything depends on `held`, so the mirror is locked before anything else is, as by everybody who changes it. The
# rest of the statement sees what was committed before it began, perhaps before it waited for the lock: therefore rows
# of the person are written by ON CONFLICT DO UPDATE, which finds those that came meanwhile, and a wording is only
# removed where `expected` has made sure that none came.
#
# One job sends all that is marked. Where there is none, or it will not send it any more, a new one takes over; the
# row's new id tells the job before, should it run yet, that there is nothing left for it.
_WRITE_OWN = f"""
WITH held AS MATERIALIZED (
    SELECT * FROM registry.hold_mirror($1, $3, $4)
), merged AS (
    INSERT INTO registry.register (cpf, field, value, at, origin)
    SELECT $1, offered.key, offered.value, held.moment, $5
    FROM held, jsonb_each($2::jsonb) AS offered
    {_GREATER_STAYS}
), worded AS (
    INSERT INTO registry.wording (cpf, kind, value, wire, at)
    SELECT $1, $6, $7::jsonb, $8, held.moment FROM held WHERE $7 IS NOT NULL
    ON CONFLICT (cpf, kind) DO UPDATE SET value = excluded.value, wire = excluded.wire, at = excluded.at
), unworded AS (
    DELETE FROM registry.wording USING held WHERE cpf = $1 AND kind = $6 AND $7 IS NULL
), version AS (
    SELECT (extract(epoch FROM moment) * 1000000)::bigint AS number, job FROM held
), {enqueue_sql("$9", "$10", "$11::interval", "held WHERE held.job IS NULL")}
, withdrawn AS (
    {withdraw_sql("held.lost_job", "held")}
), marked AS (
    INSERT INTO registry.outbox AS waiting (cpf, id, dirty, version, first_change_at, job, request_id)
    SELECT $1, $12::text::uuid,
           (SELECT jsonb_object_agg(field, version.number) FROM jsonb_object_keys($2::jsonb) AS field),
           version.number, clock_timestamp(), coalesce(version.job, queued.id), $13
    FROM version LEFT JOIN queued ON true
    ON CONFLICT (cpf) DO UPDATE SET
        dirty = waiting.dirty || excluded.dirty,
        version = excluded.version,
        request_id = excluded.request_id,
        (id, job, given_up, first_change_at, attempts_log) = (
            SELECT waiting.id, waiting.job, waiting.given_up, waiting.first_change_at, waiting.attempts_log
            WHERE waiting.job = excluded.job
            UNION ALL
            SELECT excluded.id, excluded.job, false, excluded.first_change_at, '[]'
            WHERE waiting.job <> excluded.job)
), recorded AS (
    {record_sql("$14::jsonb", "held")}
)
SELECT true FROM held
"""  # noqa: S608 - our own texts


async def write_own(
    connection: Connection,
    cpf: Cpf,
    write: OwnWrite,
    *,
    origin: str,
    request_id: str,
    trail: str,
    expected: int | None,
) -> bool:
    """Return whether the mirror still had the `expected` version; None stands for any."""
    outbox_id = new_id()
    written = await connection.fetchval(
        _WRITE_OWN,
        cpf.digits,
        json_text(write.values),
        [*write.values, *write.beside],
        expected,
        origin,
        write.wording_kind,
        None if write.wording is None else json_text(write.wording),
        write.wire,
        PUSH_JOB,
        payload_bytes({"outbox": outbox_id}),
        FIRST_DELAY,
        outbox_id,
        request_id,
        trail,
    )
    return bool(written)


class Register(msgspec.Struct, frozen=True):
    value: Value
    at: datetime
    origin: str


class Wording(msgspec.Struct, frozen=True):
    value: dict[str, str]
    wire: str


class Mirror(msgspec.Struct, frozen=True):
    """`known` tells whether anything was ever written; `version` and `read_at` are those of this reading."""

    known: bool
    registers: dict[str, Register]
    wordings: dict[str, Wording]
    version: int = 0
    read_at: datetime | None = None


_READ = """
SELECT jsonb_build_object(
    'known', EXISTS (SELECT FROM registry.mirror_head WHERE cpf = $1),
    'version', coalesce((SELECT version FROM registry.mirror_head WHERE cpf = $1), 0),
    'read_at', clock_timestamp(),
    'registers', coalesce((
        SELECT jsonb_object_agg(field, jsonb_build_object('value', value, 'at', at, 'origin', origin))
        FROM registry.register WHERE cpf = $1), '{}'),
    'wordings', coalesce((
        SELECT jsonb_object_agg(kind, jsonb_build_object('value', value, 'wire', wire))
        FROM registry.wording WHERE cpf = $1), '{}'))
"""


async def read(connection: Connection, cpf: Cpf) -> Mirror:
    return msgspec.json.decode(await connection.fetchval(_READ, cpf.digits), type=Mirror)


# Later than what could hide the consent or stands in its place, so that what the citizen was told is what shows.
_CONSENT_MOMENT = """
SELECT greatest(
    clock_timestamp(), head.anonymised_at + interval '1 microsecond',
    head.consents_cleared_at + interval '1 microsecond', held.at + interval '1 microsecond')
FROM registry.mirror_head AS head
LEFT JOIN registry.crm_consentimentos AS held
    ON held.cpf = head.cpf AND held.categoria = $2 AND held.canal = $3
WHERE head.cpf = $1
"""


async def consent_moment(connection: Connection, cpf: Cpf, consent: Consent) -> datetime:
    """The time of an own write of this consent; the mirror must be locked."""
    moment: datetime = await connection.fetchval(_CONSENT_MOMENT, cpf.digits, consent.categoria, consent.canal)
    return moment


_KNOWN = "SELECT true FROM registry.mirror_head WHERE cpf = $1 FOR UPDATE"
# Wordings go with their registers, or a later clearing would pass them by.
_RELEASE_FUTURE = """
WITH head AS (
    UPDATE registry.mirror_head SET version = version + 1 WHERE cpf = $1
), wordings AS (
    UPDATE registry.wording SET at = statement_timestamp() WHERE cpf = $1 AND at > statement_timestamp()
)
UPDATE registry.register SET at = statement_timestamp() WHERE cpf = $1 AND at > statement_timestamp() RETURNING field
"""


async def release_future(connection: Connection, cpf: Cpf) -> list[str] | None:
    """The fields whose time lay ahead of the clock; None for an unknown citizen."""
    if not await connection.fetchval(_KNOWN, cpf.digits):
        return None
    return sorted(row["field"] for row in await connection.fetch(_RELEASE_FUTURE, cpf.digits))


class HeldConsent(msgspec.Struct, frozen=True):
    categoria: str
    canal: str
    status: str
    data: str | None
    finalidade: str | None
    motivo: str | None
    updated_at: datetime


class Head(msgspec.Struct, frozen=True):
    """What was cleared and when, and the consents that stand."""

    anonymised_at: datetime | None = None
    consents_cleared_at: datetime | None = None
    consents: list[HeldConsent] = []


_READ_HEAD = """
SELECT jsonb_build_object(
    'anonymised_at', anonymised_at, 'consents_cleared_at', consents_cleared_at,
    'consents', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'categoria', categoria, 'canal', canal, 'status', status, 'data', data, 'finalidade', finalidade,
            'motivo', motivo, 'updated_at', at) ORDER BY categoria COLLATE "C", canal COLLATE "C")
        FROM registry.crm_consentimentos WHERE cpf = $1), '[]'))
FROM registry.mirror_head WHERE cpf = $1
"""


async def read_head(connection: Connection, cpf: Cpf) -> Head:
    """Empty for a citizen of whom nothing was ever written."""
    found = await connection.fetchval(_READ_HEAD, cpf.digits)
    return Head() if found is None else msgspec.json.decode(found, type=Head)
