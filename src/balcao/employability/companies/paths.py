"""The CNPJ in a path, with or without punctuation (rules: employability 2.4)."""

from typing import Annotated, TypeAlias

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath
from balcao.core.values.cnpj import is_cnpj, strip_cnpj

_PATTERN = r"^([0-9A-Za-z]{12}[0-9]{2}|[0-9A-Za-z]{2}\.[0-9A-Za-z]{3}\.[0-9A-Za-z]{3}/[0-9A-Za-z]{4}-[0-9]{2})$"


def parse_cnpj(text: str) -> str:
    """Parse a CNPJ, and return it in capitals and without punctuation. Raises Invalid for any other string."""
    cnpj = strip_cnpj(text)
    if not is_cnpj(cnpj):
        raise Invalid("O CNPJ do caminho (`cnpj`) é inválido: confira os 14 caracteres.", code="cnpj-invalid")
    return cnpj


CnpjInPath: TypeAlias = Annotated[str, InPath(parse_cnpj, "CNPJ, com ou sem pontuação", "90000001000129", _PATTERN)]
