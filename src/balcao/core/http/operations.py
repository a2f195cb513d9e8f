"""Declaring an operation: its key, its rule, its limits and what it answers, beside its handler.

The same data drives the check before every call, the access catalogue, the descriptions and the gateway.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from balcao.core.access.rules import Rule
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, TooLarge
from balcao.core.http.dialects import ERROR_TEXT, Dialect
from balcao.core.http.parameters import Signature, signature_of
from balcao.core.http.responses import JSON, Response
from balcao.core.http.routing import parameters_of
from balcao.settings import Settings

MIB = 1024 * 1024
# Of operations whose body is some short members, and of those with texts or lists of a form's size.
SMALL_BODY = 16 * 1024
FORM_BODY = 64 * 1024
# The rate of an operation that refuses overload in its own way.
UNLIMITED = ""
NOTHING_CHANGED: Mapping[str, str] = MappingProxyType({})
# Of the operations that every service has.
PLATFORM_TAG = {"plataforma": "O que todo serviço tem: se vive, se pode atender, e a sua descrição."}

Handler = TypeVar("Handler", bound=Callable[..., Any])
# Leaves a service's own trace of a denied call, in place of the platform's; given the call and the path's parameters.
RecordDenial = Callable[[Call, Mapping[str, str]], Awaitable[None]]


def name_for_machines(key: str) -> str:
    """Return the name of the limit of an operation's machines."""
    return f"{key}:machines"


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation of a service as declared; `path` is relative to the service's base.

    `key` is permanent (`service.operation`). `errors` are the statuses beyond those that follow from the rule. `ready`
    may refuse, unconfigured, before the rule is looked at. `described_body` describes a body that the use case reads
    from its bytes. What is for people's eyes alone is left out of the description (`in_description`). Of several
    `media_types` of a success the first is what a caller gets who names none. `moved` describes the body of a 301. At
    the statuses of `same_body` the body is that of the success, and says why it is none; those of them that are among
    `errors` are refusals, with a code.

    `may_lag` says that it reads what everybody may see, by `Call.reader`, and may show it some seconds late: from a
    replica, for callers who can change nothing that everybody sees (docs/adr/0006-reads-that-may-lag.md).

    `concerns_people` says that staff see or change people's data here though the path names nobody: they must say why
    where `BALCAO_REQUIRE_ACCESS_REASON` wants it, as on every path with a CPF.

    `rate` is how often one caller may call, `machine_rate` how often a machine may; without them the settings' rates
    hold: for reads, for writes, or for what calls the CRM while the caller waits (`calls_crm`).

    `in_maintenance` says that the operation answers also while its service is in maintenance.

    `description` tells, in Portuguese, what a portal's developer must know beyond the `summary`. `example` is a request
    body that works on the demo data, as the JSON that the caller sends.
    """

    method: str
    path: str
    key: str
    rule: Rule
    summary: str
    signature: Signature
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
    description: str | None
    example: Any
    moved: type | None
    same_body: Sequence[int]
    may_lag: bool

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


@dataclass(frozen=True)
class Routes:
    """Declares the operations of one feature, in their order, with what they have in common.

    `@routes.get(path, key, rule, summary, ...)` and its sisters declare the function below them, which stays as it is.
    """

    tags: Sequence[str] = ()
    dialect: Dialect = ERROR_TEXT
    body_limit: int = MIB
    declared: list[Operation] = field(default_factory=list)

    def get(self, *args: Any, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a read; options are those of `declare`."""
        return self.declare("GET", *args, **options)

    def post(self, *args: Any, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a POST; options are those of `declare`."""
        return self.declare("POST", *args, **options)

    def put(self, *args: Any, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a PUT; options are those of `declare`."""
        return self.declare("PUT", *args, **options)

    def patch(self, *args: Any, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a PATCH; options are those of `declare`."""
        return self.declare("PATCH", *args, **options)

    def delete(self, *args: Any, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a DELETE; options are those of `declare`."""
        return self.declare("DELETE", *args, **options)

    def declare(
        self,
        method: str,
        path: str,
        key: str,
        rule: Rule,
        summary: str,
        *,
        dialect: Dialect | None = None,
        status: int = 200,
        errors: Sequence[int] = (),
        tags: Sequence[str] | None = None,
        query: type | None = None,
        described_body: type | None = None,
        body_limit: int | None = None,
        too_large: Callable[[], BalcaoError] = TooLarge,
        rate: str | None = None,
        machine_rate: str | None = None,
        calls_crm: bool = False,
        in_maintenance: bool = False,
        concerns_people: bool = False,
        record_denial: RecordDenial | None = None,
        ready: Callable[[Platform], None] | None = None,
        in_description: bool = True,
        media_types: Sequence[str] = (JSON,),
        description: str | None = None,
        example: Any = None,
        moved: type | None = None,
        same_body: Sequence[int] = (),
        may_lag: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Declare the function below as the operation's handler; see `Operation` for the options."""

        def declare(handler: Handler) -> Handler:
            signature = signature_of(handler, parameters_of(path))
            described = next((marker.schema for marker in signature.queries.values() if marker.schema), None)
            self.declared.append(
                Operation(
                    method=method,
                    path=path,
                    key=key,
                    rule=rule,
                    summary=summary,
                    signature=signature,
                    dialect=dialect or self.dialect,
                    status=status,
                    errors=errors,
                    tags=self.tags if tags is None else tags,
                    query=query or described,
                    described_body=described_body,
                    body_limit=body_limit or self.body_limit,
                    too_large=too_large,
                    rate=rate,
                    machine_rate=machine_rate,
                    calls_crm=calls_crm,
                    in_maintenance=in_maintenance,
                    concerns_people=concerns_people,
                    record_denial=record_denial,
                    ready=ready,
                    in_description=in_description,
                    media_types=media_types,
                    description=description,
                    example=example,
                    moved=moved,
                    same_body=same_body,
                    may_lag=may_lag,
                )
            )
            return handler

        return declare
