"""Validates imported rows like request bodies."""

from typing import Any, TypeVar

import pydantic

from balcao.core.errors import Invalid
from balcao.core.values.cnes import Cnes
from balcao.portuguese import translate_fault

M = TypeVar("M", bound=pydantic.BaseModel)


def parse_body(kind: type[M], members: dict[str, Any]) -> M:
    """Validate the members of a row as a body of this type.

    Raises Invalid for an invalid member. The message names the first invalid member, but never contains the value.
    """
    try:
        return kind.model_validate(members)
    except pydantic.ValidationError as refused:
        fault = refused.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise Invalid(f"O campo `{place}` é inválido: {translate_fault(fault)}.") from None


def parse_cnes(text: str) -> Cnes:
    """Parse the CNES of a row. Raises Invalid unless it has seven digits."""
    cnes = Cnes.parse(text)
    if cnes is None:
        raise Invalid("O campo `cnes` deve ter 7 dígitos.")
    return cnes
