"""Declaring an operation: its key, its rule, its limits and what it answers, kept beside its route.

The same data drives the check before every call, the access catalogue, the descriptions and the gateway.
"""

import dataclasses
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import pydantic
from litestar import Request
from litestar.di import NamedDependency
from litestar.dto import AbstractDTO, DTOConfig
from litestar.handlers import HTTPRouteHandler, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, RequestBody, Schema
from litestar.openapi.spec import Operation as OpenAPIOperation
from litestar.openapi.spec import Parameter as OpenAPIParameter
from litestar.params import PathParameter

from balcao.core.access.caller import Caller
from balcao.core.access.check import check
from balcao.core.access.rules import PUBLIC, Rule
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, TooLarge, Unprocessable
from balcao.core.http import decoding
from balcao.core.http.dialects import ERROR_TEXT, JSON, Dialect

# How a route asks for the call at hand.
CurrentCall = NamedDependency[Call]

MIB = 1024 * 1024
NOT_MODIFIED = 304
T = TypeVar("T")
HttpMethodName = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

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


# Leaves a service's own trace of a refused call, in place of the platform's; given the call and the path's parameters.
Refused = Callable[[Call, Mapping[str, str]], Awaitable[None]]


@dataclasses.dataclass(frozen=True)
class Operation:
    """`key` is permanent (`service.operation`). `ready` may refuse, unconfigured, before the rule is looked at."""

    key: str
    rule: Rule
    summary: str
    rate: str | None = None
    ready: Callable[[Platform], None] | None = None
    oversize: Callable[[], BalcaoError] = TooLarge
    machine_rate: str | None = None
    refused: Refused | None = None

    def rate_of(self, caller: Caller | None) -> str | None:
        """A machine calls for many people: it may have a rate of its own."""
        is_machine = caller is not None and not caller.is_person
        return self.machine_rate if is_machine and self.machine_rate else self.rate


def operation(
    method: HttpMethodName,
    path: str,
    key: str,
    rule: Rule,
    summary: str,
    *,
    dialect: Dialect = ERROR_TEXT,
    status: int = 200,
    errors: Sequence[int] = (),
    body: type | None = None,
    describes_body: type | None = None,
    body_limit: int = MIB,
    oversize: Callable[[], BalcaoError] = TooLarge,
    query: type | None = None,
    rate: str | None = None,
    machine_rate: str | None = None,
    refused: Refused | None = None,
    integers: Sequence[str] = (),
    ready: Callable[[Platform], None] | None = None,
    tags: Sequence[str] = (),
    in_description: bool = True,
    media_type: str | None = None,
) -> Callable[[Callable[..., Any]], HTTPRouteHandler]:
    """A route with all that the platform must know of it.

    `errors` are the statuses beyond those that follow from the rule; `body` and `query` are msgspec or pydantic types
    for the description, the former also decodes the parameter `data`; `describes_body` only describes what the use case
    reads from the bytes itself. What is for people's eyes alone is left out of the description. `media_type` is a
    success's that is not JSON.
    """
    declared = Operation(key, rule, summary, rate, ready, oversize, machine_rate, refused)
    # A path that could be read in two ways is refused before it is matched, so a 404 is possible wherever the caller
    # has a word in it.
    further = [*errors, 404] if "{" in path else errors
    responses = _responses(dialect, rule, further, has_body=body is not None)
    return route(
        path,
        http_method=[method],
        opt={"operation": declared},
        before_request=_checking_integers(check(declared), integers, body) if integers else check(declared),
        request_max_body_size=body_limit,
        status_code=status,
        media_type=media_type,
        operation_id=key.replace(".", "_"),
        summary=summary,
        tags=list(tags) or None,
        include_in_schema=in_description,
        operation_class=_described(declared, query, describes_body, {status, *responses}),
        responses=responses,
        response_description="Sucesso",
        security=[] if rule.action == PUBLIC else [{"bearer": []}],
        dto=_decoded_as(body) if body is not None else None,
        return_dto=None,
    )


Hook = Callable[[Request[Any, Any, Any]], Awaitable[None]]


def _checking_integers(admit: Hook, integers: Sequence[str], body: type | None) -> Hook:
    """A path parameter that is no integer is refused together with the faults of the body."""

    async def before(request: Request[Any, Any, Any]) -> None:
        await admit(request)
        faults = decoding.integer_faults({name: request.path_params[name] for name in integers})
        if faults and body is not None:
            faults += decoding.model_faults(await request.body(), body)
        if faults:
            raise Unprocessable(faults=faults)

    return before


def path_text(pattern: str, description: str, example: str) -> Any:
    """The annotation of a path parameter: described here, checked by the use case in the service's own words."""
    return Annotated[
        str,
        PathParameter(description=description, schema_extra={"pattern": pattern, "examples": [example]}),
    ]


def path_integer(description: str, example: int) -> Any:
    """What annotates a `str` for an operation's `integers`: text to the framework, so that we word the fault."""
    return PathParameter(description=description, schema_extra={"type": OpenAPIType.INTEGER, "examples": [example]})


def query_of(request: Request[Any, Any, Any]) -> dict[str, str]:
    """The query as text; of a repeated parameter the first counts."""
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        found.setdefault(name, value)
    return found


def _responses(dialect: Dialect, rule: Rule, errors: Sequence[int], *, has_body: bool) -> Mapping[int, ResponseSpec]:
    common = {429, 500, 503} | (set() if rule.action == PUBLIC else {401, 403}) | ({413} if has_body else set())
    statuses = sorted(common | set(errors))
    return {status: ResponseSpec(_schema(dialect, status), False, _MEANINGS[status]) for status in statuses}


def _schema(dialect: Dialect, status: int) -> type | None:
    if status == NOT_MODIFIED:
        return None
    if status == dialect.items_status and dialect.items_schema is not None:
        return dialect.items_schema
    return dialect.schema


def _described(
    declared: Operation, query: type | None, body: type | None, statuses: Collection[int]
) -> type[OpenAPIOperation]:
    """The framework's description of an operation, plus our extension, the query's parameters and a raw body.

    Of the answers only those of `statuses` stay: the framework adds one of its own, in a wording that is not ours.
    """

    @dataclasses.dataclass
    class Described(OpenAPIOperation):
        x_access_rule: str | None = dataclasses.field(default=None, metadata={"alias": "x-access-rule"})

        def __post_init__(self) -> None:
            self.x_access_rule = str(declared.rule)
            self.responses = {key: found for key, found in (self.responses or {}).items() if int(key) in statuses}
            if query is not None:
                self.parameters = [*(self.parameters or []), *query_parameters(query)]
            if body is not None:
                schema = _object_schema(body)
                content = {JSON: OpenAPIMediaType(schema=schema)}
                self.request_body = RequestBody(content=content, required=bool(schema.required))

    return Described


def query_parameters(model: type) -> list[OpenAPIParameter]:
    """One parameter for each member of a msgspec or pydantic type."""
    schema = _json_schema(model)
    required = set(schema.get("required", ()))
    return [
        OpenAPIParameter(
            name=name,
            param_in="query",
            required=name in required,
            description=member.pop("description", None),
            schema=_schema_of(member),
        )
        for name, member in schema["properties"].items()
    ]


def _object_schema(model: type) -> Schema:
    schema = _json_schema(model)
    return Schema(
        type=OpenAPIType.OBJECT,
        title=model.__name__,
        properties={name: _schema_of(member) for name, member in schema["properties"].items()},
        required=sorted(schema.get("required", ())),
    )


def _json_schema(model: type) -> Any:
    if issubclass(model, pydantic.BaseModel):
        return model.model_json_schema()
    return msgspec.json.schema_components([model])[1][model.__name__]


_SCHEMA_FIELDS = {field.metadata.get("alias", field.name): field.name for field in dataclasses.fields(Schema)}


def _schema_of(member: dict[str, Any]) -> Schema:
    """A flat JSON schema as the framework's own type; query members are never nested."""
    member = {key: value for key, value in member.items() if key != "title" and value is not None}
    if "anyOf" in member:  # optional members: what is left out is null
        member |= next(option for option in member.pop("anyOf") if option.get("type") != "null")
    return Schema(**{_SCHEMA_FIELDS.get(_snake(key), _snake(key)): value for key, value in member.items()})


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)


def _decoded_as(model: type[T]) -> type[AbstractDTO[T]]:
    """The framework's hook for bodies, filled with our own decoding; the description still shows the type."""
    decode: Any = decoding.decode_model if issubclass(model, pydantic.BaseModel) else decoding.decode

    class Body(AbstractDTO[model]):  # type: ignore[valid-type]
        config = DTOConfig()
        model_type = model

        def decode_bytes(self, value: bytes) -> Any:
            return decode(value, model)

        @classmethod
        def generate_field_definitions(cls, model_type: Any) -> Any:
            return iter(())

        @classmethod
        def detect_nested_field(cls, field_definition: Any) -> bool:
            return False

        @classmethod
        def create_for_field_definition(cls, *args: Any, **kwargs: Any) -> None:
            """Nothing to prepare: no field is renamed or left out."""

        @classmethod
        def create_openapi_schema(cls, field_definition: Any, handler_id: str, schema_creator: Any) -> Any:
            return schema_creator.for_field_definition(field_definition)

    return Body
