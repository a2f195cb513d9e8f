"""The route of the mirror as it stands."""

from litestar import Response

from balcao.core.access.rules import own
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import personal
from balcao.registry.crm.mirror_reading import service
from balcao.registry.crm.mirror_reading.schemas import CrmMirror
from balcao.registry.paths import CpfInPath, path_cpf


@operation(
    "GET",
    "/citizen/{cpf:str}/crm-mirror",
    "registry.read_crm_mirror",
    own("crm:read"),
    "O que o CRM e o cidadão disseram, campo a campo, com origem e data",
    errors=[304, 400],
    tags=["crm"],
)
async def read_crm_mirror(call: CurrentCall, cpf: CpfInPath) -> Response[CrmMirror]:
    return personal(await service.read_mirror(call, path_cpf(cpf)), call)


ROUTES = [read_crm_mirror]
