"""Parameters of a query and of a form: text, each once, few and small."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from balcao.core.errors import TooLarge
from balcao.identity.faults import InvalidRequest
from balcao.identity.realm import RealmRequest

MAX_FORM_BYTES = 16_384
MAX_FIELDS = 50
_FORM = "application/x-www-form-urlencoded"


def query(request: RealmRequest) -> Mapping[str, str]:
    """Raises InvalidRequest, as `form` does."""
    return _once(request.query_string)


def form(request: RealmRequest) -> Mapping[str, str]:
    """Raises InvalidRequest for another media type, for what is not UTF-8, and for a name that comes twice."""
    if request.header("content-type").partition(";")[0].strip().lower() != _FORM:
        raise InvalidRequest(f"Envie um formulário: Content-Type {_FORM}.")
    if request.content is None:
        raise TooLarge()
    return _once(request.content)


def either(request: RealmRequest) -> Mapping[str, str]:
    """Of a GET the query, of a POST the form (OpenID Connect Core 3.1.2.1)."""
    return form(request) if request.method == "POST" else query(request)


def _once(encoded: bytes) -> Mapping[str, str]:
    """Empty values count as absent (RFC 6749, 3.1 and 3.2)."""
    try:
        pairs = parse_qsl(encoded.decode("ascii"), errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise InvalidRequest("Os parâmetros devem ser texto em UTF-8, codificado como formulário.") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidRequest("Um parâmetro veio mais de uma vez.")
    return found
