"""What pydantic says in English reaches nobody."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from balcao.portuguese import translate_fault


class Form(BaseModel):
    choice: Literal["a", "b", "c"] = "a"
    id: UUID | None = None
    at: datetime | None = None
    count: Annotated[int, Field(ge=1, multiple_of=2)] = 2
    name: Annotated[str, Field(pattern="^'x' or 'y'$")] = "'x' or 'y'"
    own: str = ""

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
        ("name", "z", "não tem a forma esperada (^'x' or 'y'$)"),
        ("own", "y", "deve ser `x`"),
    ],
)
def test_a_fault_is_told_in_portuguese_without_the_value(member: str, value: Any, text: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Form.model_validate({member: value})
    assert [translate_fault(fault) for fault in refused.value.errors()] == [text]
