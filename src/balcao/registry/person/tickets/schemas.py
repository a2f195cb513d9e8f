"""Wire types of the service tickets (rules: registry 3.3)."""

from datetime import datetime

import msgspec

from balcao.core.http.paging import Pagination


class Ticket(msgspec.Struct, kw_only=True):
    """The two totals are the citizen's, the same on each ticket; closed is what is neither open nor under way."""

    id: str
    cpf: str
    id_chamado: str | None
    categoria: str | None
    tipo: str | None
    subtipo: str | None
    status: str
    descricao: str | None
    endereco: str | None
    nome_unidade_organizacional: str | None
    origem_ocorrencia: str | None
    data_inicio: datetime
    data_alvo_finalizacao: datetime | None
    data_fim: datetime | None
    indicador: bool
    total_chamados: int
    total_fechados: int


class Tickets(msgspec.Struct):
    data: list[Ticket]
    pagination: Pagination
