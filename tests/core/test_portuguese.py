"""Validation messages reach callers in Portuguese, never in Pydantic's English."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, Field, ValidationError, field_validator

from balcao.portuguese import name_fault, translate_fault


class Form(BaseModel):
    choice: Literal["a", "b", "c"] = "a"
    id: UUID | None = None
    at: datetime | None = None
    count: Annotated[int, Field(ge=1, multiple_of=2)] = 2
    latitude: Annotated[float, Field(le=90, allow_inf_nan=False)] = 0.0
    name: Annotated[str, Field(pattern="^'x' or 'y'$")] = "'x' or 'y'"
    own: str = ""
    text: Annotated[str, AfterValidator(str.strip), Field(min_length=2, max_length=3)] = "ab"
    texts: Annotated[list[str], Field(max_length=1)] = []

    @field_validator("own")
    @classmethod
    def _refuse(cls, value: str) -> str:
        raise ValueError("deve ser `x`")


@pytest.mark.parametrize(
    ("member", "value", "text"),
    [
        ("choice", "d", "deve ser um de: `a`, `b` ou `c`"),
        ("id", "x", "deve ser um UUID"),
        ("id", 5, "deve ser um UUID"),
        ("at", "ontem", "valor inválido"),
        ("count", 0, "deve ser maior ou igual a 1"),
        ("count", 3, "valor inválido"),
        ("name", "z", "não tem a forma esperada"),
        ("latitude", "norte", "deve ser um número"),
        ("latitude", [1], "deve ser um número"),
        ("latitude", "nan", "deve ser um número"),
        ("own", "y", "deve ser `x`"),
        ("text", "abcd", "deve ter no máximo 3 caracteres"),
        ("text", " a ", "deve ter pelo menos 2 caractere(s)"),
        ("texts", ["a", "b"], "deve ter no máximo 1 itens"),
    ],
)
def test_a_fault_is_told_in_portuguese_without_the_value(member: str, value: Any, text: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Form.model_validate({member: value})
    assert [translate_fault(fault) for fault in refused.value.errors()] == [text]


@pytest.mark.parametrize(
    ("member", "value", "name"), [("text", "abcd", "string_too_long"), ("texts", ["a", "b"], "too_long")]
)
def test_a_text_that_is_too_long_is_named_as_one_whatever_checks_it_first(member: str, value: Any, name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Form.model_validate({member: value})
    assert [name_fault(fault) for fault in refused.value.errors()] == [name]
