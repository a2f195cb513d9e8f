"""Declare an operation next to its handler: its key, rule, limits and responses.

The check before every call, the access catalogue, the API descriptions and the gateway all use this declaration.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, Unpack, cast

from balcao.core.access.rules import Rule
from balcao.core.context.call import RecordDenial
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, TooLarge
from balcao.core.http.deprecation import Deprecation
from balcao.core.http.dialects import ERROR_TEXT, Dialect
from balcao.core.http.parameters import Signature, signature_of
from balcao.core.http.responses import JSON, Response
from balcao.core.http.routing import parameters_of
from balcao.settings import Settings

MIB = 1024 * 1024
# The size limits, in bytes, for a body with a few short members and for a form with texts or lists.
SMALL_BODY = 16 * 1024
FORM_BODY = 64 * 1024
# A body up to this size is read without asking the endpoint whether the caller may send it.
UNCHECKED_BODY = 8 * 1024
# The rate of an operation that needs no rate limit, because it has its own protection against overload.
UNLIMITED = ""
NOTHING_CHANGED: Mapping[str, str] = MappingProxyType({})
# The tag of the operations that every service has.
PLATFORM_TAG = {"plataforma": "O que todo serviço tem: se vive, se pode atender, e a sua descrição."}

Handler = TypeVar("Handler", bound=Callable[..., Any])


def name_for_machines(key: str) -> str:
    """Return the name of this operation's rate limit for machines."""
    return f"{key}:machines"


class RouteOptions(TypedDict, total=False):
    """The options of an operation besides its method, path, key, rule and summary.

    - `errors`: statuses in addition to those that follow from the rule, the parameters and the body.
    - `ready`: a function that may refuse the call before the rule is checked, for example if a setting is missing.
    - `query`: the type that describes the query parameters. The default is the `schema` of the handler's `InQuery`.
    - `described_body`: the type of a body that the use case reads as bytes.
    - `accepts`: the types of a body that is a file, for the API description. The use case detects the actual type.
    - `too_large`: returns the error for a body larger than `body_limit`.
    - `record_denial`: a function that records a denied attempt instead of the default audit event.
    - `in_description`: false for operations that only people use, such as pages. They are not in the OpenAPI document.
    - `media_types`: the media types of a success. A caller that chooses none gets the first.
    - `moved`: the type of the body of a 301.
    - `same_body`: statuses whose body has the type of a success but explains a failure. The statuses that are also in
      `errors` have an error code.
    - `may_lag`: the operation reads public data through `Call.reader`, and these may be a few seconds old. For callers
      who cannot change public data, the read uses a replica (docs/adr/0006-reads-that-may-lag.md).
    - `concerns_people`: staff see or change citizens' data although the path contains no CPF. They must give a reason
      if `BALCAO_REQUIRE_ACCESS_REASON` is set, as on every path with a CPF.
    - `rate`, `machine_rate`: how often one caller or one machine may call. The defaults are the settings' rates for
      reads, for writes, or for operations that call the CRM while the caller waits (`calls_crm`).
    - `in_maintenance`: the operation stays available while its service is in maintenance.
    - `idempotent`: a repeated POST or PATCH has the same effect even without an `Idempotency-Key`, so clients may
      repeat it after a lost response.
    - `description`: what developers of portals must know in addition to the `summary`, in Portuguese. The default is
      the handler's docstring. Set this option if several operations share a text.
    - `deprecated`: the operation will be removed. Every response says so in its headers, and the API description too.
    - `example`: a request body that works on the demo data, as the JSON that the caller sends. The default consists of
      the examples of the required members.
    """

    dialect: Dialect
    status: int
    errors: Sequence[int]
    tags: Sequence[str]
    query: type | None
    described_body: type | None
    accepts: Sequence[str]
    body_limit: int
    too_large: Callable[[], BalcaoError]
    rate: str | None
    machine_rate: str | None
    calls_crm: bool
    in_maintenance: bool
    concerns_people: bool
    record_denial: RecordDenial | None
    ready: Callable[[Platform], None] | None
    in_description: bool
    media_types: Sequence[str]
    description: str
    example: Any
    moved: type | None
    same_body: Sequence[int]
    may_lag: bool
    idempotent: bool
    deprecated: Deprecation | None


@dataclass(frozen=True, eq=False)
class Operation:
    """A declared operation of a service. `path` is relative to the service's base.

    `key` is permanent (`service.operation`). The other members are explained in `RouteOptions`.
    """

    method: str
    path: str
    key: str
    rule: Rule
    summary: str
    signature: Signature
    dialect: Dialect = ERROR_TEXT
    status: int = 200
    errors: Sequence[int] = ()
    tags: Sequence[str] = ()
    query: type | None = None
    described_body: type | None = None
    accepts: Sequence[str] = ()
    body_limit: int = MIB
    too_large: Callable[[], BalcaoError] = TooLarge
    rate: str | None = None
    machine_rate: str | None = None
    calls_crm: bool = False
    in_maintenance: bool = False
    concerns_people: bool = False
    record_denial: RecordDenial | None = None
    ready: Callable[[Platform], None] | None = None
    in_description: bool = True
    media_types: Sequence[str] = (JSON,)
    description: str = ""
    example: Any = None
    moved: type | None = None
    same_body: Sequence[int] = ()
    may_lag: bool = False
    idempotent: bool = False
    deprecated: Deprecation | None = None

    def rates(self, settings: Settings, changed: Mapping[str, str] = NOTHING_CHANGED) -> tuple[str, str]:
        """Return the rate of a person or an anonymous caller, and the rate of a machine.

        `changed` contains the rates that an operator has set. Its keys are names of limits: the operation's key,
        `name_for_machines` of the key, or the name of the setting that sets the default rate.
        """
        rates, machine_rates = settings.default_rates
        kind = "crm" if self.calls_crm else "read" if self.method == "GET" else "write"
        if self.rate is None:
            own = changed.get(self.key) or changed.get(f"BALCAO_{kind.upper()}_RATE", rates[kind])
            machines = changed.get(f"BALCAO_MACHINE_{kind.upper()}_RATE", machine_rates[kind])
        else:
            own = machines = changed.get(self.key) or settings.declared_rate(self.rate)
        if self.machine_rate:
            machines = settings.declared_rate(self.machine_rate)
        return own, changed.get(name_for_machines(self.key)) or machines

    def returning(self, kind: Any) -> "Operation":
        """Return the operation with this response type, for a type that is known only when all features are loaded."""
        return replace(self, signature=replace(self.signature, returns=Response[kind]))


class Routes:
    """The operations of a service in the order of their declaration, and the options that they share.

    `@routes.get(path, key, rule, summary, ...)` and the other decorators declare the function below them and do not
    change it. A service has one `Routes`, and each of its features `extend`s it.
    """

    def __init__(self, **options: Unpack[RouteOptions]) -> None:
        self.options = options
        self.declared: list[Operation] = []

    def extend(self, **options: Unpack[RouteOptions]) -> "Routes":
        """Return the routes of a feature. These options are added to the service's options and override them."""
        both: RouteOptions = {**self.options, **options}
        return Routes(**both)

    def get(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a GET operation."""
        return self.declare("GET", path, key, rule, summary, **options)

    def post(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a POST operation."""
        return self.declare("POST", path, key, rule, summary, **options)

    def put(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a PUT operation."""
        return self.declare("PUT", path, key, rule, summary, **options)

    def patch(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a PATCH operation."""
        return self.declare("PATCH", path, key, rule, summary, **options)

    def delete(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a DELETE operation."""
        return self.declare("DELETE", path, key, rule, summary, **options)

    def declare(
        self, method: str, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare the decorated function as the operation's handler."""

        def declare(handler: Handler) -> Handler:
            signature = signature_of(handler, parameters_of(path))
            chosen = {**self.options, **options}
            chosen.setdefault(
                "query", next((found.schema for found in signature.queries.values() if found.schema), None)
            )
            text = options.get("description") or " ".join((inspect.getdoc(handler) or "").split())
            chosen["description"] = _name_action(text, rule)
            # mypy has checked each option at the call. It cannot check that the options fit the dataclass.
            options_of_any_type = cast("dict[str, Any]", chosen)
            self.declared.append(Operation(method, path, key, rule, summary, signature, **options_of_any_type))
            return handler

        return declare


def _name_action(text: str, rule: Rule) -> str:
    """Append a sentence about the action that the rule requires, unless the text already names the action."""
    if rule.needed is None or f"`{rule.needed}`" in text:
        return text
    return f"{text} Exige a ação `{rule.needed}`.".lstrip()
