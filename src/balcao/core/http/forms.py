"""Parse HTML form bodies, in which a name may occur several times."""

from urllib.parse import parse_qsl

from balcao.core.errors import Invalid, TooLarge
from balcao.core.http.requests import Request

MEDIA_TYPE = "application/x-www-form-urlencoded"
# The maximum number of fields. It is enough for a form with a checkbox for each of a thousand people.
MAX_FIELDS = 5_000


class FormData(dict[str, list[str]]):
    """The fields of a form: all values by name, in the order in which they were sent."""

    def getlist(self, name: str) -> list[str]:
        """Return the values of this field, or an empty list. WTForms requires this method name."""
        return self.get(name, [])

    def first(self, name: str) -> str:
        """Return the first value of this field, or "" if the form does not contain the field."""
        return self.get(name, [""])[0]


def read_form(request: Request) -> FormData:
    """Return the fields of the request's form.

    Raises TooLarge if the body exceeds the limit, or Invalid if it is not a valid form.
    """
    if request.content is None:
        raise TooLarge()
    media_type = request.headers.text(b"content-type") or ""
    if media_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise Invalid("O formulário não veio na forma esperada.")
    return parse_fields(request.content)


def parse_fields(encoded: bytes) -> FormData:
    """Parse a query string or a form body. Raises Invalid if it is malformed or has more than MAX_FIELDS fields."""
    found = FormData()
    try:
        pairs = parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise Invalid("O formulário não veio na forma esperada.") from None
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
