"""The path parameter for a company's CNPJ (rules: registry 2.6).

`core/http/routing.py` has already removed the punctuation of a formatted CNPJ.
"""

from typing import Annotated, TypeAlias

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath
from balcao.core.values.cnpj import is_cnpj

# Clients may send the slash of a formatted CNPJ as `/` or as `%2F`.
_IN_PATH = r"^([0-9A-Z]{12}[0-9]{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2})$"


def parse_cnpj(text: str) -> str:
    """Return the CNPJ if it is valid, or else raise Invalid."""
    if not is_cnpj(text):
        raise Invalid(
            "O CNPJ do caminho (`cnpj`) é inválido: use 14 caracteres, com letras maiúsculas.",
            code="cnpj-invalid",
        )
    return text


CnpjInPath: TypeAlias = Annotated[
    str, InPath(parse_cnpj, "CNPJ, com ou sem pontuação; letras em maiúsculas", "90000001000129", _IN_PATH)
]
