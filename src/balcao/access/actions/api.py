"""Routes of the authorization actions."""

from typing import Annotated

from balcao.access.actions import service
from balcao.access.actions.schemas import Action, ActionChange
from balcao.access.catalogue.service import refusal
from balcao.access.operations import MAX_BODY_BYTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import integer_in_path
from balcao.core.http.responses import Ready, Response

ActionId = Annotated[int, integer_in_path("Id da ação", 1)]


routes = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)


@routes.put(
    "/api/v1/actions/{action_id}",
    "access.update_action",
    action("action:update"),
    "Altera o nome ou a descrição de uma ação",
    errors=[400, 404, 412, 422],
    record_denial=refusal("action.update", "action", "action_id"),
    rate="60/minute",
)
async def update_action(call: Call, action_id: ActionId, body: ActionChange) -> Response[Action]:
    return _written(await service.update_action(call, action_id, body))


def _written(written: service.Written) -> Response[Action]:
    ready = Ready.of(written.action)
    headers = {"ETag": ready.etag, "X-Catalogue-Version": str(written.version), "Cache-Control": "no-store"}
    return Response(ready.body, headers=headers)
