"""Why a call is made, in somebody's own words, as the audit trail keeps it (rules: registry 1.1).

The trail is for years and the person concerned reads it, so it holds a short sentence and nobody's data: a CPF, an
e-mail address or a phone number is refused before anything is stored, never masked or cut away.
"""

from urllib.parse import unquote

from balcao.core.context.headers import Headers
from balcao.core.errors import Invalid
from balcao.core.values import personal_data
from balcao.core.values.text import clean_text

SHORTEST, LONGEST = 3, 200
ACCESS_REASON = b"x-access-reason"
_HEADER = "X-Access-Reason"


def clean_reason(field: str, text: str, *, longest: int = LONGEST) -> str:
    """Return the reason of a body, a parameter or a command. Raises Invalid naming the field."""
    return refuse_personal_data(field, clean_text(field, text, shortest=SHORTEST, longest=longest))


def refuse_personal_data(field: str, reason: str) -> str:
    """Return a reason that a trail keeps for years, whatever its length. Raises Invalid naming the field."""
    try:
        return personal_data.refuse_personal_data(reason)
    except ValueError as refused:
        raise Invalid(f"O campo `{field}` {refused}.", code=f"{field}-personal") from None


def parse_access_reason(headers: Headers) -> str | None:
    """Return what the header `X-Access-Reason` says, None where it is absent or blank. Raises Invalid.

    A header has no way of its own for accents: besides UTF-8 and Latin-1, which browsers send, percent-encoded UTF-8
    is read (`encodeURIComponent`), because a browser refuses to send any other character.
    """
    sent = headers.text(ACCESS_REASON)
    if sent is None or not sent.strip():
        return None
    try:
        reason = clean_text(_HEADER, _decode(sent), shortest=SHORTEST, longest=LONGEST)
    except Invalid:
        raise Invalid(
            f"O cabeçalho `{_HEADER}` deve ter de {SHORTEST} a {LONGEST} caracteres, sem caracteres de controle.",
            code="access-reason-invalid",
        ) from None
    try:
        return personal_data.refuse_personal_data(reason)
    except ValueError as refused:
        raise Invalid(f"O cabeçalho `{_HEADER}` {refused}.", code="access-reason-personal") from None


def _decode(text: str) -> str:
    """Return the percent-encoded text decoded; one with a mere percent sign as it is."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
