"""SQL for the mirror. Each write contains its merge condition, so a race cannot lose a write."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.login_write_store import REMEMBERED
from balcao.registry.mirror.records import Covered, Erasures, ExportedConsent, ExportedField, Head, Mirror
from balcao.registry.mirror.writes import Consent, Value


# The upsert takes the row lock. Read all data for a decision in a later statement: this statement may have waited for
# the lock, and its snapshot does not contain the changes that the previous holder committed.
@statement("""
INSERT INTO registry.mirror_head (cpf, version) VALUES (:cpf, 1)
ON CONFLICT (cpf) DO UPDATE SET version = mirror_head.version + 1
RETURNING anonymised_at, consents_cleared_at
""")
async def lock_mirror(connection: Connection, cpf: Cpf) -> Erasures:
    """Lock the citizen's mirror until the transaction ends. Return the times of the most recent erasures."""


# The time of an own write is later than the time of every field it replaces (`registry.hold_mirror`), so it wins. The
# confirmation is cleared because it belongs to the previous value.
OWN_WRITE_WINS_SQL = """
ON CONFLICT (cpf, field) DO UPDATE SET
    value = excluded.value, at = excluded.at, origin = excluded.origin, confirmed_value = NULL, confirmed_at = NULL
WHERE excluded.at > register.at
"""


# If the stored value is the CRM's, the later of the two CRM values wins (`registry.is_later_word`).
#
# If the stored value is the citizen's (`origin <> 'crm'`), and the CRM's value is
#
# - older: ignore it.
# - equal, or an echo of a value that we sent (`:echoes`): record it as a confirmation. The origin does not change.
# - different and later: it replaces the citizen's value permanently. If an even later confirmation or echo has already
#   arrived, the field takes the confirmed value, because that is the latest CRM value.
#
# The result therefore does not depend on the order of the events.
@statement("""
INSERT INTO registry.register AS held (cpf, field, value, at, origin)
SELECT :cpf, word.key, word.value, :at, 'crm' FROM jsonb_each(:values::jsonb) AS word
ON CONFLICT (cpf, field) DO UPDATE SET (value, at, origin, confirmed_value, confirmed_at) = (
    SELECT CASE WHEN confirms THEN held.value WHEN latest THEN excluded.value ELSE held.confirmed_value END,
           CASE WHEN confirms THEN held.at WHEN latest THEN excluded.at ELSE held.confirmed_at END,
           CASE WHEN confirms THEN held.origin ELSE 'crm' END,
           CASE WHEN confirms THEN excluded.value END,
           CASE WHEN confirms THEN excluded.at END
    FROM (SELECT
        held.origin <> 'crm' AND (held.field = ANY (:echoes)
            OR registry.compared(held.field, excluded.value) = registry.compared(held.field, held.value)),
        held.origin = 'crm'
            OR registry.is_later_word(excluded.at, excluded.value, held.confirmed_at, held.confirmed_value)
    ) AS judged (confirms, latest))
WHERE CASE WHEN held.origin = 'crm' THEN registry.is_later_word(excluded.at, excluded.value, held.at, held.value)
    ELSE excluded.at > held.at
        AND (held.field <> ALL (:echoes)
                AND registry.compared(held.field, excluded.value) <> registry.compared(held.field, held.value)
            OR registry.is_later_word(excluded.at, excluded.value, held.confirmed_at, held.confirmed_value))
    END
""")
async def merge_fields(
    connection: Connection, cpf: Cpf, values: Mapping[str, Value], at: datetime, echoes: Sequence[str]
) -> int:
    """Merge the values of a CRM event. Return how many rows changed, including confirmations."""


# The time is NULL if the confirmed value differs from the current one: the echo of an earlier value does not confirm
# the current value.
_CONFIRMED_AT = """
CASE WHEN registry.compared(field, confirmed_value) = registry.compared(field, register.value) THEN confirmed_at END
"""


# Empty values are pushed as null, and their echo is null too. Earlier sent values are retained until a push is
# confirmed. A failed call may have reached the CRM, and its echo may arrive after the citizen has declared another
# value.
@statement(f"""
UPDATE registry.register SET
    pushed_value = sent.value,
    pushed_before = CASE
        WHEN pushed_value <> sent.value THEN
            (array_prepend(pushed_value, array_remove(pushed_before, pushed_value)))[:{REMEMBERED}]
        ELSE pushed_before END
FROM (
    SELECT field, CASE WHEN value IN ('""', '[]') THEN 'null'::jsonb ELSE value END AS value
    FROM registry.register WHERE cpf = :cpf AND field = ANY(:fields) AND origin <> 'crm'
) AS sent
WHERE cpf = :cpf AND register.field = sent.field
RETURNING register.field, register.value::text
""")
async def record_pushed_fields(connection: Connection, cpf: Cpf, fields: Sequence[str]) -> Mapping[str, Value]:
    """Record the values to push, and return them. Skip values that came from the CRM.

    The caller must lock the mirror.
    """


@statement("SELECT clock_timestamp()")
async def read_clock(connection: Connection) -> datetime:
    """Return the database clock. Compare the mirror's times with this clock, not with the clock of the process."""


# `:sent_at` is the start of the call. If we used the time of the response instead, changes that CRM staff made during
# the call would look older and be ignored.
@statement("""
UPDATE registry.register SET
    at = greatest(at, :sent_at), pushed_at = clock_timestamp(), pushed_before = NULL
WHERE cpf = :cpf AND field = ANY(:fields) AND origin <> 'crm'
""")
async def stamp_pushed_fields(connection: Connection, cpf: Cpf, fields: Sequence[str], sent_at: datetime) -> None: ...


def _merge_consents_sql(consents: str, at: str, origin: str, source: str) -> str:
    """Return an INSERT that merges consents of the citizen `:cpf`. The arguments are SQL expressions.

    The later entry wins. At equal times, the citizen's entry wins over the CRM's. If the origins are equal too, the
    entry with the lexicographically greater text wins, so that the result does not depend on the order of the events.
    """
    return f"""
INSERT INTO registry.crm_consentimentos AS stored
    (cpf, categoria, canal, status, acao, data, finalidade, motivo, at, origin)
SELECT :cpf, o.categoria, o.canal, o.status, o.acao, o.data, o.finalidade, o.motivo, {at}, {origin}
FROM {source} CROSS JOIN LATERAL jsonb_to_recordset({consents}) AS o(
    categoria text, canal text, status text, acao text, data text, finalidade text, motivo text)
ON CONFLICT (cpf, categoria, canal) DO UPDATE SET
    status = excluded.status, acao = excluded.acao, data = excluded.data, finalidade = excluded.finalidade,
    motivo = excluded.motivo, at = excluded.at, origin = excluded.origin
WHERE (excluded.at, excluded.origin <> 'crm', jsonb_build_array(excluded.acao, excluded.data, excluded.finalidade,
                                                          excluded.motivo, excluded.status)::text COLLATE "C")
    > (stored.at, stored.origin <> 'crm', jsonb_build_array(stored.acao, stored.data, stored.finalidade,
                                                          stored.motivo, stored.status)::text COLLATE "C")
"""


@statement(_merge_consents_sql(":consents::jsonb", ":at", ":origin", "(VALUES (true)) AS always"))
async def merge_consents(
    connection: Connection, cpf: Cpf, consents: Sequence[Consent], at: datetime, origin: str
) -> int:
    """Merge the consents. Return how many rows were written."""


@statement("""
WITH head AS (
    UPDATE registry.mirror_head SET consents_cleared_at = greatest(consents_cleared_at, :at) WHERE cpf = :cpf
)
DELETE FROM registry.crm_consentimentos WHERE cpf = :cpf AND at <= :at
""")
async def clear_consents(connection: Connection, cpf: Cpf, at: datetime) -> None: ...


# All parts see one snapshot and touch different rows, so their order does not matter.
#
# - `head` clears the time of an earlier removal of consents, because the tombstone covers the removal. Otherwise the
#   result would depend on the order of the events.
# - `confirmed`: if the citizen declared a field before the tombstone and the CRM confirmed it after, the CRM's value
#   remains. `fields` excludes these rows. IS NOT TRUE also matches fields without a confirmation (NULL).
# - `logins`, `earlier_logins` and `remembered` delete sent values that may contain erased data.
@statement("""
WITH head AS (
    UPDATE registry.mirror_head SET
        anonymised_at = greatest(anonymised_at, :at),
        consents_cleared_at = CASE WHEN consents_cleared_at > :at THEN consents_cleared_at END
    WHERE cpf = :cpf
), fields AS (
    DELETE FROM registry.register
    WHERE cpf = :cpf AND at <= :at AND (confirmed_at > :at AND origin <> 'crm') IS NOT TRUE
), confirmed AS (
    UPDATE registry.register SET
        value = confirmed_value, at = confirmed_at, origin = 'crm', pushed_value = NULL, pushed_before = NULL,
        confirmed_value = NULL, confirmed_at = NULL
    WHERE cpf = :cpf AND at <= :at AND confirmed_at > :at AND origin <> 'crm'
), logins AS (
    DELETE FROM registry.login_write WHERE cpf = :cpf AND at <= :at
), earlier_logins AS (
    UPDATE registry.login_write SET earlier_sha256 = '{}' WHERE cpf = :cpf AND at > :at
), remembered AS (
    UPDATE registry.register SET pushed_value = CASE WHEN pushed_value = value THEN value END, pushed_before = NULL
    WHERE cpf = :cpf AND at > :at AND (pushed_value IS DISTINCT FROM value OR pushed_before IS NOT NULL)
), wordings AS (
    DELETE FROM registry.wording WHERE cpf = :cpf AND at <= :at
)
DELETE FROM registry.crm_consentimentos WHERE cpf = :cpf AND at <= :at
""")
async def set_tombstone(connection: Connection, cpf: Cpf, at: datetime) -> None:
    """Set the tombstone and delete the data that it covers (spec: webhook rule 4)."""


@statement("SELECT cpf, anonymised_at FROM registry.mirror_head WHERE anonymised_at IS NOT NULL")
async def list_tombstones(connection: Connection) -> list[tuple[Cpf, datetime]]:
    """Return every anonymised person, and when their tombstone was set."""


@statement("UPDATE registry.mirror_head SET last_event_at = greatest(last_event_at, :at) WHERE cpf = :cpf")
async def stamp_last_event(connection: Connection, cpf: Cpf, at: datetime) -> None: ...


# The time of an anonymisation that starts on the platform. It must also cover values whose time is in the future.
@statement("""
SELECT greatest(
    clock_timestamp(),
    (SELECT max(greatest(at, confirmed_at)) FROM registry.register WHERE cpf = :cpf),
    (SELECT max(at) FROM registry.wording WHERE cpf = :cpf),
    (SELECT max(at) FROM registry.crm_consentimentos WHERE cpf = :cpf))
""")
async def find_tombstone_moment(connection: Connection, cpf: Cpf) -> datetime:
    """Return a time at or after all times in the mirror. The caller must lock the mirror."""


def is_mirrored_sql(cpf: str) -> str:
    """Return the SQL condition "this citizen has a mirror". `cpf` is an SQL expression."""
    return f"EXISTS (SELECT FROM registry.mirror_head AS head WHERE head.cpf = {cpf})"


FUTURE_FIELDS_SQL = "SELECT count(*) FROM registry.register WHERE at > now() OR confirmed_at > now()"


def mirror_document_sql(cpf: str) -> str:
    """Return an SQL expression for a citizen's `Mirror` as JSON. `cpf` is an SQL expression."""
    return f"""
jsonb_build_object(
    'known', {is_mirrored_sql(cpf)},
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


@lookup(f"SELECT {mirror_document_sql(':cpf')}")
async def read_mirror(source: Source, cpf: Cpf) -> Json[Mirror]:
    """Return all of the citizen's fields and wordings."""


# `hold_consent` locks the mirror and returns a time later than everything that could override the consent. The merge
# condition is therefore always true.
@statement(f"""
WITH held AS MATERIALIZED (
    SELECT registry.hold_consent(:cpf, :categoria, :canal) AS moment
), merged AS (
    {_merge_consents_sql("jsonb_build_array(:consent::jsonb)", "held.moment", "'citizen'", "held")}
), recorded AS (
    {record_sql(":trail::jsonb", "held")}
)
SELECT moment FROM held
""")
async def confirm_consent(connection: Connection, cpf: Cpf, consent: Consent, trail: str) -> datetime:
    """Write a consent with origin `citizen`, and write its audit event. Return the consent's time."""


@statement("SELECT true FROM registry.mirror_head WHERE cpf = :cpf FOR UPDATE")
async def lock_known_mirror(connection: Connection, cpf: Cpf) -> bool:
    """Lock the citizen's mirror if it exists. Return whether it exists."""


# Wordings are reset too, because an erasure deletes only entries up to its own time, so it would miss a wording whose
# time is in the future.
@statement("""
WITH head AS (
    UPDATE registry.mirror_head SET version = version + 1 WHERE cpf = :cpf
), wordings AS (
    UPDATE registry.wording SET at = statement_timestamp() WHERE cpf = :cpf AND at > statement_timestamp()
)
UPDATE registry.register
SET at = least(at, statement_timestamp()),
    confirmed_at = CASE WHEN confirmed_at IS NOT NULL THEN least(confirmed_at, statement_timestamp()) END
WHERE cpf = :cpf AND greatest(at, confirmed_at) > statement_timestamp() RETURNING field
""")
async def release_future_fields(connection: Connection, cpf: Cpf) -> list[str]:
    """Reset times that are in the future to now. Return the changed fields, unsorted."""


@lookup("""
SELECT jsonb_build_object(
    'anonymised_at', anonymised_at, 'consents_cleared_at', consents_cleared_at,
    'consents', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'categoria', categoria, 'canal', canal, 'status', status, 'data', data, 'finalidade', finalidade,
            'motivo', motivo, 'updated_at', at) ORDER BY categoria COLLATE "C", canal COLLATE "C")
        FROM registry.crm_consentimentos WHERE cpf = :cpf), '[]'))
FROM registry.mirror_head WHERE cpf = :cpf
""")
async def select_mirror_head(source: Source, cpf: Cpf) -> Json[Head] | None: ...


@statement("SELECT cpf, categoria, canal FROM registry.crm_consentimentos WHERE cpf = ANY (:people::text[])")
async def list_consent_keys(connection: Connection, people: Sequence[Cpf]) -> list[tuple[Cpf, str, str]]:
    """Return the person, category and channel of each consent that these people have."""


# Export a wording with one field: the one that every own write of the wording's kind sets.
@statement(f"""
SELECT field AS name, register.value::text, register.at AS updated_at, origin, {_CONFIRMED_AT} AS confirmed_at,
    wording.value::text AS wording
FROM registry.register
LEFT JOIN registry.wording ON wording.cpf = register.cpf
    AND field = CASE wording.kind
        WHEN 'endereco' THEN 'endereco.logradouro' WHEN 'telefone' THEN 'telefonePrincipal' ELSE wording.kind END
WHERE register.cpf = :cpf
ORDER BY field COLLATE "C"
""")
async def list_exported_fields(connection: Connection, cpf: Cpf) -> list[ExportedField]: ...


@statement("""
SELECT categoria, canal, status, data, finalidade, motivo, at AS updated_at, origin
FROM registry.crm_consentimentos WHERE cpf = :cpf
ORDER BY categoria COLLATE "C", canal COLLATE "C"
""")
async def list_exported_consents(connection: Connection, cpf: Cpf) -> list[ExportedConsent]: ...


@statement("""
SELECT ARRAY(SELECT field FROM registry.register WHERE cpf = :cpf AND at <= :at ORDER BY field) AS fields,
       ARRAY(SELECT kind FROM registry.wording WHERE cpf = :cpf AND at <= :at ORDER BY kind) AS wordings,
       (SELECT count(*) FROM registry.crm_consentimentos WHERE cpf = :cpf AND at <= :at) AS consents
""")
async def find_covered_fields(connection: Connection, cpf: Cpf, at: datetime) -> Covered: ...


OFFERED = (
    find_tombstone_moment,
    list_tombstones,
    lock_mirror,
    read_clock,
    read_mirror,
    record_pushed_fields,
)
