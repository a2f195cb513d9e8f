"""Read OAuth forms, and define the errors with which OAuth endpoints answer."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

import msgspec

from balcao.core.errors import BalcaoError, TooLarge
from balcao.core.http.dialects import Dialect

MAX_FORM_BYTES = 16_384
MAX_FIELDS = 50
_FORM = "application/x-www-form-urlencoded"


class OAuthError(msgspec.Struct):
    error: str
    error_description: str


class Refused(BalcaoError):
    """An OAuth error. `error` is a code of the OAuth standards."""

    status = 400

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message, code=error.replace("_", "-"))
        self.error = error


class InvalidRequest(Refused):
    def __init__(self, message: str) -> None:
        super().__init__("invalid_request", message)


def parse_form(content_type: str, content: bytes | None) -> Mapping[str, str]:
    """Return the fields of a form.

    `content` is None if it was too large. Raises TooLarge if `content` is None, and InvalidRequest for another media
    type, invalid UTF-8 or a repeated name.
    """
    if content_type.partition(";")[0].strip().lower() != _FORM:
        raise InvalidRequest(f"Envie um formulário: Content-Type {_FORM}.")
    if content is None:
        raise TooLarge()
    return parse_parameters(content)


def parse_parameters(encoded: bytes) -> Mapping[str, str]:
    """Parse parameters. Each name may occur only once, and empty values count as absent (RFC 6749, 3.1 and 3.2)."""
    try:
        pairs = parse_qsl(encoded.decode("ascii"), errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise InvalidRequest("Os parâmetros devem ser texto em UTF-8, codificado como formulário.") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidRequest("Um parâmetro veio mais de uma vez.")
    return found


def _to_error(fault: BalcaoError) -> dict[str, str]:
    if isinstance(fault, Refused):
        return {"error": fault.error, "error_description": fault.message}
    return {"error": "invalid_request" if fault.status < 500 else "server_error", "error_description": fault.message}


OAUTH = Dialect(_to_error, OAuthError)
