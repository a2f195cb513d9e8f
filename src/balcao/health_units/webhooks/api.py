"""Routes of the webhooks."""

from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.errors import Unprocessable
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import uuid_in_path
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.http.sent_headers import LOCATION, sending
from balcao.health_units.operations import ID_PATTERN, NO_UUID
from balcao.health_units.routes import ROUTES
from balcao.health_units.webhooks.schemas import Webhook, WebhookBody, Webhooks, WebhookWithSecret
from balcao.health_units.webhooks.service import WEBHOOKS

IdInPath: TypeAlias = Annotated[
    UUID,
    uuid_in_path(
        "Identificador do aviso",
        "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91",
        lambda: Unprocessable(code="webhook-id-invalid", faults=[NO_UUID]),
        ID_PATTERN,
    ),
]
MANAGE = action("risk_webhook:manage")
_KEPT_SECRET = {"Cache-Control": PERSONAL}

routes = ROUTES.extend(tags=["avisos"], body_limit=SMALL_BODY)


@routes.get(
    "/avisos",
    "health_units.list_webhooks",
    MANAGE,
    "Quem é avisado das mudanças",
)
async def list_webhooks(call: Call) -> Webhooks:
    """Lista os destinos dos avisos, com a última entrega e a última falha de cada um."""
    return Webhooks(await WEBHOOKS.list_webhooks(call))


@routes.post(
    "/avisos",
    "health_units.add_webhook",
    MANAGE,
    "Cadastra um destino de avisos",
    status=201,
    example={"url": "https://painel.example/avisos", "descricao": "Painel do centro de operações"},
    errors=[409],
)
@sending(LOCATION)
async def add_webhook(call: Call, body: WebhookBody) -> Response[WebhookWithSecret]:
    """Cada mudança pública das unidades, a mesma do fluxo, é enviada ao endereço por POST, assinada conforme Standard
    Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Confira a assinatura com o `segredo`, que só esta
    resposta mostra, e responda 2xx em até 10 segundos; senão o aviso é repetido, com o mesmo `webhook-id`, por mais de
    um dia. A ordem não é garantida: vale a maior `sequencia`.
    """
    added = await WEBHOOKS.add_webhook(call, body)
    return to_json(added, status=201, headers=_KEPT_SECRET | {LOCATION.name: f"avisos/{added.id}"})


@routes.get(
    "/avisos/{id}",
    "health_units.read_webhook",
    MANAGE,
    "Um destino de avisos",
    errors=[422],
)
async def read_webhook(call: Call, id: IdInPath) -> Webhook:
    """Devolve o destino, sem o segredo."""
    return await WEBHOOKS.read_webhook(call, id)


@routes.put(
    "/avisos/{id}",
    "health_units.replace_webhook",
    MANAGE,
    "Altera um destino de avisos",
    example={"url": "https://painel.example/avisos", "unidades": ["9900001"], "ativo": False},
)
async def replace_webhook(call: Call, id: IdInPath, body: WebhookBody) -> Webhook:
    """Substitui endereço, descrição, unidades e se é avisado; o segredo fica."""
    return await WEBHOOKS.replace_webhook(call, id, body)


@routes.delete(
    "/avisos/{id}",
    "health_units.delete_webhook",
    MANAGE,
    "Apaga um destino de avisos",
    status=204,
    errors=[422],
)
async def delete_webhook(call: Call, id: IdInPath) -> Response[None]:
    """O que ainda espera envio não é mais enviado."""
    await WEBHOOKS.delete_webhook(call, id)
    return Response(status=204)


@routes.post(
    "/avisos/{id}/segredo",
    "health_units.renew_webhook_secret",
    MANAGE,
    "Troca o segredo de um destino",
    errors=[422],
)
async def renew_webhook_secret(call: Call, id: IdInPath) -> Response[WebhookWithSecret]:
    """Devolve um segredo novo, mostrado só agora. Por 24 horas cada aviso leva também a assinatura do anterior, para
    que o destino troque sem perder nenhum.
    """
    return to_json(await WEBHOOKS.renew_secret(call, id), headers=_KEPT_SECRET)


@routes.post(
    "/avisos/{id}/teste",
    "health_units.send_webhook_test",
    MANAGE,
    "Envia um aviso de teste",
    status=202,
    errors=[422],
)
async def send_test(call: Call, id: IdInPath) -> Response[None]:
    """Põe na fila um aviso do tipo `teste`; veja depois a última entrega ou falha do destino."""
    await WEBHOOKS.send_test(call, id)
    return Response(status=202)


FEATURE = Feature(routes=routes.declared, jobs=[WEBHOOKS.job_kind], exports=Exports(tables=("health_units.webhooks",)))
