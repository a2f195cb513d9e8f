"""Maps another application's operations from its OpenAPI description (rules: access 4.9)."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field

from balcao.access.conventions import ActionName, Description
from balcao.access.documents.schemas import Document
from balcao.access.mappings.schemas import Pattern
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http import decoding
from balcao.core.http.models import Model
from balcao.core.values.fields import Flag

ACTION = "x-balcao-action"
METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
# Allow deep nesting, because schemas may need it. Nothing inside an operation is used.
MAX_DEPTH = 100
_PARAMETER = re.compile(r"\{([^{}/]*)\}")
_NO_LETTER = re.compile(r"[^A-Za-z0-9_]")


class OpenApiServer(Model):
    """A server of the application. The first server's path is the default prefix of all paths."""

    url: Annotated[str, Field(description="Endereço, ou só o caminho.", examples=["https://cidade.example/iptu"])] = ""


class OpenApi(Model):
    """The parts of an OpenAPI description that are used. All other parts are ignored."""

    openapi: Annotated[str, Field(pattern=r"^3\.", description="Versão do OpenAPI, 3.x.", examples=["3.1.0"])]
    servers: Annotated[list[OpenApiServer], Field(description="Onde a aplicação atende.", examples=[[]])] = []
    paths: Annotated[
        dict[str, dict[str, Any]],
        Field(
            description=f"Caminhos e métodos; `{ACTION}`, na operação ou no caminho, diz a ação exigida.",
            examples=[{"/boletos": {"get": {"summary": "Boletos", ACTION: "iptu:invoice:read"}}}],
        ),
    ]
    action: Annotated[
        ActionName | None,
        Field(alias=ACTION, description="A ação das operações que não dizem a sua.", examples=["iptu:invoice:read"]),
    ] = None
    actions: Annotated[
        dict[ActionName, Description],
        Field(
            alias="x-balcao-actions",
            description="Ações que a aplicação traz, e o que cada uma permite; das que existem muda só a descrição.",
            examples=[{"iptu:invoice:read": "Consultar boletos do IPTU"}],
        ),
    ] = {}


class OpenApiQuery(Model):
    """The application's prefix at the gateway, the default action, and whether to delete its other mappings."""

    prefix: Annotated[
        Pattern | None,
        Field(
            description="Começo dos caminhos no gateway; sem ele, o do primeiro servidor.", examples=["/iptu/api/v1"]
        ),
    ] = None
    action: Annotated[
        ActionName | None,
        Field(description="A ação das operações que não dizem a sua.", examples=["iptu:invoice:read"]),
    ] = None
    prune: Annotated[
        Flag,
        Field(description="Se `true`, os outros mapeamentos sob o prefixo são excluídos.", examples=[False]),
    ] = False


def to_document(described: OpenApi, query: OpenApiQuery) -> Document:
    """Return the catalogue document that maps the operations.

    Raises Unprocessable with a fault for each operation without an action, and for each path that is not a valid
    pattern. Raises Unprocessable also if the server's address is malformed, or if `prune` is set without a prefix.
    """
    prefix = _to_pattern(query.prefix or _read_base(described.servers))
    if query.prune and not prefix:
        raise Unprocessable(
            faults=[Fault(loc=["query", "prefix"], msg="para excluir o resto, diga o prefixo", type="value_error")]
        )
    fallback = query.action or described.action
    faults, mappings = [], []
    for path, method, operation, shared in _list_operations(described):
        action = operation.get(ACTION, shared if shared is not None else fallback)
        if action is None:
            text = f"diga em `{ACTION}` a ação que a operação exige"
            faults.append(Fault(loc=["body", "paths", path, method], msg=text, type="missing"))
        summary = operation.get("summary") or operation.get("operationId") or None
        mapping = {"method": method.upper(), "path": prefix + _to_pattern(path) or "/", "action": action}
        mappings.append(mapping | ({"description": summary[:500]} if isinstance(summary, str) else {}))
    if faults:
        raise Unprocessable(faults=faults)
    actions = [{"name": name, "description": text} for name, text in described.actions.items()]
    members = {"format": 1, "actions": actions, "mappings": mappings, "complete": [prefix] if query.prune else []}
    return decoding.validate_model(members, Document, "body")


def _read_base(servers: Sequence[OpenApiServer]) -> str:
    """Return the path of the first server's address."""
    try:
        return urlsplit(servers[0].url).path if servers else ""
    except ValueError:
        fault = Fault(loc=["body", "servers", "0", "url"], msg="não é um endereço válido", type="value_error")
        raise Unprocessable(faults=[fault]) from None


def _list_operations(described: OpenApi) -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    """Yield the path, the method, the operation, and the action that the path item sets for its operations."""
    for path, item in described.paths.items():
        for method in METHODS:
            if isinstance(operation := item.get(method), dict):
                yield path, method, operation, item.get(ACTION)


def _to_pattern(path: str) -> str:
    """Return the path without a trailing slash, with its parameters renamed to names that a pattern allows."""
    return _PARAMETER.sub(_to_parameter, path).rstrip("/")


def _to_parameter(found: re.Match[str]) -> str:
    name = _NO_LETTER.sub("_", found[1])
    return f"{{{name if name[:1].isalpha() or name[:1] == '_' else '_' + name}}}"
