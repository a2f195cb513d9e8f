"""Routes of the departments; logged-out pages call them without a header."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import public
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.paging import page_of
from balcao.core.http.responses import PUBLIC, with_etag
from balcao.registry.city.departments import service
from balcao.registry.city.departments.paths import DepartmentInPath
from balcao.registry.city.departments.schemas import Department, DepartmentQuery, Departments


@operation(
    "GET",
    "/departments",
    "registry.list_departments",
    public(),
    "Órgãos da prefeitura",
    errors=[304, 400],
    query=DepartmentQuery,
    tags=["departments"],
)
async def list_departments(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[Departments]:
    return with_etag(await service.list_departments(call, query_of(request), page_of(request)), call, PUBLIC)


@operation(
    "GET",
    "/departments/{cd_ua:str}",
    "registry.read_department",
    public(),
    "Um órgão da prefeitura",
    errors=[304, 404],
    tags=["departments"],
)
async def read_department(call: CurrentCall, cd_ua: DepartmentInPath) -> Response[Department]:
    return with_etag(await service.read_department(call, cd_ua), call, PUBLIC)


ROUTES = [list_departments, read_department]
