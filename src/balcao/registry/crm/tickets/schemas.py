"""Wire types for CRM tickets. Portals expect these keys (rules: registry 2.11)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta


class OrderProgress(msgspec.Struct):
    """A step in the progress of a service order."""

    data: Annotated[datetime | None, Meta(description="Quando (RFC 3339).", examples=["2026-02-11T09:40:00Z"])]
    descricao: Annotated[str | None, Meta(description="O que foi feito.", examples=["Visita agendada"])]


class ServiceOrder(
    msgspec.Struct,
    rename={"data_abertura": "dataAbertura", "data_fechamento": "dataFechamento", "previsao_sla": "previsaoSLA"},
):
    """An order to one of the city's teams. Null means that the CRM has no value."""

    numero: Annotated[str, Meta(description="Número da ordem de serviço.", examples=["OS-2026-00000337"])]
    status: Annotated[str | None, Meta(description="Situação, nas palavras do CRM.", examples=["Agendada"])]
    data_abertura: Annotated[
        datetime | None, Meta(description="Quando foi aberta (RFC 3339).", examples=["2026-02-10T13:30:00Z"])
    ]
    data_fechamento: Annotated[
        datetime | None, Meta(description="Quando foi fechada (RFC 3339); nulo até lá.", examples=[None])
    ]
    endereco: Annotated[str | None, Meta(description="Onde é o serviço.", examples=["Rua das Acácias, 45, Centro"])]
    previsao_sla: Annotated[
        str | None, Meta(description="Prazo previsto, como o CRM o escreve.", examples=["2026-02-20"])
    ]
    andamentos: Annotated[list[OrderProgress], Meta(description="O que já houve, do mais antigo ao mais novo.")]


class CrmTicket(
    msgspec.Struct, rename={"data_abertura": "dataAbertura", "data_ultima_atualizacao": "dataUltimaAtualizacao"}
):
    """A citizen's ticket in the CRM. Null means that the CRM has no value."""

    protocolo: Annotated[str, Meta(description="Número do protocolo.", examples=["PA-2026-00000337"])]
    categoria: Annotated[str | None, Meta(description="Assunto.", examples=["Iluminação pública"])]
    subcategoria: Annotated[str | None, Meta(description="Detalhe do assunto.", examples=["Lâmpada apagada"])]
    data_abertura: Annotated[
        datetime | None, Meta(description="Quando foi aberto (RFC 3339).", examples=["2026-02-10T13:05:00Z"])
    ]
    data_ultima_atualizacao: Annotated[
        datetime | None, Meta(description="Quando mudou pela última vez (RFC 3339).", examples=["2026-02-11T09:40:00Z"])
    ]
    status: Annotated[str | None, Meta(description="Situação, nas palavras do CRM.", examples=["Em andamento"])]
    origem: Annotated[str | None, Meta(description="Canal em que foi aberto.", examples=["Telefone"])]
    ordens_de_servico: Annotated[
        list[ServiceOrder], Meta(description="Ordens de serviço do protocolo, da mais antiga à mais nova.")
    ]


class CrmTickets(msgspec.Struct):
    """The citizen's tickets, newest first."""

    protocolos: Annotated[list[CrmTicket], Meta(description="Protocolos, do mais novo ao mais antigo; até 200.")]
