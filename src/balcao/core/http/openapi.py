"""The OpenAPI document of a service, generated from the declarations of its operations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, get_args, get_origin

import msgspec
from pydantic.json_schema import models_json_schema

from balcao.core.access.rules import AUTHENTICATED, PUBLIC
from balcao.core.http.decoding import is_model
from balcao.core.http.deprecation import DESCRIBED_HEADERS
from balcao.core.http.described_parameters import describe_path, describe_query, list_read_headers
from balcao.core.http.described_refusals import find_refusal
from balcao.core.http.described_schemas import describe_schemas, drop_empty_defaults, hoist_annotations
from balcao.core.http.described_webhooks import SentEvent, describe_webhooks
from balcao.core.http.dialects import Dialect
from balcao.core.http.error_codes import codes_by_status
from balcao.core.http.operations import PLATFORM_TAG, UNLIMITED, Operation
from balcao.core.http.response_examples import NO_EXAMPLES, name_for_generators, read_response_examples
from balcao.core.http.responses import JSON, MOVED, NOT_MODIFIED, Response
from balcao.core.http.sent_headers import ETAG, SentHeader, find_sent_headers

Document = dict[str, Any]

# The server address in the documents of an installation that configures no address.
DEFAULT_GATEWAY = "http://127.0.0.1:8080"

_REFERENCE = "#/components/schemas/{name}"
_MEANINGS = {
    200: "Já era assim",
    201: "Criado",
    304: "Não mudou desde a leitura",
    400: "Requisição inválida",
    401: "Sem token válido",
    403: "Sem permissão",
    404: "Não encontrado",
    409: "Conflito com o estado atual",
    412: "O registro mudou desde a leitura",
    413: "Corpo grande demais",
    415: "Corpo comprimido",
    422: "Dados inválidos",
    429: "Muitas requisições",
    500: "Erro interno",
    502: "O sistema externo falhou",
    503: "Indisponível no momento",
}
_INTRODUCTION = """{description}

Toda chamada leva `Authorization: Bearer` com um token do provedor de identidade, salvo as operações públicas;
`x-access-rule` diz quem pode chamar cada uma. Toda recusa e toda falha traz no cabeçalho `Error-Code` uma palavra
estável: compare-a, e não a mensagem, que é para pessoas. Nos códigos, `<field>` é o nome do membro ou parâmetro
recusado. Toda resposta traz `X-Request-ID`: informe-o ao relatar uma falha.
"""
_TEXT = {"type": "string"}
_HEADERS: Document = {
    "X-Request-ID": {
        "description": "Identifica a requisição nos registros da plataforma; informe-o ao relatar uma falha.",
        "schema": _TEXT,
        "example": "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60",
    },
    "Error-Code": {
        "description": "O que houve, em um código estável; a descrição de cada resposta lista os possíveis.",
        "schema": _TEXT,
        "example": "token-invalid",
    },
    ETAG.name: {"description": ETAG.description, "schema": _TEXT, "example": ETAG.example},
    "Retry-After": {
        "description": "Segundos a esperar antes de repetir a chamada.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 30,
    },
}

# This header is not a component, because linters complain about unused components, and few services send it.
_LOCATION = {"description": "O endereço atual, relativo ao chamado.", "schema": _TEXT, "example": "poda-5f0c2f0e"}


class Described(Protocol):
    """What the OpenAPI document and the API page need to know about a service."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def package(self) -> str: ...

    @property
    def prefix(self) -> str: ...

    @property
    def base(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def tags(self) -> Mapping[str, str]: ...

    def dialect(self, path: str) -> Dialect:
        """Return the error format of responses for this path."""

    @property
    def sent_events(self) -> Sequence[SentEvent]: ...

    def operations(self) -> list[Operation]:
        """Return every operation, including those that all services have."""


def describe_api(service: Described, server_urls: Sequence[str] = ()) -> Document:
    """Return the OpenAPI document.

    Its paths are relative to the service's base. `server_urls` are the full addresses of the base.
    """
    operations = [operation for operation in service.operations() if operation.in_description]
    events = service.sent_events
    schemas = _Schemas(operations, read_response_examples(service.package), [event.body for event in events])
    paths: dict[str, Document] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    webhooks = describe_webhooks(service.name, events, schemas.of)
    describe_schemas(schemas.components, paths | webhooks)
    drop_empty_defaults(schemas.components, paths)
    return {
        "openapi": "3.1.0",
        "info": {
            # The title is ASCII because generators derive package names from it. The name for people is the summary.
            "title": f"Balcao {service.name.replace('_', ' ').title()}",
            "summary": service.title,
            "version": service.version,
            "description": _INTRODUCTION.format(description=service.description),
            "contact": {"name": "Projeto Balcão"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": url} for url in server_urls or (DEFAULT_GATEWAY + service.prefix + service.base,)],
        "tags": [{"name": name, "description": text} for name, text in {**service.tags, **PLATFORM_TAG}.items()],
        "paths": paths,
        # Do not use the name `webhooks`: openapi-generator 7.14 turns it into functions that do not compile.
        **({"x-webhooks": webhooks} if webhooks else {}),
        "components": {
            "headers": _HEADERS | _describe_sent_headers(operations),
            "schemas": schemas.components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def _operation(operation: Operation, schemas: "_Schemas") -> Document:
    is_public = operation.rule.action == PUBLIC
    codes = codes_by_status(operation, error_statuses(operation) - _find_no_refusals(operation))
    found: Document = {
        "operationId": name_for_generators(operation.key),
        "summary": operation.summary,
        **({"description": description} if (description := _describe(operation)) else {}),
        **(operation.deprecated.members if operation.deprecated else {}),
        **({"tags": list(operation.tags)} if operation.tags else {}),
        "security": [] if is_public else [{"bearer": []}],
        "x-access-rule": str(operation.rule),
        **({"x-idempotent": True} if operation.idempotent else {}),
        "responses": _responses(operation, schemas, codes),
    }
    parameters = describe_path(operation)
    if operation.query is not None:
        parameters += describe_query(schemas.inline(operation.query))
    parameters += [header.parameter for header in list_read_headers(operation, codes)]
    if parameters:
        found["parameters"] = parameters
    if body := operation.signature.body or operation.described_body:
        content = {JSON: {"schema": schemas.of(body), "example": _find_example(operation, schemas.resolved(body))}}
        found["requestBody"] = {"content": content, "required": _is_required(operation, schemas)}
    elif operation.accepts:
        found["requestBody"] = {"content": _describe_files(operation.accepts), "required": True}
    return found


def find_example(operation: Operation) -> Any:
    """Return a request body that the operation accepts on the demo data, or None for an operation without a body."""
    body = operation.signature.body or operation.described_body
    return None if body is None else _find_example(operation, _Schemas([operation]).resolved(body))


def _find_example(operation: Operation, schema: Document) -> Any:
    """Return the operation's own example, or the examples of the required members of its body."""
    if operation.example is not None:
        return operation.example
    members = schema.get("properties", {})
    return {name: members[name]["examples"][0] for name in schema.get("required", ()) if members[name].get("examples")}


def _is_required(operation: Operation, schemas: "_Schemas") -> bool:
    """Return whether the caller must send a body.

    If the use case reads the bytes, a body without required members is optional.
    """
    if operation.signature.body is not None:
        return True
    assert operation.described_body is not None
    return bool(schemas.resolved(operation.described_body).get("required"))


def _find_no_refusals(operation: Operation) -> set[int]:
    """Return the further statuses whose response has the body of a success and no error code."""
    return set(operation.same_body) - set(operation.errors)


def _responses(operation: Operation, schemas: "_Schemas", refusals: Mapping[int, dict[str, str]]) -> Document:
    success = {"description": "Sucesso", "headers": _headers(operation, operation.status)}
    found: Document = {str(operation.status): {**success, **_success(operation, schemas)}}
    if operation.moved is not None:
        found[str(MOVED)] = {
            "description": "Mudou de endereço",
            "headers": _headers(operation, MOVED),
            "content": {JSON: {"schema": schemas.of(operation.moved)}},
        }
    for status in _find_no_refusals(operation):
        # A response that is neither a success nor a refusal has the body of the success but not its headers.
        alone = {"X-Request-ID": {"$ref": "#/components/headers/X-Request-ID"}}
        headers = _headers(operation, status) if status < MOVED else alone
        found[str(status)] = {"description": _MEANINGS[status], "headers": headers, **_success(operation, schemas)}
    for status, codes in refusals.items():
        has_same_body = status in operation.same_body
        found[str(status)] = {
            "description": _describe_refusal(operation, status, codes),
            "headers": _headers(operation, status),
            **(_success(operation, schemas) if has_same_body else _error(operation, status, schemas)),
        }
    return found


def _describe(operation: Operation) -> str:
    if operation.deprecated is None:
        return operation.description
    return f"{operation.deprecated.description} {operation.description}".rstrip()


def _describe_refusal(operation: Operation, status: int, codes: dict[str, str]) -> str:
    limit = f": o limite é de {operation.body_limit} bytes" if status == 413 else ""
    items = [f"- `{code}`: {meaning}" for code, meaning in codes.items()]
    return "\n".join([_MEANINGS[status] + limit, *(["", *items] if items else [])])


def _headers(operation: Operation, status: int) -> Document:
    names = ["X-Request-ID"]
    sent = find_sent_headers(operation.signature.handler, with_refusals=status >= MOVED)
    if status >= 400:
        names.append("Error-Code")
    # Conditional reads and writes send an ETag, and so do writes that return the new state.
    names_state = sent.pop(ETAG.name, None) or (status < 400 and NOT_MODIFIED in operation.errors)
    if names_state:
        names.append(ETAG.name)
    if status in {429, 503}:
        names.append("Retry-After")
    found: Document = {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, *sent)}
    if operation.deprecated:
        found |= DESCRIBED_HEADERS
    return found | ({"Location": _LOCATION} if status == MOVED else {})


def _describe_sent_headers(operations: Iterable[Operation]) -> Document:
    """Describe the headers that only some operations send. Omit those that every service describes."""
    sent: dict[str, SentHeader] = {}
    for operation in operations:
        sent |= find_sent_headers(operation.signature.handler)
    return {name: _describe_header(header) for name, header in sent.items() if name not in _HEADERS}


def _describe_header(header: SentHeader) -> Document:
    kind = {"type": "integer", "minimum": 0} if isinstance(header.example, int) else _TEXT
    return {"description": header.description, "schema": kind, "example": header.example}


def error_statuses(operation: Operation) -> set[int]:
    """Return the error statuses, and other statuses besides success, of the operation's responses.

    An ambiguous path is refused before it is matched, so 404 is possible for every path with parameters.
    """
    found = {500, 503, *operation.errors}
    if operation.rate != UNLIMITED:
        found.add(429)
    if operation.rule.action != PUBLIC:
        found.add(401)
        # A fixed rule that requires only authentication accepts every valid token, so 403 cannot occur.
        if not (operation.rule.is_fixed and operation.rule.action == AUTHENTICATED):
            found.add(403)
    if operation.signature.body is not None or operation.signature.takes_content:
        found |= {415, operation.too_large().status}
    if operation.signature.path:
        found.add(404)
    if operation.concerns_people:
        found.add(400)
    if operation.signature.body is not None or operation.signature.takes_content or operation.signature.queries:
        found.add(422 if operation.dialect.lists_faults else 400)
    return found


def _success(operation: Operation, schemas: "_Schemas") -> Document:
    wanted = operation.signature.returns
    if get_origin(wanted) is Response:
        (wanted,) = get_args(wanted)
    if wanted in (None, type(None)):
        return {}
    if JSON in operation.media_types:  # other JSON media types contain the same members
        example = schemas.examples.get(name_for_generators(operation.key))
        shown = {} if example is None else {"example": example}
        return {
            "content": {
                kind: {"schema": schemas.of(wanted), **(shown if kind.endswith("json") else {})}
                for kind in operation.media_types
            }
        }
    return {"content": _describe_files(operation.media_types)}


def _describe_files(kinds: Iterable[str]) -> Document:
    """Describe a body or response that is a file of one of these types. Its content is not described."""
    return {str(kind): {"schema": {"type": "string", "contentMediaType": str(kind)}} for kind in kinds}


def _error(operation: Operation, status: int, schemas: "_Schemas") -> Document:
    if status == NOT_MODIFIED:
        return {}
    dialect = operation.dialect
    items = dialect.items_schema if status == dialect.items_status else None
    return {"content": {JSON: {"schema": schemas.of(items or dialect.schema), **find_refusal(operation, status)}}}


class _Schemas:
    """The component schemas of all msgspec and pydantic types that a service's operations use.

    `examples` maps each `operationId` to an example of the operation's success body.
    """

    def __init__(
        self, operations: Iterable[Operation], examples: Mapping[str, Any] = NO_EXAMPLES, further: Iterable[Any] = ()
    ) -> None:
        self.examples = examples
        types = list(dict.fromkeys([*(kind for operation in operations for kind in _types_of(operation)), *further]))
        models = [kind for kind in types if is_model(kind)]
        self._others, found = msgspec.json.schema_components(
            [kind for kind in types if not is_model(kind)], ref_template=_REFERENCE
        )
        self._by_type = dict(zip([kind for kind in types if not is_model(kind)], self._others, strict=True))
        _, definitions = models_json_schema(
            [(model, "validation") for model in models], ref_template=_REFERENCE.replace("name", "model")
        )
        self._by_type |= {model: {"$ref": _REFERENCE.format(name=model.__name__)} for model in models}
        self.components: Document = {**found, **definitions.get("$defs", {})}
        for schema in self.components.values():
            for member in schema.get("properties", {}).values():
                member.pop("title", None)  # the title only repeats the member's name
                if member.get("type") == "array":
                    member.setdefault("items", {})  # items of any type; some tools require `items`
            hoist_annotations(schema)
            schema.pop("description", None)  # a docstring, written for developers in English

    def of(self, kind: Any) -> Document:
        """Return the schema of a type, or a reference if the type has its own component."""
        return dict(self._by_type[kind])

    def resolved(self, kind: Any) -> Document:
        """Return the schema of a type itself, even if the type has its own component."""
        name = self._by_type[kind].get("$ref", "").rpartition("/")[2]
        return dict(self.components[name]) if name else self.of(kind)

    @staticmethod
    def inline(kind: type) -> Document:
        """Return the schema of a query type, which is not a component."""
        if is_model(kind):
            schema: Document = kind.model_json_schema()  # type: ignore[attr-defined]
            definitions = schema.pop("$defs", {})
        else:
            definitions = msgspec.json.schema_components([kind])[1]
            schema = definitions[kind.__name__]
            hoist_annotations(schema)
        # A parameter cannot refer to definitions that the libraries generate, for example for an enumeration, so inline
        # them.
        found: Document = _resolve(schema, definitions)
        return found


def _types_of(operation: Operation) -> Iterable[Any]:
    signature = operation.signature
    returns = get_args(signature.returns)[0] if get_origin(signature.returns) is Response else signature.returns
    yield from (kind for kind in (signature.body, operation.described_body, operation.moved) if kind is not None)
    if returns not in (None, type(None)) and JSON in operation.media_types:
        yield returns
    yield operation.dialect.schema
    if operation.dialect.items_schema is not None and operation.dialect.items_status in error_statuses(operation):
        yield operation.dialect.items_schema


# If our own validator converts a number first, Pydantic writes its bounds under these names.
_BOUNDS = {"ge": "minimum", "le": "maximum"}


def _resolve(schema: Any, definitions: Mapping[str, Document]) -> Any:
    """Return a schema in which each reference is replaced with its definition."""
    if isinstance(schema, list):
        return [_resolve(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    others = {
        _BOUNDS.get(name, name) if isinstance(value, int) else name: _resolve(value, definitions)
        for name, value in schema.items()
        if name != "$ref"
    }
    if "$ref" not in schema:
        return others
    return {**_resolve(definitions[schema["$ref"].rpartition("/")[2]], definitions), **others}
