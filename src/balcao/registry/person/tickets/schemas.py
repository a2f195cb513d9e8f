"""Wire types for service tickets (rules: registry 3.3)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.http.paging import PageQuery
from balcao.core.imports.members import require_issued_cpf
from balcao.core.values import days
from balcao.core.values.page import Pagination
from balcao.registry.paths import CpfText

_INSTANTS = ("data_inicio", "data_alvo_finalizacao", "data_fim")


class Ticket(msgspec.Struct, kw_only=True):
    """A service ticket. The two totals refer to all of the citizen's tickets, so they are the same in every ticket.

    A ticket counts as closed if it is neither open nor in progress. `aguarda_resposta` appears only in requests
    that were made on this platform, and only if the city waits for the citizen's answer to a question.
    """

    id: Annotated[str, Meta(description="Identificador do chamado na plataforma.", examples=["demo-000007-1"])]
    cpf: CpfText
    id_chamado: Annotated[
        str | None, Meta(description="Protocolo na central de atendimento.", examples=["20250000071"])
    ]
    categoria: Annotated[str | None, Meta(description="Categoria do serviço.", examples=["Iluminação pública"])]
    tipo: Annotated[str | None, Meta(description="Tipo de pedido.", examples=["Reparo"])]
    subtipo: Annotated[str | None, Meta(description="Assunto do pedido.", examples=["Luminária apagada"])]
    status: Annotated[
        str,
        Meta(
            description="Situação, como a central a escreve; `Aberto` e `Em andamento` são as que não encerram.",
            examples=["Em andamento"],
        ),
    ]
    descricao: Annotated[
        str | None, Meta(description="Descrição do pedido.", examples=["Luminária apagada na vizinhança."])
    ]
    endereco: Annotated[str | None, Meta(description="Local do pedido.", examples=["Rua das Acácias, 120"])]
    nome_unidade_organizacional: Annotated[
        str | None, Meta(description="Órgão que atende o chamado.", examples=["Subprefeitura do Porto"])
    ]
    origem_ocorrencia: Annotated[str | None, Meta(description="Canal em que foi aberto.", examples=["Portal"])]
    data_inicio: Annotated[datetime, Meta(description="Quando foi aberto.", examples=["2025-01-20T11:30:00Z"])]
    data_alvo_finalizacao: Annotated[
        datetime | None, Meta(description="Prazo de atendimento; nulo se não há.", examples=["2025-02-04T11:30:00Z"])
    ]
    data_fim: Annotated[
        datetime | None, Meta(description="Quando foi encerrado; nulo se não foi.", examples=["2025-02-01T09:00:00Z"])
    ]
    indicador: Annotated[bool, Meta(description="Se o chamado vale, como a central o enviou.", examples=[True])]
    total_chamados: Annotated[
        int, Meta(description="Quantos chamados o cidadão tem, o mesmo em cada um.", examples=[5])
    ]
    total_fechados: Annotated[
        int, Meta(description="Quantos deles estão encerrados, o mesmo em cada um.", examples=[3])
    ]
    aguarda_resposta: Annotated[
        bool | UnsetType,
        Meta(
            description="A prefeitura fez uma pergunta e espera a resposta do cidadão; ausente se não espera.",
            examples=[True],
        ),
    ] = UNSET


class Tickets(msgspec.Struct):
    """A page of service tickets, newest first."""

    data: Annotated[list[Ticket], Meta(description="Chamados da página, os mais novos primeiro.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]


class TicketQuery(PageQuery):
    """The filter of the list of tickets."""

    aguarda_resposta: Annotated[
        bool | None,
        Meta(
            description="Só os pedidos com uma pergunta que espera a resposta do cidadão; com `false`, só os outros.",
            examples=[True],
        ),
    ] = None


class TicketRow(msgspec.Struct, kw_only=True):
    """A row in the import file. `cpf` and `id` together identify a ticket."""

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
        days.require_day(self, *_INSTANTS)
