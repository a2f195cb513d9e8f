"""The provider's errors: the codes of RFC 6749 and OpenID Connect, or a page for people in a browser."""

from collections.abc import Mapping
from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.refusal_pages import wants_page
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.identity.oauth import OAUTH, Refused
from balcao_sandbox.identity import pages


class SentBack(Refused):
    """An error that the browser takes to the client, at the address in the request."""

    status = 303


class ClientRefused(Refused):
    """A failed client authentication. An unknown client and a wrong secret look the same."""

    status = 401

    def __init__(self) -> None:
        super().__init__("invalid_client", "Cliente desconhecido ou segredo incorreto.")


class TokenRefused(Refused):
    """A rejected token at the user information endpoint."""

    status = 401

    def __init__(self) -> None:
        super().__init__("invalid_token", "Token de acesso inválido, expirado ou encerrado.")


_CHALLENGES: Mapping[type[BalcaoError], str] = {
    ClientRefused: 'Basic realm="balcao"',
    TokenRefused: 'Bearer error="invalid_token"',
}


def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
    """Return the error as a page if the caller accepts HTML, as browsers do, otherwise in the format of OAuth."""
    if wants_page(request.headers.text(b"accept")):
        return pages.render_fault(fault.message, fault.status).adding({"Error-Code": fault.code})
    challenge = _CHALLENGES.get(type(fault))
    response = OAUTH.response(fault)
    return response.adding({"WWW-Authenticate": challenge}) if challenge else response
