"""Import of base records. Only the import writes the table, in the role of the table's owner (rules: registry 3.1)."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.registry.person.citizens import store
from balcao.registry.person.citizens.base import BaseRecord, CitizenRow
from balcao.registry.person.wallet.schemas import ImportedWallet

DEFAULT_SOURCE = "import"


async def write_citizens(connection: Connection, rows: Sequence[CitizenRow]) -> int:
    """Store the rows, and return how many are new or changed. `rows` must not contain a CPF twice."""
    return await store.upsert_base_records(connection, [_to_stored(row) for row in rows])


def _to_stored(row: CitizenRow) -> store.BaseRecordRow:
    record = {name: getattr(row, name) for name in BaseRecord.__struct_fields__}
    return store.BaseRecordRow(
        row.cpf,
        msgspec.json.encode(BaseRecord(**record)).decode(),
        _encode_wallet(row),
        row.source or DEFAULT_SOURCE,
    )


def _encode_wallet(row: CitizenRow) -> str | None:
    members = (row.documentos, row.saude, row.assistencia_social, row.educacao)
    if not any(members):
        return None
    return msgspec.json.encode(ImportedWallet(*members)).decode()


IMPORTS = [Import("citizens", CitizenRow, write_citizens, from_table=True, key=lambda row: row.cpf)]
