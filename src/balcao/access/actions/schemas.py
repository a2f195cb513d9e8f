"""Wire types of the authorization actions."""

from typing import Annotated

import msgspec
from pydantic import AfterValidator, BaseModel, StringConstraints

from balcao.core.values.text import has_control


def _printable(text: str) -> str:
    if has_control(text, allowed="\n\t"):
        raise ValueError("não pode conter caracteres de controle")
    return text


Name = Annotated[str, StringConstraints(min_length=3, max_length=100, pattern=r"^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+$")]
Description = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), AfterValidator(_printable)
]


class ActionChange(BaseModel):
    """What is left out or null stays as it is."""

    name: Name | None = None
    description: Description | None = None


class Action(msgspec.Struct):
    """An action of the catalogue (spec: authorization action). `endpoint_count` counts the mappings bound to it."""

    id: int
    name: str
    description: str
    endpoint_count: int
