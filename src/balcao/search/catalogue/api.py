"""Routes for the published services."""

from typing import Annotated, Any, TypeAlias

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.search.catalogue import service
from balcao.search.catalogue.schemas import (
    DocumentQuery,
    Moved,
    NamesQuery,
    OpeningQuery,
    PublishedService,
    UnifiedDocument,
)
from balcao.search.conventions import ServiceIdInPath, parse_flag_parameter, read_parameter
from balcao.search.public import respond_publicly
from balcao.search.routes import ROUTES

routes = ROUTES.extend(tags=["catalogue"])

SlugInPath: TypeAlias = Annotated[
    str, InPath(str, "Endereço legível do serviço, atual ou anterior", "pedido-de-poda-de-arvore-5f0c2f0e")
]
SourceInPath: TypeAlias = Annotated[str, InPath(str, "Sistema antigo", "1746_v2_llm")]
OldIdInPath: TypeAlias = Annotated[str, InPath(str, "Número do serviço no sistema antigo", "4711")]


@routes.get(
    "/api/v1/search/{id}",
    "search.read_published_service",
    public(),
    "Um serviço publicado",
    errors=[304],
    query=NamesQuery,
    may_lag=True,
)
async def get_published_service(call: Call, id: ServiceIdInPath, query: Query) -> Response[PublishedService]:
    """Devolve um serviço publicado pelo identificador. Se o serviço não está publicado, a resposta é 404."""
    found = await service.read_published_service(call, id, with_names=_shows_names(query))
    return respond_publicly(found, call)


@routes.get(
    "/api/v2/search/{id}",
    "search.read_published_document",
    public(),
    "Um serviço publicado, como documento da busca unificada",
    errors=[304],
    query=DocumentQuery,
    may_lag=True,
)
async def get_document(call: Call, id: ServiceIdInPath, query: Query) -> Response[UnifiedDocument]:
    """Devolve um serviço publicado pelo identificador, com a coleção em que está."""
    found = await service.read_published_service(
        call, id, read_parameter(query, "busca"), with_names=_shows_names(query)
    )
    return respond_publicly(UnifiedDocument(found.id, found), call)


@routes.get(
    "/api/v1/services/{slug}",
    "search.read_service_by_slug",
    public(),
    "Um serviço publicado, pelo endereço",
    errors=[304],
    query=OpeningQuery,
    moved=Moved,
    may_lag=True,
)
async def get_by_slug(call: Call, slug: SlugInPath, query: Query) -> Response[PublishedService]:
    """Devolve um serviço publicado pelo endereço legível. Se o endereço mudou, a resposta é 301, com o atual em
    `Location`.
    """
    asked, with_names = read_parameter(query, "busca"), _shows_names(query)
    found: Any = await service.read_by_slug(call, slug, asked, with_names=with_names)
    return _redirect(found, call) if isinstance(found, Moved) else respond_publicly(found, call)


@routes.get(
    "/api/v1/services/by-legacy/{origem}/{id_servico_antigo}",
    "search.find_service_by_old_number",
    public(),
    "O serviço que um número antigo é agora",
    status=301,
    may_lag=True,
)
async def get_by_old_number(call: Call, origem: SourceInPath, id_servico_antigo: OldIdInPath) -> Response[Moved]:
    """Redireciona, pelo `Location`, do número de um sistema antigo para o serviço publicado que o substitui."""
    return _redirect(await service.find_by_old_number(call, origem, id_servico_antigo), call)


def _shows_names(query: Query) -> bool:
    """Return whether the caller wants the other names of the service.

    Raises Invalid if the parameter is not a boolean.
    """
    return parse_flag_parameter(query, "include_other_names") is True


def _redirect(moved: Moved, call: Call) -> Response[Any]:
    return respond_publicly(moved, call, status=301, headers={"Location": moved.location})


FEATURE = Feature(routes=routes.declared)
