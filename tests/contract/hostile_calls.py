"""Calls with values that no store, clock or calendar can hold, in each place where an operation accepts a value."""

import copy
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import quote

from balcao.core.http.openapi import find_example
from balcao.core.http.operations import Operation
from balcao.core.service import Service
from tests.support.descriptions import read_description
from tests.support.operations import CLOSES_A_SERVICE
from tests.support.proof_sizes import FULL

# An ordinary run tries only this number of values in each place. Different places get different values.
AT_A_PLACE = 3
# This text is longer than any name or index key can be.
LONG = "a" * 70_000
# This text is almost as long as a request line may be.
LONG_IN_LINE = "a" * 60_000
LATEST, EARLIEST, NEVER = "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "0000-01-01T00:00:00+14:00"
BACKWARDS, MARKS = "\u202eabc\u200f", "a" + "\u0301" * 200
MARK = "the value stands here"

# Values for queries and paths, percent-encoded.
IN_LINE = {
    "nothing": "",
    "NUL": "%00",
    "NUL in a text": "a%00b",
    "lone surrogate": "%ED%A0%80",
    "not UTF-8": "%FF%FE",
    "control": "%07%1B",
    "direction": quote(BACKWARDS),
    "marks": quote(MARKS),
    "beyond int32": str(2**31),
    "largest of int64": str(2**63 - 1),
    "beyond int64": str(2**63),
    "below int64": str(-(2**63) - 1),
    "beyond uint64": str(2**64),
    "negative": "-1",
    "beyond float": "1e400",
    "not a number": "NaN",
    "infinite": "Infinity",
    "other digits": quote("²٣"),
    "5,000 digits": "9" * 5_000,
    "latest instant": quote(LATEST),
    "earliest instant": quote(EARLIEST),
    "year 0": quote(NEVER),
    "last day": "9999-12-31",
    "first day": "0001-01-01",
    "highest UUID": "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "no UUID": "ffffffff-ffff-ffff-ffff-fffffffffffff",
    "list": "a,b,,%00",
    "nested": quote("[" * 40),
    "too long": LONG_IN_LINE,
}
# Values for bodies, as JSON source. Some are invalid JSON.
IN_BODY = {
    "nothing": '""',
    "null": "null",
    "NUL": '"a\\u0000b"',
    "lone surrogate": '"\\ud800"',
    "lone low surrogate": '"\\udc00"',
    "control": '"\\u0007\\u001b"',
    "direction": json.dumps(BACKWARDS),
    "marks": json.dumps(MARKS),
    "beyond int32": str(2**31),
    "largest of int64": str(2**63 - 1),
    "beyond int64": str(2**63),
    "below int64": str(-(2**63) - 1),
    "beyond uint64": str(2**64),
    "negative": "-1",
    "large number": "1e300",
    "beyond float": "1e400",
    "not a number": "NaN",
    "not a number, as text": '"NaN"',
    "beyond int64, as text": f'"{2**63}"',
    "other digits": json.dumps("²٣"),
    "latest instant": f'"{LATEST}"',
    "earliest instant": f'"{EARLIEST}"',
    "year 0": f'"{NEVER}"',
    "last day": '"9999-12-31"',
    "first day": '"0001-01-01"',
    "truth": "true",
    "object": '{"a\\u0000": 1}',
    "list": '[0, "\\u0000"]',
    "empty list": "[]",
    "empty object": "{}",
    "nested": "[" * 25 + "]" * 25,
    "nested too deeply": "[" * 100 + "]" * 100,
    "too long": f'"{LONG}"',
    "too long in a list": f'["{LONG}"]',
}
# Values for headers, in Latin-1. Servers reject control characters in headers.
IN_HEADER = {
    "nothing": "",
    "UTF-8": "é€".encode().decode("latin-1"),
    "not UTF-8": "\xff\xfe",
    "star": "*",
    "weak": 'W/"a"',
    "half a tag": '"',
    "beyond int64": str(2**63),
    "latest instant": LATEST,
    "too long": "a" * 7_000,
}

Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Sent:
    """A call with one hostile value. `value` is the value's name, and `place` is its location."""

    place: str
    value: str
    path: str
    headers: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True)
class Target:
    """An operation, with every place where it accepts a value."""

    service: Service
    operation: Operation
    described: Any
    components: Any

    @cached_property
    def parameters(self) -> list[tuple[str, str]]:
        """Return the location and name of each parameter."""
        return [(each["in"], each["name"]) for each in self.described.get("parameters", ())]

    @cached_property
    def members(self) -> list[Place]:
        """Return every place in the body: the body itself, members, list items, and the keys and values of maps."""
        content = self.described.get("requestBody", {}).get("content", {}).get("application/json")
        return list(dict.fromkeys(self._places([content["schema"]], (), ()))) if content else []

    def _places(self, schemas: Sequence[Any], place: Place, above: Sequence[str]) -> Iterator[Place]:
        yield place
        for schema in schemas:
            name = schema.get("$ref", "").rpartition("/")[2]
            if name and name not in above:
                yield from self._places([self.components[name]], place, (*above, name))
            options = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
            if options:
                yield from self._places(options, place, above)
            for member, inner in schema.get("properties", {}).items():
                yield from self._places([inner], (*place, member), above)
            if schema.get("items"):
                yield from self._places([schema["items"]], (*place, 0), above)
            if schema.get("additionalProperties"):
                yield (*place, MARK)
                yield from self._places([_as_schema(schema["additionalProperties"])], (*place, "a"), above)

    def calls(self) -> Iterator[Sent]:
        """Yield one call for each place and each value that was chosen for the place."""
        path = self.service.prefix + self.service.base + self.operation.path
        values = {name: quote(str(marker.example), safe="") for name, marker in self.operation.signature.path.items()}
        good, body = path.format(**values), self._body(())
        for where, name in self.parameters:
            for value, text in self._choose(IN_HEADER if where == "header" else IN_LINE, name):
                if where == "path" and text:  # an empty value would make a different path
                    yield Sent(f"path {name}", value, path.format(**values | {name: text}), {}, body)
                elif where == "query":
                    yield Sent(f"query {name}", value, f"{good}?{quote(name)}={text}", {}, body)
                elif where == "header":
                    yield Sent(f"header {name}", value, good, {name: text}, body)
        for place in self.members:
            marked = self._body(place) if place else json.dumps(MARK).encode()
            assert marked is not None
            for value, text in self._choose(IN_BODY, place):
                content = marked.replace(json.dumps(MARK).encode(), text.encode())
                yield Sent(f"body {place}", value, good, {}, content)

    def _choose(self, values: Mapping[str, str], place: Any) -> list[tuple[str, str]]:
        """Return all values in a proof, and a few in an ordinary run.

        The choice depends on the operation and the place.
        """
        everything = list(values.items())
        if FULL:
            return everything
        start = zlib.crc32(f"{self.operation.key} {place}".encode())
        return [
            everything[(start + number * 5) % len(everything)] for number in range(min(AT_A_PLACE, len(everything)))
        ]

    def _body(self, place: Place) -> bytes | None:
        example = copy.deepcopy(find_example(self.operation))
        if example is None:
            return None
        return json.dumps(_put(example, place) if place else example).encode()


def _as_schema(found: Any) -> Any:
    return found if isinstance(found, dict) else {}


def _put(value: Any, place: Place) -> Any:
    """Return a copy of `value` with MARK in the place, or with MARK as a key there. Create missing parents."""
    if not place:
        return MARK
    step, *rest = place
    if isinstance(step, int):
        items = value if isinstance(value, list) and value else [None]
        return [_put(items[0], tuple(rest)), *items[1:]]
    members = value if isinstance(value, dict) else {}
    return {
        **members,
        step: next(iter(members.values()), "a") if step == MARK else _put(members.get(step), tuple(rest)),
    }


def list_targets(service: Service) -> list[Target]:
    """Return the service's described operations. Operations that delete something are last."""
    described = read_description(service)
    found = [
        Target(
            service,
            operation,
            described["paths"][operation.path][operation.method.lower()],
            described["components"]["schemas"],
        )
        for operation in service.operations()
        if operation.in_description and operation.key != CLOSES_A_SERVICE
    ]
    return sorted(found, key=lambda target: target.operation.method == "DELETE")
