"""Convert values between the CRM's representation and the registry's (rules: registry 4.3)."""

import re
import unicodedata

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
    """Return the CRM's code for a gender. A text for which the CRM has no code becomes `Outro_Prefere_nao_informar`."""
    return _GENDER_OUT.get(text, _OTHER_GENDER)


ETHNICITY = ("branca", "preta", "parda", "amarela", "indigena", "outra")
_ETHNICITY_OUT = {option: option.capitalize() for option in ETHNICITY} | {"indigena": "Indígena"}


def to_crm_ethnicity(option: str) -> str:
    """Return the CRM's text for a value of `ETHNICITY`."""
    return _ETHNICITY_OUT[option]


def format_ethnicity(value: str) -> str:
    plain = strip_accents(value).lower()
    return plain if plain in ETHNICITY else value


def strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def has_same_digits(one: str, other: str) -> bool:
    """Return whether two phone numbers have the same digits."""
    return re.sub(r"[^0-9]", "", one) == re.sub(r"[^0-9]", "", other)
