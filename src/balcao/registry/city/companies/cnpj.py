"""The CNPJ, also with letters: fourteen characters, never punctuated here (rules: registry 2.6)."""

import re
from typing import Annotated, TypeAlias

from stdnum.br import cnpj as stdnum_cnpj

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath

_FORM = re.compile(r"[0-9A-Z]{12}[0-9]{2}")


def is_cnpj(text: str) -> bool:
    """The library takes punctuation and small letters, too."""
    return bool(_FORM.fullmatch(text) and stdnum_cnpj.is_valid(text))


def path_cnpj(text: str) -> str:
    """Raises Invalid."""
    if not is_cnpj(text):
        raise Invalid(
            "O CNPJ do caminho é inválido: use 14 caracteres, sem pontuação e com letras maiúsculas.",
            code="cnpj-invalid",
        )
    return text


CnpjInPath: TypeAlias = Annotated[
    str, InPath(path_cnpj, "CNPJ sem pontuação; letras em maiúsculas", "90000001000129", r"^[0-9A-Z]{12}[0-9]{2}$")
]
