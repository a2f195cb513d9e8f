"""Check whether a string has the format of a phone number or an e-mail address. Nothing is stored."""

from dataclasses import dataclass
from typing import Self

import phonenumbers
from phonenumbers import PhoneNumber

from balcao.core.values.emails import find_domain
from balcao.core.values.pasted import clean_pasted
from balcao.core.values.text import clean_text
from balcao.registry.person.validators.schemas import EmailQuestion, EmailVerdict, PhoneQuestion, PhoneVerdict

EMAIL_LENGTH = 254
# A text longer than this is a bad request. The limit is far above the length of any address or number, so that a text
# which is only slightly too long is still reported as not valid.
LONGEST_QUESTION = 16 * 1024
HOME = "BR"
HOME_DDI = 55


@dataclass(frozen=True)
class EmailAddress:
    """An e-mail address. `local_part` is as the person typed it, and `domain` is in lower case."""

    local_part: str
    domain: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a string that may have been pasted. Return None if it is not an e-mail address."""
        address = clean_pasted(text)
        if len(address) > EMAIL_LENGTH:
            return None
        domain = find_domain(address)
        return None if domain is None or "." not in domain else cls(address.rpartition("@")[0], domain)

    @property
    def normalized(self) -> str:
        return f"{self.local_part}@{self.domain}"


def check_email(question: EmailQuestion) -> EmailVerdict:
    """Check an e-mail address. Raises Invalid if the string is blank."""
    address = EmailAddress.parse(clean_text("email", question.email, longest=LONGEST_QUESTION))
    if address is None:
        return EmailVerdict(False, "O endereço de e-mail não tem uma forma válida.")
    return EmailVerdict(True, "E-mail válido.", address.local_part, address.domain, address.normalized)


def check_phone(question: PhoneQuestion) -> PhoneVerdict:
    """Check a phone number. Without `+`, it is read as Brazilian, with or without 55. Raises Invalid if it is blank."""
    try:
        number = phonenumbers.parse(clean_pasted(clean_text("phone", question.phone, longest=LONGEST_QUESTION)), HOME)
    except phonenumbers.NumberParseException:
        return _NO_PHONE
    return _describe(number) if phonenumbers.is_valid_number(number) else _NO_PHONE


_NO_PHONE = PhoneVerdict(False, "O telefone não tem uma forma válida.")


def _describe(number: PhoneNumber) -> PhoneVerdict:
    national = phonenumbers.national_significant_number(number)
    area = phonenumbers.length_of_geographical_area_code(number) if number.country_code == HOME_DDI else 0
    return PhoneVerdict(
        valid=True,
        message="Telefone válido.",
        ddi=str(number.country_code),
        ddd=national[:area],
        numero=national[area:],
        e164=phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164),
        region=phonenumbers.region_code_for_number(number) or "",
    )
