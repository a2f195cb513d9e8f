"""The OpenAPI document of a service, generated from the declarations of its operations."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, get_args, get_origin

import msgspec
import pydantic
from pydantic.json_schema import models_json_schema

from balcao.core.access.rules import PUBLIC
from balcao.core.http.dialects import Dialect
from balcao.core.http.operations import Operation
from balcao.core.http.responses import JSON, NOT_MODIFIED, Response

Document = dict[str, Any]

_REFERENCE = "#/components/schemas/{name}"
_CITATION = re.compile(r" \((?:rules|spec): [^)]*\)")
_MEANINGS = {
    304: "Não mudou desde a leitura",
    400: "Requisição inválida",
    401: "Sem token válido",
    403: "Sem permissão",
    404: "Não encontrado",
    409: "Conflito com o estado atual",
    412: "O registro mudou desde a leitura",
    413: "Corpo grande demais",
    422: "Dados inválidos",
    429: "Muitas requisições",
    500: "Erro interno",
    502: "O sistema externo falhou",
    503: "Indisponível no momento",
}


class Described(Protocol):
    """What of a service its description and its API page need."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def prefix(self) -> str: ...

    @property
    def base(self) -> str: ...

    @property
    def tags(self) -> Sequence[str]: ...

    def dialect(self, path: str) -> Dialect:
        """Return the wording of faults on this path."""

    def operations(self) -> list[Operation]:
        """Return every operation, those that all services have included."""


def describe(service: Described, server_urls: Sequence[str] = ()) -> Document:
    """Return the document; its paths are relative to the service's base."""
    operations = [operation for operation in service.operations() if operation.in_description]
    schemas = _Schemas(operations)
    paths: dict[str, Document] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": service.title, "version": service.version, "license": {"name": "MIT", "identifier": "MIT"}},
        "servers": [{"url": url} for url in server_urls or (service.prefix + service.base,)],
        **({"tags": [{"name": tag} for tag in service.tags]} if service.tags else {}),
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def _operation(operation: Operation, schemas: "_Schemas") -> Document:
    is_public = operation.rule.action == PUBLIC
    found: Document = {
        "operationId": operation.key.replace(".", "_"),
        "summary": operation.summary,
        **({"description": operation.description} if operation.description else {}),
        **({"tags": list(operation.tags)} if operation.tags else {}),
        "security": [] if is_public else [{"bearer": []}],
        "x-access-rule": str(operation.rule),
        "responses": _responses(operation, schemas),
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "description": marker.description, "schema": marker.schema()}
        for name, marker in operation.signature.path.items()
    ]
    if operation.query is not None:
        parameters += _query_parameters(operation.query, schemas)
    if parameters:
        found["parameters"] = parameters
    if body := operation.signature.body or operation.described_body:
        example = {} if operation.example is None else {"example": operation.example}
        content = {JSON: {"schema": schemas.of(body), **example}}
        found["requestBody"] = {"content": content, "required": _is_required(operation, schemas)}
    return found


def _is_required(operation: Operation, schemas: "_Schemas") -> bool:
    """Tell whether the body may be left out: one without a required member may, where the use case reads the bytes."""
    if operation.signature.body is not None:
        return True
    assert operation.described_body is not None
    return bool(schemas.resolved(operation.described_body).get("required"))


def _responses(operation: Operation, schemas: "_Schemas") -> Document:
    found: Document = {str(operation.status): {"description": "Sucesso", **_success(operation, schemas)}}
    for status in sorted(error_statuses(operation)):
        found[str(status)] = {"description": _MEANINGS[status], **_error(operation.dialect, status, schemas)}
    return found


def error_statuses(operation: Operation) -> set[int]:
    """Return the statuses besides success that the operation may answer with.

    A path that could be read in two ways is refused before it is matched, so 404 is possible wherever the caller has a
    word in it.
    """
    found = {429, 500, 503, *operation.errors}
    if operation.rule.action != PUBLIC:
        found |= {401, 403}
    if operation.signature.body is not None:
        found.add(413)
    if operation.signature.path:
        found.add(404)
    return found


def _success(operation: Operation, schemas: "_Schemas") -> Document:
    wanted = operation.signature.returns
    if get_origin(wanted) is Response:
        (wanted,) = get_args(wanted)
    if wanted in (None, type(None)):
        return {}
    if operation.media_type != JSON:
        return {
            "content": {operation.media_type: {"schema": {"type": "string", "contentMediaType": operation.media_type}}}
        }
    return {"content": {JSON: {"schema": schemas.of(wanted)}}}


def _error(dialect: Dialect, status: int, schemas: "_Schemas") -> Document:
    if status == NOT_MODIFIED:
        return {}
    items = dialect.items_schema if status == dialect.items_status else None
    return {"content": {JSON: {"schema": schemas.of(items or dialect.schema)}}}


def _query_parameters(model: type, schemas: "_Schemas") -> list[Document]:
    """Describe one parameter for each member of a msgspec or pydantic type; their values are never nested."""
    schema = schemas.inline(model)
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            **({"description": member.pop("description")} if "description" in member else {}),
            "schema": _without_null(member),
        }
        for name, member in schema["properties"].items()
    ]


def _without_null(member: Document) -> Document:
    """Return the schema of a parameter: what is left out of a query is never null."""
    member = {key: value for key, value in member.items() if key != "title" and value is not None}
    options = [option for option in member.pop("anyOf", ()) if option.get("type") != "null"]
    return {**member, **(options[0] if options else {})}


class _Schemas:
    """The component schemas of all types that a service's operations name, msgspec's and pydantic's."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        types = list(dict.fromkeys(kind for operation in operations for kind in _types_of(operation)))
        models = [kind for kind in types if _is_model(kind)]
        self._others, found = msgspec.json.schema_components(
            [kind for kind in types if not _is_model(kind)], ref_template=_REFERENCE
        )
        self._by_type = dict(zip([kind for kind in types if not _is_model(kind)], self._others, strict=True))
        _, definitions = models_json_schema(
            [(model, "validation") for model in models], ref_template=_REFERENCE.replace("name", "model")
        )
        self._by_type |= {model: {"$ref": _REFERENCE.format(name=model.__name__)} for model in models}
        self.components: Document = {**found, **definitions.get("$defs", {})}
        for schema in self.components.values():
            _drop_titles(schema)
            _drop_citation(schema)

    def of(self, kind: Any) -> Document:
        """Return the schema of a type: a reference where it has a component of its own."""
        return dict(self._by_type[kind])

    def resolved(self, kind: Any) -> Document:
        """Return the schema of a type without the reference."""
        name = self._by_type[kind].get("$ref", "").rpartition("/")[2]
        return dict(self.components[name]) if name else self.of(kind)

    @staticmethod
    def inline(kind: type) -> Document:
        """Return the schema of a type that is no component: the members of a query."""
        if _is_model(kind):
            schema: Document = kind.model_json_schema()  # type: ignore[attr-defined]
        else:
            schema = msgspec.json.schema_components([kind])[1][kind.__name__]
        return schema


def _types_of(operation: Operation) -> Iterable[Any]:
    signature = operation.signature
    returns = get_args(signature.returns)[0] if get_origin(signature.returns) is Response else signature.returns
    yield from (kind for kind in (signature.body, operation.described_body) if kind is not None)
    if returns not in (None, type(None)) and operation.media_type == JSON:
        yield returns
    yield operation.dialect.schema
    if operation.dialect.items_schema is not None:
        yield operation.dialect.items_schema


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, pydantic.BaseModel)


def _drop_titles(schema: Any) -> None:
    """Drop the titles that only repeat a member's name."""
    for member in schema.get("properties", {}).values():
        member.pop("title", None)


def _drop_citation(schema: Any) -> None:
    """Drop what cites the project's own pages: integrators do not have them at hand."""
    if "description" in schema:
        schema["description"] = _CITATION.sub("", schema["description"])
