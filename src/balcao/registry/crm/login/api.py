"""Route for the login sync."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.registry.crm.login import service
from balcao.registry.crm.login.schemas import LoginSync
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["crm"])


@routes.get(
    "/auth/validate",
    "registry.validate_login",
    authenticated(),
    "Sincroniza a conta do CRM no login do cidadão",
    calls_crm=True,
    errors=[502],
)
async def validate_login(call: Call) -> LoginSync:
    """No login, encontra ou cria a conta do cidadão no CRM e atualiza o e-mail dela. Vale para a pessoa do token; um
    sistema recebe 401. Se o CRM não responde a tempo, a resposta é 502, e o portal pode continuar sem a sincronização.
    """
    return await service.validate_login(call)


FEATURE = Feature(routes=routes.declared)
