"""The mirror, told to the person's rights: what was declared, by whom and when; a tombstone erases it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.audit.personal_data import Cleared, Holding
from balcao.core.database.pool import Connection, Row
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import outbox, store

# A wording stands beside the register that every own write of its kind writes.
_REGISTERS = """
SELECT field, register.value::text, register.at, origin, wording.value::text AS wording
FROM registry.register
LEFT JOIN registry.wording ON wording.cpf = register.cpf
    AND field = CASE wording.kind
        WHEN 'endereco' THEN 'endereco.logradouro' WHEN 'telefone' THEN 'telefonePrincipal' ELSE wording.kind END
WHERE register.cpf = $1
ORDER BY field COLLATE "C"
"""
_CONSENTS = """
SELECT categoria, canal, status, data, finalidade, motivo, at AS updated_at, origin
FROM registry.crm_consentimentos WHERE cpf = $1
ORDER BY categoria COLLATE "C", canal COLLATE "C"
"""


async def _exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {
        "autodeclarado": [_register(row) for row in await connection.fetch(_REGISTERS, cpf.digits)],
        "consentimentos_crm": [dict(row) for row in await connection.fetch(_CONSENTS, cpf.digits)],
    }


def _register(row: Row) -> dict[str, Any]:
    return {
        "name": row["field"],
        "value": msgspec.Raw(row["value"].encode()),
        "updated_at": row["at"],
        "origin": row["origin"],
        "wording": msgspec.Raw(row["wording"].encode()) if row["wording"] else None,
    }


_FIELDS = "SELECT field FROM registry.register WHERE cpf = $1 AND at <= $2 ORDER BY field"
_KINDS = "SELECT kind FROM registry.wording WHERE cpf = $1 AND at <= $2 ORDER BY kind"
_COUNT_CONSENTS = "SELECT count(*) FROM registry.crm_consentimentos WHERE cpf = $1 AND at <= $2"
_MARKS = """
SELECT array_agg(field ORDER BY field) FROM registry.outbox, jsonb_object_keys(dirty) AS field WHERE cpf = $1
"""
CONSENT_FIELDS = ["categoria", "canal", "status", "acao", "data", "finalidade", "motivo"]


async def _cleared(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    fields = [row["field"] for row in await connection.fetch(_FIELDS, cpf.digits, at)]
    kinds = [row["kind"] for row in await connection.fetch(_KINDS, cpf.digits, at)]
    consents = await connection.fetchval(_COUNT_CONSENTS, cpf.digits, at)
    marks = await connection.fetchval(_MARKS, cpf.digits) or []
    await store.bury(connection, cpf, at)
    await outbox.keep_own(connection, cpf)
    left = await connection.fetchval(_MARKS, cpf.digits) or []
    unmarked = [field for field in marks if field not in left]
    return [
        Cleared("registers", len(fields), fields),
        Cleared("wordings", len(kinds), kinds),
        Cleared("crm_consents", consents, CONSENT_FIELDS),
        Cleared("outbox", len(unmarked), unmarked),
    ]


# An event's own tombstone is the mirror's affair already, together with the time of the event.
HOLDING = Holding(
    "mirror",
    _exported,
    _cleared,
    tables=(
        "registry.mirror_head",
        "registry.register",
        "registry.wording",
        "registry.crm_consentimentos",
        "registry.outbox",
    ),
)
