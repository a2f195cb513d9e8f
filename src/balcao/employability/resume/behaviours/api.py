"""Routes of the behaviours and attitudes in a resume."""

from balcao.core.access.rules import authenticated
from balcao.core.http.operations import CurrentCall, operation
from balcao.employability.paths import IntegerInPath, path_integer
from balcao.employability.resume.behaviours import service
from balcao.employability.schemas import Message


@operation(
    "DELETE",
    "/api/v1/empregabilidade/curriculo/comportamentos-atitudes/{id:str}",
    "employability.remove_behaviour_link",
    authenticated(),
    "Retira um comportamento ou atitude do próprio currículo",
    errors=[400, 404],
    rate="60/minute",
    tags=["resume"],
)
async def remove_behaviour_link(call: CurrentCall, id: IntegerInPath) -> Message:
    return await service.remove_link(call.as_owner(), call.person, path_integer(id))


ROUTES = [remove_behaviour_link]
