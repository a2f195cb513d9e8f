"""Routes of the authorization actions."""

from typing import Annotated

from balcao.access.actions import service
from balcao.access.actions.schemas import Action, ActionChange
from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import MAX_BODY_BYTES, WRITES
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
    description=(
        "Muda o nome ou a descrição de uma ação e devolve o registro; papéis e operações a seguem pelo id. Exige a "
        "ação `action:update`. O nome das ações da própria plataforma não muda (403). O cabeçalho "
        "`X-Catalogue-Version` diz a versão do catálogo que a mudança fez; com `If-Match`, ela só vale sobre o estado "
        "lido."
    ),
    example={"description": "Publica e retira avatares do catálogo."},
    errors=[400, 404, 412, 422],
    record_denial=make_denial_recorder("action.update", "action", "action_id"),
    rate=WRITES,
)
async def update_action(call: Call, action_id: ActionId, body: ActionChange) -> Response[Action]:
    """Rename or describe an action, and answer with the catalogue version that the change made."""
    return _respond(await service.update_action(call, action_id, body))


def _respond(saved: service.SavedAction) -> Response[Action]:
    ready = Ready.of(saved.action)
    headers = {"ETag": ready.etag, "X-Catalogue-Version": str(saved.version), "Cache-Control": "no-store"}
    return Response(ready.body, headers=headers)
