"""Path parameter: the phone number."""

import re
from typing import Annotated, TypeAlias

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath
from balcao.core.values.pasted import compact_pasted

_NUMBER = re.compile(r"(\+?)([0-9]{8,15})")
_HOME_LENGTHS = frozenset({10, 11})
# A Brazilian mobile number as messengers write it. The same rule is in `phone_forms` and `use_phone_verification`.
_WITHOUT_NINTH_DIGIT = re.compile(r"(55[1-9][0-9])([6-9][0-9]{7})")


def parse_number(text: str) -> str:
    """Return the digits with the country code. Raises Invalid unless the number has 8 to 15 digits.

    A number of 10 or 11 digits without `+` gets the country code of Brazil. A Brazilian mobile number without its ninth
    digit gets it, so that both ways to write the number find the same entry of the phone book.
    """
    found = _NUMBER.fullmatch(compact_pasted(text))
    if found is None:
        raise Invalid("O telefone do caminho é inválido: use de 8 a 15 dígitos, com ou sem `+`.", code="phone-invalid")
    is_home = not found[1] and len(found[2]) in _HOME_LENGTHS
    digits = f"55{found[2]}" if is_home else found[2]
    short = _WITHOUT_NINTH_DIGIT.fullmatch(digits)
    return f"{short[1]}9{short[2]}" if short else digits


NumberInPath: TypeAlias = Annotated[
    str, InPath(parse_number, "Telefone com o código do país, com ou sem `+`", "+5521900010175", r"^\+?[0-9]{8,15}$")
]
