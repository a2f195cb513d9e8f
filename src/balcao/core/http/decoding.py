"""Decode request bodies: from bytes to JSON, and then to the declared type, with a message for every fault.

The body is parsed as JSON whatever its `Content-Type`. The last value of a repeated key wins, and unknown keys are
ignored.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar, get_origin

import msgspec
import pydantic

from balcao.core.errors import Fault, Invalid, Unprocessable
from balcao.core.http.choices import find_example, list_choices
from balcao.core.http.storable import LARGEST, SMALLEST, find_unstorable, require_body
from balcao.core.values.clock import in_utc
from balcao.portuguese import PHRASES, format_example, name_fault, translate_fault

T = TypeVar("T")
M = TypeVar("M", bound=pydantic.BaseModel)

MAX_DEPTH = 32
# More values than any accepted body needs. The limit is needed because each value becomes a Python object, however few
# bytes it takes in the body.
MAX_VALUES = 50_000


def parse_value(body: bytes) -> Any:
    """Return the JSON value of a body, which may start with a byte order mark (RFC 8259 8.1).

    Raises Invalid if the body is empty, malformed, not UTF-8, too deeply nested, or has too many values.
    """
    body = strip_bom(body)
    if not body.strip():
        raise Invalid("O corpo da requisição está vazio: envie um objeto JSON.", code="body-missing")
    require_few_values(body)
    try:
        body.decode("utf-8")
        value = msgspec.json.decode(body)
    except (UnicodeDecodeError, msgspec.MsgspecError, RecursionError):
        raise Invalid("O corpo da requisição não é JSON válido em UTF-8.", code="body-malformed") from None
    if _is_deeper_than(value, MAX_DEPTH):
        raise Invalid(f"O corpo da requisição tem mais de {MAX_DEPTH} níveis.", code="body-too-deep")
    return value


def strip_bom(body: bytes) -> bytes:
    """Return a body without the byte order mark that some programs write before UTF-8."""
    return body.removeprefix(codecs.BOM_UTF8)


def require_few_values(body: bytes) -> None:
    """Raise Invalid if a body has more than `MAX_VALUES` values. The body is one JSON text or several."""
    if _count_values(body) > MAX_VALUES:
        raise Invalid(f"O corpo da requisição tem mais de {MAX_VALUES} valores.", code="body-too-many-values")


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body. Raises Invalid if `parse_value` does, or if the value is not an object."""
    value = parse_value(body)
    if not isinstance(value, dict):
        raise Invalid("O corpo da requisição deve ser um objeto JSON.", code="body-not-object")
    return value


def parse_array(body: bytes) -> list[Any]:
    """Return the JSON array of a body. Raises Invalid if `parse_value` does, or if the value is not an array."""
    value = parse_value(body)
    if not isinstance(value, list):
        raise Invalid("O corpo da requisição deve ser uma lista JSON.", code="body-not-array")
    return value


def decode(body: bytes, kind: type[T]) -> T:
    """Return a body as a msgspec type, or as a list if `kind` is a list type.

    Raises Invalid if the body does not fit the type. The message names the invalid member and never its value.
    """
    return convert(parse_array(body) if get_origin(kind) is list else parse_object(body), kind)


def convert(value: Any, kind: type[T]) -> T:
    """Return a JSON value as a msgspec type.

    Raises Invalid if the value does not fit the type. The message names the invalid member and never its value.
    """
    require_body(value)
    try:
        found = msgspec.convert(_convert_whole_floats(value), kind)
    except msgspec.ValidationError as fault:
        raise Invalid(_explain(str(fault), kind), code="body-invalid") from None
    # In the years 1 and 9999, the offset can move an instant beyond what a datetime in UTC can represent.
    for place, instant in _list_instants(found, ""):
        try:
            in_utc(instant.replace(tzinfo=instant.tzinfo or UTC))
        except ValueError as fault:
            raise Invalid(f"O campo `{place}` {fault}.", code="body-invalid") from None
    return found


def _list_instants(value: Any, place: str) -> Iterator[tuple[str, datetime]]:
    """Yield every instant of a decoded body with its path."""
    if isinstance(value, datetime):
        yield place, value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _list_instants(getattr(value, name), f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for item in value:
            yield from _list_instants(item, f"{place}[...]")


def decode_model(body: bytes, kind: type[M]) -> M:
    """Return an object body as a pydantic model, for the `{detail}` services. Raises Unprocessable if it has faults."""
    try:
        value = parse_value(body)
    except Invalid as fault:
        missing = fault.code == "body-missing"
        raise _unprocessable("missing" if missing else "json_invalid", fault.message) from None
    if not isinstance(value, dict):
        raise _unprocessable("dict_type", "O corpo da requisição deve ser um objeto JSON.")
    return validate_model(value, kind, "body")


def is_model(kind: Any) -> bool:
    """Return whether the type is a pydantic model.

    A generic alias such as `list[str]` is not a class and not a model.
    """
    return isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, pydantic.BaseModel)


def validate_model(value: Any, kind: type[M], place: str, *, with_input: bool = False) -> M:
    """Return a JSON value as a pydantic model.

    If the value is invalid, raises Unprocessable with every fault. If a part of it cannot be stored, only the first
    such part is reported.

    `place` is the first part of each item's `loc`: body, path or query. With `with_input`, items contain the received
    value.
    """
    if found := find_unstorable(value):
        item = Fault(loc=[place, *map(str, found.place)], msg=found.message, type="value_error")
        if with_input:
            item |= {"input": None, "ctx": {}}
        raise Unprocessable(faults=[item])
    try:
        return kind.model_validate(value)
    except pydantic.ValidationError as faults:
        raise Unprocessable(
            faults=[_describe_fault(fault, kind, place, with_input) for fault in faults.errors(include_url=False)]
        ) from None


def find_model_faults(body: bytes, kind: type[M]) -> list[Fault]:
    """Return the faults with which `decode_model` rejects the body. The list is empty for a valid body."""
    try:
        decode_model(body, kind)
    except Unprocessable as refused:
        return refused.faults
    return []


_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")


def find_integer_faults(path: Mapping[str, str]) -> list[Fault]:
    """Return a fault for each path parameter that is not a JSON integer, which has no `+`, fraction or leading zero."""
    return [
        Fault(loc=["path", name], msg=PHRASES["int_parsing"], type="int_parsing")
        for name, text in path.items()
        if not _INTEGER.fullmatch(text)
    ]


def parse_integer(text: str) -> int:
    """Convert a path parameter that has no faults to an integer.

    Only 30 characters are parsed: a number of that length is already larger than every id, and the time of `int` grows
    with the square of the length.
    """
    return int(text[:30])


def _unprocessable(kind: str, message: str) -> Unprocessable:
    return Unprocessable(faults=[Fault(loc=["body"], msg=message, type=kind)])


def _describe_fault(fault: Any, kind: type[pydantic.BaseModel], place: str, with_input: bool) -> Fault:
    field = kind.model_fields.get(str(fault["loc"][0])) if len(fault["loc"]) == 1 else None
    example = next((each for each in (field and field.examples) or () if isinstance(each, str)), None)
    text = translate_fault(fault, example)
    item = Fault(loc=[place, *map(str, fault["loc"])], msg=text, type=name_fault(fault))
    if with_input:
        received = fault["input"]
        shortened = received[:100] if isinstance(received, str) else received
        item["input"] = None if fault["type"] == "missing" else shortened
        item["ctx"] = {key: value for key, value in fault.get("ctx", {}).items() if key in {"ge", "le", "pattern"}}
    return item


def _count_values(body: bytes) -> int:
    """Return an upper bound for the number of values in a JSON text, in linear time and without parsing it.

    If the number of quotes already proves that there are too many values, return a lower bound above `MAX_VALUES`.
    """
    found = _count_separators(body)
    if found <= MAX_VALUES:
        return found
    without_escapes = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = without_escapes.count(b'"')
    if quotes > 4 * MAX_VALUES:  # a value with its name has at most four quotes
        return -(-quotes // 4)
    # After splitting at the quotes, every second piece is outside the strings.
    return _count_separators(b"".join(without_escapes.split(b'"')[::2]))


def _count_separators(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{") + 1


def _is_deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [child for item in level for child in _list_children(item)]
        if not level:
            return False
    return any(isinstance(item, (dict, list)) for item in level)


def _list_children(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _convert_whole_floats(value: Any) -> Any:
    """Convert floats such as `3.0` in the value to integers, because JSON has only one number type."""
    if isinstance(value, float) and value.is_integer() and SMALLEST <= value <= LARGEST:
        return int(value)
    if isinstance(value, dict):
        return {key: _convert_whole_floats(child) for key, child in value.items()}
    return [_convert_whole_floats(child) for child in value] if isinstance(value, list) else value


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
_FORMS = {
    "Invalid UUID": "um UUID",
    "Invalid RFC3339 encoded date": "uma data (AAAA-MM-DD)",
    "Invalid RFC3339 encoded datetime": "um instante (RFC 3339)",
    "Expected `datetime` with a timezone component": "um instante com fuso (RFC 3339)",
}


def _explain(message: str, kind: Any) -> str:
    """Translate msgspec's English message about a value of this type into a Portuguese sentence."""
    place = _PLACE.search(message)
    path = place["path"] if place else ""
    if missing := _MISSING.search(message):
        return f"Falta o campo `{f'{path}.' if path else ''}{missing['name']}`."
    field = f"O campo `{path}`" if path else "O corpo"
    fault = _PLACE.sub("", message)
    if form := _FORMS.get(fault):
        return f"{field} deve ser {form}."
    expected = _EXPECTED.search(fault)
    if expected is None:
        choices = list_choices(kind, path)
        return f"{field} deve ser um de: {', '.join(choices)}." if choices else f"{field} tem um valor inválido."
    if "matching regex" in expected["bound"]:
        return f"{field} não tem a forma esperada{format_example(find_example(kind, path))}."
    kinds = " ou ".join(_KINDS.get(kind.strip(), kind.strip()) for kind in expected["kind"].split("|"))
    return f"{field} deve ser {kinds}{_explain_bound(expected['bound'])}."


def _explain_bound(text: str) -> str:
    if found := re.search(r"of length (>=|<=) (\d+)", text):
        return f" com {'pelo menos' if found[1] == '>=' else 'no máximo'} {found[2]} caracteres ou itens"
    if found := re.search(r"(>=|<=|>|<) (-?\d+(\.\d+)?)", text):
        return f" {found[1]} {found[2]}"
    return ""
