"""The CNPJ, also with letters: fourteen characters, never punctuated here (rules: registry 2.6)."""

import re
from typing import Annotated, TypeAlias

from stdnum.br import cnpj as stdnum_cnpj

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath

_PATTERN = re.compile(r"[0-9A-Z]{12}[0-9]{2}")


def is_cnpj(text: str) -> bool:
    """Return whether the text is a valid CNPJ in capitals without punctuation; the library alone would accept both."""
    return bool(_PATTERN.fullmatch(text) and stdnum_cnpj.is_valid(text))


def parse_cnpj(text: str) -> str:
    """Return the CNPJ as it came. Raises Invalid."""
    if not is_cnpj(text):
        raise Invalid(
            "O CNPJ do caminho é inválido: use 14 caracteres, sem pontuação e com letras maiúsculas.",
            code="cnpj-invalid",
        )
    return text


CnpjInPath: TypeAlias = Annotated[
    str, InPath(parse_cnpj, "CNPJ sem pontuação; letras em maiúsculas", "90000001000129", r"^[0-9A-Z]{12}[0-9]{2}$")
]
