"""Wire types of the CRM's events."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.registry.crm import members
from balcao.registry.members import CpfDigits, MaskedCpf


class Acknowledgement(msgspec.Struct):
    """That an event was queued (spec: webhook acknowledgement)."""

    cpf: MaskedCpf
    evento: Annotated[
        str, Meta(description="Tipo do evento: `atualizacao` ou `anonimizacao`.", examples=["atualizacao"])
    ]
    message: Annotated[str, Meta(description="Confirmação em palavras.", examples=["Evento recebido e enfileirado."])]
    status: Annotated[str, Meta(description="Sempre `accepted`.", examples=["accepted"])]


class WebhookAddress(msgspec.Struct):
    """The address of a delta; each part by itself is changed, cleared or left as it is."""

    bairro: members.Bairro | UnsetType | None = UNSET
    cep: members.Cep | UnsetType | None = UNSET
    cidade: members.CidadeDoEndereco | UnsetType | None = UNSET
    complemento: members.ComplementoDoEndereco | UnsetType | None = UNSET
    estado: members.Estado | UnsetType | None = UNSET
    logradouro: members.Logradouro | UnsetType | None = UNSET
    pais: members.Pais | UnsetType | None = UNSET


class WebhookConsent(msgspec.Struct):
    """One consent of a delta; `status` or `acao` says whether it holds, `motivo` is needed to withdraw it."""

    acao: members.Acao | UnsetType | None = UNSET
    canal: members.Canal | UnsetType | None = UNSET
    categoria: members.Categoria | UnsetType | None = UNSET
    data: members.Data | UnsetType | None = UNSET
    finalidade: members.Finalidade | UnsetType | None = UNSET
    motivo: members.Motivo | UnsetType | None = UNSET
    status: members.StatusDoConsentimento | UnsetType | None = UNSET


class WebhookData(msgspec.Struct, rename="camel"):
    """A delta: what is absent stays, null clears, the empty text is stored; other keys are ignored."""

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
    """An event of the CRM. For the description: the event parser itself reads the bytes."""

    cpf: CpfDigits
    evento: Annotated[
        str | None,
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
