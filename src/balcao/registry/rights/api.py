"""Routes of the person's rights and of the audit trail."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import action, own
from balcao.core.http import decoding
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.paging import page_of
from balcao.core.http.responses import attachment, personal
from balcao.registry.paths import CpfInPath, path_cpf
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


@operation(
    "GET",
    "/citizen/{cpf:str}/data-export",
    "registry.export_data",
    own("citizen:export"),
    "Arquivo com todos os dados do cidadão",
    errors=[400, 404],
    tags=TAGS,
)
async def export_data(call: CurrentCall, cpf: CpfInPath) -> Response[Export]:
    return attachment(await service.export(call, path_cpf(cpf)), FILE_NAME)


@operation(
    "GET",
    "/citizen/{cpf:str}/data-access",
    "registry.list_accesses",
    own("audit:read"),
    "Quem viu ou mudou os dados do cidadão",
    errors=[304, 400],
    query=AccessQuery,
    tags=TAGS,
)
async def list_accesses(call: CurrentCall, cpf: CpfInPath, request: Request[Any, Any, Any]) -> Response[AccessPage]:
    found = await service.list_accesses(call, path_cpf(cpf), query_of(request), page_of(request))
    return personal(found, call)


@operation(
    "POST",
    "/citizen/{cpf:str}/anonymisation",
    "registry.anonymise_citizen",
    own("citizen:anonymise"),
    "Anonimiza o cidadão: primeiro uma simulação, depois a confirmação",
    errors=[400, 409],
    describes_body=AnonymisationBody,
    tags=TAGS,
)
async def anonymise_citizen(call: CurrentCall, cpf: CpfInPath, request: Request[Any, Any, Any]) -> Anonymisation:
    """Every member has a default, so an empty body is one too."""
    body = decoding.decode(await request.body() or b"{}", AnonymisationBody)
    return await anonymisation.anonymise(call, path_cpf(cpf), body)


@operation(
    "GET",
    "/admin/audit",
    "registry.list_audit_events",
    action("audit:read"),
    "Trilha de auditoria de um período de até 31 dias",
    errors=[304, 400],
    query=AuditQuery,
    tags=TAGS,
)
async def list_audit_events(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[AuditPage]:
    return personal(await service.list_events(call, query_of(request), page_of(request)), call)


ROUTES = [export_data, list_accesses, anonymise_citizen, list_audit_events]
