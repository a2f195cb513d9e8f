"""Routes of the catalogue's history."""

from typing import Annotated, TypeAlias

from balcao.access.audit import service
from balcao.access.audit.schemas import AuditEvents, AuditQuery, Verdict, VerifyQuery
from balcao.access.conventions import MAX_BODY_BYTES, in_query
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

AuditInQuery: TypeAlias = Annotated[AuditQuery, in_query(AuditQuery)]
VerifyInQuery: TypeAlias = Annotated[VerifyQuery, in_query(VerifyQuery)]

routes = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)


@routes.get(
    "/api/v1/audit",
    "access.list_audit_events",
    action("access_audit:read"),
    "Histórico do catálogo de acessos",
    description=(
        "Devolve quem mudou o quê, quem foi recusado e quem leu dados de pessoas, o mais novo primeiro. Exige a ação "
        "`access_audit:read`."
    ),
    errors=[422],
)
async def list_audit_events(call: Call, query: AuditInQuery) -> AuditEvents:
    """List events."""
    return await service.list_events(call, query)


@routes.get(
    "/api/v1/audit/verify",
    "access.verify_audit",
    action("access_audit:read"),
    "Confere se o histórico está inteiro",
    description=(
        "Refaz os hashes da corrente e diz onde ela se rompe; guarde `head_hash` fora da plataforma para notar um fim "
        "cortado. Exige a ação `access_audit:read`."
    ),
    errors=[422],
)
async def verify_audit(call: Call, query: VerifyInQuery) -> Verdict:
    """Verify the chain."""
    return await service.verify(call, query)
