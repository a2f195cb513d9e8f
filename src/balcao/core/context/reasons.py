"""The reason for a call in a person's own words, as the audit trail stores it (rules: registry 1.1).

The trail is retained for years and the person concerned can read it, so a reason is short and contains no personal
data. A CPF, an e-mail address or a phone number is rejected before anything is stored, never masked or removed.
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
    """Return the reason from a body, a parameter or a command.

    Raises Invalid with the name of the field if the reason is too short or too long, or contains control characters or
    personal data.
    """
    return refuse_personal_data(field, clean_text(field, text, shortest=SHORTEST, longest=longest))


def refuse_personal_data(field: str, reason: str) -> str:
    """Return a reason of any length, for a trail that is retained for years.

    Raises Invalid with the name of the field if it contains personal data.
    """
    try:
        return personal_data.refuse_personal_data(reason)
    except ValueError as refused:
        raise Invalid(f"O campo `{field}` {refused}.", code=f"{field}-personal") from None


def parse_access_reason(headers: Headers) -> str | None:
    """Return the content of the header `X-Access-Reason`, or None if it is absent or blank.

    Raises Invalid if the reason is too short or too long, or contains control characters or personal data.

    Headers have no standard encoding for accents. UTF-8 and Latin-1, which browsers send, are accepted. Percent-encoded
    UTF-8 (`encodeURIComponent`) is accepted too, because a browser refuses to send characters outside Latin-1.
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
    """Decode percent-encoded UTF-8. Return the string unchanged if the escapes are not UTF-8."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
