"""Forms of a service: what a caller sends and what staff see (rules: search 3.1)."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from balcao.search.document import AgentSettings, Button, ServiceDocument


class ServiceBody(msgspec.Struct):
    """What is sent to create or change a service; what an absent or null member means is decided when it is merged."""

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
    agents: AgentSettings | UnsetType | None = UNSET
    extra_fields: dict[str, Any] | UnsetType | None = UNSET
    status: int | UnsetType | None = UNSET
    buttons: list[Button] | UnsetType | None = UNSET


class StaffService(ServiceDocument):
    """The staff form: everything, with the number of the newest version."""

    version: int


class ServiceRollbackBody(msgspec.Struct):
    """Which version to bring back."""

    to_version: Annotated[int, msgspec.Meta(ge=1, le=2_147_483_647)]
    change_reason: str | None = None
