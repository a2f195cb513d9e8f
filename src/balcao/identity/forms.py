"""Parameters of a query and of a form: text, each once, few and small."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from balcao.core.errors import TooLarge
from balcao.identity.faults import InvalidRequest
from balcao.identity.realm import RealmRequest

MAX_FORM_BYTES = 16_384
MAX_FIELDS = 50
_FORM = "application/x-www-form-urlencoded"


def read_query(request: RealmRequest) -> Mapping[str, str]:
    """Return the parameters of the query. Raises InvalidRequest, as `read_form` does."""
    return _parse(request.query_string)


def read_form(request: RealmRequest) -> Mapping[str, str]:
    """Return the fields of a form.

    Raises InvalidRequest for another media type, for what is not UTF-8, and for a name that comes twice.
    """
    return parse_form(request.header("content-type"), request.content)


def read_parameters(request: RealmRequest) -> Mapping[str, str]:
    """Return the query of a GET, the form of a POST (OpenID Connect Core 3.1.2.1)."""
    return read_form(request) if request.method == "POST" else read_query(request)


def parse_form(content_type: str, content: bytes | None) -> Mapping[str, str]:
    """Parse a body as `read_form` does; no content is one that was too large. Raises TooLarge, InvalidRequest."""
    if content_type.partition(";")[0].strip().lower() != _FORM:
        raise InvalidRequest(f"Envie um formulário: Content-Type {_FORM}.")
    if content is None:
        raise TooLarge()
    return _parse(content)


def _parse(encoded: bytes) -> Mapping[str, str]:
    """Parse text in which each name stands once; empty values count as absent (RFC 6749, 3.1 and 3.2)."""
    try:
        pairs = parse_qsl(encoded.decode("ascii"), errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise InvalidRequest("Os parâmetros devem ser texto em UTF-8, codificado como formulário.") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidRequest("Um parâmetro veio mais de uma vez.")
    return found
