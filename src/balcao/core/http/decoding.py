"""Request bodies: bytes to JSON to the type an operation wants, every fault worded for the caller.

A body is JSON whatever its label says. Of a repeated key the last counts; unknown keys are ignored.
"""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import pydantic

from balcao.core.errors import Fault, Invalid, Unprocessable
from balcao.portuguese import PHRASES, in_portuguese

T = TypeVar("T")
M = TypeVar("M", bound=pydantic.BaseModel)

MAX_DEPTH = 32
# More values than any body has that we serve; each becomes an object, however few bytes it takes.
MAX_VALUES = 50_000
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def parse(body: bytes) -> Any:
    """The JSON value of a body. Raises Invalid for an empty, broken, not UTF-8, too large or too deeply nested one."""
    if not body.strip():
        raise Invalid("O corpo da requisição está vazio: envie um objeto JSON.", code="body-missing")
    if _values_in(body) > MAX_VALUES:
        raise Invalid(f"O corpo da requisição tem mais de {MAX_VALUES} valores.", code="body-too-many-values")
    try:
        body.decode("utf-8")
        value = msgspec.json.decode(body)
    except (UnicodeDecodeError, msgspec.MsgspecError, RecursionError):
        raise Invalid("O corpo da requisição não é JSON válido em UTF-8.", code="body-malformed") from None
    if _deeper_than(value, MAX_DEPTH):
        raise Invalid(f"O corpo da requisição tem mais de {MAX_DEPTH} níveis.", code="body-too-deep")
    return value


def parse_object(body: bytes) -> dict[str, Any]:
    """As `parse`; anything but an object is Invalid."""
    value = parse(body)
    if not isinstance(value, dict):
        raise Invalid("O corpo da requisição deve ser um objeto JSON.", code="body-not-object")
    return value


def decode(body: bytes, wanted: type[T]) -> T:
    """An object body as a msgspec type. Raises Invalid naming the member at fault, never its value."""
    return convert(parse_object(body), wanted)


def convert(value: Any, wanted: type[T]) -> T:
    try:
        return msgspec.convert(_whole_numbers(value), wanted)
    except msgspec.ValidationError as fault:
        raise Invalid(_explain(str(fault)), code="body-invalid") from None


def decode_model(body: bytes, wanted: type[M]) -> M:
    """An object body as a pydantic model, for the `{detail}` services. Raises Unprocessable with every fault."""
    try:
        value = parse(body)
    except Invalid as fault:
        missing = fault.code == "body-missing"
        raise _unprocessable("missing" if missing else "json_invalid", fault.message) from None
    if not isinstance(value, dict):
        raise _unprocessable("dict_type", "O corpo da requisição deve ser um objeto JSON.")
    return validate_model(value, wanted, "body")


def validate_model(value: dict[str, Any], wanted: type[M], place: str, *, with_input: bool = False) -> M:
    """`place` is the first part of each item's `loc`: body, path or query."""
    try:
        return wanted.model_validate(value)
    except pydantic.ValidationError as faults:
        raise Unprocessable(
            faults=[_item(fault, place, with_input) for fault in faults.errors(include_url=False)]
        ) from None


def model_faults(body: bytes, wanted: type[M]) -> list[Fault]:
    """What `decode_model` would refuse the body for; empty when nothing."""
    try:
        decode_model(body, wanted)
    except Unprocessable as refused:
        return refused.faults
    return []


_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")


def integer_faults(path: Mapping[str, str]) -> list[Fault]:
    """One for each path parameter that is not written as an integer: no sign `+`, no fraction, no leading zero."""
    return [
        Fault(loc=["path", name], msg=PHRASES["int_parsing"], type="int_parsing")
        for name, text in path.items()
        if not _INTEGER.fullmatch(text)
    ]


def integer(text: str) -> int:
    """Of a path parameter without faults. Thirty digits are beyond every id, and so are more."""
    return int(text[:30])


def _unprocessable(kind: str, message: str) -> Unprocessable:
    return Unprocessable(faults=[Fault(loc=["body"], msg=message, type=kind)])


def _item(fault: Any, place: str, with_input: bool) -> Fault:
    item = Fault(loc=[place, *map(str, fault["loc"])], msg=in_portuguese(fault), type=fault["type"])
    if with_input:
        shown = fault["input"]
        item["input"] = None if fault["type"] == "missing" else shown[:100] if isinstance(shown, str) else shown
        item["ctx"] = {key: value for key, value in fault.get("ctx", {}).items() if key in {"ge", "le", "pattern"}}
    return item


def _values_in(body: bytes) -> int:
    """At most how many values a JSON text holds; counted before any is made, in a time that grows with the bytes."""
    found = _separators_in(body)
    return found if found <= MAX_VALUES else _separators_in(_STRINGS.sub(b"", body))


def _separators_in(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{") + 1


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return any(isinstance(item, (dict, list)) for item in level)


def _children(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _whole_numbers(value: Any) -> Any:
    """JSON knows one kind of number: `3.0` is the integer 3."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole_numbers(child) for key, child in value.items()}
    return [_whole_numbers(child) for child in value] if isinstance(value, list) else value


_PLACE = re.compile(r" - at `\$\.?(?P<path>.+)`$")
_MISSING = re.compile(r"missing required field `(?P<name>.+?)`")
_EXPECTED = re.compile(r"Expected `(?P<kind>[^`]+)`(?P<bound>.*)")
_KINDS = {
    "str": "texto",
    "int": "um número inteiro",
    "float": "um número",
    "bool": "verdadeiro ou falso",
    "array": "uma lista",
    "object": "um objeto",
    "null": "nulo",
}


def _explain(message: str) -> str:
    """msgspec's English sentence as a Portuguese one."""
    place = _PLACE.search(message)
    path = place["path"] if place else ""
    if missing := _MISSING.search(message):
        return f"Falta o campo `{f'{path}.' if path else ''}{missing['name']}`."
    field = f"O campo `{path}`" if path else "O corpo"
    expected = _EXPECTED.search(_PLACE.sub("", message))
    if expected is None:
        return f"{field} tem um valor inválido."
    kinds = " ou ".join(_KINDS.get(kind.strip(), kind.strip()) for kind in expected["kind"].split("|"))
    return f"{field} deve ser {kinds}{_bound(expected['bound'])}."


def _bound(text: str) -> str:
    if found := re.search(r"of length (>=|<=) (\d+)", text):
        return f" com {'pelo menos' if found[1] == '>=' else 'no máximo'} {found[2]} caracteres ou itens"
    if found := re.search(r"(>=|<=|>|<) (-?\d+)", text):
        return f" {found[1]} {found[2]}"
    return ""
