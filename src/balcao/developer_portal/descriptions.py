"""Reads OpenAPI documents into the form that the operation pages and the client generator need."""

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from balcao.core.http.shared_refusals import read_responses

METHODS = ("get", "post", "put", "patch", "delete", "head")

# The request headers that a caller may set, with their argument names in the clients.
HEADERS = {
    "If-None-Match": "if_none_match",
    "If-Match": "if_match",
    "X-Access-Reason": "access_reason",
    "Idempotency-Key": "idempotency_key",
    "Last-Event-ID": "last_event_id",
}
# The paging schemes: position parameter, size parameter, first position, and whether the position counts items (instead
# of pages).
PAGINGS = (("page", "per_page", 1, False), ("page", "pageSize", 1, False), ("skip", "limit", 0, True))
# This operation has paging parameters, but uses them only when it returns the services of one category. Its list of
# categories always has a single page.
_NOT_PAGED = {"search_list_categories"}
_REF = "#/components/schemas/"
# Matches the line for one error code in the description of a refusal: "- `code`: meaning".
_CODE = re.compile(r"^- `([^`]+)`: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Parameter:
    """A path, query or header parameter. `name` is the parameter's name in the document."""

    name: str
    schema: Mapping[str, Any]
    description: str
    required: bool
    example: Any

    @property
    def identifier(self) -> str:
        """Return the name in snake_case. Append an underscore to a reserved name."""
        name = to_snake_case(self.name)
        return f"{name}_" if keyword.iskeyword(name) or name in {"body", *HEADERS.values()} else name


@dataclass(frozen=True)
class Paging:
    """The paging parameters of a list operation, and the items that it returns."""

    place: Parameter
    size: Parameter
    first: int
    by_item: bool
    most: int
    member: str | None  # the member with the items; None if the body is the list
    item: Mapping[str, Any]

    @property
    def member_identifier(self) -> str:
        """Return the member's name in snake_case."""
        return to_snake_case(self.member or "")


@dataclass(frozen=True)
class Refusal:
    """An error status: its meaning, an example of its body, and its codes with their meanings."""

    status: int
    meaning: str
    body: Any
    codes: Mapping[str, str]


@dataclass(frozen=True)
class Operation:
    """An operation: its parameters, its response and its refusals."""

    key: str
    method: str
    path: str
    summary: str
    description: str
    tag: str
    rule: str
    path_parameters: list[Parameter]
    query: list[Parameter]
    header_parameters: list[Parameter]
    body: Mapping[str, Any] | None
    body_required: bool
    body_example: Any
    result: Mapping[str, Any] | None
    result_status: int
    result_example: Any
    content: str | None
    paging: Paging | None
    refusals: list[Refusal]
    idempotent: bool  # a POST or PATCH that may be retried without a key

    @property
    def is_public(self) -> bool:
        """Return whether the operation needs no token."""
        return self.rule == "public"

    @property
    def headers(self) -> list[str]:
        """Return the names of the request headers that a caller may set."""
        return [one.name for one in self.header_parameters]

    @property
    def is_stream(self) -> bool:
        """Return whether the response is an event stream."""
        return self.content == "text/event-stream"

    @property
    def is_json(self) -> bool:
        """Return whether the response is JSON."""
        return self.content is not None and is_json(self.content)

    @property
    def iterator(self) -> str:
        """Return the name of the iterator over all pages: `iterate_pets` for `list_pets`."""
        return f"iterate_{self.key.removeprefix('list_').removeprefix('read_')}"

    @property
    def unpaged(self) -> "Operation":
        """Return the operation without the parameters that its iterator sets: position, size and `If-None-Match`."""
        if self.paging is None:
            return self
        paging = (self.paging.place, self.paging.size)
        return replace(
            self,
            query=[one for one in self.query if one not in paging],
            header_parameters=[one for one in self.header_parameters if one.name != "If-None-Match"],
        )

    @property
    def keyed(self) -> bool:
        """Return whether the operation accepts an `Idempotency-Key`."""
        return "Idempotency-Key" in self.headers


@dataclass(frozen=True)
class Document:
    """A service as its OpenAPI document describes it.

    `tags` maps tags to descriptions, and `schemas` maps names to types.
    """

    service: str
    prefix: str
    title: str
    tags: Mapping[str, str]
    schemas: Mapping[str, Any]
    operations: list[Operation] = field(default_factory=list)

    @property
    def class_name(self) -> str:
        """Return the service's name in CamelCase."""
        return to_camel_case(self.service)


def read_document(service: str, document: Mapping[str, Any]) -> Document:
    """Parse the OpenAPI document of a service."""
    prefix = urlsplit(document["servers"][0]["url"]).path
    operations = sorted(_list_operations(service, document), key=lambda one: one.key)
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    return Document(service, prefix, document["info"]["title"], tags, document["components"]["schemas"], operations)


def is_json(media_type: str) -> bool:
    """Return whether a media type is JSON or based on JSON, such as GeoJSON."""
    return media_type == "application/json" or media_type.endswith("+json")


def name_of(schema: Mapping[str, Any]) -> str | None:
    """Return the name of the type that a schema refers to, or None if the schema is not a reference."""
    return schema["$ref"].removeprefix(_REF) if "$ref" in schema else None


def to_snake_case(name: str) -> str:
    """Convert `pageSize` to `page_size`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().replace("-", "_")


def to_lower_camel_case(name: str) -> str:
    """Convert `read_preferences` to `readPreferences`."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def to_camel_case(name: str) -> str:
    """Convert `health_units` to `HealthUnits`."""
    return "".join(part.capitalize() for part in name.split("_"))


def _list_operations(service: str, document: Mapping[str, Any]) -> Iterator[Operation]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield _read_operation(service, document, path, method.upper(), item[method])


def _read_operation(
    service: str, document: Mapping[str, Any], path: str, method: str, described: Mapping[str, Any]
) -> Operation:
    parameters = described.get("parameters", [])
    query = [_read_parameter(one) for one in parameters if one["in"] == "query"]
    headers = {one["name"]: one for one in parameters if one["in"] == "header"}
    body = described.get("requestBody", {})
    sent: Mapping[str, Any] = next(iter(body.get("content", {}).values()), {})
    responses = read_responses(document, described)
    content, result = _read_result(responses)
    status, example = _read_success(responses)
    return Operation(
        key=described["operationId"].removeprefix(f"{service}_"),
        method=method,
        path=path,
        summary=described["summary"],
        description=described.get("description", ""),
        tag=next(iter(described.get("tags", ())), ""),
        rule=described["x-access-rule"],
        path_parameters=_in_order(path, [_read_parameter(one) for one in parameters if one["in"] == "path"]),
        query=query,
        header_parameters=[_read_parameter(headers[name]) for name in HEADERS if name in headers],
        body=sent.get("schema"),
        body_required=body.get("required", False),
        body_example=sent.get("example"),
        result=result,
        result_status=status,
        result_example=example,
        content=content,
        paging=None if described["operationId"] in _NOT_PAGED else _find_paging(document, query, result),
        refusals=list(_list_refusals(responses)),
        idempotent=described.get("x-idempotent", False),
    )


def _list_refusals(responses: Mapping[str, Any]) -> Iterator[Refusal]:
    for status in sorted(responses):
        meaning, _, codes = responses[status]["description"].partition("\n\n")
        if status >= "400":
            content: Mapping[str, Any] = next(iter(responses[status].get("content", {}).values()), {})
            yield Refusal(int(status), meaning, content.get("example"), dict(_CODE.findall(codes)))


def _read_parameter(described: Mapping[str, Any]) -> Parameter:
    return Parameter(
        described["name"],
        described["schema"],
        described.get("description", ""),
        described.get("required", False),
        described.get("example"),
    )


def _in_order(path: str, parameters: list[Parameter]) -> list[Parameter]:
    places = re.findall(r"\{(\w+)\}", path)
    return sorted(parameters, key=lambda one: places.index(one.name))


def _read_result(responses: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any] | None]:
    """Return the media type and the schema of the success response. Both are None without a response body.

    If the query chooses between JSON and another format, return `*/*` without a schema: clients do not decode the body.
    """
    for status in sorted(responses):
        content = responses[status].get("content", {}) if status.startswith("2") else {}
        if any(is_json(one) for one in content) and not all(is_json(one) for one in content):
            return "*/*", None
        for media_type, described in content.items():
            return media_type, described.get("schema", {})
    return None, None


def _read_success(responses: Mapping[str, Any]) -> tuple[int, Any]:
    """Return the success status and its example body, which is None if the document contains no example."""
    status = min(status for status in responses if status < "400")
    content = responses[status].get("content", {}).values()
    return int(status), next((one["example"] for one in content if "example" in one), None)


def _find_paging(
    document: Mapping[str, Any], query: list[Parameter], result: Mapping[str, Any] | None
) -> Paging | None:
    by_name = {one.name: one for one in query}
    for place, size, first, by_item in PAGINGS:
        if place in by_name and size in by_name and result is not None:
            most = by_name[size].schema.get("maximum", 100)
            if found := _find_items(document, result):
                return Paging(by_name[place], by_name[size], first, by_item, most, *found)
    return None


def _find_items(document: Mapping[str, Any], result: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]] | None:
    """Return the name of the only list of objects in a body, and the schema of its items.

    The name is None if the body itself is the list. Return None if the body does not contain exactly one list of
    objects.
    """
    if result.get("type") == "array":
        return None, result["items"]
    if (name := name_of(result)) is None:
        return None
    lists = {
        member: schema["items"]
        for member, schema in document["components"]["schemas"][name].get("properties", {}).items()
        if schema.get("type") == "array" and "$ref" in schema.get("items", {})
    }
    return next(iter(lists.items())) if len(lists) == 1 else None
