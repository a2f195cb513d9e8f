"""SQL for base records."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.records import Mirror
from balcao.registry.mirror.store import mirror_document_sql


@lookup("SELECT record::text FROM registry.base_record WHERE cpf = :cpf")
async def read_base_record(source: Source, cpf: Cpf) -> Json[dict[str, Any]] | None: ...


class StoredDocument(msgspec.Struct, frozen=True):
    """The base record and the mirror, from which the citizen's merged record is built."""

    base: dict[str, Any] | None
    mirror: Mirror


def citizen_document_sql(cpf: str) -> str:
    """Return an SQL expression for a citizen's base record and mirror as JSON. `cpf` is an SQL expression."""
    return f"""
jsonb_build_object(
    'base', (SELECT record FROM registry.base_record AS base WHERE base.cpf = {cpf}),
    'mirror', {mirror_document_sql(cpf)})
"""


def parse_citizen_document(document: str) -> StoredDocument:
    """Parse the result of `citizen_document_sql`."""
    return msgspec.json.decode(document, type=StoredDocument)


@statement(f"SELECT {citizen_document_sql(':cpf')}")
async def read_citizen_document(connection: Connection, cpf: Cpf) -> Json[StoredDocument]:
    """Return the base record and the mirror, both read in one snapshot."""


@lookup("SELECT source, loaded_at FROM registry.base_record WHERE cpf = :cpf")
async def read_base_origin(source: Source, cpf: Cpf) -> dict[str, Any] | None:
    """Return the base record's source and import time."""


class BaseRecordRow(NamedTuple):
    """A base record to write. Both documents are JSON text."""

    cpf: str
    record: str
    wallet: str | None
    source: str


# An unchanged row is neither locked nor written, so it keeps its `loaded_at`. OFFSET 0 forces one look-up by key for
# each row, even if the statement was planned while the table was small.
@statement("""
WITH offered AS MATERIALIZED (
    SELECT cpf, record::jsonb, wallet::jsonb, source
    FROM unnest(:rows.cpf::text[], :rows.record::text[], :rows.wallet::text[], :rows.source::text[])
        AS offered(cpf, record, wallet, source)
)
INSERT INTO registry.base_record (cpf, record, wallet, source)
SELECT offered.* FROM offered LEFT JOIN LATERAL (
    SELECT record, wallet, source FROM registry.base_record WHERE cpf = offered.cpf OFFSET 0
) AS stored ON true
WHERE (stored.record, stored.wallet, stored.source) IS DISTINCT FROM (offered.record, offered.wallet, offered.source)
ON CONFLICT (cpf) DO UPDATE SET
    record = excluded.record, wallet = excluded.wallet, source = excluded.source, loaded_at = now()
""")
async def upsert_base_records(connection: Connection, rows: Sequence[BaseRecordRow]) -> int:
    """Store the rows, and return the number of new and changed rows.

    `rows` must not contain a CPF twice. Only the table's owner may do this.
    """


EXPORTS = Exports(
    [
        Export(
            "citizens",
            Rows(
                "registry.base_record",
                "stored.record || coalesce(stored.wallet, '{}') || jsonb_build_object('source', stored.source)",
            ),
        )
    ]
)
