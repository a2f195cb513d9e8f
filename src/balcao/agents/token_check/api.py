"""The token check: whoever gets here carries a valid one."""

from litestar import Response

from balcao.agents.operations import operation
from balcao.agents.token_check.schemas import TokenStatus
from balcao.core.access.rules import authenticated


@operation(
    "GET", "/api/v1/auth", "agents.check_token", authenticated(), "Verifica se o token é válido", tags=["autenticação"]
)
async def check_token() -> Response[TokenStatus]:
    return Response(TokenStatus("ok"), headers={"Cache-Control": "no-store"})


ROUTES = [check_token]
