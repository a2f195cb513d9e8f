"""Routes of the CRM integration."""

from typing import Any

from litestar import Request

from balcao.core.access.rules import authenticated, client
from balcao.core.errors import Invalid
from balcao.core.http.operations import CurrentCall, operation
from balcao.registry.crm.events import event_parser as door
from balcao.registry.crm.events import service
from balcao.registry.crm.events.schemas import Acknowledgement, LoginSync, WebhookBody
from balcao.registry.crm.login import service as login


@operation(
    "POST",
    "/webhooks/crm/cidadao",
    "registry.receive_crm_event",
    client("CRM_WEBHOOK_CLIENTS"),
    "Recebe uma alteração ou anonimização vinda do CRM",
    status=202,
    errors=[400],
    describes_body=WebhookBody,
    body_limit=door.BODY_LIMIT,
    oversize=lambda: Invalid(f"O corpo passa de {door.BODY_LIMIT} bytes.", code="body-too-large"),
    ready=service.integration_configured,
    tags=["crm"],
)
async def receive_crm_event(call: CurrentCall, request: Request[Any, Any, Any]) -> Acknowledgement:
    return await service.accept(call, await request.body())


@operation(
    "GET",
    "/auth/validate",
    "registry.validate_login",
    authenticated(),
    "Sincroniza a conta do CRM no login do cidadão",
    errors=[502],
    tags=["crm"],
)
async def validate_login(call: CurrentCall) -> LoginSync:
    return await login.validate(call)


ROUTES = [receive_crm_event, validate_login]
