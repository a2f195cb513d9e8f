"""A service of the catalogue as it is stored: what editors decide, and what is derived of it (rules: search 3.1)."""

from typing import Annotated, Any

import msgspec

Position = Annotated[int, msgspec.Meta(ge=0, le=2_147_483_647)]


class AgentSettings(msgspec.Struct):
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


class ServiceContent(msgspec.Struct):
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
    agents: AgentSettings | None
    extra_fields: dict[str, Any]
    status: int
    buttons: list[Button]


class ServiceDocument(ServiceContent):
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
