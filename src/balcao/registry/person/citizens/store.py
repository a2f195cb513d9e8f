"""SQL of the base record."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.records import Mirror

_READ = "SELECT record::text FROM registry.base_record WHERE cpf = $1"


async def read_base(connection: Connection, cpf: Cpf) -> dict[str, Any] | None:
    found = await connection.fetchval(_READ, cpf.digits)
    return None if found is None else msgspec.json.decode(found, type=dict[str, Any])


class StoredDocument(msgspec.Struct, frozen=True):
    """What the merged record is made of."""

    base: dict[str, Any] | None
    mirror: Mirror


def document_sql(cpf: str) -> str:
    """Return the SQL expression of a citizen's base record and mirror as JSON; `cpf` is an expression."""
    return f"""
jsonb_build_object(
    'base', (SELECT record FROM registry.base_record AS base WHERE base.cpf = {cpf}),
    'mirror', {mirror.document_sql(cpf)})
"""


def parse_document(document: str) -> StoredDocument:
    """Return what the expression of `document_sql` has read."""
    return msgspec.json.decode(document, type=StoredDocument)


_READ_DOCUMENT = f"SELECT {document_sql('$1')}"


async def read_document(connection: Connection, cpf: Cpf) -> StoredDocument:
    """Return base record and mirror as one statement sees them."""
    return parse_document(await connection.fetchval(_READ_DOCUMENT, cpf.digits))


_READ_ORIGIN = "SELECT source, loaded_at FROM registry.base_record WHERE cpf = $1"


async def read_origin(connection: Connection, cpf: Cpf) -> Row | None:
    """Return where the record comes from, and when it was imported."""
    return await connection.fetchrow(_READ_ORIGIN, cpf.digits)


class ImportedRow(NamedTuple):
    """A citizen's row to be written; both documents as JSON text."""

    cpf: str
    record: str
    wallet: str | None
    source: str


# A row that says the same as before is not even locked: it keeps its time, and costs no write. OFFSET makes it one
# look-up by key for each row, also when the plan was made while the table was small.
_UPSERT = """
WITH offered AS MATERIALIZED (
    SELECT cpf, record::jsonb, wallet::jsonb, source
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS offered(cpf, record, wallet, source)
)
INSERT INTO registry.base_record (cpf, record, wallet, source)
SELECT offered.* FROM offered LEFT JOIN LATERAL (
    SELECT record, wallet, source FROM registry.base_record WHERE cpf = offered.cpf OFFSET 0
) AS stored ON true
WHERE (stored.record, stored.wallet, stored.source) IS DISTINCT FROM (offered.record, offered.wallet, offered.source)
ON CONFLICT (cpf) DO UPDATE SET
    record = excluded.record, wallet = excluded.wallet, source = excluded.source, loaded_at = now()
"""


async def upsert(connection: Connection, rows: Sequence[ImportedRow]) -> int:
    """Write the rows, one a CPF, as the owner of the table; return how many are new or other than before."""
    done = await connection.execute(_UPSERT, *map(list, zip(*rows, strict=True))) if rows else "INSERT 0 0"
    return affected(done)


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
