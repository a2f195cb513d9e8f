"""Route of the CRM's events."""

from balcao.core.access.rules import client
from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.http.operations import UNLIMITED, Routes
from balcao.registry.crm.events import event_parser, service
from balcao.registry.crm.events.schemas import Acknowledgement, WebhookBody

routes = Routes(tags=["crm"])


@routes.post(
    "/webhooks/crm/cidadao",
    "registry.receive_crm_event",
    client("CRM_WEBHOOK_CLIENTS"),
    "Recebe uma alteração ou anonimização vinda do CRM",
    status=202,
    errors=[400],
    described_body=WebhookBody,
    description=(
        "O CRM avisa que o cadastro de uma pessoa mudou ou deve ser anonimizado. 202 diz que o evento está gravado e "
        "será aplicado em seguida, na ordem de `updatedAt` e não na da chegada; repetir o mesmo evento não muda nada. "
        "Só os clientes de `CRM_WEBHOOK_CLIENTS` podem chamar."
    ),
    example={
        "cpf": "90000000175",
        "evento": "atualizacao",
        "updatedAt": "2026-03-01T12:00:00Z",
        "dados": {"nomeExibicao": "Ana", "telefonePrincipal": "+5521999990000", "idioma": ["Português"]},
    },
    body_limit=event_parser.BODY_LIMIT,
    rate=UNLIMITED,
    in_maintenance=True,
    too_large=lambda: Invalid(f"O corpo passa de {event_parser.BODY_LIMIT} bytes.", code="body-too-large"),
    ready=service.require_configured,
)
async def receive_crm_event(call: Call, content: bytes) -> Acknowledgement:
    return await service.accept(call, content)
