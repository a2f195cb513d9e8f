"""Wire types for the categories and subcategories (rules: search 2.3, 2.5)."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.search import members
from balcao.search.public import ListedService

Flag: TypeAlias = Literal["true", "1", "false", "0"]
CategoryName: TypeAlias = Annotated[str, Meta(description="Nome da categoria.", examples=["Cidade"])]
SubcategoryName: TypeAlias = Annotated[str, Meta(description="Nome da subcategoria.", examples=["Áreas verdes"])]
Count: TypeAlias = Annotated[int, Meta(description="Serviços.", examples=[12])]
Score: TypeAlias = Annotated[int, Meta(description="Semente mais leituras dos últimos 30 dias.", examples=[5000])]
Seed: TypeAlias = Annotated[
    int, Meta(ge=0, le=1_000_000, description="Semente da popularidade: a ordem sem leituras.", examples=[5000])
]
Active: TypeAlias = Annotated[bool, Meta(description="Se aparece nas listas.", examples=[True])]
ListedServices: TypeAlias = Annotated[list[ListedService], Meta(description="Os serviços da página.")]
TotalServices: TypeAlias = Annotated[int, Meta(description="Serviços em todas as páginas.", examples=[12])]
PageNumber: TypeAlias = Annotated[int, Meta(description="Página devolvida.", examples=[1])]
PerPage: TypeAlias = Annotated[int, Meta(description="Serviços por página.", examples=[10])]


class ListMetadata(msgspec.Struct):
    """The time of the response in Unix seconds, and the source of the popularity."""

    timestamp: Annotated[int, Meta(description="Quando a resposta foi feita, em segundos Unix.", examples=[1791232200])]
    popularity_source: Annotated[
        Literal["seed", "views"], Meta(description="`seed` enquanto não há leituras, depois `views`.")
    ]


Metadata: TypeAlias = Annotated[ListMetadata, Meta(description="Sobre a resposta.")]


class Category(msgspec.Struct):
    """A category with its number of services and its popularity."""

    name: CategoryName
    count: Count
    popularity_score: Score


class FilteredCategory(msgspec.Struct):
    """A requested category, with its services."""

    name: CategoryName
    services: ListedServices
    total_services: TotalServices
    page: PageNumber
    per_page: PerPage


class Categories(msgspec.Struct, omit_defaults=True):
    """The list of categories, and the services of one category if the caller asked for one."""

    categories: Annotated[list[Category], Meta(description="As categorias, na ordem pedida.")]
    total_categories: Annotated[int, Meta(description="Categorias na lista.", examples=[23])]
    metadata: Metadata
    filtered_category: Annotated[
        FilteredCategory | UnsetType, Meta(description="Os serviços de `filter_category`; só com este parâmetro.")
    ] = UNSET


class Subcategory(msgspec.Struct):
    """A subcategory of a category."""

    name: SubcategoryName
    category: CategoryName
    count: Count
    popularity_score: Score


class Subcategories(msgspec.Struct):
    """The subcategories of one category."""

    subcategories: Annotated[list[Subcategory], Meta(description="As subcategorias, na ordem pedida.")]
    total_subcategories: Annotated[int, Meta(description="Subcategorias na lista.", examples=[3])]
    category: CategoryName
    metadata: Metadata


class SubcategoryServices(msgspec.Struct):
    """The services of one subcategory."""

    subcategory: SubcategoryName
    services: ListedServices
    total_services: TotalServices
    page: PageNumber
    per_page: PerPage
    metadata: Metadata


class _Order(msgspec.Struct):
    sort_by: Annotated[
        Literal["popularity", "count", "alpha"] | None, Meta(description="Ordem; sem ela, por popularidade.")
    ] = None
    order: Annotated[Literal["desc", "asc"] | None, Meta(description="Sentido; sem ele, `desc`.")] = None
    include_empty: Annotated[Flag | None, Meta(description="Também as categorias sem serviços.")] = None
    include_inactive: Annotated[
        Flag | None, Meta(description="Também os serviços não publicados; exige a ação `service:read`.")
    ] = None


class SubcategoriesQuery(_Order):
    """How the list of subcategories is sorted and filtered."""


class CategoriesQuery(_Order):
    """How the list of categories is sorted and filtered, and the category whose services are shown."""

    filter_category: Annotated[
        str | None, Meta(description="Mostra também os serviços desta categoria.", examples=["Cidade"])
    ] = None
    page: Annotated[int, Meta(description="Página dos serviços, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Serviços por página, até 100.", examples=[10])] = 10


class SubcategoryServicesQuery(msgspec.Struct):
    """The category and the page of the services."""

    category: Annotated[str | None, Meta(description="Só os serviços desta categoria.", examples=["Cidade"])] = None
    page: Annotated[int, Meta(description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Serviços por página, até 100.", examples=[10])] = 10
    include_inactive: Annotated[
        Flag | None, Meta(description="Também os serviços não publicados; exige a ação `service:read`.")
    ] = None


class OrderedCategory(msgspec.Struct):
    """The popularity seed of a category, and whether lists show it."""

    name: members.Category
    popularity_seed: Seed
    active: Active


class OrderedCategories(msgspec.Struct):
    """All categories with a seed, highest seed first."""

    categories: Annotated[list[OrderedCategory], Meta(description="As categorias, da maior semente à menor.")]


class CategoryBody(msgspec.Struct):
    """The body that sets the seed of a category. A new name in the path creates a category."""

    popularity_seed: Seed
    active: Active = True
