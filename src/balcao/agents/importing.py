"""Code shared by the imports. They validate rows by the same rules as request bodies (rules: agents 3.2, 4)."""

from collections.abc import Mapping
from typing import Any

import pydantic

from balcao.portuguese import translate_fault

# The author of imported versions and examples.
AUTHOR = "Importação"


def check_row(members: Mapping[str, Any], model: type[pydantic.BaseModel]) -> None:
    """Raise ValueError for the first error in a row. The message names the member, but never contains its value."""
    try:
        model.model_validate(dict(members))
    except pydantic.ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])) or "a linha"
        raise ValueError(f"O campo `{place}`: {translate_fault(fault)}.") from None
