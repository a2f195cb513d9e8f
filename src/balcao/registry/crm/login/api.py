"""Route of the login sync."""

from balcao.core.access.rules import authenticated
from balcao.core.http.operations import CurrentCall, operation
from balcao.registry.crm.login import service
from balcao.registry.crm.login.schemas import LoginSync


@operation(
    "GET",
    "/auth/validate",
    "registry.validate_login",
    authenticated(),
    "Sincroniza a conta do CRM no login do cidadão",
    errors=[502],
    tags=["crm"],
)
async def validate_login(call: CurrentCall) -> LoginSync:
    return await service.validate(call)


ROUTES = [validate_login]
