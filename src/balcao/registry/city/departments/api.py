"""Routes of the departments; logged-out pages call them without a header."""

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import LongMenuPageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import PUBLIC, Response, with_etag
from balcao.registry.city.departments import service
from balcao.registry.city.departments.paths import DepartmentInPath
from balcao.registry.city.departments.schemas import Department, DepartmentQuery, Departments

routes = Routes(tags=["departments"])


@routes.get(
    "/departments",
    "registry.list_departments",
    public(),
    "Órgãos da prefeitura",
    description=(
        "Devolve uma página dos órgãos da prefeitura, por nível e na ordem do organograma, filtrados por "
        "nome, sigla, órgão superior ou nível. Operação pública; o `ETag` permite repetir a leitura sem corpo"
        " (304)."
    ),
    errors=[304, 400],
    query=DepartmentQuery,
)
async def list_departments(call: Call, query: Query, page: LongMenuPageInQuery) -> Response[Departments]:
    return with_etag(await service.list_departments(call, query, page), call, PUBLIC)


@routes.get(
    "/departments/{cd_ua}",
    "registry.read_department",
    public(),
    "Um órgão da prefeitura",
    description="Devolve um órgão pelo código. Operação pública; um código desconhecido é 404.",
    errors=[304, 404],
)
async def read_department(call: Call, cd_ua: DepartmentInPath) -> Response[Department]:
    return with_etag(await service.read_department(call, cd_ua), call, PUBLIC)
