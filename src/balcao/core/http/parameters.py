"""Markers for the parameters of handlers: a value from the path, a value from the query, or the body.

An operation's handler never gets the request itself. The annotations of its parameters select its arguments:

- `cpf: CpfInPath` is a `Cpf`, and `page: PageInQuery` a `Page`.
- `body: PetBody` is the decoded body, and `content: bytes` the raw body.
- `call: Call` is the call.

The handler runs only if all its arguments are well-formed.
"""

import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints
from uuid import UUID

import pydantic

from balcao.core.context.call import Call
from balcao.core.errors import BodyCompressed, Invalid, Unprocessable
from balcao.core.http import decoding
from balcao.core.http.dialects import Dialect
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.http.storable import require_query
from balcao.core.offloading import SMALL, run_in_thread
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import UUID_PATTERN, parse_uuid

# A function that returns one argument for the handler.
Binder: TypeAlias = Callable[[Call, Request], Any]

_NOT_COMPRESSED = frozenset({b"", b"identity"})


@dataclass(frozen=True)
class InPath:
    """A path parameter. `parse` converts the string in the path to an argument, or raises the error for the caller.

    Set `integer` for integers: an invalid integer is reported together with the errors in the body.
    """

    parse: Callable[[str], Any]
    description: str
    example: str | int
    pattern: str | None = None
    integer: bool = False

    def schema(self) -> dict[str, Any]:
        """Return the parameter's JSON Schema."""
        if self.integer:
            return {"type": "integer", "examples": [self.example]}
        return {"type": "string", "examples": [self.example]} | ({"pattern": self.pattern} if self.pattern else {})


@dataclass(frozen=True)
class InQuery:
    """Values from the query. `schema` is a msgspec or pydantic type whose members describe the parameters.

    The parameters in `repeated` may occur several times, so their values are lists.
    """

    parse: Callable[[Mapping[str, Any]], Any]
    schema: type | None = None
    repeated: Collection[str] = ()


@dataclass(frozen=True)
class OfRequest:
    """A property of the request that is not a parameter of the operation."""

    read: Callable[[Request], Any]


@dataclass(frozen=True)
class OfCall:
    """A property that not every caller has. It is checked before all parameters and the body."""

    read: Callable[[Call], Any]


# The caller's own CPF, for operations whose path contains none. Raises Unauthenticated if the caller has no CPF.
CallersCpf: TypeAlias = Annotated[Cpf, OfCall(lambda call: call.person)]


def parse_path_cpf(text: str) -> Cpf:
    """Return the CPF of a path.

    Raises Invalid if it is malformed. A malformed CPF has no owner, so callers who could only pass as the owner are
    refused first. Only other callers get this error.
    """
    cpf = Cpf.parse_path(text)
    if cpf is None:
        text = "O CPF do caminho é inválido: confira os 11 dígitos, também os dois verificadores."
        raise Invalid(text, code="cpf-invalid")
    return cpf


CpfInPath: TypeAlias = Annotated[
    Cpf,
    InPath(
        parse_path_cpf,
        "CPF do cidadão, com ou sem pontuação",
        "90000000175",
        r"^([0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})$",
    ),
]


# The whole query, for a use case that parses several parameters itself.
Query: TypeAlias = Annotated[Mapping[str, str], InQuery(lambda query: query)]


def uuid_in_path(
    description: str, example: str, refuse: Callable[[], Exception], pattern: str = f"^{UUID_PATTERN}$"
) -> InPath:
    """Describe a UUID in the path. `refuse` returns the exception that the service raises for any other string."""

    def parse(text: str) -> UUID:
        found = parse_uuid(text)
        if found is None:
            raise refuse()
        return found

    return InPath(parse, description, example, pattern)


def in_query(kind: type[pydantic.BaseModel], repeated: Collection[str] = ()) -> InQuery:
    """Bind the whole query to a model, for services that report every validation error in a request."""
    return InQuery(lambda query: decoding.validate_model(dict(query), kind, "query"), kind, repeated)


def integer_in_path(description: str, example: int) -> InPath:
    """Describe an integer in the path, for services that report every validation error in a request."""
    return InPath(decoding.parse_integer, description, example, integer=True)


@dataclass(frozen=True)
class Signature:
    """The parameters of a handler, which are read once from its annotations."""

    handler: Callable[..., Any]
    path: Mapping[str, InPath]
    queries: Mapping[str, InQuery]
    others: Mapping[str, OfRequest]
    of_call: Mapping[str, OfCall]
    body: Any
    takes_content: bool
    returns: Any
    answers_soon: bool
    names: Sequence[str]

    @property
    def integers(self) -> list[str]:
        """The names of the integers in the path whose errors are reported together with those of the body."""
        return [name for name, marker in self.path.items() if marker.integer]

    @property
    def may_wait(self) -> bool:
        """Whether the response may have to be awaited: the handler is a coroutine function or returns `Soon`."""
        return self.answers_soon or inspect.iscoroutinefunction(self.handler)


def signature_of(handler: Callable[..., Any], path_names: Sequence[str]) -> Signature:
    """Read the annotations of a handler.

    Raises TypeError if a parameter is unknown, a path parameter is missing, or the response is a pydantic model.
    """
    hints = get_type_hints(handler, include_extras=True)
    returns = hints.pop("return", None)
    answers_soon = Awaitable in {get_origin(kind) for kind in get_args(returns)}
    if answers_soon:  # `Soon`: the response, or its awaitable
        returns = get_args(returns)[0]
    # The handler encodes a `Response` itself. msgspec encodes and describes every other result.
    encoded = get_args(get_args(returns)[0]) if get_origin(returns) is Response else (returns,)
    if any(map(_names_model, encoded)):
        raise TypeError(f"{handler.__qualname__}: a response is a msgspec struct, not a pydantic model (ADR 0010)")
    path: dict[str, InPath] = {}
    queries: dict[str, InQuery] = {}
    others: dict[str, OfRequest] = {}
    of_call: dict[str, OfCall] = {}
    body, takes_content = None, False
    for name, hint in hints.items():
        marker = _find_marker(hint)
        if isinstance(marker, InPath) and name in path_names:
            path[name] = marker
        elif isinstance(marker, InQuery):
            queries[name] = marker
        elif isinstance(marker, OfRequest):
            others[name] = marker
        elif isinstance(marker, OfCall):
            of_call[name] = marker
        elif name == "body":
            body = hint
        elif name == "content" and hint is bytes:
            takes_content = True
        elif hint is not Call:
            raise TypeError(f"{handler.__qualname__}: nothing is bound to the parameter {name}")
    if missing := set(path_names) - set(path):
        raise TypeError(f"{handler.__qualname__}: the handler does not take {sorted(missing)}")
    return Signature(handler, path, queries, others, of_call, body, takes_content, returns, answers_soon, list(hints))


def _names_model(hint: Any) -> bool:
    return decoding.is_model(hint) or any(map(_names_model, get_args(hint)))


def _find_marker(hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        kinds = (InPath, InQuery, OfRequest, OfCall)
        return next((item for item in get_args(hint)[1:] if isinstance(item, kinds)), None)
    return None


def invoker(
    signature: Signature, path_names: Sequence[str], dialect: Dialect, too_large: Callable[[], Exception]
) -> Binder:
    """Return the function that calls the handler with its arguments.

    Order of the checks: properties of the caller, the body, the path from left to right, the query. The first fault is
    raised. If the path has integers whose faults are reported together with the body's, those of the path and the body
    are raised together, before all others.

    A large body is decoded outside the event loop if the handler may wait.
    """
    handler, names = signature.handler, signature.names
    binders: dict[str, Binder] = {name: _bind_call(marker.read) for name, marker in signature.of_call.items()}
    if signature.takes_content:
        binders["content"] = _bind_content(too_large)
    if signature.body is not None:
        binders["body"] = _bind_body(signature.body, dialect, too_large)
    for place, name in enumerate(path_names):
        binders[name] = _bind_path_value(place, signature.path[name].parse)
    for name, marker in signature.queries.items():
        binders[name] = _bind_query(marker, dialect)
    for name, other in signature.others.items():
        binders[name] = _bind_request(other.read)
    if not binders:
        return (lambda call, _: handler(call)) if names else (lambda _, __: handler())
    integers = signature.integers
    decodes = signature.body is not None and signature.may_wait
    if len(binders) == 1 and names[0] == "call" and not integers and not decodes:
        (bind,) = binders.values()
        return lambda call, request: handler(call, bind(call, request))

    def bind_all(call: Call, request: Request) -> dict[str, Any]:
        if integers:
            _check_integers(request, path_names, integers, signature.body)
        found = {name: bind(call, request) for name, bind in binders.items()}
        if "call" in names:
            found["call"] = call
        return found

    async def invoke_later(call: Call, request: Request) -> Any:
        result = handler(**await run_in_thread(bind_all, call, request))
        return await result if inspect.isawaitable(result) else result

    def invoke(call: Call, request: Request) -> Any:
        if decodes and request.content is not None and len(request.content) > SMALL:
            return invoke_later(call, request)
        return handler(**bind_all(call, request))

    return invoke


def _bind_content(too_large: Callable[[], Exception]) -> Binder:
    return lambda _, request: _read_content(request, too_large)


def _read_content(request: Request, too_large: Callable[[], Exception]) -> bytes:
    """Return the raw body.

    Raises the error from `too_large` for a body above the limit, and BodyCompressed for a compressed body, which could
    unpack to any size.
    """
    if request.headers.get(b"content-encoding", b"identity").lower() not in _NOT_COMPRESSED:
        raise BodyCompressed()
    if request.content is None:
        raise too_large()
    return request.content


def _bind_body(model: Any, dialect: Dialect, too_large: Callable[[], Exception]) -> Binder:
    decode: Any = decoding.decode_model if decoding.is_model(model) else decoding.decode

    def bind(_: Call, request: Request) -> Any:
        content = _read_content(request, too_large)
        if not content:
            raise dialect.missing_body()
        return decode(content, model)

    return bind


def _bind_path_value(place: int, parse: Callable[[str], Any]) -> Binder:
    return lambda _, request: parse(request.path_values[place])


def _bind_query(marker: InQuery, dialect: Dialect) -> Binder:
    """Return a function that parses the query.

    If the service reports every fault, parsing itself checks whether values can be stored.
    """
    parse, repeated = marker.parse, marker.repeated
    if dialect.lists_faults:
        return lambda _, request: parse(_read_query(request, repeated))

    def bind(_: Call, request: Request) -> Any:
        query = request.query(repeated)
        require_query(query)
        return parse(query)

    return bind


def _read_query(request: Request, repeated: Collection[str]) -> Mapping[str, Any]:
    """Return the query, for a service that answers an invalid query with 422."""
    try:
        return request.query(repeated)
    except Invalid as fault:
        raise Unprocessable(faults=[{"loc": ["query"], "msg": fault.message, "type": "too_long"}]) from None


def _bind_call(read: Callable[[Call], Any]) -> Binder:
    return lambda call, _: read(call)


def _bind_request(read: Callable[[Request], Any]) -> Binder:
    return lambda _, request: read(request)


def _check_integers(request: Request, path_names: Sequence[str], integers: Sequence[str], body: Any) -> None:
    """Raise Unprocessable if an integer in the path is invalid. The error also lists the faults of the body."""
    values = dict(zip(path_names, request.path_values, strict=True))
    faults = decoding.find_integer_faults({name: values[name] for name in integers})
    if faults and body is not None and request.content is not None:
        faults += decoding.find_model_faults(request.content, body)
    if faults:
        raise Unprocessable(faults=faults)
