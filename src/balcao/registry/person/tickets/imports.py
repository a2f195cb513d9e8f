"""Importing service tickets: the only writer of the table, under the role of its owner (rules: registry 3.1)."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.core.imports.members import require_issued_cpf
from balcao.core.values import days
from balcao.registry.person.tickets import store

_INSTANTS = ("data_inicio", "data_alvo_finalizacao", "data_fim")


class TicketRow(msgspec.Struct, kw_only=True):
    """One row of the import; a ticket is known by citizen and `id`."""

    cpf: str
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    id_chamado: str | None = None
    categoria: str | None = None
    tipo: str | None = None
    subtipo: str | None = None
    status: str
    descricao: str | None = None
    endereco: str | None = None
    nome_unidade_organizacional: str | None = None
    origem_ocorrencia: str | None = None
    data_inicio: str
    data_alvo_finalizacao: str | None = None
    data_fim: str | None = None
    indicador: bool = True

    def __post_init__(self) -> None:
        require_issued_cpf(self.cpf)
        days.require(self, *_INSTANTS)


async def write(connection: Connection, rows: Sequence[TicketRow]) -> int:
    """Write the rows; of two with one citizen and `id` the last counts."""
    return await store.upsert(connection, list({(row.cpf, row.id): row for row in rows}.values()))


IMPORTS = [Import("tickets", TicketRow, write, from_table=True)]
