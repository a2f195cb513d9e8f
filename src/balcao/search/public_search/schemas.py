"""Wire types for the public search (rules: search 2.3, 2.6)."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.search import members
from balcao.search.public import ListedService, PublicService

Total: TypeAlias = Annotated[
    int, Meta(description="Serviços que combinam; exato até 10000, depois um limite inferior.", examples=[3])
]
FilteredTotal: TypeAlias = Annotated[
    int, Meta(description="Os que ficam depois de `threshold_keyword`; sem ele, o total.", examples=[3])
]
Page: TypeAlias = Annotated[int, Meta(description="Página devolvida, a partir de 1.", examples=[1])]
PerPage: TypeAlias = Annotated[int, Meta(description="Resultados por página.", examples=[10])]
SearchType: TypeAlias = Annotated[
    Literal["keyword"], Meta(description="O tipo de busca que foi usado.", examples=["keyword"])
]


class Highlights(msgspec.Struct):
    """Escaped HTML texts, with the words of the query in `<mark>` elements."""

    title: Annotated[str, Meta(description="O nome, em HTML.", examples=["<mark>Poda</mark> de árvore"])]
    snippet: Annotated[
        str, Meta(description="Até dois trechos, em HTML.", examples=["Solicita a <mark>poda</mark> de árvores."])
    ]


class ScoreInfo(msgspec.Struct, omit_defaults=True):
    """The score of a result."""

    text_match_normalized: Annotated[float, Meta(description="Quanto o texto combina, de 0 a 1.", examples=[0.91])]
    final_score: Annotated[float, Meta(description="Pontuação que ordena, de 0 a 1.", examples=[0.84])]
    passed_threshold: Annotated[bool, Meta(description="Se alcança `threshold_keyword`.", examples=[True])]
    recency_factor: (
        Annotated[float, Meta(description="Fator da última mudança, com `recency_boost`.", examples=[1.0])] | UnsetType
    ) = UNSET


HIGHLIGHTS = Meta(description="As palavras da busca marcadas; ausente com `highlight=false`.")
SCORE = Meta(description="A pontuação.")


class HitDetails(msgspec.Struct, omit_defaults=True):
    """The members that a result adds to those of the service."""

    highlights: Highlights | UnsetType
    score_info: ScoreInfo


class SearchHit(ListedService, kw_only=True, omit_defaults=True):
    """A service in the results."""

    highlights: Annotated[Highlights, HIGHLIGHTS] | UnsetType = UNSET
    score_info: Annotated[ScoreInfo, SCORE] | UnsetType = UNSET


class UnifiedHit(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A service in the results, in the document format of the unified search."""

    id: members.ServiceId
    collection: Annotated[str, Meta(description="A coleção em que está.", examples=["services"])]
    type: Annotated[str, Meta(description="O que é.", examples=["service"])]
    data: Annotated[PublicService, Meta(description="O serviço.")]
    highlights: Annotated[Highlights, HIGHLIGHTS] | UnsetType = UNSET
    score_info: Annotated[ScoreInfo, SCORE]


class FacetValue(msgspec.Struct):
    """A value of a facet, and the number of matches with this value."""

    value: Annotated[str, Meta(description="O valor.", examples=["Saúde"])]
    count: Annotated[int, Meta(description="Quantos serviços o têm.", examples=[12])]


Facets: TypeAlias = Annotated[
    dict[str, list[FacetValue]],
    Meta(description="As contagens pedidas em `facets`, por campo: até 20 valores, do mais ao menos frequente."),
]


class SearchMetadata(msgspec.Struct, omit_defaults=True):
    """Information about the search."""

    match: Annotated[
        Literal["all_terms", "any_term", "similar", "none"],
        Meta(description="O que bastou para combinar: todas as palavras, uma parte delas, nada."),
    ]
    suggestion: Annotated[
        str | None, Meta(description="A busca com as palavras desconhecidas corrigidas.", examples=["vacinação"])
    ]
    total_is_lower_bound: Annotated[bool, Meta(description="Se há mais que o total mostrado.", examples=[False])]
    took_ms: Annotated[float, Meta(description="Tempo da busca, em milissegundos.", examples=[3.2])]
    fallback: (
        Annotated[bool, Meta(description="Se outro tipo de busca foi pedido e não está instalado.", examples=[True])]
        | UnsetType
    ) = UNSET


class SearchResult(msgspec.Struct, omit_defaults=True):
    """A page of search results."""

    results: Annotated[list[SearchHit], Meta(description="Os serviços, do que mais combina ao que menos combina.")]
    total_count: Total
    filtered_count: FilteredTotal
    page: Page
    per_page: PerPage
    search_type: SearchType
    metadata: Annotated[SearchMetadata, Meta(description="Como se achou.")]
    facets: Facets | UnsetType = UNSET


class UnifiedResult(msgspec.Struct, omit_defaults=True):
    """A page of results of the unified search."""

    results: Annotated[list[UnifiedHit], Meta(description="Os documentos, do que mais combina ao que menos combina.")]
    total_count: Total
    filtered_count: FilteredTotal
    page: Page
    per_page: PerPage
    search_type: SearchType
    collections: Annotated[list[str], Meta(description="As coleções procuradas.", examples=[["services"]])]
    metadata: Annotated[SearchMetadata, Meta(description="Como se achou.")]
    facets: Facets | UnsetType = UNSET


class Suggestions(msgspec.Struct):
    """Service names for the text typed so far."""

    suggestions: Annotated[
        list[str], Meta(description="Até oito nomes de serviços publicados.", examples=[["Poda de árvore"]])
    ]


class SuggestQuery(msgspec.Struct):
    """The text typed so far."""

    q: Annotated[
        str, Meta(min_length=1, max_length=200, description="O texto digitado até agora.", examples=["poda de ar"])
    ]


Flag: TypeAlias = Literal["true", "1", "false", "0"]


class SearchQuery(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The text to search for, the filters and the options of the results."""

    q: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description=(
                'Palavras procuradas. `"…"` é uma frase, `-` na frente exclui, `OR` dá alternativas, `*` sozinho '
                "lista tudo por popularidade."
            ),
            examples=["poda de árvore"],
        ),
    ]
    type: Annotated[
        Literal["keyword", "hybrid", "semantic", "ai"], Meta(description="Tipo de busca; `search_type` diz qual houve.")
    ] = "keyword"
    page: Annotated[int, Meta(description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Resultados por página, até 100.", examples=[10])] = 10
    category: Annotated[str | None, Meta(description="Categoria, sem diferença de acentos.", examples=["Cidade"])] = (
        None
    )
    sub_category: Annotated[
        str | None, Meta(description="Subcategoria, sem diferença de acentos.", examples=["Áreas verdes"])
    ] = None
    orgao: Annotated[
        str | None, Meta(description="Órgão responsável, sem diferença de acentos.", examples=["Secretaria de Obras"])
    ] = None
    publico: Annotated[str | None, Meta(description="Público, sem diferença de acentos.", examples=["Cidadão"])] = None
    is_free: Annotated[Flag | None, Meta(description="Se é gratuito.")] = None
    fixar_destaque: Annotated[
        Flag | None,
        Meta(description="Se está em destaque; com `q=*`, os destaques por popularidade.", examples=["true"]),
    ] = None
    facets: Annotated[
        str | None,
        Meta(
            description=(
                "Contagens desejadas, separadas por vírgula: `tema_geral`, `sub_categoria`, `orgao_gestor`, "
                "`publico_especifico`, `is_free`."
            ),
            examples=["tema_geral,is_free"],
        ),
    ] = None
    highlight: Annotated[Flag, Meta(description="Se marca as palavras da busca nos textos.")] = "true"
    recency_boost: Annotated[Flag, Meta(description="Se favorece o que mudou há pouco.")] = "false"
    threshold_keyword: (
        Annotated[float, Meta(ge=0, le=1, description="Pontuação mínima, de 0 a 1.", examples=[0.2])] | None
    ) = None
    exclude_agent_exclusive: Annotated[
        Flag,
        Meta(description="`false` mostra também os serviços só para agentes: exige o escopo `busca:search`."),
    ] = "true"
    include_inactive: Annotated[
        Flag, Meta(description="`true` mostra também o que não está publicado: exige `service:read`.")
    ] = "false"
    trial: Annotated[
        Flag, Meta(description="`true` busca sem contar: para quem ajusta ou testa a busca, e não procura um serviço.")
    ] = "false"


class UnifiedSearchQuery(SearchQuery, omit_defaults=True, kw_only=True):
    """The parameters of `SearchQuery`, and the collections and fields to search."""

    collections: Annotated[
        str | None, Meta(description="Coleções, separadas por vírgula: `services`.", examples=["services"])
    ] = None
    search_fields: Annotated[
        str | None,
        Meta(
            description=(
                "Campos procurados, separados por vírgula: `nome_servico`, `resumo`, `descricao_completa`, "
                "`documentos_necessarios`, `instrucoes_solicitante`."
            ),
            examples=["nome_servico,resumo"],
        ),
    ] = None
    search_weights: Annotated[
        str | None, Meta(description="Peso de cada campo, de 1 a 10, na mesma ordem.", examples=["10,5"])
    ] = None
