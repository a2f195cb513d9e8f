"""Path parameter: the pet's number."""

import re
from typing import Annotated, TypeAlias

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath

# A pet's number never has more than 18 digits.
_ID = r"-?[0-9]{1,18}"


def path_pet(text: str) -> int:
    """Parse the pet's number. Raises Invalid unless it is an integer."""
    if not re.fullmatch(_ID, text):
        raise Invalid("O número do animal no caminho deve ser um inteiro.", code="pet-id-invalid")
    return int(text)


PetInPath: TypeAlias = Annotated[int, InPath(path_pet, "Número do animal", "1000000", f"^{_ID}$")]
