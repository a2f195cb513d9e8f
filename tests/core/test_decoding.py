"""What a body may cost before anything is made of it, and what is said of a wrong one."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from balcao.core.errors import Invalid
from balcao.core.http.decoding import MAX_VALUES, convert, parse


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"[]," * 1_000_000 + b"[]]",
        b"[" + b"{}," * MAX_VALUES + b"{}]",
        b"[" + b"1," * MAX_VALUES + b"1]",
        b"[" * 1_000_000,
        b'{"a":' * MAX_VALUES + b"1" + b"}" * MAX_VALUES,
        b'["\\"",' + b'"",' * MAX_VALUES + b'""]',
    ],
    ids=["arrays", "objects", "numbers", "open", "deep", "texts"],
)
def test_more_values_than_any_body_has_are_refused_before_one_is_made(
    monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    def decode(*_: Any, **__: Any) -> Any:
        raise AssertionError("decoded")

    monkeypatch.setattr(msgspec.json, "decode", decode)
    with pytest.raises(Invalid) as refused:
        parse(body)
    assert refused.value.code == "body-too-many-values"


@pytest.mark.parametrize("text", [",[{" * MAX_VALUES, '\\",' * MAX_VALUES], ids=["separators", "escapes"])
def test_what_stands_in_a_text_is_no_value(text: str) -> None:
    assert parse(msgspec.json.encode({"texto": text})) == {"texto": text}


def test_a_body_of_many_values_is_read() -> None:
    values = list(range(MAX_VALUES - 2))
    assert parse(msgspec.json.encode(values)) == values


class Colour(StrEnum):
    GREEN = "Verde"
    RED = "Vermelho"


class Item(msgspec.Struct):
    kind: Annotated[Literal["a", "b"] | None, msgspec.Meta(description="Um de dois.")] | UnsetType = UNSET


class Body(msgspec.Struct):
    colour: Colour | None = None
    items: list[Item] | UnsetType = UNSET
    named: dict[str, Colour] | UnsetType = UNSET
    price: Annotated[float, msgspec.Meta(le=9999.99)] = 0
    id: UUID | None = None
    day: date | None = None
    at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    code: Annotated[str, msgspec.Meta(pattern="^[0-9]{3}$")] = "000"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"colour": "Azul"}, "O campo `colour` deve ser um de: Verde, Vermelho."),
        ({"items": [{"kind": "a"}, {"kind": "c"}]}, "O campo `items[1].kind` deve ser um de: a, b."),
        ({"named": {"x": "Azul"}}, "O campo `named[...]` deve ser um de: Verde, Vermelho."),
        ({"price": 10_000}, "O campo `price` deve ser um número <= 9999.99."),
        ({"id": "x"}, "O campo `id` deve ser um UUID."),
        ({"day": "31/12/2026"}, "O campo `day` deve ser uma data (AAAA-MM-DD)."),
        ({"at": "ontem"}, "O campo `at` deve ser um instante (RFC 3339)."),
        ({"at": "2026-12-31T10:00:00"}, "O campo `at` deve ser um instante com fuso (RFC 3339)."),
        ({"code": "12"}, "O campo `code` deve ser texto da forma `^[0-9]{3}$`."),
    ],
)
def test_a_refusal_says_what_would_be_taken(body: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as refused:
        convert(body, Body)
    assert (refused.value.code, refused.value.message) == ("body-invalid", message)
