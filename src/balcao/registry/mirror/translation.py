"""Between the CRM's form of a value and the registry's (rules: registry 4.3)."""

import re
import unicodedata
from dataclasses import dataclass

import phonenumbers

_GENDER_IN = {
    "Homem_cisgenero": "Homem cisgênero",
    "Mulher_cisgenero": "Mulher cisgênero",
    "Homem_transgenero": "Homem transgênero",
    "Mulher_transgenero": "Mulher transgênero",
    "Nao_binario": "Não binário",
}
_OTHER_GENDER = "Outro_Prefere_nao_informar"
_GENDER_OUT = {text: code for code, text in _GENDER_IN.items()}


def format_gender(value: str) -> str:
    return "Prefiro não informar" if value == _OTHER_GENDER else _GENDER_IN.get(value, value)


def to_crm_gender(text: str) -> str:
    """Return the CRM's code; it knows five, and whatever else a citizen says of themselves is its "other"."""
    return _GENDER_OUT.get(text, _OTHER_GENDER)


ETHNICITY = ("branca", "preta", "parda", "amarela", "indigena", "outra")
_ETHNICITY_OUT = {option: option.capitalize() for option in ETHNICITY} | {"indigena": "Indígena"}


def to_crm_ethnicity(option: str) -> str:
    """Return the CRM's text for an option of the list."""
    return _ETHNICITY_OUT[option]


def format_ethnicity(value: str) -> str:
    plain = strip_accents(value).lower()
    return plain if plain in ETHNICITY else value


def strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@dataclass(frozen=True)
class Phone:
    """Digits only; all three empty for an explicit "none"."""

    ddi: str
    ddd: str
    valor: str


_NO_PHONE = Phone("", "", "")


def parse_phone(value: str) -> Phone | None:
    """Return None for a text that is no phone number: the base record's shows then."""
    if value == "":
        return _NO_PHONE
    digits = re.sub(r"[^0-9]", "", value)
    if len(digits) in (12, 13) and digits.startswith("55"):
        digits = digits[2:]
    if len(digits) in (10, 11):
        return Phone("55", digits[:2], digits[2:])
    return _international(digits)


def _international(digits: str) -> Phone | None:
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    return Phone(str(number.country_code), "", phonenumbers.national_significant_number(number))


def has_same_digits(one: str, other: str) -> bool:
    """Compare phones by their digits alone."""
    return re.sub(r"[^0-9]", "", one) == re.sub(r"[^0-9]", "", other)
