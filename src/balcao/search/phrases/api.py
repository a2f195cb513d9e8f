"""Routes for the phrases that citizens use to ask for a service."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.conventions import (
    ServiceIdInPath,
    parse_choice_parameter,
    parse_page_parameters,
    respond_to_staff,
    respond_with_tag,
)
from balcao.search.phrases import service, store
from balcao.search.phrases.schemas import PhraseProposals, PhrasesBody, ProposalQuery, ServicePhrases
from balcao.search.routes import ROUTES

routes = ROUTES.extend(tags=["tuning"], body_limit=SMALL_BODY)

_MANAGE = action("search_tuning:manage")


@routes.get(
    "/api/v1/admin/services/{id}/phrases",
    "search.read_service_phrases",
    action("service:read"),
    "Como as pessoas pedem um serviço",
)
async def get_phrases(call: Call, id: ServiceIdInPath) -> Response[ServicePhrases]:
    """Devolve as frases com que as pessoas pedem o serviço, ou uma lista vazia."""
    return respond_with_tag(await service.read_phrases(call, id))


@routes.put(
    "/api/v1/admin/services/{id}/phrases",
    "search.put_service_phrases",
    _MANAGE,
    "Grava como as pessoas pedem um serviço",
    errors=[412],
)
async def put_phrases(call: Call, id: ServiceIdInPath, body: PhrasesBody) -> Response[ServicePhrases]:
    """Substitui as frases com que as pessoas pedem o serviço; a busca as usa um instante depois. Frases que só diferem
    em acentos, maiúsculas ou sinais contam uma vez. Uma lista vazia remove todas. Com `If-Match`, só substitui se a
    lista não mudou desde que foi lida (senão, 412).
    """
    return respond_with_tag(await service.replace_phrases(call, id, body))


@routes.get(
    "/api/v1/admin/search/phrase-proposals",
    "search.list_phrase_proposals",
    _MANAGE,
    "Lista as buscas que podem ser frases de um serviço",
    query=ProposalQuery,
)
async def get_phrase_proposals(call: Call, query: Query) -> Response[PhraseProposals]:
    """Devolve, em forma canônica, as buscas feitas pelo menos cinco vezes em 90 dias que levaram a um serviço menos de
    uma vez em dez. Se o portal não informa de que busca a pessoa veio (`busca`), devolve só as que nada acharam. As
    buscas que já são frases de um serviço não aparecem.
    """
    outcome = parse_choice_parameter(query, "outcome", service.OUTCOMES)
    return respond_to_staff(await service.list_proposals(call, outcome, *parse_page_parameters(query)))


FEATURE = Feature(routes=routes.declared, exports=store.EXPORTS)
