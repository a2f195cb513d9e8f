"""Texts that staff write: one line or several, and no place for a person's data."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from balcao.core.values.fields import OneLine, Storable
from balcao.core.values.personal_data import CPF, EMAIL, refuse_personal_data


def _refuse_person(text: str) -> str:
    """Refuse a person's number or address; the public reads the phone numbers of units."""
    return refuse_personal_data(text, {CPF, EMAIL})


# One line, trimmed.
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), OneLine]
# One line that the public reads.
PublicText = Annotated[Line, Storable, AfterValidator(_refuse_person)]
# The log of a unit keeps it, for staff only.
Reason = Annotated[str, Storable, AfterValidator(refuse_personal_data)]
