"""Wire types for CRM events."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.database.pool import Row
from balcao.core.http.paging import PageQuery
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Pagination
from balcao.registry.crm import members
from balcao.registry.members import CpfDigits, CpfFilter, MaskedCpf, PeriodEnd, PeriodStart


class Acknowledgement(msgspec.Struct):
    """The confirmation that an event was queued (spec: webhook acknowledgement)."""

    cpf: MaskedCpf
    evento: Annotated[
        str, Meta(description="Tipo do evento: `atualizacao` ou `anonimizacao`.", examples=["atualizacao"])
    ]
    message: Annotated[str, Meta(description="Confirmação em palavras.", examples=["Evento recebido e enfileirado."])]
    status: Annotated[str, Meta(description="Sempre `accepted`.", examples=["accepted"])]


class WebhookAddress(msgspec.Struct):
    """The address in `dados`. Each part can be changed, cleared or omitted separately."""

    bairro: members.Bairro | UnsetType | None = UNSET
    cep: members.Cep | UnsetType | None = UNSET
    cidade: members.CidadeDoEndereco | UnsetType | None = UNSET
    complemento: members.ComplementoDoEndereco | UnsetType | None = UNSET
    estado: members.Estado | UnsetType | None = UNSET
    logradouro: members.Logradouro | UnsetType | None = UNSET
    pais: members.Pais | UnsetType | None = UNSET


class WebhookConsent(msgspec.Struct):
    """One consent in `dados`. `status` or `acao` is required. `motivo` is required to withdraw a consent."""

    acao: members.Acao | UnsetType | None = UNSET
    canal: members.Canal | UnsetType | None = UNSET
    categoria: members.Categoria | UnsetType | None = UNSET
    data: members.Data | UnsetType | None = UNSET
    finalidade: members.Finalidade | UnsetType | None = UNSET
    motivo: members.Motivo | UnsetType | None = UNSET
    status: members.StatusDoConsentimento | UnsetType | None = UNSET


class WebhookData(msgspec.Struct, rename="camel"):
    """The changes that an event reports.

    Omitted keys do not change, null clears a field, an empty string is stored as it is, and unknown keys are ignored.
    """

    account_id: members.AccountId | UnsetType | None = UNSET
    canal_origem: members.CanalOrigem | UnsetType | None = UNSET
    canal_ultima_modificacao: members.CanalUltimaModificacao | UnsetType | None = UNSET
    cidade: members.Cidade | UnsetType | None = UNSET
    complemento: members.Complemento | UnsetType | None = UNSET
    deficiencia: members.Deficiencia | UnsetType | None = UNSET
    email: members.Email | UnsetType | None = UNSET
    escolaridade: members.Escolaridade | UnsetType | None = UNSET
    genero: members.Genero | UnsetType | None = UNSET
    nacionalidade: members.Nacionalidade | UnsetType | None = UNSET
    nome_exibicao: members.NomeExibicao | UnsetType | None = UNSET
    passaporte: members.Passaporte | UnsetType | None = UNSET
    raca: members.Raca | UnsetType | None = UNSET
    renda_familiar: members.RendaFamiliar | UnsetType | None = UNSET
    telefone1: members.Telefone1 | UnsetType | None = UNSET
    telefone2: members.Telefone2 | UnsetType | None = UNSET
    telefone3: members.Telefone3 | UnsetType | None = UNSET
    telefone_internacional: members.TelefoneInternacional | UnsetType | None = UNSET
    telefone_principal: members.TelefonePrincipal | UnsetType | None = UNSET
    tipo_telefone1: members.TipoTelefone1 | UnsetType | None = UNSET
    tipo_telefone2: members.TipoTelefone2 | UnsetType | None = UNSET
    tipo_telefone3: members.TipoTelefone3 | UnsetType | None = UNSET
    idioma: members.Idiomas | UnsetType | None = UNSET
    is_tourist: members.Turista | UnsetType | None = UNSET
    endereco: Annotated[WebhookAddress | UnsetType | None, Meta(description="Endereço, por partes.")] = UNSET
    consentimento: Annotated[
        list[WebhookConsent] | UnsetType | None, Meta(description="Consentimentos que mudaram.")
    ] = UNSET


class WebhookBody(msgspec.Struct):
    """A CRM event. This type only describes the body: the event parser reads the bytes itself."""

    cpf: CpfDigits
    evento: Annotated[
        Annotated[str, Meta(extra_json_schema={"enum": ["anonimizacao", "atualizacao"]})] | None,
        Meta(description="`atualizacao` (o padrão) ou `anonimizacao`, exatamente assim.", examples=["atualizacao"]),
    ] = "atualizacao"
    updatedAt: Annotated[  # noqa: N815 - the CRM's own spelling
        str | None,
        Meta(
            description="Quando mudou no CRM: data com hora ISO 8601 (sem fuso, UTC). Sem ele vale a chegada.",
            examples=["2026-03-02T12:30:00Z"],
        ),
    ] = None
    dados: Annotated[
        WebhookData | None,
        Meta(description="O que mudou, até 64 KiB; obrigatório em `atualizacao`, ignorado em `anonimizacao`."),
    ] = None


class CrmEvent(msgspec.Struct):
    """A received event without its data. `cpf` is masked."""

    id: Annotated[str, Meta(description="Id do evento.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"])]
    cpf: MaskedCpf
    evento: Annotated[str, Meta(description="`atualizacao` ou `anonimizacao`.", examples=["atualizacao"])]
    event_at: Annotated[datetime, Meta(description="Hora do evento (RFC 3339).", examples=["2026-03-02T12:30:00Z"])]
    has_updated_at: Annotated[
        bool, Meta(description="Se o CRM informou a hora; sem ela vale a da chegada.", examples=[True])
    ]
    accepted_at: Annotated[
        datetime, Meta(description="Quando foi aceito (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    azp: Annotated[str, Meta(description="Cliente que o enviou.", examples=["crm"])]
    request_id: Annotated[str, Meta(description="`X-Request-ID` da chamada.", examples=["7f3c9a1e5b2d4c60"])]
    repeated_at: Annotated[
        datetime | None,
        Meta(
            description="Quando o mesmo evento chegou de novo pela última vez (RFC 3339); nulo se só chegou uma vez.",
            examples=["2026-03-02T12:31:00Z"],
        ),
    ]
    applied_at: Annotated[
        datetime | None,
        Meta(description="Quando foi aplicado (RFC 3339); nulo até lá.", examples=["2026-03-02T12:30:00Z"]),
    ]
    result: Annotated[str | None, Meta(description="O que resultou; nulo até ser aplicado.", examples=["applied"])]

    @classmethod
    def from_row(cls, row: Row) -> "CrmEvent":
        """Build the event from a row, and mask its CPF."""
        return cls(**{**row, "cpf": Cpf(row["cpf"]).masked})


class CrmEventPage(msgspec.Struct):
    """A page of events."""

    data: Annotated[list[CrmEvent], Meta(description="Eventos, do mais novo ao mais antigo.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de eventos.")]


class EventQuery(PageQuery, rename={"from_": "from"}):
    """The filters of the event list."""

    cpf: CpfFilter | None = None
    request_id: Annotated[
        str | None,
        Meta(
            description="Só os da chamada com este `X-Request-ID`, que os enviou ou foi a última a repeti-los.",
            examples=["7f3c9a1e5b2d4c60"],
        ),
    ] = None
    from_: PeriodStart | None = None
    to: PeriodEnd | None = None
