"""The stored form of a service: what editors write and the fields derived from it (rules: search 3.1)."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

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


# R$ 10 million. No municipal fee for a single service is higher.
MOST_CENTS = 1_000_000_000
MOST_UNITS = 999
CostKind: TypeAlias = Annotated[
    Literal["gratis", "fixo", "a_partir_de", "faixa", "variavel"],
    Meta(
        description="`gratis`; `fixo`, um valor; `a_partir_de`, o menor valor; `faixa`, de um valor a outro; "
        "`variavel`, depende do caso.",
        examples=["fixo"],
    ),
]
Cents: TypeAlias = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_CENTS,
        description="Valor em centavos: o único, o menor ou o início da faixa. Ausente em `gratis` e `variavel`.",
        examples=[3520],
    ),
]
MostCents: TypeAlias = Annotated[
    int, Meta(ge=1, le=MOST_CENTS, description="O fim da faixa, em centavos. Só em `faixa`.", examples=[12000])
]
Unit: TypeAlias = Annotated[
    Literal["imediato", "minutos", "horas", "dias", "dias_uteis", "semanas", "meses"],
    Meta(description="Unidade do prazo; `imediato` não tem quantidade.", examples=["dias_uteis"]),
]
Quantity: TypeAlias = Annotated[
    int, Meta(ge=1, le=MOST_UNITS, description="Quantas unidades a espera dura no máximo.", examples=[5])
]


class ServiceCost(msgspec.Struct, omit_defaults=True):
    """What a service costs, as data. `custo_servico` describes the same in words."""

    tipo: CostKind
    valor_centavos: Cents | None = None
    valor_maximo_centavos: MostCents | None = None
    isencao: Annotated[
        str,
        Meta(
            description="Quem não paga, até 300 caracteres. Ausente se não há isenção.",
            examples=["Quem está no Cadastro Único não paga."],
        ),
    ] = ""
    # A default from a function is part of every response, although `omit_defaults` is set.
    moeda: Annotated[Literal["BRL"], Meta(description="A moeda, sempre o real.")] = msgspec.field(
        default_factory=lambda: "BRL"
    )


class ServiceDeadline(msgspec.Struct, omit_defaults=True):
    """The longest time that a service takes, as data. `tempo_atendimento` describes the same in words."""

    unidade: Unit
    quantidade: Quantity | None = None


AGENTS = Meta(description="Uso por agentes conversacionais; nulo se não há.")
COST = Meta(description="O custo em dados, ao lado do texto de `custo_servico`. Ausente se não foi informado.")
DEADLINE = Meta(description="O prazo em dados, ao lado do texto de `tempo_atendimento`. Ausente se não foi informado.")
Buttons: TypeAlias = Annotated[list[Button], Meta(description="Botões do serviço, até 20.")]


class OptionalMembers(msgspec.Struct, kw_only=True):
    """The members that are absent, not null, in a service that does not have them."""

    custo: Annotated[ServiceCost, COST] | UnsetType = UNSET
    prazo: Annotated[ServiceDeadline, DEADLINE] | UnsetType = UNSET


class ServiceContent(OptionalMembers):
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
