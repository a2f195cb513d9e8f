"""Routes of the citizen record."""

from balcao.core.access.rules import client, own, scope
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.registry.person.citizens import service, store
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.registry.person.citizens.personal_data import PERSONAL_DATA
from balcao.registry.person.citizens.schemas import Citizen
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}",
    "registry.read_citizen",
    own("citizen:read") | scope("rmi:pessoa-fisica:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Cadastro do cidadão, com o que ele declarou",
    errors=[304, 400],
)
async def read_citizen(call: Call, cpf: CpfInPath) -> Response[Citizen]:
    """Devolve o cadastro da cidade com o que o cidadão declarou por cima; o que não se conhece vem nulo. Podem ler o
    próprio cidadão, quem tem a ação `citizen:read`, sistemas com o escopo `rmi:pessoa-fisica:read` e os clientes da
    plataforma. Por escopo faltam os dados sensíveis, e o telefone pede ainda `rmi:telefone:read`.
    """
    return personal(await service.read_citizen(call, cpf), call)


FEATURE = Feature(routes=routes.declared, personal_data=PERSONAL_DATA, imports=IMPORTS, exports=store.EXPORTS)
