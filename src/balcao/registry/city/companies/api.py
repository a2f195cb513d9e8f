"""Routes for companies."""

from balcao.core.access.rules import authenticated, client, own, scope
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.paging import MenuPageInQuery
from balcao.core.http.parameters import CpfInPath, Query
from balcao.core.http.responses import Response, personal
from balcao.registry.city.companies import service, store
from balcao.registry.city.companies.cnpj import CnpjInPath
from balcao.registry.city.companies.imports import IMPORTS
from balcao.registry.city.companies.personal_data import PERSONAL_DATA
from balcao.registry.city.companies.schemas import Companies, Company, CompanyQuery
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["companies"])


@routes.get(
    "/citizen/{cpf}/legal-entities",
    "registry.list_companies",
    own(service.READ) | scope("smf:read"),
    "Empresas de que o cidadão é sócio ou responsável",
    errors=[304],
    query=CompanyQuery,
)
async def get_registered_companies(
    call: Call, cpf: CpfInPath, query: Query, page: MenuPageInQuery
) -> Response[Companies]:
    """Devolve uma página das empresas de que o cidadão é sócio ou responsável, em ordem de CNPJ, como a cidade as
    importou. Disponível para o próprio cidadão, para atendentes com a ação `companies:read` e para clientes com o
    escopo `smf:read`. Os CPFs de outras pessoas vêm mascarados.
    """
    found = await service.list_registered_companies(call, cpf, query, page)
    return personal(found, call)


@routes.get(
    "/legal-entity/{cnpj}",
    "registry.read_company",
    authenticated().testing(service.READ) | scope("smf:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Uma empresa",
    errors=[304, 400],
)
async def get_registered_company(call: Call, cnpj: CnpjInPath) -> Response[Company]:
    """Devolve uma empresa pelo CNPJ. Podem vê-la os seus sócios e responsáveis, quem tem a ação `companies:read` ou o
    escopo `smf:read` e o cliente da própria plataforma. Para os demais a resposta é 403, mesmo que a empresa não
    exista.
    """
    return personal(await service.read_registered_company(call, cnpj), call)


FEATURE = Feature(
    routes=routes.declared,
    personal_data=PERSONAL_DATA,
    imports=IMPORTS,
    exports=store.EXPORTS,
)
