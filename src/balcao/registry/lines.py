"""What lines of loaded files have in common: bounded texts, and CPFs."""

import re
from typing import Annotated

import msgspec

Code = Annotated[str, msgspec.Meta(min_length=1, max_length=50)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]

_CPF = re.compile(r"[0-9]{11}")


def require_cpf(name: str, text: str | None) -> None:
    """Eleven digits, so that it can be masked whatever its check digits are. Raises ValueError naming the member."""
    if text is not None and not _CPF.fullmatch(text):
        raise ValueError(f"O campo `{name}` deve ter 11 dígitos, sem pontuação.")
