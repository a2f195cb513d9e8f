"""The route of the mirror as it stands."""

from balcao.core.access.rules import own
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, personal
from balcao.registry.crm.mirror_reading import service
from balcao.registry.crm.mirror_reading.schemas import CrmMirror
from balcao.registry.paths import CpfInPath

routes = Routes(tags=["crm"])


@routes.get(
    "/citizen/{cpf}/crm-mirror",
    "registry.read_crm_mirror",
    own("crm:read"),
    "O que o CRM e o cidadão disseram, campo a campo, com origem e data",
    errors=[304, 400],
)
async def read_crm_mirror(call: Call, cpf: CpfInPath) -> Response[CrmMirror]:
    return personal(await service.read_mirror(call, cpf), call)


ROUTES = routes.declared
