"""Forms of a service: what a caller sends, what is stored, what staff see (rules: search 3.1)."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

Position = Annotated[int, msgspec.Meta(ge=0, le=2_147_483_647)]


class Agents(msgspec.Struct):
    """How conversational agents use the service."""

    tool_hint: str = ""
    exclusive_for_agents: bool = False


class Button(msgspec.Struct):
    """One way into the service; `ordem` is the position in the list when left out."""

    titulo: str
    url_service: str
    descricao: str = ""
    is_enabled: bool = True
    ordem: Position | None = None


class ServiceBody(msgspec.Struct):
    """What is sent to create or change a service; what an absent or null member means is the merge's affair."""

    nome_servico: str | UnsetType | None = UNSET
    orgao_gestor: list[str] | UnsetType | None = UNSET
    resumo: str | UnsetType | None = UNSET
    tempo_atendimento: str | UnsetType | None = UNSET
    custo_servico: str | UnsetType | None = UNSET
    resultado_solicitacao: str | UnsetType | None = UNSET
    descricao_completa: str | UnsetType | None = UNSET
    documentos_necessarios: list[str] | UnsetType | None = UNSET
    instrucoes_solicitante: str | UnsetType | None = UNSET
    canais_digitais: list[str] | UnsetType | None = UNSET
    canais_presenciais: list[str] | UnsetType | None = UNSET
    servico_nao_cobre: str | UnsetType | None = UNSET
    legislacao_relacionada: list[str] | UnsetType | None = UNSET
    tema_geral: str | UnsetType | None = UNSET
    sub_categoria: str | UnsetType | None = UNSET
    publico_especifico: list[str] | UnsetType | None = UNSET
    fixar_destaque: bool | UnsetType | None = UNSET
    awaiting_approval: bool | UnsetType | None = UNSET
    published_at: int | UnsetType | None = UNSET
    is_free: bool | UnsetType | None = UNSET
    agents: Agents | UnsetType | None = UNSET
    extra_fields: dict[str, Any] | UnsetType | None = UNSET
    status: int | UnsetType | None = UNSET
    buttons: list[Button] | UnsetType | None = UNSET


class Content(msgspec.Struct):
    """What editors decide of a service, cleaned; in the order of the document's table."""

    nome_servico: str
    orgao_gestor: list[str]
    resumo: str
    tempo_atendimento: str
    custo_servico: str
    resultado_solicitacao: str
    descricao_completa: str
    documentos_necessarios: list[str]
    instrucoes_solicitante: str
    canais_digitais: list[str]
    canais_presenciais: list[str]
    servico_nao_cobre: str
    legislacao_relacionada: list[str]
    tema_geral: str
    sub_categoria: str | None
    publico_especifico: list[str]
    fixar_destaque: bool
    awaiting_approval: bool
    published_at: int | None
    is_free: bool | None
    agents: Agents | None
    extra_fields: dict[str, Any]
    status: int
    buttons: list[Button]


class Document(Content):
    """What is stored; `created_at` and `last_update` in unix seconds."""

    autor: str
    id: str
    slug: str
    slug_history: list[str]
    created_at: int
    last_update: int
    search_content: str
    resumo_plaintext: str
    resultado_solicitacao_plaintext: str
    descricao_completa_plaintext: str
    instrucoes_solicitante_plaintext: str
    documentos_necessarios_plaintext: list[str]


class Service(Document):
    """The staff form: everything, with the number of the newest version."""

    version: int


class RollbackBody(msgspec.Struct):
    """Which version to bring back."""

    to_version: Annotated[int, msgspec.Meta(ge=1, le=2_147_483_647)]
    change_reason: str | None = None
