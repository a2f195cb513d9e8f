"""How the provider refuses: the error words of RFC 6749 and OpenID Connect, or a page where a person is looking."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import Dialect
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.identity import pages


class OAuthError(msgspec.Struct):
    error: str
    error_description: str


class Refused(BalcaoError):
    """`error` is the word of the standard."""

    status = 400

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message, code=error.replace("_", "-"))
        self.error = error


class SentBack(Refused):
    """The browser carries it to the client, in the address that the request named."""

    status = 303


class InvalidRequest(Refused):
    def __init__(self, message: str) -> None:
        super().__init__("invalid_request", message)


class ClientRefused(Refused):
    """Unknown client and wrong secret look the same."""

    status = 401

    def __init__(self) -> None:
        super().__init__("invalid_client", "Cliente desconhecido ou segredo incorreto.")


class TokenRefused(Refused):
    """Of the user information endpoint."""

    status = 401

    def __init__(self) -> None:
        super().__init__("invalid_token", "Token de acesso inválido, expirado ou encerrado.")


_CHALLENGES: Mapping[type[BalcaoError], str] = {
    ClientRefused: 'Basic realm="balcao"',
    TokenRefused: 'Bearer error="invalid_token"',
}


def _to_error(fault: BalcaoError) -> dict[str, str]:
    if isinstance(fault, Refused):
        return {"error": fault.error, "error_description": fault.message}
    return {"error": "invalid_request" if fault.status < 500 else "server_error", "error_description": fault.message}


OAUTH = Dialect(_to_error, OAuthError)


def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
    """Word the fault: browsers say that they read HTML; programs do not."""
    if b"text/html" in request.headers.get(b"accept", b""):
        return pages.render_fault(fault.message, fault.status).adding({"Error-Code": fault.code})
    challenge = _CHALLENGES.get(type(fault))
    response = OAUTH.response(fault)
    return response.adding({"WWW-Authenticate": challenge}) if challenge else response
