"""Public routes for departments."""

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.paging import LongMenuPageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import PUBLIC, Response, with_etag
from balcao.registry.city.departments import service, store
from balcao.registry.city.departments.imports import IMPORTS
from balcao.registry.city.departments.paths import DepartmentInPath
from balcao.registry.city.departments.schemas import (
    Department,
    DepartmentAncestors,
    DepartmentQuery,
    Departments,
    DepartmentTree,
)
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["departments"])


@routes.get(
    "/departments",
    "registry.list_departments",
    public(),
    "Órgãos da prefeitura",
    errors=[304],
    query=DepartmentQuery,
    may_lag=True,
)
async def get_departments(call: Call, query: Query, page: LongMenuPageInQuery) -> Response[Departments]:
    """Devolve uma página dos órgãos da prefeitura, por nível e na ordem do organograma. Aceita filtros por nome, sigla,
    órgão superior e nível. Operação pública; com o `ETag` da última leitura em `If-None-Match`, a resposta é 304, sem
    corpo, se nada mudou.
    """
    return with_etag(await service.list_departments(call, query, page), call, PUBLIC)


@routes.get(
    "/departments/tree",
    "registry.read_department_tree",
    public(),
    "Organograma da prefeitura",
    errors=[304],
    may_lag=True,
)
async def get_department_tree(call: Call) -> Response[DepartmentTree]:
    """Devolve todos os órgãos, cada um com os seus subordinados em `children`, na ordem do organograma. Cada órgão
    aparece uma só vez. Um órgão cujo órgão superior não existe fica no topo. Operação pública; com o `ETag` da última
    leitura em `If-None-Match`, a resposta é 304, sem corpo, se nada mudou.
    """
    return with_etag(await service.read_department_tree(call), call, PUBLIC)


@routes.get(
    "/departments/{cd_ua}",
    "registry.read_department",
    public(),
    "Um órgão da prefeitura",
    errors=[304],
    may_lag=True,
)
async def get_department(call: Call, cd_ua: DepartmentInPath) -> Response[Department]:
    """Devolve um órgão pelo código. Operação pública; 404 se o código não existe."""
    return with_etag(await service.read_department(call, cd_ua), call, PUBLIC)


@routes.get(
    "/departments/{cd_ua}/ancestors",
    "registry.list_department_ancestors",
    public(),
    "Órgãos superiores de um órgão",
    errors=[304],
    may_lag=True,
)
async def get_department_ancestors(call: Call, cd_ua: DepartmentInPath) -> Response[DepartmentAncestors]:
    """Devolve os órgãos acima de um órgão, do topo ao mais próximo, para mostrar o caminho até ele. Operação pública;
    404 se o código não existe.
    """
    return with_etag(await service.list_department_ancestors(call, cd_ua), call, PUBLIC)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
