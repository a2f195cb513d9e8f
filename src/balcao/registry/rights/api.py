"""Routes of the person's rights and of the audit trail."""

from balcao.core.access.rules import action, own
from balcao.core.context.call import Call
from balcao.core.http import decoding
from balcao.core.http.operations import Routes
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response, attachment, personal
from balcao.registry.paths import CpfInPath
from balcao.registry.rights import anonymisation, service
from balcao.registry.rights.schemas import (
    AccessPage,
    AccessQuery,
    Anonymisation,
    AnonymisationBody,
    AuditPage,
    AuditQuery,
    Export,
)

FILE_NAME = "dados-do-cidadao.json"
TAGS = ["rights"]


routes = Routes(tags=TAGS)


@routes.get(
    "/citizen/{cpf}/data-export",
    "registry.export_data",
    own("citizen:export"),
    "Arquivo com todos os dados do cidadão",
    errors=[400, 404],
)
async def export_data(call: Call, cpf: CpfInPath) -> Response[Export]:
    return attachment(await service.export(call, cpf), FILE_NAME)


@routes.get(
    "/citizen/{cpf}/data-access",
    "registry.list_accesses",
    own("audit:read"),
    "Quem viu ou mudou os dados do cidadão",
    errors=[304, 400],
    query=AccessQuery,
)
async def list_accesses(call: Call, cpf: CpfInPath, query: Query, page: PageInQuery) -> Response[AccessPage]:
    found = await service.list_accesses(call, cpf, query, page)
    return personal(found, call)


@routes.post(
    "/citizen/{cpf}/anonymisation",
    "registry.anonymise_citizen",
    own("citizen:anonymise"),
    "Anonimiza o cidadão: primeiro uma simulação, depois a confirmação",
    errors=[400, 409],
    described_body=AnonymisationBody,
)
async def anonymise_citizen(call: Call, cpf: CpfInPath, content: bytes) -> Anonymisation:
    """Every member has a default, so an empty body is one too."""
    body = decoding.decode(content or b"{}", AnonymisationBody)
    return await anonymisation.anonymise(call, cpf, body)


@routes.get(
    "/admin/audit",
    "registry.list_audit_events",
    action("audit:read"),
    "Trilha de auditoria de um período de até 31 dias",
    errors=[304, 400],
    query=AuditQuery,
)
async def list_audit_events(call: Call, query: Query, page: PageInQuery) -> Response[AuditPage]:
    return personal(await service.list_events(call, query, page), call)
