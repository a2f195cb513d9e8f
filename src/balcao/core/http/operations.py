"""Declaring an operation: its key, its rule, its limits and what it answers, beside its handler.

The same data drives the check before every call, the access catalogue, the descriptions and the gateway.
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
from balcao.core.http.dialects import ERROR_TEXT, Dialect
from balcao.core.http.parameters import Signature, signature_of
from balcao.core.http.responses import JSON, Response
from balcao.core.http.routing import parameters_of
from balcao.settings import Settings

MIB = 1024 * 1024
# The limits of a body of some short members, and of one with texts or lists of a form's size.
SMALL_BODY = 16 * 1024
FORM_BODY = 64 * 1024
# A body up to this size is read before the endpoint is asked whether its caller may send a larger one.
UNASKED_BODY = 8 * 1024
# The rate of an operation that refuses overload in its own way.
UNLIMITED = ""
NOTHING_CHANGED: Mapping[str, str] = MappingProxyType({})
# The tag of the operations that every service has.
PLATFORM_TAG = {"plataforma": "O que todo serviço tem: se vive, se pode atender, e a sua descrição."}

Handler = TypeVar("Handler", bound=Callable[..., Any])


def name_for_machines(key: str) -> str:
    """Return the name of the limit of an operation's machines."""
    return f"{key}:machines"


class RouteOptions(TypedDict, total=False):
    """What an operation may say besides its method, path, key, rule and summary.

    `errors` are the statuses beyond those that follow from the rule, the parameters and the body. `ready` may refuse,
    unconfigured, before the rule is looked at. `described_body` describes a body that the use case reads from its
    bytes. What is for people's eyes alone is left out of the description (`in_description`). Of several `media_types`
    of a success the first is what a caller gets who names none. `moved` describes the body of a 301. At the statuses of
    `same_body` the body is that of the success, and says why it is none; those of them that are among `errors` are
    refusals, with a code.

    `may_lag` says that it reads what everybody may see, by `Call.reader`, and may show it some seconds late: from a
    replica, for callers who can change nothing that everybody sees (docs/adr/0006-reads-that-may-lag.md).

    `concerns_people` says that staff see or change people's data here though the path names nobody: they must say why
    where `BALCAO_REQUIRE_ACCESS_REASON` wants it, as on every path with a CPF.

    `rate` is how often one caller may call, `machine_rate` how often a machine may; without them the settings' rates
    hold: for reads, for writes, or for what calls the CRM while the caller waits (`calls_crm`).

    `in_maintenance` says that the operation answers also while its service is in maintenance.

    `idempotent` says that a POST or PATCH has the same effect however often it is sent, without an `Idempotency-Key`:
    clients send it again after a lost response.

    `description` tells, in Portuguese, what a portal's developer must know beyond the `summary`. It is the handler's
    docstring, but where several operations share a text. `example` is a request body that works on the demo data, as
    the JSON that the caller sends; without it the body of the required members' own examples does.
    """

    dialect: Dialect
    status: int
    errors: Sequence[int]
    tags: Sequence[str]
    query: type | None
    described_body: type | None
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


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation of a service as declared; `path` is relative to the service's base.

    `key` is permanent (`service.operation`). The other members are those of `RouteOptions`.
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

    def rates(self, settings: Settings, changed: Mapping[str, str] = NOTHING_CHANGED) -> tuple[str, str]:
        """Return the rate of a person or an anonymous caller, and that of a machine.

        `changed` are rates that an operator set, by the limit's name: that of the operation, of its machines
        (`name_for_machines`), or of the setting whose rate it has.
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
        """Return the operation with this type of response, which is known only once all features are."""
        return replace(self, signature=replace(self.signature, returns=Response[kind]))


class Routes:
    """Declares operations, in their order, with the options that they have in common.

    `@routes.get(path, key, rule, summary, ...)` and its sisters declare the function below them, which stays as it is.
    A service has one, and each of its features `extend`s it.
    """

    def __init__(self, **options: Unpack[RouteOptions]) -> None:
        self.options = options
        self.declared: list[Operation] = []

    def extend(self, **options: Unpack[RouteOptions]) -> "Routes":
        """Return routes of a feature's own, with these options beside and above those of the service."""
        both: RouteOptions = {**self.options, **options}
        return Routes(**both)

    def get(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a read."""
        return self.declare("GET", path, key, rule, summary, **options)

    def post(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a POST."""
        return self.declare("POST", path, key, rule, summary, **options)

    def put(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a PUT."""
        return self.declare("PUT", path, key, rule, summary, **options)

    def patch(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a PATCH."""
        return self.declare("PATCH", path, key, rule, summary, **options)

    def delete(
        self, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare a DELETE."""
        return self.declare("DELETE", path, key, rule, summary, **options)

    def declare(
        self, method: str, path: str, key: str, rule: Rule, summary: str, **options: Unpack[RouteOptions]
    ) -> Callable[[Handler], Handler]:
        """Declare the function below as the operation's handler."""

        def declare(handler: Handler) -> Handler:
            signature = signature_of(handler, parameters_of(path))
            chosen = {**self.options, **options}
            chosen.setdefault(
                "query", next((found.schema for found in signature.queries.values() if found.schema), None)
            )
            text = options.get("description") or " ".join((inspect.getdoc(handler) or "").split())
            chosen["description"] = _name_action(text, rule)
            # mypy checked each option where it was given; into a dataclass it cannot follow them.
            options_of_any_type = cast("dict[str, Any]", chosen)
            self.declared.append(Operation(method, path, key, rule, summary, signature, **options_of_any_type))
            return handler

        return declare


def _name_action(text: str, rule: Rule) -> str:
    """Return the text with the action that the rule demands, where it does not name that itself."""
    if rule.needed is None or f"`{rule.needed}`" in text:
        return text
    return f"{text} Exige a ação `{rule.needed}`.".lstrip()
