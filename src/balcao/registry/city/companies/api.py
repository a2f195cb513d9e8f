"""Routes of the companies."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import authenticated, client, own, scope
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.paging import page_of
from balcao.core.http.responses import personal
from balcao.registry.city.companies import service
from balcao.registry.city.companies.cnpj import CnpjInPath, path_cnpj
from balcao.registry.city.companies.schemas import Companies, Company, CompanyQuery
from balcao.registry.paths import CpfInPath, path_cpf


@operation(
    "GET",
    "/citizen/{cpf:str}/legal-entities",
    "registry.list_companies",
    own(service.READ) | scope("smf:read"),
    "Empresas de que o cidadão é sócio ou responsável",
    errors=[304, 400],
    query=CompanyQuery,
    tags=["companies"],
)
async def list_companies(call: CurrentCall, request: Request[Any, Any, Any], cpf: CpfInPath) -> Response[Companies]:
    found = await service.list_companies(call, path_cpf(cpf), query_of(request), page_of(request))
    return personal(found, call)


@operation(
    "GET",
    "/legal-entity/{cnpj:str}",
    "registry.read_company",
    authenticated().testing(service.READ) | scope("smf:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Uma empresa",
    errors=[304, 400, 404],
    tags=["companies"],
)
async def read_company(call: CurrentCall, cnpj: CnpjInPath) -> Response[Company]:
    return personal(await service.read_company(call, path_cnpj(cnpj)), call)


ROUTES = [list_companies, read_company]
