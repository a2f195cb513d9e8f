"""Parse phone numbers as people and the CRM write them: foreign ones with `+`, Brazilian ones also without."""

from dataclasses import dataclass

import phonenumbers

from balcao.core.values.pasted import compact_pasted

HOME_DDI = "55"
_HOME_LENGTHS = (10, 11)


@dataclass(frozen=True)
class Phone:
    """The parts of a phone number, as digits. All three are empty if the person stated that there is no phone."""

    ddi: str
    ddd: str
    valor: str


NO_PHONE = Phone("", "", "")


def parse_phone(text: str) -> Phone | None:
    """Return the parts of a number, or None if the string is not a phone number."""
    if text == "":
        return NO_PHONE
    compact = compact_pasted(text)
    digits = "".join(char for char in compact if char in "0123456789")
    is_international = compact.startswith("+")
    if len(digits) - len(HOME_DDI) in _HOME_LENGTHS and digits.startswith(HOME_DDI):
        return _split_home(digits.removeprefix(HOME_DDI))
    if len(digits) in _HOME_LENGTHS and not is_international:
        return _split_home(digits)
    return _split_foreign(digits)


def _split_home(digits: str) -> Phone:
    return Phone(HOME_DDI, digits[:2], digits[2:])


def _split_foreign(digits: str) -> Phone | None:
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return None
    # A Brazilian number without its area code is ambiguous.
    if str(number.country_code) == HOME_DDI or not phonenumbers.is_possible_number(number):
        return None
    return Phone(str(number.country_code), "", phonenumbers.national_significant_number(number))
