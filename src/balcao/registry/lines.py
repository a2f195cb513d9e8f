"""What lines of loaded files have in common: bounded texts, and none that the store cannot hold."""

from typing import Annotated, Any

import msgspec

from balcao.core.text import has_nul

Code = Annotated[str, msgspec.Meta(min_length=1, max_length=50)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
CpfDigits = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{11}$")]


def require_storable(line: msgspec.Struct) -> dict[str, Any]:
    """The line as plain values. Raises ValueError for a text with NUL."""
    plain: dict[str, Any] = msgspec.to_builtins(line)
    if has_nul(plain):
        raise ValueError("um dos textos contém o caractere NUL")
    return plain
