"""The token check: whoever gets here carries a valid one."""

from balcao.agents.token_check.schemas import TokenStatus
from balcao.core.access.rules import authenticated
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.responses import NO_STORE, Response, to_json

_OK = to_json(TokenStatus("ok"), headers={"Cache-Control": NO_STORE})

routes = Routes(tags=["autenticação"], dialect=DETAIL, body_limit=SMALL_BODY)


@routes.get(
    "/api/v1/auth",
    "agents.check_token",
    authenticated(is_fixed=True),
    "Verifica se o token é válido",
    description="Responde `ok` a qualquer token válido e 401 aos demais; o motivo fica nos registros da plataforma.",
)
def check_token() -> Response[TokenStatus]:
    """Answer `ok`: a call without a valid token never gets here."""
    return _OK
