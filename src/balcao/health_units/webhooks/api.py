"""Routes for webhooks."""

import re
from datetime import timedelta
from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath, in_query, uuid_in_path
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.http.sent_headers import LOCATION, sending
from balcao.core.webhooks.events import declare_event, declare_test
from balcao.health_units.feed.schemas import RiskEvent, UnitEvent
from balcao.health_units.feed.service import RISK, UNIT
from balcao.health_units.operations import ID_PATTERN, NO_UUID
from balcao.health_units.routes import ROUTES
from balcao.health_units.webhooks import service, store
from balcao.health_units.webhooks.schemas import (
    Deliveries,
    DeliveriesQuery,
    Webhook,
    WebhookBody,
    Webhooks,
    WebhookWithSecret,
)
from balcao.health_units.webhooks.service import TYPES, WEBHOOKS

IdInPath: TypeAlias = Annotated[
    UUID,
    uuid_in_path(
        "Identificador do aviso",
        "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91",
        lambda: Unprocessable(code="webhook-id-invalid", faults=[NO_UUID]),
        ID_PATTERN,
    ),
]
_NO_MESSAGE = Fault(
    loc=["path", "mensagem"], msg="não é o identificador de uma mensagem", type="string_pattern_mismatch"
)
_MESSAGE = r"^msg_[0-9a-f]{32}_[0-9a-f-]{1,36}$"


def _parse_message(text: str) -> str:
    if not re.fullmatch(_MESSAGE[1:-1], text):
        raise Unprocessable(code="webhook-id-invalid", faults=[_NO_MESSAGE])
    return text


MessageInPath: TypeAlias = Annotated[
    str,
    InPath(_parse_message, "Identificador da mensagem", "msg_0190f3c27a527d1e9c1b3f5a2b7c8d91_42", _MESSAGE),
]
MANAGE = action("risk_webhook:manage")
_NOT_CACHED = {"Cache-Control": PERSONAL}

routes = ROUTES.extend(tags=["avisos"], body_limit=SMALL_BODY)


@routes.get(
    "/avisos",
    "health_units.list_webhooks",
    MANAGE,
    "Quem é avisado das mudanças",
)
async def get_unit_webhooks(call: Call) -> Webhooks:
    """Lista os destinos dos avisos, com a última entrega e a última falha de cada um."""
    return Webhooks(await WEBHOOKS.list_webhooks(call))


@routes.post(
    "/avisos",
    "health_units.add_webhook",
    MANAGE,
    "Cadastra um destino de avisos",
    status=201,
    example={"url": "https://painel.example/avisos", "descricao": "Painel do centro de operações"},
    errors=[400, 409],
)
@sending(LOCATION)
async def post_unit_webhook(call: Call, body: WebhookBody) -> Response[WebhookWithSecret]:
    """Cadastra um destino. Cada mudança pública das unidades, a mesma do fluxo, é enviada ao endereço por POST,
    assinada conforme Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Confira a assinatura
    com o `segredo`, que só esta resposta mostra, e responda 2xx em até 10 segundos. Caso contrário, o aviso é repetido
    com o mesmo `webhook-id`, por mais de um dia. A ordem não é garantida: vale a maior `sequencia`.
    """
    added = await WEBHOOKS.add_webhook(call, body)
    return to_json(added, status=201, headers=_NOT_CACHED | {LOCATION.name: f"avisos/{added.id}"})


@routes.get(
    "/avisos/{id}",
    "health_units.read_webhook",
    MANAGE,
    "Um destino de avisos",
    errors=[422],
)
async def get_unit_webhook(call: Call, id: IdInPath) -> Webhook:
    """Devolve o destino, sem o segredo."""
    return await WEBHOOKS.read_webhook(call, id)


@routes.put(
    "/avisos/{id}",
    "health_units.replace_webhook",
    MANAGE,
    "Altera um destino de avisos",
    example={"url": "https://painel.example/avisos", "unidades": ["9900001"], "ativo": False},
)
async def put_unit_webhook(call: Call, id: IdInPath, body: WebhookBody) -> Webhook:
    """Substitui o endereço, a descrição, as unidades e o estado (`ativo`). O segredo não muda."""
    return await WEBHOOKS.replace_webhook(call, id, body)


@routes.delete(
    "/avisos/{id}",
    "health_units.delete_webhook",
    MANAGE,
    "Apaga um destino de avisos",
    status=204,
    errors=[422],
)
async def delete_unit_webhook(call: Call, id: IdInPath) -> None:
    """Apaga o destino. Os avisos que ainda esperam envio não são mais enviados."""
    await WEBHOOKS.delete_webhook(call, id)


@routes.post(
    "/avisos/{id}/segredo",
    "health_units.renew_webhook_secret",
    MANAGE,
    "Troca o segredo de um destino",
    errors=[400, 409, 422],
)
async def renew_unit_webhook_secret(call: Call, id: IdInPath) -> Response[WebhookWithSecret]:
    """Devolve um segredo novo, que só esta resposta mostra. Por 24 horas, cada aviso leva também a assinatura do
    segredo anterior, para que o destino faça a troca sem perder avisos.
    """
    return to_json(await WEBHOOKS.renew_secret(call, id), headers=_NOT_CACHED)


@routes.post(
    "/avisos/{id}/teste",
    "health_units.send_webhook_test",
    MANAGE,
    "Envia um aviso de teste",
    status=202,
    errors=[400, 409, 422],
)
async def send_unit_webhook_test(call: Call, id: IdInPath) -> Response[None]:
    """Põe na fila um aviso do tipo `test`. Veja depois a última entrega ou falha do destino."""
    await WEBHOOKS.send_test(call, id)
    return Response(status=202)


@routes.get(
    "/avisos/{id}/entregas",
    "health_units.list_webhook_deliveries",
    MANAGE,
    "O que foi enviado a um destino",
)
async def get_unit_webhook_deliveries(
    call: Call, id: IdInPath, query: Annotated[DeliveriesQuery, in_query(DeliveriesQuery)]
) -> Response[Deliveries]:
    """Lista as mensagens com tentativas de envio nos últimos 30 dias, cada uma com as suas últimas tentativas e os
    erros. As que ainda esperam a primeira tentativa não aparecem.
    """
    return to_json(await service.list_unit_deliveries(call, id, query), headers=_NOT_CACHED)


@routes.post(
    "/avisos/{id}/entregas/{mensagem}/reenvio",
    "health_units.replay_webhook_delivery",
    MANAGE,
    "Reenvia uma mensagem",
    status=202,
    errors=[400, 409, 422],
)
async def replay_unit_webhook_delivery(call: Call, id: IdInPath, mensagem: MessageInPath) -> Response[None]:
    """Põe a mensagem de novo na fila, com todas as tentativas e o mesmo `webhook-id`, pelo qual o destino reconhece a
    repetição. Se a mudança já não está guardada (depois de sete dias) ou o destino está desligado, a resposta é 409.
    """
    await service.replay_unit_delivery(call, id, mensagem)
    return Response(status=202)


FEATURE = Feature(
    routes=routes.declared,
    sent_events=[
        declare_event("HealthUnitRiskChanged", TYPES[RISK], "O risco de uma unidade mudou", RiskEvent),
        declare_event(
            "HealthUnitChanged",
            TYPES[UNIT],
            "Uma unidade foi cadastrada ou mudou, ou abre em outros horários",
            UnitEvent,
        ),
        declare_test(),
    ],
    jobs=[WEBHOOKS.job_kind],
    retention=[
        OldRows("webhook_delivery", store.count_unit_deliveries, store.delete_old_unit_deliveries, timedelta(days=30)),
    ],
    exports=Exports(tables=("health_units.webhooks",), derived=("health_units.webhook_deliveries",)),
)
