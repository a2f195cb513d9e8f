"""Routes for the categories and subcategories."""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Annotated, Any, TypeAlias

import msgspec

from balcao.core.access.rules import action, public
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import NO_STORE, Response, from_ready
from balcao.core.values.etags import etag_of
from balcao.core.values.ready import Ready
from balcao.search.categories import service
from balcao.search.categories.parameters import CategoryRequest
from balcao.search.categories.schemas import (
    Categories,
    CategoriesQuery,
    CategoryBody,
    OrderedCategories,
    OrderedCategory,
    Subcategories,
    SubcategoriesQuery,
    SubcategoryServices,
    SubcategoryServicesQuery,
)
from balcao.search.conventions import parse_page_parameters, read_parameter, respond_to_staff, respond_with_tag
from balcao.search.public import CACHE_CONTROL, may_see_drafts
from balcao.search.public_search.state import CachedResponse, SearchState
from balcao.search.routes import ROUTES
from balcao.search.sanitising import clean_body

routes = ROUTES.extend(tags=["categories"], body_limit=SMALL_BODY)

MANAGE = "search_category:manage"
CategoryInPath: TypeAlias = Annotated[str, InPath(str, "Nome da categoria, sem diferença de acentos", "Cidade")]
SubcategoryInPath: TypeAlias = Annotated[
    str, InPath(str, "Nome da subcategoria, sem diferença de acentos", "Áreas verdes")
]
_ABOUT = (
    "Nomes casam sem diferença de maiúsculas, acentos, hífens e espaços. Contam só os serviços publicados; os "
    "rascunhos aparecem com `include_inactive=true`, para quem tem a ação `service:read`."
)


@routes.get(
    "/api/v1/categories",
    "search.list_categories",
    public(),
    "As categorias e quantos serviços cada uma tem",
    description=(
        "Devolve as categorias, por popularidade se não se pede outra ordem, e com `filter_category` também os "
        f"serviços de uma. {_ABOUT}"
    ),
    errors=[304, 401, 403],
    query=CategoriesQuery,
    may_lag=True,
)
async def get_categories(call: Call, query: Query) -> Response[Categories]:
    request = CategoryRequest.parse(query, sees_drafts=await may_see_drafts(call, query))
    return await _respond(call, request.sees_drafts, ("categories", request), service.list_categories, request)


@routes.get(
    "/api/v1/categories/{category}/subcategories",
    "search.list_subcategories",
    public(),
    "As subcategorias de uma categoria",
    description=f"Devolve as subcategorias de uma categoria; de uma desconhecida, nenhuma. {_ABOUT}",
    errors=[304, 401, 403],
    query=SubcategoriesQuery,
    may_lag=True,
)
async def get_subcategories(call: Call, category: CategoryInPath, query: Query) -> Response[Subcategories]:
    request = CategoryRequest.parse(query, sees_drafts=await may_see_drafts(call, query))
    key = ("subcategories", category, request)
    return await _respond(call, request.sees_drafts, key, service.list_subcategories, category, request)


@routes.get(
    "/api/v1/subcategories/{subcategory}/services",
    "search.list_subcategory_services",
    public(),
    "Os serviços de uma subcategoria",
    description=f"Devolve uma página dos serviços de uma subcategoria, do mais ao menos popular. {_ABOUT}",
    errors=[304, 401, 403],
    query=SubcategoryServicesQuery,
    may_lag=True,
)
async def get_subcategory_services(
    call: Call, subcategory: SubcategoryInPath, query: Query
) -> Response[SubcategoryServices]:
    sees_drafts = await may_see_drafts(call, query)
    category, (page, per_page) = read_parameter(query, "category"), parse_page_parameters(query)
    key = ("subcategory", subcategory, category, sees_drafts, page, per_page)
    find = partial(service.list_subcategory_services, sees_drafts=sees_drafts, page=page, per_page=per_page)
    return await _respond(call, sees_drafts, key, find, subcategory, category)


async def _respond(
    call: Call, sees_drafts: bool, key: Hashable, find: Callable[..., Awaitable[Any]], *arguments: Any
) -> Response[Any]:
    """Respond from the cache, or call `find` and cache its result until the catalogue changes."""
    state = call.platform.part(SearchState)
    cached = state.find_response(key)
    if cached is None:
        changes = state.changes
        found = await find(call, *arguments)
        # The ETag does not depend on the time of the response.
        same = msgspec.structs.replace(found, metadata=msgspec.structs.replace(found.metadata, timestamp=0))
        cached = CachedResponse(
            Ready(clean_body(msgspec.json.encode(found)), f"W/{etag_of(msgspec.json.encode(same))}")
        )
        state.store_response(key, cached, changes)
    return from_ready(cached.ready, call, NO_STORE if sees_drafts else CACHE_CONTROL)


@routes.get(
    "/api/v1/admin/categories",
    "search.list_ordered_categories",
    action(MANAGE),
    "A ordem das categorias",
)
async def list_ordered(call: Call) -> Response[OrderedCategories]:
    """Devolve as categorias, cada uma com a semente da popularidade e se aparece nas listas."""
    return respond_to_staff(await service.list_ordered(call))


@routes.get(
    "/api/v1/admin/categories/{name}",
    "search.read_ordered_category",
    action(MANAGE),
    "A ordem de uma categoria",
)
async def read_ordered(call: Call, name: CategoryInPath) -> Response[OrderedCategory]:
    """Devolve a semente da popularidade de uma categoria, e se ela aparece nas listas."""
    return respond_with_tag(await service.read_ordered(call, name))


@routes.put(
    "/api/v1/admin/categories/{name}",
    "search.order_category",
    action(MANAGE),
    "Ordena uma categoria",
    errors=[412],
    example={"popularity_seed": 5000, "active": True},
)
async def order_category(call: Call, name: CategoryInPath, body: CategoryBody) -> Response[OrderedCategory]:
    """Grava a semente da popularidade de uma categoria e se ela aparece nas listas. Um nome novo cria uma categoria.
    Com `If-Match`, só grava se a categoria não mudou desde que foi lida (senão, 412).
    """
    return respond_with_tag(await service.order_category(call, name, body))


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.categories",)))
