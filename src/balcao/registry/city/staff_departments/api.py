"""Routes for the links between staff and departments."""

from balcao.core.access.rules import action, client, own
from balcao.core.audit.personal_data import PersonalData, retain_rows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, created, personal
from balcao.registry.city.departments.paths import DepartmentInPath
from balcao.registry.city.staff_departments import service, store
from balcao.registry.city.staff_departments.jobs import JOBS
from balcao.registry.city.staff_departments.schemas import (
    StaffDepartments,
    StaffMapping,
    StaffMappingBody,
    StaffMappings,
)
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["departments"], body_limit=SMALL_BODY)


@routes.get(
    "/cpf-secretaria/{cpf}",
    "registry.read_staff_departments",
    own("staff_departments:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Órgãos em que a pessoa trabalha",
    errors=[304, 400],
)
async def get_staff_departments(call: Call, cpf: CpfInPath) -> Response[StaffDepartments]:
    """Devolve os códigos dos órgãos em que a pessoa trabalha, em ordem crescente. A lista é vazia para quem não é
    servidor. Disponível para a própria pessoa, para quem tem a ação `staff_departments:read` e para o cliente da
    plataforma.
    """
    return personal(await service.read_staff_departments(call, cpf), call)


@routes.get(
    "/admin/cpf-secretaria/{cpf}",
    "registry.list_staff_department_mappings",
    own("staff_departments:read"),
    "Vínculos da pessoa com órgãos",
    errors=[304, 400],
)
async def get_staff_mappings(call: Call, cpf: CpfInPath) -> Response[StaffMappings]:
    """Devolve os vínculos da pessoa com órgãos, com o autor e a data de cada um. Disponível para a própria pessoa e
    para quem tem a ação `staff_departments:read`.
    """
    return personal(await service.read_staff_mappings(call, cpf), call)


@routes.post(
    "/admin/cpf-secretaria/{cpf}",
    "registry.create_staff_department_mapping",
    action("staff_departments:write"),
    "Vincula a pessoa a um órgão",
    example={"cd_ua": "1200"},
    status=201,
    errors=[409],
)
async def post_staff_mapping(call: Call, cpf: CpfInPath, body: StaffMappingBody) -> Response[StaffMapping]:
    """Vincula a pessoa a um órgão. 404 se o órgão não existe; 409 se o vínculo já existe."""
    return created(await service.create_staff_mapping(call, cpf, body))


@routes.delete(
    "/admin/cpf-secretaria/{cpf}/{cd_ua}",
    "registry.delete_staff_department_mapping",
    action("staff_departments:write"),
    "Desfaz o vínculo da pessoa com o órgão",
    status=204,
    errors=[400],
)
async def delete_staff_mapping(call: Call, cpf: CpfInPath, cd_ua: DepartmentInPath) -> None:
    """Desfaz o vínculo da pessoa com o órgão; 404 se ele não existe."""
    await service.delete_staff_mapping(call, cpf, cd_ua)


FEATURE = Feature(
    routes=routes.declared,
    # These links belong to the city's own organisational data, so the erasure of a person does not delete them.
    personal_data=PersonalData(
        "staff_departments",
        retain=retain_rows("staff_departments", store.count_staff_mappings, "Vínculo funcional com a prefeitura."),
        tables=["registry.staff_department", "registry.staff_hash"],
    ),
    jobs=JOBS,
    exports=Exports(tables=("registry.staff_department",), derived=("registry.staff_hash",)),
)
