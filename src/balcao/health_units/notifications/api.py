"""Routes for notifications: the operations of staff, and the public list."""

from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.database.gauges import Gauge
from balcao.core.errors import Unprocessable
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import in_query, uuid_in_path
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.http.sent_headers import ETAG, LOCATION, sending
from balcao.health_units.notifications import service, store, views
from balcao.health_units.notifications.cursors import decode_notification_cursor, encode_notification_cursor
from balcao.health_units.notifications.schemas import (
    ChangeBody,
    CloseBody,
    LogQuery,
    NotificationDetail,
    NotificationLog,
    OpenBody,
    Remarks,
    StaffNotification,
)
from balcao.health_units.notifications.states import Notification
from balcao.health_units.operations import ID_PATTERN, NO_UUID, READ, CnesInPath
from balcao.health_units.routes import ROUTES

IdInPath: TypeAlias = Annotated[
    UUID,
    uuid_in_path(
        "Identificador da notificação",
        "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90",
        lambda: Unprocessable(code="notification-id-invalid", faults=[NO_UUID]),
        ID_PATTERN,
    ),
]
MANAGE = action("risk_notification:manage")

routes = ROUTES.extend(tags=["risco"], body_limit=SMALL_BODY)


@routes.get(
    "/unidade/{cnes}/notificacoes",
    "health_units.list_notifications",
    READ,
    "Notificações de risco de uma unidade",
)
async def get_notifications(
    call: Call, cnes: CnesInPath, query: Annotated[LogQuery, in_query(LogQuery)]
) -> NotificationLog:
    """Lista as notificações da unidade, da mais nova à mais antiga, sem as encerradas por engano. Para ler a página
    seguinte, envie `proximo` em `after`, até que `proximo` seja nulo. Qualquer pessoa com token pode ler; uma máquina
    precisa do escopo `sms:read`.
    """
    before = decode_notification_cursor(cnes, query.after) if query.after else None
    found = await service.list_notifications(call, cnes, query, before)
    page = found[: query.limit]
    after = encode_notification_cursor(cnes, page[-1].aberta_em) if len(found) > len(page) else None
    return NotificationLog([views.show_to_public(each, call.zone) for each in page], after)


@routes.post(
    "/unidade/{cnes}/notificacoes",
    "health_units.open_notification",
    MANAGE,
    "Abre uma notificação de risco",
    status=201,
    example={
        "risco": "Amarelo",
        "motivo": "tiros na rua de cima",
        "ocorrencia": "confronto_armado",
        "consequencias": ["visitas_suspensas"],
    },
    errors=[400, 409],
)
@sending(LOCATION)
async def open_notification(call: Call, cnes: CnesInPath, body: OpenBody) -> Response[StaffNotification]:
    """Abre uma notificação para a unidade. Se já há outra ativa, a resposta é 409. O público vê a cor imediatamente; o
    motivo, a ocorrência e as consequências (das listas de `/listas`) são vistos só pela equipe.
    """
    opened = await service.open_notification(call, cnes, body)
    headers = {LOCATION.name: f"notificacoes/{opened.id}"}
    return _respond(call, opened, body.remarks, status=201, headers=headers)


@routes.get(
    "/unidade/{cnes}/notificacoes/{id}",
    "health_units.read_notification",
    action("risk_notification:read"),
    "Uma notificação de risco, com o seu registro",
    errors=[422],
)
async def get_notification(call: Call, cnes: CnesInPath, id: IdInPath) -> Response[NotificationDetail]:
    """Devolve uma notificação, mesmo encerrada por engano, com todos os eventos, seus autores e motivos. Exige a ação
    `risk_notification:read`. A leitura fica na trilha de auditoria.
    """
    found, log = await service.read_notification(call, cnes, id)
    return to_json(views.show_with_log(found, log, call.zone), headers={"ETag": found.etag, "Cache-Control": PERSONAL})


@routes.patch(
    "/unidade/{cnes}/notificacoes/{id}",
    "health_units.change_notification",
    MANAGE,
    "Muda ou confirma a cor de uma notificação",
    example={"risco": "Vermelho"},
    errors=[409, 412],
)
async def patch_notification(
    call: Call, cnes: CnesInPath, id: IdInPath, body: ChangeBody
) -> Response[StaffNotification]:
    """Muda a cor da notificação ativa. Enviar a mesma cor de novo confirma a notificação. Depois de encerrada, ela não
    muda mais (409). Com `If-Match`, a mudança só é feita se a notificação não mudou desde que foi lida.
    """
    return _respond(call, await service.change_notification(call, cnes, id, body), body.remarks)


@routes.post(
    "/unidade/{cnes}/notificacoes/{id}/encerramento",
    "health_units.close_notification",
    MANAGE,
    "Encerra uma notificação",
    example={"causa": "normalizacao", "risco": "Verde"},
    errors=[400, 409, 412],
)
async def close_notification(
    call: Call, cnes: CnesInPath, id: IdInPath, body: CloseBody
) -> Response[StaffNotification]:
    """Encerra a notificação para sempre. A cor só muda se `risco` for enviado. Com a causa `engano`, o público deixa de
    vê-la, e ela fica só no registro. Com `If-Match`, só é encerrada se não mudou desde que foi lida.
    """
    return _respond(call, await service.close_notification(call, cnes, id, body), body.remarks)


@sending(ETAG)
def _respond(
    call: Call,
    notification: Notification,
    remarks: Remarks,
    *,
    status: int | None = None,
    headers: dict[str, str] | None = None,
) -> Response[StaffNotification]:
    shown = views.show_to_staff(notification, remarks, call.author.name, call.zone)
    common = {ETAG.name: notification.etag, "Cache-Control": PERSONAL}
    return to_json(shown, status=status, headers=common | (headers or {}))


FEATURE = Feature(
    routes=routes.declared,
    gauges=[
        Gauge(
            "balcao_risk_outdated_notifications",
            "Active notifications that were neither changed nor confirmed for 24 hours",
            (),
            store.count_outdated,
        )
    ],
    exports=store.EXPORTS,
)
