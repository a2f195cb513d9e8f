"""Texts that staff write: one line or several, and no place for a person's data."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from balcao.core.values.fields import OneLine, Storable
from balcao.core.values.personal_data import CPF, EMAIL, refuse_personal_data


def _refuse_person(text: str) -> str:
    return refuse_personal_data(text, {CPF, EMAIL})


# One line, trimmed.
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), OneLine]
# One line that the public reads.
PublicText = Annotated[Line, Storable, AfterValidator(_refuse_person)]
# For staff alone.
Reason = Annotated[str, Storable, AfterValidator(_refuse_person)]
