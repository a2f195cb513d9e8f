"""What a body may cost before anything is made of it."""

from typing import Any

import msgspec
import pytest

from balcao.core.errors import Invalid
from balcao.core.http.decoding import MAX_VALUES, parse


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
