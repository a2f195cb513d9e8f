"""Route that returns the progress of imports."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.registry.operation.imports import service
from balcao.registry.operation.imports.schemas import Imports
from balcao.registry.operation.routes import OPERATION_ROUTES

routes = OPERATION_ROUTES.extend()


@routes.get(
    "/admin/imports",
    "registry.list_imports",
    action("operation:read"),
    "Importações em andamento e as últimas de cada tipo",
)
async def get_imports(call: Call) -> Imports:
    """Devolve o andamento da última importação de cada tipo de dado, as inacabadas primeiro. Arquivos lidos da entrada
    do comando não ficam registrados. Exige a ação `operation:read`.
    """
    return await service.list_imports(call)


FEATURE = Feature(routes=routes.declared)
