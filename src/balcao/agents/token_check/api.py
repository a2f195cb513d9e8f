"""Route for the token check. The handler checks nothing, because only calls with a valid token reach it."""

from balcao.agents.routes import ROUTES
from balcao.agents.token_check.schemas import TokenStatus
from balcao.core.access.rules import authenticated
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.responses import NO_STORE, Response, to_json

_OK = to_json(TokenStatus("ok"), headers={"Cache-Control": NO_STORE})

routes = ROUTES.extend(tags=["autenticação"], body_limit=SMALL_BODY)


@routes.get(
    "/api/v1/auth",
    "agents.check_token",
    authenticated(is_fixed=True),
    "Verifica se o token é válido",
)
def check_token() -> Response[TokenStatus]:
    """Responde `ok` se o token é válido e 401 se não é. O motivo da recusa fica só nos registros da plataforma."""
    return _OK


FEATURE = Feature(routes=routes.declared)
