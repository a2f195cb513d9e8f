"""How the provider refuses: the error words of RFC 6749 and OpenID Connect, or a page where a person is looking."""

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from balcao.core.errors import BalcaoError, TooLarge
from balcao.core.http import dialects
from balcao.core.http.dialects import Dialect
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


def _worded(fault: BalcaoError) -> dict[str, str]:
    if isinstance(fault, Refused):
        return {"error": fault.error, "error_description": fault.message}
    return {"error": "invalid_request" if fault.status < 500 else "server_error", "error_description": fault.message}


OAUTH = Dialect(_worded, OAuthError)


def _ours(request: Request[Any, Any, Any], fault: BalcaoError) -> Response[Any]:
    """Browsers say that they read HTML; programs do not."""
    if "text/html" in request.headers.get("accept", ""):
        return pages.fault(fault.message, fault.status)
    response = OAUTH.response(fault)
    if type(fault) in _CHALLENGES:
        response.headers["WWW-Authenticate"] = _CHALLENGES[type(fault)]
    return response


def _too_large(request: Request[Any, Any, Any], _: RequestEntityTooLarge) -> Response[Any]:
    return _ours(request, TooLarge())


HANDLERS: dict[Any, Any] = dialects.exception_handlers(lambda _: OAUTH) | {
    BalcaoError: _ours,
    RequestEntityTooLarge: _too_large,
}
