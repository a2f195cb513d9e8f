"""The limits checked before a body is decoded, and the messages about invalid bodies."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from balcao.core.errors import Invalid
from balcao.core.http.decoding import MAX_VALUES, convert, parse_value


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
        parse_value(body)
    assert refused.value.code == "body-too-many-values"


@pytest.mark.parametrize("text", [",[{" * MAX_VALUES, '\\",' * MAX_VALUES], ids=["separators", "escapes"])
def test_what_stands_in_a_text_is_no_value(text: str) -> None:
    assert parse_value(msgspec.json.encode({"texto": text})) == {"texto": text}


def test_a_body_of_many_values_is_read() -> None:
    values = list(range(MAX_VALUES - 2))
    assert parse_value(msgspec.json.encode(values)) == values


class Anything(msgspec.Struct):
    name: Any = None
    at: datetime | None = None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a\0", "name-control"),
        ([{"inner": "a\0"}], "inner-control"),
        ({"a\0": 1}, "name-control"),
        ({"a b": "\0"}, "body-invalid"),
        (2**63, "body-invalid"),
        ([-(2**63) - 1], "body-invalid"),
    ],
    ids=repr,
)
def test_what_no_store_can_hold_is_refused_wherever_it_stands(name: Any, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        convert({"name": name}, Anything)
    assert refused.value.code == code
    assert "a b" not in refused.value.message


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 1e300, 0.5])
def test_every_number_that_a_store_can_hold_is_taken(number: float) -> None:
    assert convert({"name": number}, Anything).name == number


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00"])
def test_an_instant_that_some_zones_have_no_year_for_is_refused(at: str) -> None:
    with pytest.raises(Invalid, match="`at` deve ser um instante entre os anos 1 e 9999"):
        convert({"at": at}, Anything)


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
    code: Annotated[str, msgspec.Meta(pattern="^[0-9]{3}$", examples=["123"])] = "000"


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
        ({"code": "12"}, "O campo `code` não tem a forma esperada, como `123`."),
    ],
)
def test_a_refusal_says_what_would_be_taken(body: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as refused:
        convert(body, Body)
    assert (refused.value.code, refused.value.message) == ("body-invalid", message)


def test_a_body_may_start_with_a_byte_order_mark() -> None:
    assert parse_value(b'\xef\xbb\xbf{"name": "Ana"}') == {"name": "Ana"}
    for body in (b"\xef\xbb\xbf", b'\xef\xbb\xbf\xef\xbb\xbf{"name": "Ana"}', b'{"name": \xef\xbb\xbf"Ana"}'):
        with pytest.raises(Invalid):
            parse_value(body)
