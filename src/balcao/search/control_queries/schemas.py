"""Wire types for the control queries."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.search import members

Query: TypeAlias = Annotated[str, Meta(description="A busca.", examples=["poda de árvore"])]


class ExpectedServices(msgspec.Struct):
    """The services that a control query is expected to find."""

    query: Query
    services: Annotated[
        list[str],
        Meta(
            description="Os serviços que a busca deve achar: até 10 identificadores.",
            examples=[["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"]],
        ),
    ]


class ControlQueries(msgspec.Struct, omit_defaults=True):
    """The queries that a migration uses to compare two tables, and that show curators how well the search ranks."""

    queries: Annotated[
        list[str], Meta(description="Até 200 buscas, na ordem.", examples=[["poda de árvore", "segunda via do iptu"]])
    ]
    expected: (
        Annotated[
            list[ExpectedServices],
            Meta(description="Os serviços certos das buscas que os têm; ausente se nenhuma tem."),
        ]
        | UnsetType
    ) = UNSET


class ControlReport(msgspec.Struct, frozen=True):
    """How similar the results of the control queries are in two tables. Both shares are from 0 to 1."""

    queries: Annotated[int, Meta(description="Buscas comparadas.", examples=[2])]
    overlap: Annotated[
        float, Meta(description="Parte dos dez primeiros que as duas tabelas têm em comum.", examples=[1.0])
    ]
    empty: Annotated[float, Meta(description="Parte das buscas que na tabela nova nada acham.", examples=[0.0])]


class NamedService(msgspec.Struct):
    """A service in the results."""

    id: members.ServiceId
    nome_servico: members.Name


class ExpectedService(msgspec.Struct):
    """A service that a query is expected to find."""

    id: members.ServiceId
    nome_servico: Annotated[
        str | None, Meta(description="Nome do serviço; nulo se ele não existe mais.", examples=["Poda de árvore"])
    ]
    is_public: Annotated[bool, Meta(description="Se os cidadãos podem achá-lo.", examples=[True])]


Share: TypeAlias = Annotated[float, Meta(description="De 0 a 1; nulo enquanto nenhuma busca tem serviço certo.")]


class ControlResult(msgspec.Struct):
    """The current results of a control query, and the positions of its expected services."""

    query: Query
    expected: Annotated[list[ExpectedService], Meta(description="Os serviços que deve achar.")]
    found: Annotated[list[NamedService], Meta(description="Os três primeiros que acha.")]
    total: Annotated[int, Meta(description="Quantos serviços acha.", examples=[3])]
    suggestion: Annotated[str | None, Meta(description="A busca corrigida, se foi.", examples=["vacinação"])]
    rank: Annotated[
        int | None, Meta(description="Lugar do primeiro serviço certo; nulo se não está entre os 50.", examples=[1])
    ]
    cause: Annotated[
        Literal["not_public", "found_nothing", "not_found", "ranked_lower"] | None,
        Meta(
            description=(
                "Por que nenhum serviço certo vem primeiro: os cidadãos não o podem achar (`not_public`), a busca nada "
                "acha (`found_nothing`), acha outros (`not_found`), ou põe outros antes (`ranked_lower`). Nulo se um "
                "vem primeiro, ou se a busca não tem serviço certo."
            ),
            examples=["ranked_lower"],
        ),
    ]


class ControlEvaluation(msgspec.Struct):
    """The results of all control queries, with the evaluation's figures."""

    rated: Annotated[int, Meta(description="Buscas que têm serviço certo.", examples=[2])]
    hits_at_1: (
        Annotated[Share, Meta(description="Parte com um serviço certo em primeiro lugar.", examples=[0.5])] | None
    )
    hits_at_3: Annotated[Share, Meta(description="Parte com um serviço certo entre três.", examples=[1.0])] | None
    ndcg_at_10: (
        Annotated[
            Share,
            Meta(description="Média de 1/log2(lugar + 1) do primeiro serviço certo entre dez.", examples=[0.8155]),
        ]
        | None
    )
    results: Annotated[list[ControlResult], Meta(description="Cada busca, na ordem da lista.")]
