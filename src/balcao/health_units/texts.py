"""Types for strings that staff write. Some must be a single line, and some must not contain personal data."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from balcao.core.values.fields import OneLine, Storable
from balcao.core.values.personal_data import CPF, EMAIL, refuse_personal_data


def _refuse_person(text: str) -> str:
    """Raise an error if the string contains a CPF or an e-mail address.

    Phone numbers are allowed, because units publish their own numbers.
    """
    return refuse_personal_data(text, {CPF, EMAIL})


# One line, trimmed and not empty.
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), OneLine]
# One line that the public may read. It must not contain a CPF or an e-mail address.
PublicText = Annotated[Line, Storable, AfterValidator(_refuse_person)]
# A reason in the log of a notification, which only staff can read.
Reason = Annotated[str, Storable, AfterValidator(refuse_personal_data)]
