"""Routes for the public search."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import OfRequest, Query
from balcao.core.http.responses import Response
from balcao.search.public_search import responses
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.schemas import (
    SearchQuery,
    SearchResult,
    Suggestions,
    SuggestQuery,
    UnifiedResult,
    UnifiedSearchQuery,
)
from balcao.search.routes import ROUTES

routes = ROUTES.extend(tags=["search"])

Peer: TypeAlias = Annotated[str, OfRequest(lambda request: request.peer)]

_DESCRIPTION = (
    "Busca os serviços publicados, sem diferença de acentos, plural e maiúsculas. Se nenhum serviço tem todas as "
    "palavras, basta um terço delas, e `metadata.match` o diz; `metadata.suggestion` corrige o que "
    "parece erro de digitação. A ordem é a da pontuação em `score_info`. Páginas fora dos limites valem como ausentes; "
    "alcançam-se até 2000 resultados. Parâmetros desconhecidos são ignorados. Até 50 buscas por segundo por endereço."
)


@routes.get(
    "/api/v1/search",
    "search.search_services",
    public(),
    "Busca serviços",
    description=_DESCRIPTION,
    errors=[304, 401, 403],
    query=SearchQuery,
)
async def search_services(call: Call, query: Query, peer: Peer) -> Response[SearchResult]:
    return await responses.respond_search(call, peer, query, SearchRequest.parse, responses.write_result)


@routes.get(
    "/api/v1/search/suggest",
    "search.suggest_names",
    public(),
    "Completa o que se digita",
    errors=[304],
    query=SuggestQuery,
)
async def suggest_names(call: Call, query: Query, peer: Peer) -> Response[Suggestions]:
    """Devolve até oito nomes de serviços publicados que têm palavras começando como as digitadas, do mais ao menos
    popular. Até 50 chamadas por segundo por endereço, contadas com as buscas.
    """
    return await responses.respond_suggestions(call, peer, query)


@routes.get(
    "/api/v2/search",
    "search.search_documents",
    public(),
    "Busca documentos de todas as coleções",
    description=(
        f"{_DESCRIPTION} `search_fields` limita os campos procurados e `search_weights` lhes dá pesos de 1 a 10."
    ),
    errors=[304, 401, 403],
    query=UnifiedSearchQuery,
)
async def search_documents(call: Call, query: Query, peer: Peer) -> Response[UnifiedResult]:
    return await responses.respond_search(call, peer, query, SearchRequest.parse_unified, responses.write_unified)


FEATURE = Feature(routes=routes.declared, limits=responses.LIMITS)
