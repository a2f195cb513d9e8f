"""How a candidate is named and reached, as it was sent or as the token says (rules: employability 3.4)."""

from typing import NamedTuple

from email_validator import EmailNotValidError, validate_email

from balcao.core.access.caller import Caller
from balcao.core.errors import Invalid
from balcao.employability.selection.applications.schemas import LONGEST_EMAIL, LONGEST_NAME
from balcao.employability.texts import clean_optional_line


class Contact(NamedTuple):
    """A person's name and e-mail address, as far as they are known."""

    name: str | None = None
    email: str | None = None


def clean_name(text: str | None) -> str | None:
    """Return a name as it is stored; a blank one is none. Raises Invalid."""
    return clean_optional_line("nome", text, LONGEST_NAME)


def clean_email(text: str | None) -> str | None:
    """Return an address as it is stored; a blank one is none. Raises Invalid for what cannot be an address."""
    address = clean_optional_line("email", text, LONGEST_EMAIL)
    if address is not None and not _is_address(address):
        raise Invalid("O campo `email` não tem a forma de um endereço.", code="email-invalid")
    return address


def read_claims(caller: Caller) -> Contact:
    """Return name and address as the token tells them; what could not be stored is left out."""
    name, email = (caller.name or "").strip()[:LONGEST_NAME], (caller.email or "").strip()
    return Contact(name or None, email if len(email) <= LONGEST_EMAIL and _is_address(email) else None)


def _is_address(text: str) -> bool:
    # What begins so could be read as an option, or as a command, on its way through a mail system.
    if text.startswith(("-", "|")):
        return False
    try:
        # The domains of tests are domains like others here.
        validate_email(text, check_deliverability=False, strict=True, test_environment=True)
    except EmailNotValidError:
        return False
    return True
