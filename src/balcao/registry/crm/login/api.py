"""Route of the login sync."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.registry.crm.login import service
from balcao.registry.crm.login.schemas import LoginSync

routes = Routes(tags=["crm"])


@routes.get(
    "/auth/validate",
    "registry.validate_login",
    authenticated(),
    "Sincroniza a conta do CRM no login do cidadão",
    errors=[502],
)
async def validate_login(call: Call) -> LoginSync:
    return await service.validate(call)
