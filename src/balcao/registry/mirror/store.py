"""SQL of the mirror. The merge condition of every write stands in its statement, so no write is lost to a race."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.records import Covered, ExportedConsent, ExportedField, Head, Mirror
from balcao.registry.mirror.writes import Consent, Value

# Locks the citizen's mirror until the transaction ends. Whoever reads fields to decide does it in a later statement,
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


# An own write is later than all that it replaces, so it stays; what the CRM confirmed was another word.
OWN_STAYS = """
ON CONFLICT (cpf, field) DO UPDATE SET
    value = excluded.value, at = excluded.at, origin = excluded.origin, confirmed_value = NULL, confirmed_at = NULL
WHERE excluded.at > register.at
"""


# A word of the CRM that says what the citizen has said confirms it, and takes nothing over: they still are who declared
# it. The echo ($4) of what we wrote there before their last change takes nothing over either. Another word, later than
# theirs, supersedes it for good, also when it comes after a confirmation or an echo that is later still; the field then
# holds the latest of the CRM's words. So any order of the same words ends the same.
_MERGE_REGISTERS = """
INSERT INTO registry.register AS held (cpf, field, value, at, origin)
SELECT $1, told.key, told.value, $3, 'crm' FROM jsonb_each($2::jsonb) AS told
ON CONFLICT (cpf, field) DO UPDATE SET (value, at, origin, confirmed_value, confirmed_at) = (
    SELECT CASE WHEN confirms THEN held.value WHEN latest THEN excluded.value ELSE held.confirmed_value END,
           CASE WHEN confirms THEN held.at WHEN latest THEN excluded.at ELSE held.confirmed_at END,
           CASE WHEN confirms THEN held.origin ELSE 'crm' END,
           CASE WHEN confirms THEN excluded.value END,
           CASE WHEN confirms THEN excluded.at END
    FROM (SELECT
        held.origin <> 'crm' AND (held.field = ANY ($4)
            OR registry.compared(held.field, excluded.value) = registry.compared(held.field, held.value)),
        held.origin = 'crm'
            OR registry.is_later_word(excluded.at, excluded.value, held.confirmed_at, held.confirmed_value)
    ) AS told (confirms, latest))
WHERE CASE WHEN held.origin = 'crm' THEN registry.is_later_word(excluded.at, excluded.value, held.at, held.value)
    ELSE excluded.at > held.at
        AND (held.field <> ALL ($4)
                AND registry.compared(held.field, excluded.value) <> registry.compared(held.field, held.value)
            OR registry.is_later_word(excluded.at, excluded.value, held.confirmed_at, held.confirmed_value))
    END
RETURNING field
"""


async def merge_fields(
    connection: Connection, cpf: Cpf, values: Mapping[str, Value], at: datetime, echoes: Sequence[str]
) -> int:
    """Merge what the CRM says; return in how many fields it was news."""
    return len(await connection.fetch(_MERGE_REGISTERS, cpf.digits, json_text(values), at, echoes))


# When the CRM last said the same as the citizen; an echo of what was there before says nothing of it.
_CONFIRMED_AT = """
CASE WHEN registry.compared(field, confirmed_value) = registry.compared(field, register.value) THEN confirmed_at END
"""


# What is empty is sent as null, and comes back so.
_RECORD_PUSHED = """
UPDATE registry.register
SET pushed_value = CASE WHEN value IN ('""', '[]') THEN 'null'::jsonb ELSE value END
WHERE cpf = $1 AND field = ANY($2) AND origin <> 'crm'
RETURNING field, value::text
"""


async def record_pushed(connection: Connection, cpf: Cpf, fields: Sequence[str]) -> dict[str, Value]:
    """Record what is sent; return the values of those fields that are the citizen's own word."""
    rows = await connection.fetch(_RECORD_PUSHED, cpf.digits, list(fields))
    return {row["field"]: msgspec.json.decode(row["value"], type=Value) for row in rows}


# Also of a field that the citizen has changed again meanwhile: the echo of this push is older than its confirmation.
_STAMP_PUSHED = """
UPDATE registry.register SET at = greatest(at, clock_timestamp()), pushed_at = clock_timestamp()
WHERE cpf = $1 AND field = ANY($2) AND origin <> 'crm'
"""


async def stamp_pushed(connection: Connection, cpf: Cpf, fields: Sequence[str]) -> None:
    await connection.execute(_STAMP_PUSHED, cpf.digits, list(fields))


def _merge_consents_sql(at: str, origin: str, source: str) -> str:
    """Return the text of an INSERT that merges the consents $2 of the citizen $1; the rest are SQL expressions."""
    return f"""
INSERT INTO registry.crm_consentimentos AS stored
    (cpf, categoria, canal, status, acao, data, finalidade, motivo, at, origin)
SELECT $1, o.categoria, o.canal, o.status, o.acao, o.data, o.finalidade, o.motivo, {at}, {origin}
FROM {source} CROSS JOIN LATERAL jsonb_to_recordset($2::jsonb) AS o(
    categoria text, canal text, status text, acao text, data text, finalidade text, motivo text)
ON CONFLICT (cpf, categoria, canal) DO UPDATE SET
    status = excluded.status, acao = excluded.acao, data = excluded.data, finalidade = excluded.finalidade,
    motivo = excluded.motivo, at = excluded.at, origin = excluded.origin
WHERE (excluded.at, excluded.origin <> 'crm', jsonb_build_array(excluded.acao, excluded.data, excluded.finalidade,
                                                          excluded.motivo, excluded.status)::text COLLATE "C")
    > (stored.at, stored.origin <> 'crm', jsonb_build_array(stored.acao, stored.data, stored.finalidade,
                                                          stored.motivo, stored.status)::text COLLATE "C")
RETURNING true
"""


_MERGE_CONSENTS = _merge_consents_sql("$3", "$4", "(VALUES (true)) AS always")


async def merge_consents(
    connection: Connection, cpf: Cpf, consents: Sequence[Consent], at: datetime, origin: str
) -> int:
    """Merge the consents; return how many won."""
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


# A removal of consents that the tombstone covers says nothing more, and leaves no trace of its order. Of a field that
# the citizen declared before it and the CRM confirmed after it, the CRM's word is left.
_SET_TOMBSTONE = """
WITH head AS (
    UPDATE registry.mirror_head SET
        anonymised_at = greatest(anonymised_at, $2),
        consents_cleared_at = CASE WHEN consents_cleared_at > $2 THEN consents_cleared_at END
    WHERE cpf = $1
), fields AS (
    DELETE FROM registry.register WHERE cpf = $1 AND at <= $2 AND (confirmed_at > $2 AND origin <> 'crm') IS NOT TRUE
), confirmed AS (
    UPDATE registry.register SET
        value = confirmed_value, at = confirmed_at, origin = 'crm', pushed_value = NULL,
        confirmed_value = NULL, confirmed_at = NULL
    WHERE cpf = $1 AND at <= $2 AND confirmed_at > $2 AND origin <> 'crm'
), logins AS (
    DELETE FROM registry.login_write WHERE cpf = $1 AND at <= $2
), remembered AS (
    UPDATE registry.register SET pushed_value = NULL
    WHERE cpf = $1 AND at > $2 AND pushed_value IS DISTINCT FROM value
), wordings AS (
    DELETE FROM registry.wording WHERE cpf = $1 AND at <= $2
)
DELETE FROM registry.crm_consentimentos WHERE cpf = $1 AND at <= $2
"""


async def set_tombstone(connection: Connection, cpf: Cpf, at: datetime) -> None:
    """Set the tombstone and delete what it covers (spec: webhook rule 4)."""
    await connection.execute(_SET_TOMBSTONE, cpf.digits, at)


_LIST_TOMBSTONES = "SELECT cpf, anonymised_at FROM registry.mirror_head WHERE anonymised_at IS NOT NULL"


async def list_tombstones(connection: Connection) -> list[tuple[Cpf, datetime]]:
    return [(Cpf(row["cpf"]), row["anonymised_at"]) for row in await connection.fetch(_LIST_TOMBSTONES)]


_TOUCH = "UPDATE registry.mirror_head SET last_event_at = greatest(last_event_at, $2) WHERE cpf = $1"


async def touch(connection: Connection, cpf: Cpf, event_at: datetime) -> None:
    await connection.execute(_TOUCH, cpf.digits, event_at)


# Of an anonymisation asked for here: nothing that is in the mirror now is later, whatever time it claims.
_TOMBSTONE_MOMENT = """
SELECT greatest(
    clock_timestamp(),
    (SELECT max(greatest(at, confirmed_at)) FROM registry.register WHERE cpf = $1),
    (SELECT max(at) FROM registry.wording WHERE cpf = $1),
    (SELECT max(at) FROM registry.crm_consentimentos WHERE cpf = $1))
"""


async def tombstone_moment(connection: Connection, cpf: Cpf) -> datetime:
    """Return a time that is later than all in the mirror, which must be locked."""
    moment: datetime = await connection.fetchval(_TOMBSTONE_MOMENT, cpf.digits)
    return moment


def document_sql(cpf: str) -> str:
    """Return the SQL expression of a citizen's mirror as JSON, which decodes as a Mirror; `cpf` is an expression."""
    return f"""
jsonb_build_object(
    'known', EXISTS (SELECT FROM registry.mirror_head AS head WHERE head.cpf = {cpf}),
    'version', coalesce((SELECT version FROM registry.mirror_head AS head WHERE head.cpf = {cpf}), 0),
    'read_at', clock_timestamp(),
    'fields', coalesce((
        SELECT jsonb_object_agg(field, jsonb_build_object(
            'value', value, 'at', at, 'origin', origin, 'confirmed_at', {_CONFIRMED_AT}))
        FROM registry.register WHERE register.cpf = {cpf}), '{{}}'),
    'wordings', coalesce((
        SELECT jsonb_object_agg(kind, jsonb_build_object('value', value, 'wire', wire))
        FROM registry.wording WHERE wording.cpf = {cpf}), '{{}}'))
"""


_READ = f"SELECT {document_sql('$1')}"


async def read(connection: Connection, cpf: Cpf) -> Mirror:
    return msgspec.json.decode(await connection.fetchval(_READ, cpf.digits), type=Mirror)


# The function locks the mirror and gives a time at which the consent wins, so it is always written.
_CONFIRM_CONSENT = f"""
WITH held AS MATERIALIZED (
    SELECT registry.hold_consent($1, $3, $4) AS moment
), merged AS (
    {_merge_consents_sql("held.moment", "'citizen'", "held")}
), recorded AS (
    {record_sql("$5::jsonb", "held")}
)
SELECT moment FROM held
"""


async def confirm_consent(connection: Connection, cpf: Cpf, consent: Consent, trail: str) -> datetime:
    """Write a consent as the citizen's own, with its audit event; return its time."""
    offered = json_text([asdict(consent)])
    moment: datetime = await connection.fetchval(
        _CONFIRM_CONSENT, cpf.digits, offered, consent.categoria, consent.canal, trail
    )
    return moment


_KNOWN = "SELECT true FROM registry.mirror_head WHERE cpf = $1 FOR UPDATE"
# Wordings go with their fields, or a later erasure would pass them by.
_RELEASE_FUTURE = """
WITH head AS (
    UPDATE registry.mirror_head SET version = version + 1 WHERE cpf = $1
), wordings AS (
    UPDATE registry.wording SET at = statement_timestamp() WHERE cpf = $1 AND at > statement_timestamp()
)
UPDATE registry.register
SET at = least(at, statement_timestamp()),
    confirmed_at = CASE WHEN confirmed_at IS NOT NULL THEN least(confirmed_at, statement_timestamp()) END
WHERE cpf = $1 AND greatest(at, confirmed_at) > statement_timestamp() RETURNING field
"""


async def release_future(connection: Connection, cpf: Cpf) -> list[str] | None:
    """Bring times that lie ahead of the clock to the present; return the fields, None for an unknown citizen."""
    if not await connection.fetchval(_KNOWN, cpf.digits):
        return None
    return sorted(row["field"] for row in await connection.fetch(_RELEASE_FUTURE, cpf.digits))


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
    """Return an empty head for a citizen of whom nothing was ever written."""
    found = await connection.fetchval(_READ_HEAD, cpf.digits)
    return Head() if found is None else msgspec.json.decode(found, type=Head)


_CONSENTED = "SELECT cpf, categoria, canal FROM registry.crm_consentimentos WHERE cpf = ANY ($1::text[])"


async def list_consented(connection: Connection, people: Sequence[Cpf]) -> dict[Cpf, set[tuple[str, str]]]:
    found: dict[Cpf, set[tuple[str, str]]] = {cpf: set() for cpf in people}
    for row in await connection.fetch(_CONSENTED, [cpf.digits for cpf in people]):
        found[Cpf(row["cpf"])].add((row["categoria"], row["canal"]))
    return found


# A wording stands beside the field that every own write of its kind writes.
_EXPORTED_FIELDS = f"""
SELECT field, register.value::text, register.at, origin, {_CONFIRMED_AT} AS confirmed_at, wording.value::text AS wording
FROM registry.register
LEFT JOIN registry.wording ON wording.cpf = register.cpf
    AND field = CASE wording.kind
        WHEN 'endereco' THEN 'endereco.logradouro' WHEN 'telefone' THEN 'telefonePrincipal' ELSE wording.kind END
WHERE register.cpf = $1
ORDER BY field COLLATE "C"
"""
_EXPORTED_CONSENTS = """
SELECT categoria, canal, status, data, finalidade, motivo, at AS updated_at, origin
FROM registry.crm_consentimentos WHERE cpf = $1
ORDER BY categoria COLLATE "C", canal COLLATE "C"
"""


async def list_fields(connection: Connection, cpf: Cpf) -> list[ExportedField]:
    return [_to_exported(row) for row in await connection.fetch(_EXPORTED_FIELDS, cpf.digits)]


def _to_exported(row: Row) -> ExportedField:
    return ExportedField(
        name=row["field"],
        value=msgspec.json.decode(row["value"], type=Value),
        updated_at=row["at"],
        origin=row["origin"],
        confirmed_at=row["confirmed_at"],
        wording=msgspec.json.decode(row["wording"], type=dict[str, str]) if row["wording"] else None,
    )


async def list_consents(connection: Connection, cpf: Cpf) -> list[ExportedConsent]:
    return [ExportedConsent(**row) for row in await connection.fetch(_EXPORTED_CONSENTS, cpf.digits)]


_COVERED = """
SELECT ARRAY(SELECT field FROM registry.register WHERE cpf = $1 AND at <= $2 ORDER BY field) AS fields,
       ARRAY(SELECT kind FROM registry.wording WHERE cpf = $1 AND at <= $2 ORDER BY kind) AS wordings,
       (SELECT count(*) FROM registry.crm_consentimentos WHERE cpf = $1 AND at <= $2) AS consents
"""


async def find_covered(connection: Connection, cpf: Cpf, at: datetime) -> Covered:
    row = await connection.fetchrow(_COVERED, cpf.digits, at)
    assert row is not None  # a row of counts
    return Covered(**row)
