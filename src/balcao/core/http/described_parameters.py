"""OpenAPI descriptions of an operation's parameters: path, query, and request headers.

The headers follow from the responses: an operation that can answer 412 reads `If-Match`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from balcao.core.http.operations import Operation
from balcao.core.http.responses import EVENTS, NOT_MODIFIED

Schema = dict[str, Any]

_CHANGED = 412


@dataclass(frozen=True, slots=True)
class ReadHeader:
    """A request header for the OpenAPI document."""

    name: str
    description: str
    example: str
    longest: int | None = None

    @property
    def parameter(self) -> Schema:
        """Return the OpenAPI parameter for this header, which is always optional."""
        longest = {} if self.longest is None else {"minLength": 1, "maxLength": self.longest}
        return {
            "name": self.name,
            "in": "header",
            "required": False,
            "description": self.description,
            "example": self.example,
            "schema": {"type": "string", **longest},
        }


IF_MATCH = ReadHeader(
    "If-Match", "O `ETag` da leitura: se o registro mudou desde então, a resposta é 412 e nada é gravado.", "*"
)
IF_NONE_MATCH = ReadHeader(
    "If-None-Match",
    "O `ETag` de uma leitura anterior: se nada mudou, a resposta é 304, sem corpo.",
    '"9f2c4a7be01d8835"',
)
IDEMPOTENCY_KEY = ReadHeader(
    "Idempotency-Key",
    "Um código novo para cada pedido: quem repete a chamada com ele recebe, por 24 horas, a primeira resposta.",
    "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60",
    128,
)
ACCESS_REASON = ReadHeader(
    "X-Access-Reason",
    "Por que um servidor vê ou muda dados de outra pessoa, sem dados pessoais; ela o lê no histórico de acessos.",
    "Atendimento do chamado 4711",
)
LAST_EVENT_ID = ReadHeader("Last-Event-ID", "O `id` do último evento recebido: a leitura continua depois dele.", "42")


def list_read_headers(operation: Operation, codes: Mapping[int, Collection[str]]) -> list[ReadHeader]:
    """Return the headers that the operation reads. `codes` maps each status to the error codes of its responses."""
    named = {code for each in codes.values() for code in each}
    counts = {
        IF_MATCH: _CHANGED in operation.errors,
        IF_NONE_MATCH: NOT_MODIFIED in operation.errors,
        IDEMPOTENCY_KEY: operation.method == "POST" and "idempotency-key-reused" in named,
        ACCESS_REASON: "access-reason-missing" in named,
        LAST_EVENT_ID: EVENTS in operation.media_types,
    }
    return [header for header, does in counts.items() if does]


def describe_path(operation: Operation) -> list[Schema]:
    """Describe the operation's path parameters."""
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": marker.description,
            "example": marker.example,
            "schema": marker.schema(),
        }
        for name, marker in operation.signature.path.items()
    ]


def describe_query(schema: Schema) -> list[Schema]:
    """Describe one parameter for each member of the query's schema. The values of a query are never nested."""
    required = schema.get("required", ())
    found = []
    for name, member in schema["properties"].items():
        described = {"description": member.pop("description")} if "description" in member else {}
        shown = _without_null(member)
        example = find_example(shown)
        found.append(
            {
                "name": name,
                "in": "query",
                "required": name in required,
                **described,
                **({} if example is None else {"example": example}),
                "schema": shown,
            }
        )
    return found


def find_example(schema: Schema) -> Any:
    """Return an example value: the schema's example, its first choice, its default, or true for a flag.

    Return None if there is no such value.
    """
    if examples := schema.get("examples"):
        return examples[0]
    if choices := schema.get("enum"):
        return choices[0]
    if schema.get("type") == "array":
        item = find_example(schema["items"])
        return None if item is None else [item]
    if "default" in schema:
        return schema["default"]
    return True if schema.get("type") == "boolean" else None


def _without_null(member: Schema) -> Schema:
    """Return the schema of a query parameter without null, because an omitted parameter is never null.

    The title is dropped because generators would name a second type after it. An empty list as the default is dropped
    because some generators cannot write it.
    """
    options = [option for option in member.get("anyOf", ()) if option.get("type") != "null"]
    member = {**(options[0] if options else {}), **member}
    return {
        key: value
        for key, value in member.items()
        if key not in {"title", "description", "anyOf"} and value is not None and (key, value) != ("default", [])
    }
