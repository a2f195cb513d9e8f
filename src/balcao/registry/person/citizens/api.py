"""Routes for the citizen record."""

from balcao.core.access.rules import client, own, scope
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import CpfInPath, Query
from balcao.core.http.responses import Response, personal
from balcao.core.values.flags import parse_flag_parameter
from balcao.registry.person.citizens import service, store
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.registry.person.citizens.personal_data import PERSONAL_DATA
from balcao.registry.person.citizens.schemas import Citizen, Provenance, ProvenanceQuery
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}",
    "registry.read_citizen",
    own("citizen:read") | scope("rmi:pessoa-fisica:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Cadastro do cidadão, com o que ele declarou",
    errors=[304, 400],
)
async def get_citizen(call: Call, cpf: CpfInPath) -> Response[Citizen]:
    """Devolve o cadastro da cidade combinado com o que o cidadão declarou, que prevalece. Dados desconhecidos vêm
    nulos. Podem lê-lo o próprio cidadão, quem tem a ação `citizen:read`, sistemas com o escopo `rmi:pessoa-fisica:read`
    e os clientes da plataforma. Quem lê por escopo não recebe os dados sensíveis, e só recebe o telefone se tem também
    o escopo `rmi:telefone:read`.
    """
    return personal(await service.read_citizen(call, cpf), call)


@routes.get(
    "/citizen/{cpf}/provenance",
    "registry.read_citizen_provenance",
    own("citizen:read"),
    "De onde vem cada dado do cadastro, e desde quando",
    errors=[304, 400],
    query=ProvenanceQuery,
)
async def get_provenance(call: Call, cpf: CpfInPath, query: Query) -> Response[Provenance]:
    """Devolve cada dado do cadastro com a origem, a data, a última confirmação pelo CRM e o valor da cidade que ele
    substitui. Os dados sensíveis (gênero, raça ou cor, deficiência, renda) só vêm com valor se `sensitive=true`; a
    trilha de auditoria distingue as duas leituras. Disponível para o próprio cidadão e para quem tem a ação
    `citizen:read`.
    """
    with_sensitive = parse_flag_parameter(query, "sensitive") or False
    return personal(await service.read_provenance(call, cpf, with_sensitive=with_sensitive), call)


FEATURE = Feature(routes=routes.declared, personal_data=PERSONAL_DATA, imports=IMPORTS, exports=store.EXPORTS)
