"""Types and checks that several kinds of imported rows use: strings of limited length, and CPFs."""

import re
from typing import Annotated

import msgspec

from balcao.core.values.cpf import Cpf

Code = Annotated[str, msgspec.Meta(min_length=1, max_length=50)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]

_CPF = re.compile(r"[0-9]{11}")


def require_cpf(name: str, text: str | None) -> None:
    """Raise ValueError with the name of the member unless the value has eleven digits or is None.

    The check digits may be wrong, because such a value still identifies a person and can be masked.
    """
    if text is not None and not _CPF.fullmatch(text):
        raise ValueError(f"O campo `{name}` deve ter 11 dígitos, sem pontuação.")


def require_issued_cpf(text: str) -> None:
    """Raise ValueError unless the CPF of the row's owner is valid, including its check digits."""
    if Cpf.parse(text) is None:
        raise ValueError("O campo `cpf` deve ser um CPF válido, com 11 dígitos e sem pontuação.")
