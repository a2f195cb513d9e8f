"""Wire types for the services for staff (rules: search 3.1)."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.search import members
from balcao.search.document import (
    AGENTS,
    COST,
    DEADLINE,
    AgentSettings,
    Buttons,
    ServiceCost,
    ServiceDeadline,
    ServiceDocument,
)

Reason: TypeAlias = Annotated[
    str, Meta(description="Motivo, até 20000 caracteres.", examples=["O texto anterior é o correto."])
]


class ServiceBody(msgspec.Struct):
    """The body that creates or changes a service. `content.merge_content` interprets absent and null members."""

    nome_servico: members.Name | UnsetType | None = UNSET
    orgao_gestor: members.Organs | UnsetType | None = UNSET
    resumo: members.Summary | UnsetType | None = UNSET
    tempo_atendimento: members.Duration | UnsetType | None = UNSET
    custo_servico: members.Cost | UnsetType | None = UNSET
    resultado_solicitacao: members.Outcome | UnsetType | None = UNSET
    descricao_completa: members.Description | UnsetType | None = UNSET
    documentos_necessarios: members.Documents | UnsetType | None = UNSET
    instrucoes_solicitante: members.Instructions | UnsetType | None = UNSET
    canais_digitais: members.DigitalChannels | UnsetType | None = UNSET
    canais_presenciais: members.Places | UnsetType | None = UNSET
    servico_nao_cobre: members.NotCovered | UnsetType | None = UNSET
    legislacao_relacionada: members.Laws | UnsetType | None = UNSET
    tema_geral: members.Category | UnsetType | None = UNSET
    sub_categoria: members.Subcategory | UnsetType | None = UNSET
    publico_especifico: members.Audience | UnsetType | None = UNSET
    fixar_destaque: members.Highlighted | UnsetType | None = UNSET
    awaiting_approval: members.AwaitingApproval | UnsetType | None = UNSET
    published_at: members.PublishedAt | UnsetType | None = UNSET
    is_free: members.IsFree | UnsetType | None = UNSET
    agents: Annotated[AgentSettings | UnsetType | None, AGENTS] = UNSET
    extra_fields: members.ExtraFields | UnsetType | None = UNSET
    status: members.State | UnsetType | None = UNSET
    buttons: Buttons | UnsetType | None = UNSET
    custo: Annotated[ServiceCost | UnsetType | None, COST] = UNSET
    prazo: Annotated[ServiceDeadline | UnsetType | None, DEADLINE] = UNSET


class ServiceChangeBody(ServiceBody):
    """The body that changes a service, and the reason, which the new version stores."""

    change_reason: members.ChangeReason | None = None


class StaffService(ServiceDocument):
    """A service with all fields and the number of its newest version."""

    version: members.VersionNumber


class StaffServices(msgspec.Struct):
    """A page of services. `out_of` counts all services, without the filters."""

    found: Annotated[int, Meta(description="Serviços que passam pelos filtros.", examples=[12])]
    out_of: Annotated[int, Meta(description="Serviços sem filtro nenhum.", examples=[180])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Serviços por página.", examples=[10])]
    services: Annotated[list[StaffService], Meta(description="Os serviços da página.")]


class ServiceSummary(msgspec.Struct):
    """A service in a list, without the long fields. Times are Unix seconds."""

    id: members.ServiceId
    nome_servico: members.Name
    slug: members.Slug
    orgao_gestor: members.Organs
    tema_geral: members.Category
    sub_categoria: members.Subcategory | None
    status: members.State
    awaiting_approval: members.AwaitingApproval
    published_at: members.PublishedAt | None
    last_update: members.LastUpdate
    version: members.VersionNumber
    changed_by: Annotated[str, Meta(description="Nome de quem fez a versão mais nova.", examples=["Estela Ramos"])]
    returned_reason: Annotated[
        str | None,
        Meta(
            description="Por que a versão mais nova devolveu o serviço para edição; nulo se ela não o devolveu.",
            examples=["Falta o endereço."],
        ),
    ]
    proposals: Annotated[int, Meta(description="Propostas de mudança que há deste serviço.", examples=[0])]


class ServiceStates(msgspec.Struct):
    """The number of services in each state that match the other filters."""

    in_edition: Annotated[int, Meta(description="Em edição.", examples=[11])]
    awaiting_approval: Annotated[int, Meta(description="Esperam aprovação.", examples=[2])]
    published: Annotated[int, Meta(description="Publicados.", examples=[128])]


class ServiceSummaries(msgspec.Struct):
    """A page of services without their texts, the counts of each state, and the number of waiting proposals."""

    found: Annotated[int, Meta(description="Serviços que passam pelos filtros.", examples=[12])]
    out_of: Annotated[int, Meta(description="Serviços sem filtro nenhum.", examples=[180])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Serviços por página.", examples=[10])]
    states: Annotated[ServiceStates, Meta(description="Os serviços por situação, pelos demais filtros.")]
    awaiting_proposals: Annotated[
        int, Meta(description="Propostas de mudança que esperam aprovação, de todos os serviços.", examples=[1])
    ]
    services: Annotated[list[ServiceSummary], Meta(description="Os serviços da página.")]


class ServiceRollbackBody(msgspec.Struct):
    """The version to restore."""

    to_version: Annotated[
        int, Meta(ge=1, le=2_147_483_647, description="Versão que volta, um inteiro a partir de 1.", examples=[1])
    ]
    change_reason: Reason | None = None


class RolledBackService(StaffService):
    """The result of a rollback. Its members are those of the service, and `service` contains them again."""

    message: Annotated[str, Meta(description="O que houve, para pessoas.", examples=["Serviço voltou à versão 1."])]
    rolled_back_to: Annotated[int, Meta(description="Versão cujo conteúdo voltou.", examples=[1])]
    previous_version: Annotated[int, Meta(description="Versão que valia antes.", examples=[3])]
    service: Annotated[StaffService, Meta(description="O serviço, mais uma vez.")]


Flag: TypeAlias = Literal["true", "1", "false", "0"]


class ServiceListQuery(msgspec.Struct, omit_defaults=True):
    """Filters of the list. A service must match all of them."""

    page: Annotated[int, Meta(description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Serviços por página, até 100.", examples=[10])] = 10
    status: Annotated[Literal["0", "1"] | None, Meta(description="0 em edição, 1 publicado.")] = None
    awaiting_approval: Annotated[Flag | None, Meta(description="Se espera aprovação.")] = None
    tema_geral: Annotated[str | None, Meta(description="Categoria, sem diferença de acentos.", examples=["Cidade"])] = (
        None
    )
    sub_categoria: Annotated[
        str | None, Meta(description="Subcategoria, sem diferença de acentos.", examples=["Áreas verdes"])
    ] = None
    author: Annotated[str | None, Meta(description="Nome de quem criou.", examples=["Jorge Valente"])] = None
    is_free: Annotated[Flag | None, Meta(description="Se é gratuito.")] = None
    published_at: (
        Annotated[int, Meta(ge=0, description="Instante exato, em segundos Unix.", examples=[1767225600])] | None
    ) = None
    nome_servico: Annotated[str | None, Meta(description="Palavras que o nome deve ter, todas.", examples=["poda"])] = (
        None
    )
    field: Annotated[
        Literal[
            "id",
            "nome_servico",
            "orgao_gestor",
            "tema_geral",
            "sub_categoria",
            "autor",
            "slug",
            "publico_especifico",
        ]
        | None,
        Meta(description="Campo a comparar com `value`."),
    ] = None
    value: Annotated[
        str | None, Meta(description="Valor do campo de `field`.", examples=["pedido-de-poda-de-arvore-5f0c2f0e"])
    ] = None
    sort_by: Annotated[
        Literal["last_update", "nome_servico", "published_at", "created_at"] | None, Meta(description="Ordem da lista.")
    ] = None
    order: Annotated[Literal["desc", "asc"] | None, Meta(description="Sentido da ordem.")] = None


class PublishQuery(msgspec.Struct):
    """The old number to map to this service. `origem` and `id_servico_antigo` must be sent together."""

    origem: Annotated[str | None, Meta(description="Sistema antigo.", examples=["1746_v2_llm"])] = None
    id_servico_antigo: Annotated[
        str | None, Meta(description="Número do serviço no sistema antigo.", examples=["4711"])
    ] = None
    observacoes: Annotated[
        str | None, Meta(description="Observações, até 20000 caracteres.", examples=["Conferido com a equipe."])
    ] = None
