"""Loading base records: the only writer of the table, under the role of its owner (rules: registry 3.1)."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.registry.person.citizens import store
from balcao.registry.person.citizens.base import BaseRecord, CitizenRow
from balcao.registry.person.wallet.schemas import LoadedWallet

DEFAULT_SOURCE = "import"


async def write(connection: Connection, lines: Sequence[CitizenRow]) -> int:
    """Of two lines with one CPF the last counts."""
    latest = {line.cpf: line for line in lines}
    return await store.load(connection, [_row(line) for line in latest.values()])


def _row(line: CitizenRow) -> store.Loaded:
    record = {name: getattr(line, name) for name in BaseRecord.__struct_fields__}
    return store.Loaded(
        line.cpf,
        msgspec.json.encode(BaseRecord(**record)).decode(),
        _wallet(line),
        line.source or DEFAULT_SOURCE,
    )


def _wallet(line: CitizenRow) -> str | None:
    members = (line.documentos, line.saude, line.assistencia_social, line.educacao)
    if not any(members):
        return None
    return msgspec.json.encode(LoadedWallet(*members)).decode()


IMPORTS = [Import("citizens", CitizenRow, write)]
