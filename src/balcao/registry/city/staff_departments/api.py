"""Routes of the links between staff and departments."""

from typing import Any

from litestar import Response
from litestar.params import JSONBody

from balcao.core.access.rules import action, client, own
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import created, personal
from balcao.registry.city.departments.paths import DepartmentInPath
from balcao.registry.city.staff_departments import service
from balcao.registry.city.staff_departments.schemas import (
    StaffDepartments,
    StaffMapping,
    StaffMappingBody,
    StaffMappings,
)
from balcao.registry.paths import CpfInPath, path_cpf


@operation(
    "GET",
    "/cpf-secretaria/{cpf:str}",
    "registry.read_staff_departments",
    own("staff_departments:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Órgãos em que a pessoa trabalha",
    errors=[304, 400],
    tags=["departments"],
)
async def read_departments(call: CurrentCall, cpf: CpfInPath) -> Response[StaffDepartments]:
    return personal(await service.read_departments(call, path_cpf(cpf)), call)


@operation(
    "GET",
    "/admin/cpf-secretaria/{cpf:str}",
    "registry.list_staff_department_mappings",
    action("staff_departments:read"),
    "Vínculos da pessoa com órgãos",
    errors=[304, 400],
    tags=["departments"],
)
async def read_mappings(call: CurrentCall, cpf: CpfInPath) -> Response[StaffMappings]:
    return personal(await service.read_mappings(call, path_cpf(cpf)), call)


@operation(
    "POST",
    "/admin/cpf-secretaria/{cpf:str}",
    "registry.create_staff_department_mapping",
    action("staff_departments:write"),
    "Vincula a pessoa a um órgão",
    status=201,
    errors=[400, 404, 409],
    body=StaffMappingBody,
    tags=["departments"],
)
async def create_mapping(call: CurrentCall, cpf: CpfInPath, data: JSONBody[StaffMappingBody]) -> Response[StaffMapping]:
    answer: Response[Any] = created(await service.create_mapping(call, path_cpf(cpf), data))
    return answer


@operation(
    "DELETE",
    "/admin/cpf-secretaria/{cpf:str}/{cd_ua:str}",
    "registry.delete_staff_department_mapping",
    action("staff_departments:write"),
    "Desfaz o vínculo da pessoa com o órgão",
    status=204,
    errors=[400, 404],
    tags=["departments"],
)
async def delete_mapping(call: CurrentCall, cpf: CpfInPath, cd_ua: DepartmentInPath) -> None:
    await service.delete_mapping(call, path_cpf(cpf), cd_ua)


ROUTES = [read_departments, read_mappings, create_mapping, delete_mapping]
