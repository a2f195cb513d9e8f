"""Wire types for the CRM proxies. Portals expect these keys."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from balcao.registry.members import CpfDigits


class CrmConsentBody(msgspec.Struct):
    """A consent to give or withdraw. `motivo` is required for a withdrawal.

    `origem` is the channel through which the citizen decided.
    """

    categoria: Annotated[
        str, Meta(description="Categoria do consentimento, até 100 caracteres, sem `|`.", examples=["saude"])
    ]
    acao: Annotated[
        str,
        Meta(
            description="`optin` dá o consentimento, `optout` o retira.",
            examples=["optin"],
            extra_json_schema={"enum": ["optin", "optout"]},
        ),
    ]
    canal: Annotated[
        str | None, Meta(description="Canal do consentimento, até 100 caracteres, sem `|`.", examples=["email"])
    ] = None
    finalidade: Annotated[
        str | None,
        Meta(description="Para que é o consentimento; sem ela fica a que havia.", examples=["Campanhas de saúde"]),
    ] = None
    motivo: Annotated[
        str | None,
        Meta(description="Por que foi retirado; obrigatório em `optout`.", examples=["Recebo mensagens demais"]),
    ] = None
    origem: Annotated[str | None, Meta(description="Canal em que o cidadão decidiu.", examples=["Portal"])] = None


class CrmRelated(msgspec.Struct, rename="camel"):
    """A person's other records in the CRM. All values are strings."""

    protocolos: Annotated[list[dict[str, str]], Meta(description="Protocolos.", examples=[[{"numero": "00000042"}]])]
    ligacoes: Annotated[list[dict[str, str]], Meta(description="Ligações.", examples=[[{"data": "2026-03-02"}]])]
    ordens_servico: Annotated[
        list[dict[str, str]], Meta(description="Ordens de serviço.", examples=[[{"numero": "OS-000042"}]])
    ]


class CrmExportedChannel(msgspec.Struct):
    """A channel for which a consent is exported."""

    canal: Annotated[str, Meta(description="Canal.", examples=["email"])]
    status: Annotated[str, Meta(description="`IN` quando vale, `OUT` quando foi retirado.", examples=["IN"])]
    tipo: Annotated[str, Meta(description="`optin` ou `optout`.", examples=["optin"])]
    motivo: Annotated[str | None, Meta(description="Por que foi retirado.", examples=["Recebo mensagens demais"])]


class CrmExportedConsent(msgspec.Struct):
    """The exported consents of one category, by channel."""

    codigo: Annotated[str, Meta(description="Categoria.", examples=["saude"])]
    descricao: Annotated[
        str, Meta(description="Finalidade que os consentimentos informam.", examples=["Campanhas de saúde"])
    ]
    canais: Annotated[list[CrmExportedChannel], Meta(description="Canais desta categoria.")]


class CrmExport(msgspec.Struct, rename="camel"):
    """All data that the CRM has about a person."""

    cpf: CpfDigits
    data_exportacao: Annotated[
        datetime, Meta(description="Quando foi exportado (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    dados_pessoais: Annotated[
        dict[str, Any], Meta(description="A conta como está no CRM.", examples=[{"nome": "Ana Beatriz Moreira"}])
    ]
    relacionados: Annotated[CrmRelated, Meta(description="Protocolos, ligações e ordens de serviço.")]
    consentimento: Annotated[list[CrmExportedConsent], Meta(description="Consentimentos por categoria e canal.")]


class FiledAnonymisation(msgspec.Struct, rename="camel"):
    """An open anonymisation request in the CRM."""

    numero_solicitacao: Annotated[str, Meta(description="Número da solicitação.", examples=["00000012"])]
    cpf: CpfDigits
    status: Annotated[str, Meta(description="Sempre `enfileirado`.", examples=["enfileirado"])]
    data_solicitacao: Annotated[
        datetime, Meta(description="Quando foi pedida (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]


class AnonymisationStatus(msgspec.Struct, rename="camel"):
    """The status of an anonymisation request."""

    numero_solicitacao: Annotated[str, Meta(description="Número da solicitação.", examples=["00000012"])]
    status: Annotated[
        str, Meta(description="`enfileirado`, `concluido`, `falhou` ou `cancelado`.", examples=["concluido"])
    ]
    data_solicitacao: Annotated[
        datetime, Meta(description="Quando foi pedida (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    data_conclusao: Annotated[
        datetime | None, Meta(description="Quando terminou (RFC 3339); nulo até lá.", examples=["2026-03-02T12:30:00Z"])
    ]
