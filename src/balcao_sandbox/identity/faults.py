"""The provider's errors, with codes from RFC 6749 and OpenID Connect. Browsers get a page instead."""

from collections.abc import Mapping
from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.refusal_pages import wants_page
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.identity.oauth import OAUTH, Refused
from balcao_sandbox.identity import pages


class SentBack(Refused):
    """Raised for an error that is sent to the client through a redirect of the browser."""

    status = 303


class ClientRefused(Refused):
    """Raised if a client is unknown or its secret is wrong. The response does not reveal which of the two applies."""

    status = 401

    def __init__(self) -> None:
        super().__init__("invalid_client", "Cliente desconhecido ou segredo incorreto.")


class TokenRefused(Refused):
    """Raised if the user information endpoint rejects a token."""

    status = 401

    def __init__(self) -> None:
        super().__init__("invalid_token", "Token de acesso inválido, expirado ou encerrado.")


_CHALLENGES: Mapping[type[BalcaoError], str] = {
    ClientRefused: 'Basic realm="balcao"',
    TokenRefused: 'Bearer error="invalid_token"',
}


def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
    """Return the error in the format that the caller needs.

    A caller that accepts HTML, such as a browser, gets a page. Any other caller gets the OAuth format.
    """
    if wants_page(request.headers.text(b"accept")):
        return pages.render_fault(fault.message, fault.status).with_added({"Error-Code": fault.code})
    challenge = _CHALLENGES.get(type(fault))
    response = OAUTH.response(fault)
    return response.with_added({"WWW-Authenticate": challenge}) if challenge else response
