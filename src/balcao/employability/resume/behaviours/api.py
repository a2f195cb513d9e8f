"""Routes of the behaviours and attitudes in a resume."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import CallersCpf
from balcao.employability.paths import IntegerInPath
from balcao.employability.resume.behaviours import service
from balcao.employability.schemas import Message

routes = Routes(tags=["resume"])


@routes.delete(
    "/api/v1/empregabilidade/curriculo/comportamentos-atitudes/{id}",
    "employability.remove_behaviour_link",
    authenticated(),
    "Retira um comportamento ou atitude do próprio currículo",
    description=(
        "Desfaz a ligação entre o currículo de quem chama e um comportamento do catálogo, que continua no catálogo. O "
        "`id` é o da ligação. O token precisa identificar uma pessoa; a ligação de outra pessoa não existe (404)."
    ),
    errors=[400, 404],
    rate="60/minute",
)
async def remove_behaviour_link(call: Call, person: CallersCpf, id: IntegerInPath) -> Message:
    """Remove a behaviour from the caller's own resume."""
    return await service.remove_link(call.as_owner(), person, id)
