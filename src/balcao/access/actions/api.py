"""Routes of the authorization actions."""

from typing import Annotated

from litestar import Response
from litestar.params import JSONBody

from balcao.access.actions import service
from balcao.access.actions.schemas import Action, ActionChange
from balcao.access.catalogue.service import refusal
from balcao.access.operations import write
from balcao.core.access.rules import action
from balcao.core.http.decoding import integer
from balcao.core.http.operations import CurrentCall, path_integer
from balcao.core.http.responses import Ready

ActionId = Annotated[str, path_integer("Id da ação", 1)]


@write(
    "PUT",
    "/api/v1/actions/{action_id:str}",
    "access.update_action",
    action("action:update"),
    "Altera o nome ou a descrição de uma ação",
    body=ActionChange,
    integers=["action_id"],
    errors=[400, 404, 412, 422],
    refused=refusal("action.update", "action", "action_id"),
)
async def update_action(call: CurrentCall, action_id: ActionId, data: JSONBody[ActionChange]) -> Response[Action]:
    return _written(await service.update_action(call, integer(action_id), data))


def _written(written: service.Written) -> Response[Action]:
    ready = Ready.of(written.action)
    headers = {"ETag": ready.etag, "X-Catalogue-Version": str(written.version), "Cache-Control": "no-store"}
    return Response(written.action, headers=headers)


ROUTES = [update_action]
