"""Routes for the webhooks that notify senders about opt-outs."""

from datetime import timedelta
from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.jobs.worker import JobKind
from balcao.core.values.ids import UUID_PATTERN, parse_uuid
from balcao.core.webhooks.events import declare_event, declare_test
from balcao.registry.consent.opt_outs import service, store
from balcao.registry.consent.opt_outs.schemas import (
    OPTED_OUT,
    OptOut,
    OptOutWebhook,
    OptOutWebhookBody,
    OptOutWebhooks,
    OptOutWebhookWithSecret,
)
from balcao.registry.consent.opt_outs.service import WEBHOOKS
from balcao.registry.routes import ROUTES

WebhookIdInPath: TypeAlias = Annotated[
    UUID | None,
    InPath(parse_uuid, "Identificador do aviso", "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91", f"^{UUID_PATTERN}$"),
]
PATH = "/admin/opt-out-webhooks"
# The staff who maintain the categories also decide which senders are notified.
MANAGE = action("categories:write")
_NOT_CACHED = {"Cache-Control": PERSONAL}
_EXAMPLE = {"url": "https://envios.example/recusas", "description": "Sistema de envios"}

routes = ROUTES.extend(tags=["senders"], body_limit=SMALL_BODY)


@routes.get(PATH, "registry.list_opt_out_webhooks", MANAGE, "Quem é avisado das recusas")
async def get_opt_out_webhooks(call: Call) -> OptOutWebhooks:
    """Devolve os sistemas que são avisados, cada um com a última entrega e a última falha."""
    return OptOutWebhooks(await WEBHOOKS.list_webhooks(call))


@routes.post(
    PATH,
    "registry.add_opt_out_webhook",
    MANAGE,
    "Cadastra um sistema que é avisado das recusas",
    status=201,
    errors=[400, 409, 422],
    example=_EXAMPLE,
)
async def post_opt_out_webhook(call: Call, body: OptOutWebhookBody) -> Response[OptOutWebhookWithSecret]:
    """Cadastra um destino. Cada recusa é enviada por POST, assinada conforme Standard Webhooks (`webhook-id`,
    `webhook-timestamp`, `webhook-signature`), e nomeia os destinatários pela `reference` que a consulta deu: só quem
    perguntou por eles sabe quem são. Confira a assinatura com o `secret`, que só aparece nesta resposta, e responda 2xx
    em até 10 segundos. Sem essa resposta, o aviso é repetido por mais de um dia, sempre com o mesmo `webhook-id`.
    """
    return to_json(await service.add_webhook(call, body), status=201, headers=_NOT_CACHED)


@routes.get(f"{PATH}/{{webhook_id}}", "registry.read_opt_out_webhook", MANAGE, "Um sistema avisado das recusas")
async def get_opt_out_webhook(call: Call, webhook_id: WebhookIdInPath) -> OptOutWebhook:
    """Devolve o destino, sem o segredo."""
    return await WEBHOOKS.read_webhook(call, webhook_id)


@routes.put(
    f"{PATH}/{{webhook_id}}",
    "registry.replace_opt_out_webhook",
    MANAGE,
    "Altera um sistema avisado das recusas",
    errors=[422],
    example=_EXAMPLE | {"categories": ["health"], "active": False},
)
async def put_opt_out_webhook(call: Call, webhook_id: WebhookIdInPath, body: OptOutWebhookBody) -> OptOutWebhook:
    """Substitui o endereço, a descrição, as categorias e `active`. O segredo não muda."""
    return await service.replace_webhook(call, webhook_id, body)


@routes.delete(
    f"{PATH}/{{webhook_id}}",
    "registry.delete_opt_out_webhook",
    MANAGE,
    "Apaga um sistema avisado das recusas",
    status=204,
)
async def delete_opt_out_webhook(call: Call, webhook_id: WebhookIdInPath) -> None:
    """Exclui o destino. Os avisos que ainda esperam na fila não são mais enviados a ele."""
    await WEBHOOKS.delete_webhook(call, webhook_id)


@routes.post(
    f"{PATH}/{{webhook_id}}/secret",
    "registry.renew_opt_out_webhook_secret",
    MANAGE,
    "Troca o segredo de um sistema avisado das recusas",
    errors=[400, 409],
)
async def renew_opt_out_webhook_secret(call: Call, webhook_id: WebhookIdInPath) -> Response[OptOutWebhookWithSecret]:
    """Cria um novo segredo e o devolve só nesta resposta. Por 24 horas, cada aviso leva também a assinatura com o
    segredo anterior, para que o destino possa trocá-lo sem perder avisos.
    """
    return to_json(await WEBHOOKS.renew_secret(call, webhook_id), headers=_NOT_CACHED)


@routes.post(
    f"{PATH}/{{webhook_id}}/test",
    "registry.send_opt_out_webhook_test",
    MANAGE,
    "Envia um aviso de teste",
    status=202,
    errors=[400, 409],
)
async def send_opt_out_webhook_test(call: Call, webhook_id: WebhookIdInPath) -> Response[None]:
    """Põe na fila um aviso do tipo `test`. Consulte depois a última entrega ou falha do destino."""
    await WEBHOOKS.send_test(call, webhook_id)
    return Response(status=202)


FEATURE = Feature(
    routes=routes.declared,
    sent_events=[
        declare_event("RecipientOptedOut", OPTED_OUT, "Um destinatário deixou de aceitar mensagens", OptOut, "senders"),
        declare_test("senders"),
    ],
    jobs=[WEBHOOKS.job_kind, JobKind(store.ANNOUNCE_JOB, service.announce_opt_out)],
    dead_jobs=[DeadJobs(store.ANNOUNCE_JOB, "entry", store.find_subjects, store.list_entry_ids)],
    retention=[OldRows("opt_out", store.count_opt_outs, store.delete_old_opt_outs, timedelta(days=30))],
    exports=Exports(tables=("registry.opt_out_webhook",), derived=("registry.opt_out",)),
)
