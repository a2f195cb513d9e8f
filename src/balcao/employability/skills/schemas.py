"""Wire types for behaviours, skills and work areas."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.employability.lists import ListMeta, PageNumber
from balcao.employability.schemas import CreatedAt, UpdatedAt

DEFAULT_PER_PAGE = 20
MOST_PER_PAGE = 100
MOST_AREAS = 20

Search = Annotated[str, Meta(description="Parte do nome; maiúsculas e acentos não contam.", examples=["direcao"])]
PageSize = Annotated[int, Meta(description="Itens por página; acima de 100 vale 100.", examples=[DEFAULT_PER_PAGE])]


class SkillArea(msgspec.Struct):
    """A work area of a skill."""

    id: Annotated[int, Meta(description="Identificador da área.", examples=[8])]
    nome: Annotated[str, Meta(description="Nome da área.", examples=["Logística"])]
    id_area_atuacao_habilidade: Annotated[
        int, Meta(description="Identificador da habilidade nesta área; é o que o currículo guarda.", examples=[37])
    ]


class CatalogueEntry(msgspec.Struct):
    """A behaviour, a skill or a work area. Only a skill has `areas_atuacao`."""

    id: Annotated[int, Meta(description="Identificador.", examples=[37])]
    nome: Annotated[str, Meta(description="Nome mostrado às pessoas.", examples=["Direção categoria D"])]
    created_at: CreatedAt
    updated_at: UpdatedAt
    areas_atuacao: Annotated[
        list[SkillArea] | UnsetType, Meta(description="Áreas da habilidade; só em habilidades.")
    ] = UNSET


class CatalogueEntries(msgspec.Struct):
    """A page of a catalogue, sorted by name."""

    data: Annotated[list[CatalogueEntry], Meta(description="Itens da página, por nome.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class CatalogueQuery(msgspec.Struct):
    q: Search | None = None
    page: PageNumber = 1
    pageSize: PageSize = DEFAULT_PER_PAGE  # noqa: N815 - named by the specification


class SkillQuery(CatalogueQuery):
    id_area_atuacao: Annotated[int | None, Meta(description="Só as habilidades desta área.", examples=[8])] = None


class NameBody(msgspec.Struct):
    """An entry in a request. Clients may also send `id`, `created_at` and `updated_at`, which are ignored."""

    nome: Annotated[
        str, Meta(description="Nome, de 1 a 250 caracteres, único no catálogo.", examples=["Direção categoria E"])
    ]


class SkillAreasBody(msgspec.Struct):
    areas_ids: Annotated[
        list[int], Meta(description="Todas as áreas da habilidade, no máximo 20, sem repetição.", examples=[[8]])
    ]


class SkillAreas(msgspec.Struct):
    data: Annotated[list[SkillArea], Meta(description="As áreas da habilidade, por nome.")]
