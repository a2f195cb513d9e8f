"""The CNPJ, also with letters: fourteen characters (rules: registry 2.6).

One printed with punctuation in a path never gets here: `core/http/routing.py` reads it as its fourteen characters.
"""

import re
from typing import Annotated, TypeAlias

from stdnum.br import cnpj as stdnum_cnpj

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath

# The slash of the printed form is sent as it is or as `%2F`.
_IN_PATH = r"^([0-9A-Z]{12}[0-9]{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2})$"
_PATTERN = re.compile(r"[0-9A-Z]{12}[0-9]{2}")


def is_cnpj(text: str) -> bool:
    """Return whether the text is a valid CNPJ in capitals without punctuation; the library alone would accept both."""
    return bool(_PATTERN.fullmatch(text) and stdnum_cnpj.is_valid(text))


def parse_cnpj(text: str) -> str:
    """Return the CNPJ as it came. Raises Invalid."""
    if not is_cnpj(text):
        raise Invalid(
            "O CNPJ do caminho é inválido: use 14 caracteres, com letras maiúsculas.",
            code="cnpj-invalid",
        )
    return text


CnpjInPath: TypeAlias = Annotated[
    str, InPath(parse_cnpj, "CNPJ, com ou sem pontuação; letras em maiúsculas", "90000001000129", _IN_PATH)
]
