"""Routes for the city-wide view for staff: active notifications and recent events."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.health_units.overview import service
from balcao.health_units.overview.schemas import CityEvents, EventsQuery, OpenNotifications, OpenQuery
from balcao.health_units.routes import ROUTES

OpenInQuery: TypeAlias = Annotated[OpenQuery, in_query(OpenQuery)]
EventsInQuery: TypeAlias = Annotated[EventsQuery, in_query(EventsQuery)]
READ = action("risk_notification:read")

routes = ROUTES.extend(tags=["risco"])


@routes.get(
    "/notificacoes/ativas",
    "health_units.list_open_notifications",
    READ,
    "Notificações ativas da cidade inteira",
)
async def get_open_notifications(call: Call, query: OpenInQuery) -> Response[OpenNotifications]:
    """Lista as notificações ativas, como a equipe as vê, de todas as unidades que a permissão alcança: a cor mais alta
    primeiro e, na mesma cor, a que espera confirmação há mais tempo. Para confirmar, mudar ou encerrar uma delas, use o
    seu `id` e a sua `versao` (`ETag` `"v<versao>"`).
    """
    found = await service.list_open_notifications(call, query)
    return to_json(found, headers={"Cache-Control": PERSONAL})


@routes.get(
    "/notificacoes/eventos",
    "health_units.list_notification_events",
    READ,
    "O que aconteceu por último na cidade",
)
async def get_notification_events(call: Call, query: EventsInQuery) -> Response[CityEvents]:
    """Lista os eventos das notificações das unidades que a permissão alcança, do mais novo ao mais antigo, com autor e
    motivo. Com `cnes`, só os de uma unidade. Inclui as notificações encerradas por engano. A leitura fica na trilha de
    auditoria.
    """
    found = await service.list_notification_events(call, query)
    return to_json(found, headers={"Cache-Control": PERSONAL})


FEATURE = Feature(routes=routes.declared)
