"""Texts that staff write: one line or several, and no place for a person's data."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from balcao.core.values.personal_data import CPF, EMAIL, refuse
from balcao.core.values.text import has_control, has_nul


def _check_reason(text: str) -> str:
    if has_nul(text):
        raise ValueError("não pode conter o caractere nulo")
    return refuse(text, {CPF, EMAIL})


def _check_line(text: str) -> str:
    if has_control(text):
        raise ValueError("não pode conter caracteres de controle")
    return text


# One line, trimmed.
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_check_line)]
# One line that the public reads.
PublicText = Annotated[Line, AfterValidator(_check_reason)]
# For staff alone.
Reason = Annotated[str, AfterValidator(_check_reason)]
