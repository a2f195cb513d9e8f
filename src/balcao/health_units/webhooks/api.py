"""Routes of the webhooks."""

import re
from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.http.sent_headers import LOCATION, sending
from balcao.health_units.notifications.schemas import NOTIFICATION_ID as UUID_PATTERN
from balcao.health_units.operations import RATES
from balcao.health_units.webhooks import service
from balcao.health_units.webhooks.schemas import Webhook, WebhookBody, Webhooks, WebhookWithSecret


def _parse_id(text: str) -> UUID:
    """Return the id of a path. Raises Unprocessable."""
    if not re.fullmatch(UUID_PATTERN, text):
        item = Fault(loc=["path", "id"], msg="deve ser um UUID", type="string_pattern_mismatch")
        raise Unprocessable(code="webhook-id-invalid", faults=[item])
    return UUID(text)


IdInPath: TypeAlias = Annotated[
    UUID, InPath(_parse_id, "Identificador do aviso", "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91", UUID_PATTERN)
]
MANAGE = action("risk_webhook:manage")
_NEEDED = " Exige a ação `risk_webhook:manage`."
_KEPT_SECRET = {"Cache-Control": PERSONAL}

routes = Routes(tags=["avisos"], dialect=DETAIL, body_limit=SMALL_BODY)


@routes.get(
    "/avisos",
    "health_units.list_webhooks",
    MANAGE,
    "Quem é avisado das mudanças",
    description="Lista os destinos dos avisos, com a última entrega e a última falha de cada um." + _NEEDED,
    **RATES,
)
async def list_webhooks(call: Call) -> Webhooks:
    """List the webhooks."""
    return await service.list_webhooks(call)


@routes.post(
    "/avisos",
    "health_units.add_webhook",
    MANAGE,
    "Cadastra um destino de avisos",
    description=(
        "Cada mudança pública das unidades, a mesma do fluxo, é enviada ao endereço por POST, assinada conforme "
        "Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Confira a assinatura com o "
        "`segredo`, que só esta resposta mostra, e responda 2xx em até 10 segundos; senão o aviso é repetido, com o "
        "mesmo `webhook-id`, por mais de um dia. A ordem não é garantida: vale a maior `sequencia`." + _NEEDED
    ),
    status=201,
    example={"url": "https://painel.example/avisos", "descricao": "Painel do centro de operações"},
    errors=[409, 422],
    **RATES,
)
@sending(LOCATION)
async def add_webhook(call: Call, body: WebhookBody) -> Response[WebhookWithSecret]:
    """Add a webhook."""
    added = await service.add_webhook(call, body)
    return to_json(added, status=201, headers=_KEPT_SECRET | {LOCATION.name: f"avisos/{added.id}"})


@routes.get(
    "/avisos/{id}",
    "health_units.read_webhook",
    MANAGE,
    "Um destino de avisos",
    description="Devolve o destino, sem o segredo." + _NEEDED,
    errors=[404, 422],
    **RATES,
)
async def read_webhook(call: Call, id: IdInPath) -> Webhook:
    """Return a webhook."""
    return await service.read_webhook(call, id)


@routes.put(
    "/avisos/{id}",
    "health_units.replace_webhook",
    MANAGE,
    "Altera um destino de avisos",
    description="Substitui endereço, descrição, unidades e se é avisado; o segredo fica." + _NEEDED,
    example={"url": "https://painel.example/avisos", "unidades": ["9900001"], "ativo": False},
    errors=[404, 422],
    **RATES,
)
async def replace_webhook(call: Call, id: IdInPath, body: WebhookBody) -> Webhook:
    """Replace a webhook."""
    return await service.replace_webhook(call, id, body)


@routes.delete(
    "/avisos/{id}",
    "health_units.delete_webhook",
    MANAGE,
    "Apaga um destino de avisos",
    description="O que ainda espera envio não é mais enviado." + _NEEDED,
    status=204,
    errors=[404, 422],
    **RATES,
)
async def delete_webhook(call: Call, id: IdInPath) -> Response[None]:
    """Delete a webhook."""
    await service.delete_webhook(call, id)
    return Response(status=204)


@routes.post(
    "/avisos/{id}/segredo",
    "health_units.renew_webhook_secret",
    MANAGE,
    "Troca o segredo de um destino",
    description=(
        "Devolve um segredo novo, mostrado só agora. Por 24 horas cada aviso leva também a assinatura do anterior, "
        "para que o destino troque sem perder nenhum." + _NEEDED
    ),
    errors=[404, 422],
    **RATES,
)
async def renew_webhook_secret(call: Call, id: IdInPath) -> Response[WebhookWithSecret]:
    """Give a webhook a new secret."""
    return to_json(await service.renew_secret(call, id), headers=_KEPT_SECRET)


@routes.post(
    "/avisos/{id}/teste",
    "health_units.send_webhook_test",
    MANAGE,
    "Envia um aviso de teste",
    description="Põe na fila um aviso do tipo `teste`; veja depois a última entrega ou falha do destino." + _NEEDED,
    status=202,
    errors=[404, 422],
    **RATES,
)
async def send_test(call: Call, id: IdInPath) -> Response[None]:
    """Have a test sent."""
    await service.send_test(call, id)
    return Response(status=202)
