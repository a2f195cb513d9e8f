"""Types of the texts that staff write. They may have one line or several, and must not contain personal data."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from balcao.core.values.fields import OneLine, Storable
from balcao.core.values.personal_data import CPF, EMAIL, refuse_personal_data


def _refuse_person(text: str) -> str:
    """Reject the CPF or e-mail address of a person.

    Phone numbers are allowed, because units publish theirs.
    """
    return refuse_personal_data(text, {CPF, EMAIL})


# One trimmed line that is not empty.
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), OneLine]
# One line that the public may read.
PublicText = Annotated[Line, Storable, AfterValidator(_refuse_person)]
# A reason in the log of a unit, which only staff read.
Reason = Annotated[str, Storable, AfterValidator(refuse_personal_data)]
