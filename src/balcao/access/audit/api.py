"""Routes for the catalogue's audit trail."""

from typing import Annotated, TypeAlias

from balcao.access.audit import service
from balcao.access.audit.schemas import AuditEvents, AuditQuery, Verdict, VerifyQuery
from balcao.access.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query

AuditInQuery: TypeAlias = Annotated[AuditQuery, in_query(AuditQuery)]
VerifyInQuery: TypeAlias = Annotated[VerifyQuery, in_query(VerifyQuery)]

routes = ROUTES.extend()


@routes.get(
    "/api/v1/audit",
    "access.list_audit_events",
    action("access_audit:read"),
    "Histórico do catálogo de acessos",
)
async def get_audit_events(call: Call, query: AuditInQuery) -> AuditEvents:
    """Devolve os eventos do catálogo, do mais novo ao mais antigo: mudanças, tentativas recusadas e leituras de dados
    de pessoas.
    """
    return await service.list_catalogue_events(call, query)


@routes.get(
    "/api/v1/audit/verify",
    "access.verify_audit",
    action("access_audit:read"),
    "Confere se o histórico está inteiro",
)
async def verify_audit(call: Call, query: VerifyInQuery) -> Verdict:
    """Recalcula os hashes da corrente e informa onde ela se rompe. Guarde `head_hash` fora da plataforma para perceber
    depois se o fim da corrente foi cortado.
    """
    return await service.verify_trail(call, query)


FEATURE = Feature(routes=routes.declared)
