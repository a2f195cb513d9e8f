"""The stored form of a service: what editors write and the fields derived from it (rules: search 3.1)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.search import members

Position: TypeAlias = Annotated[
    int, Meta(ge=0, le=2_147_483_647, description="Posição do botão; sem ela, a da lista.", examples=[1])
]


class AgentSettings(msgspec.Struct):
    """Settings for conversational agents that use the service."""

    tool_hint: Annotated[
        str, Meta(description="Dica para agentes conversacionais, até 2000 caracteres.", examples=["Pedidos de poda"])
    ] = ""
    exclusive_for_agents: Annotated[bool, Meta(description="Se só agentes o veem.", examples=[False])] = False


class Button(msgspec.Struct):
    """A link to the service. Without `ordem`, a button gets its position in the list, from 1."""

    titulo: Annotated[str, Meta(description="Texto do botão, de 1 a 200 caracteres.", examples=["Pedir agora"])]
    url_service: Annotated[
        str,
        Meta(
            description="Endereço completo: https, http, mailto ou tel, até 2048 caracteres.",
            examples=["https://servicos.portoaurora.example/poda"],
        ),
    ]
    descricao: Annotated[str, Meta(description="Explicação, até 1000 caracteres.", examples=["Com a sua conta"])] = ""
    is_enabled: Annotated[bool, Meta(description="Se o botão aparece.", examples=[True])] = True
    ordem: Position | None = None


AGENTS = Meta(description="Uso por agentes conversacionais; nulo se não há.")
Buttons: TypeAlias = Annotated[list[Button], Meta(description="Botões do serviço, até 20.")]


class ServiceContent(msgspec.Struct):
    """The cleaned content that editors write, in the order of the table in the rules."""

    nome_servico: members.Name
    orgao_gestor: members.Organs
    resumo: members.Summary
    tempo_atendimento: members.Duration
    custo_servico: members.Cost
    resultado_solicitacao: members.Outcome
    descricao_completa: members.Description
    documentos_necessarios: members.Documents
    instrucoes_solicitante: members.Instructions
    canais_digitais: members.DigitalChannels
    canais_presenciais: members.Places
    servico_nao_cobre: members.NotCovered
    legislacao_relacionada: members.Laws
    tema_geral: members.Category
    sub_categoria: members.Subcategory | None
    publico_especifico: members.Audience
    fixar_destaque: members.Highlighted
    awaiting_approval: members.AwaitingApproval
    published_at: members.PublishedAt | None
    is_free: members.IsFree | None
    agents: Annotated[AgentSettings | None, AGENTS]
    extra_fields: members.ExtraFields
    status: members.State
    buttons: Buttons

    @property
    def is_exclusive(self) -> bool:
        """Whether only conversational agents may see the service."""
        return self.agents is not None and self.agents.exclusive_for_agents


class ServiceDocument(ServiceContent):
    """The complete stored service. `created_at` and `last_update` are Unix seconds."""

    autor: members.Author
    id: members.ServiceId
    slug: members.Slug
    slug_history: members.FormerSlugs
    created_at: members.CreatedAt
    last_update: members.LastUpdate
    search_content: members.SearchedText
    resumo_plaintext: members.PlainText
    resultado_solicitacao_plaintext: members.PlainText
    descricao_completa_plaintext: members.PlainText
    instrucoes_solicitante_plaintext: members.PlainText
    documentos_necessarios_plaintext: members.PlainTexts
