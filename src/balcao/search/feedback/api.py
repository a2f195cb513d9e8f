"""Routes for the feedback on services' pages."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action, public
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.paging import PageQuery
from balcao.core.http.parameters import InPath, OfRequest, Query
from balcao.core.http.responses import Response
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.catalogue.api import SlugInPath
from balcao.search.conventions import (
    ServiceIdInPath,
    parse_flag_parameter,
    parse_page_parameters,
    respond_to_staff,
)
from balcao.search.feedback import service, store
from balcao.search.feedback.schemas import CommentQuery, FeedbackBody, RatedServices, ServiceFeedback
from balcao.search.rates import spend
from balcao.search.routes import ROUTES

# A person gives feedback once for each page. A portal sends the feedback of all its visitors.
RATE = "20/minute"
PORTAL_RATE = "600/minute"
LIMITS = {"feedback.by_address": RATE, "feedback.by_portal": PORTAL_RATE}

routes = ROUTES.extend(tags=["feedback"], body_limit=SMALL_BODY)

Peer: TypeAlias = Annotated[str, OfRequest(lambda request: request.peer)]
CommentInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do comentário", "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60", f"^{UUID_PATTERN}$")
]


@routes.post(
    "/api/v1/services/{slug}/feedback",
    "search.give_feedback",
    public(),
    "Diz se a página de um serviço ajudou",
    status=204,
    errors=[404, 429],
)
async def post_feedback(call: Call, slug: SlugInPath, body: FeedbackBody, peer: Peer) -> None:
    """Conta se a página de um serviço publicado ajudou e guarda o comentário por um ano, sem identificar o autor. Um
    comentário com CPF, e-mail ou telefone é recusado. Cada endereço pode enviar até 20 respostas por minuto; um portal
    com o escopo `busca:search`, até 600. Cada serviço guarda até 200 comentários por dia.
    """
    await spend(call, peer, "feedback", RATE, PORTAL_RATE)
    await service.give_feedback(call, slug, body)


@routes.get(
    "/api/v1/admin/feedback",
    "search.list_rated_services",
    action("service:read"),
    "Lista os serviços cujas páginas receberam respostas",
    query=PageQuery,
)
async def get_rated_services(call: Call, query: Query) -> Response[RatedServices]:
    """Devolve os serviços com respostas em 90 dias e quantas vezes a página de cada um ajudou e não ajudou. Os que mais
    vezes não ajudaram vêm primeiro.
    """
    return respond_to_staff(await service.list_rated_services(call, *parse_page_parameters(query)))


@routes.get(
    "/api/v1/admin/services/{id}/feedback",
    "search.read_feedback",
    action("service:read"),
    "O que as pessoas acharam da página de um serviço",
    query=CommentQuery,
)
async def get_feedback(call: Call, id: ServiceIdInPath, query: Query) -> Response[ServiceFeedback]:
    """Devolve quantas vezes a página ajudou e não ajudou, em 365 dias, e os comentários, dos mais novos aos mais
    antigos.
    """
    helpful = parse_flag_parameter(query, "helpful")
    return respond_to_staff(await service.read_feedback(call, id, *parse_page_parameters(query), helpful=helpful))


@routes.delete(
    "/api/v1/admin/services/{id}/feedback/{comment_id}",
    "search.delete_feedback_comment",
    action("service:update"),
    "Exclui um comentário sobre a página de um serviço",
    status=204,
    errors=[404],
)
async def delete_comment(call: Call, id: ServiceIdInPath, comment_id: CommentInPath) -> None:
    """Exclui um comentário que não deve continuar guardado; as contagens não mudam."""
    await service.delete_comment(call, id, comment_id)


FEATURE = Feature(
    routes=routes.declared,
    limits=LIMITS,
    retention=[
        OldRows("search_feedback", store.count_comments, store.delete_old_comments, service.KEPT_DAYS),
        OldRows("search_feedback_days", store.count_feedback_days, store.delete_old_feedback_days, service.KEPT_DAYS),
    ],
    exports=Exports(tables=("search.service_feedback", "search.service_feedback_days")),
)
