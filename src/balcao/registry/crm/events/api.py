"""Route of the CRM's events."""

from typing import Any

from litestar import Request

from balcao.core.access.rules import client
from balcao.core.errors import Invalid
from balcao.core.http.operations import CurrentCall, operation
from balcao.registry.crm.events import event_parser, service
from balcao.registry.crm.events.schemas import Acknowledgement, WebhookBody


@operation(
    "POST",
    "/webhooks/crm/cidadao",
    "registry.receive_crm_event",
    client("CRM_WEBHOOK_CLIENTS"),
    "Recebe uma alteração ou anonimização vinda do CRM",
    status=202,
    errors=[400],
    describes_body=WebhookBody,
    body_limit=event_parser.BODY_LIMIT,
    oversize=lambda: Invalid(f"O corpo passa de {event_parser.BODY_LIMIT} bytes.", code="body-too-large"),
    ready=service.integration_configured,
    tags=["crm"],
)
async def receive_crm_event(call: CurrentCall, request: Request[Any, Any, Any]) -> Acknowledgement:
    return await service.accept(call, await request.body())


ROUTES = [receive_crm_event]
