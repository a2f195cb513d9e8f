"""Routes for webhooks."""

from datetime import timedelta
from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.agents.operations import CONFIG_ID
from balcao.agents.routes import ROUTES
from balcao.agents.webhooks import service, store
from balcao.agents.webhooks.schemas import (
    ACTIVATED,
    MESSAGE_ID,
    Activation,
    Deliveries,
    DeliveriesQuery,
    MessagePath,
    Webhook,
    WebhookBody,
    WebhookPath,
    Webhooks,
    WebhookWithSecret,
)
from balcao.agents.webhooks.service import WEBHOOKS
from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.decoding import validate_model
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath, in_query
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.http.sent_headers import LOCATION, sending
from balcao.core.values.ids import parse_uuid
from balcao.core.webhooks.events import declare_event, declare_test


def _parse_id(text: str) -> UUID | None:
    """Return the id from the path, or None if it is not a UUID and therefore no webhook's id.

    Raises Unprocessable if the id is too long or contains characters that no id may have.
    """
    return parse_uuid(validate_model({"webhook_id": text}, WebhookPath, "path").webhook_id)


WebhookIdInPath: TypeAlias = Annotated[
    UUID | None, InPath(_parse_id, "Identificador do aviso", "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91", CONFIG_ID)
]


def _parse_message(text: str) -> str:
    """Return the message id from the path. Raises Unprocessable if it is malformed."""
    return validate_model({"message": text}, MessagePath, "path").message


MessageInPath: TypeAlias = Annotated[
    str, InPath(_parse_message, "Identificador da mensagem", "msg_0190f3c27a527d1e9c1b3f5a2b7c8d91_42", MESSAGE_ID)
]
MANAGE = action("agent_webhook:manage")
_NOT_CACHED = {"Cache-Control": PERSONAL}

routes = ROUTES.extend(tags=["avisos"], body_limit=SMALL_BODY)


@routes.get(
    "/api/v1/webhooks",
    "agents.list_webhooks",
    MANAGE,
    "Quem é avisado das ativações",
)
async def get_agent_webhooks(call: Call) -> Webhooks:
    """Devolve os destinos de avisos, cada um com a última entrega e a última falha."""
    return Webhooks(await WEBHOOKS.list_webhooks(call))


@routes.post(
    "/api/v1/webhooks",
    "agents.add_webhook",
    MANAGE,
    "Cadastra um destino de avisos",
    status=201,
    example={"url": "https://agente.example/avisos", "description": "Agente do portal"},
    errors=[400, 409],
)
@sending(LOCATION)
async def post_agent_webhook(call: Call, body: WebhookBody) -> Response[WebhookWithSecret]:
    """Cadastra um destino de avisos. Cada ativação de outra versão é enviada por POST ao endereço, assinada conforme
    Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Confira a assinatura com o `secret`, que
    só aparece nesta resposta, e responda 2xx em até 10 segundos. Sem essa resposta, o aviso é repetido por mais de um
    dia, sempre com o mesmo `webhook-id`. Os avisos podem chegar fora de ordem: vale o de maior `activation`.
    """
    added = await WEBHOOKS.add_webhook(call, body)
    return to_json(added, status=201, headers=_NOT_CACHED | {LOCATION.name: f"webhooks/{added.id}"})


@routes.get(
    "/api/v1/webhooks/{webhook_id}",
    "agents.read_webhook",
    MANAGE,
    "Um destino de avisos",
    errors=[422],
)
async def get_agent_webhook(call: Call, webhook_id: WebhookIdInPath) -> Webhook:
    """Devolve o destino, sem o segredo."""
    return await WEBHOOKS.read_webhook(call, webhook_id)


@routes.put(
    "/api/v1/webhooks/{webhook_id}",
    "agents.replace_webhook",
    MANAGE,
    "Altera um destino de avisos",
    example={"url": "https://agente.example/avisos", "agent_types": ["agentic_search"], "active": False},
)
async def put_agent_webhook(call: Call, webhook_id: WebhookIdInPath, body: WebhookBody) -> Webhook:
    """Substitui o endereço, a descrição, os tipos de agente e `active`. O segredo não muda."""
    return await WEBHOOKS.replace_webhook(call, webhook_id, body)


@routes.delete(
    "/api/v1/webhooks/{webhook_id}",
    "agents.delete_webhook",
    MANAGE,
    "Apaga um destino de avisos",
    status=204,
    errors=[422],
)
async def delete_agent_webhook(call: Call, webhook_id: WebhookIdInPath) -> None:
    """Exclui o destino. Os avisos que ainda esperam na fila não são mais enviados a ele."""
    await WEBHOOKS.delete_webhook(call, webhook_id)


@routes.post(
    "/api/v1/webhooks/{webhook_id}/secret",
    "agents.renew_webhook_secret",
    MANAGE,
    "Troca o segredo de um destino",
    errors=[400, 409, 422],
)
async def renew_agent_webhook_secret(call: Call, webhook_id: WebhookIdInPath) -> Response[WebhookWithSecret]:
    """Cria um novo segredo e o devolve só nesta resposta. Por 24 horas, cada aviso leva também a assinatura com o
    segredo anterior, para que o destino possa trocá-lo sem perder avisos.
    """
    return to_json(await WEBHOOKS.renew_secret(call, webhook_id), headers=_NOT_CACHED)


@routes.post(
    "/api/v1/webhooks/{webhook_id}/test",
    "agents.send_webhook_test",
    MANAGE,
    "Envia um aviso de teste",
    status=202,
    errors=[400, 409, 422],
)
async def send_agent_webhook_test(call: Call, webhook_id: WebhookIdInPath) -> Response[None]:
    """Põe na fila um aviso do tipo `test`. Consulte depois a última entrega ou falha do destino."""
    await WEBHOOKS.send_test(call, webhook_id)
    return Response(status=202)


@routes.get(
    "/api/v1/webhooks/{webhook_id}/deliveries",
    "agents.list_webhook_deliveries",
    MANAGE,
    "O que foi enviado a um destino",
)
async def get_agent_webhook_deliveries(
    call: Call, webhook_id: WebhookIdInPath, query: Annotated[DeliveriesQuery, in_query(DeliveriesQuery)]
) -> Response[Deliveries]:
    """Devolve as mensagens com alguma tentativa nos últimos 30 dias, cada uma com as suas tentativas e o que deu
    errado. Uma mensagem só aparece depois da primeira tentativa.
    """
    return to_json(await service.list_agent_deliveries(call, webhook_id, query), headers=_NOT_CACHED)


@routes.post(
    "/api/v1/webhooks/{webhook_id}/deliveries/{message}/replay",
    "agents.replay_webhook_delivery",
    MANAGE,
    "Reenvia uma mensagem",
    status=202,
    errors=[400, 409, 422],
)
async def replay_agent_webhook_delivery(
    call: Call, webhook_id: WebhookIdInPath, message: MessageInPath
) -> Response[None]:
    """Põe a mensagem de novo na fila, com novas tentativas e o mesmo `webhook-id`, pelo qual o destino reconhece uma
    repetição. O destino precisa estar ativo (senão, 409).
    """
    await service.replay_agent_delivery(call, webhook_id, message)
    return Response(status=202)


FEATURE = Feature(
    routes=routes.declared,
    sent_events=[
        declare_event("AgentActivated", ACTIVATED, "Outra versão de um agente passou a valer", Activation),
        declare_test(),
    ],
    jobs=[WEBHOOKS.job_kind],
    retention=[
        OldRows(
            "agent_webhook_delivery",
            store.count_agent_deliveries,
            store.delete_old_agent_deliveries,
            timedelta(days=30),
        ),
    ],
    exports=Exports(tables=("agents.webhooks",), derived=("agents.webhook_deliveries",)),
)
