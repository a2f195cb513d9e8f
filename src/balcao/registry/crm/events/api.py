"""Route of the CRM's events."""

from balcao.core.access.rules import client
from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.http.operations import Routes
from balcao.registry.crm.events import event_parser, service
from balcao.registry.crm.events.schemas import Acknowledgement, WebhookBody

routes = Routes(tags=["crm"])
EXAMPLE = {
    "cpf": "90000000175",
    "evento": "atualizacao",
    "updatedAt": "2026-03-02T12:30:00Z",
    "dados": {"email": "ana.moreira@pessoa.example", "telefonePrincipal": "5521990000001", "raca": None},
}


@routes.post(
    "/webhooks/crm/cidadao",
    "registry.receive_crm_event",
    client("CRM_WEBHOOK_CLIENTS"),
    "Recebe uma alteração ou anonimização vinda do CRM",
    description=(
        "Recebe do CRM uma alteração de dados ou uma anonimização e responde 202 depois de gravá-la; um "
        "trabalhador a aplica em seguida. Só os clientes de `CRM_WEBHOOK_CLIENTS` podem chamá-la. Repetir o "
        "mesmo evento não tem outro efeito, e a ordem de chegada não importa: vale o `updatedAt` mais novo de"
        " cada campo."
    ),
    example=EXAMPLE,
    status=202,
    errors=[400],
    described_body=WebhookBody,
    body_limit=event_parser.BODY_LIMIT,
    too_large=lambda: Invalid(f"O corpo passa de {event_parser.BODY_LIMIT} bytes.", code="body-too-large"),
    ready=service.require_configured,
)
async def receive_crm_event(call: Call, content: bytes) -> Acknowledgement:
    return await service.accept(call, content)


ROUTES = routes.declared
