"""The current call: its caller, the caller's right, and the id for tracing."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from balcao.core.access.caller import Caller
from balcao.core.access.missing import describe_missing
from balcao.core.access.rules import GENERAL_GRANT, Decision, Reason
from balcao.core.context.audit import ActorKind
from balcao.core.context.headers import NO_HEADERS, Headers
from balcao.core.context.platform import Platform
from balcao.core.context.reasons import clean_reason, parse_access_reason
from balcao.core.database.pool import Connection, Database, Source
from balcao.core.database.replicas import Replica
from balcao.core.errors import Forbidden, Invalid, Unauthenticated
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id

OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Author:
    """The author of a row, as the row stores it.

    `name` is for display. `subject` distinguishes people with the same name.
    """

    name: str
    subject: str


class Call:
    """The caller, the operation and the caller's right to it; the first argument of every use case.

    A request's call is created before the operation's rule is checked. Jobs and commands create their own calls.
    """

    __slots__ = (
        "_is_explained",
        "_reason",
        "caller",
        "decision",
        "headers",
        "operation",
        "platform",
        "replica",
        "request_id",
    )

    def __init__(
        self,
        platform: Platform,
        operation: str,
        request_id: str,
        decision: Decision,
        caller: Caller | None = None,
        headers: Headers = NO_HEADERS,
    ) -> None:
        self.platform = platform
        self.operation = operation
        self.request_id = request_id
        self.decision = decision
        self.caller = caller
        self.headers = headers
        self.replica: Replica | None = None  # set if the operation's reads may lag (`Operation.may_lag`)
        self._reason: str | None = None
        self._is_explained = False

    @property
    def if_none_match(self) -> str | None:
        """The header `If-None-Match`, for a conditional read."""
        return self.headers.text(b"if-none-match")

    @property
    def if_match(self) -> str | None:
        """The header `If-Match`, for a conditional write."""
        return self.headers.text(b"if-match")

    @property
    def idempotency_key(self) -> str | None:
        """The key under which a repeated call gets the first call's response."""
        return self.headers.text(b"idempotency-key")

    @property
    def reader(self) -> Database:
        """The database for public data: a replica if the call may lag, otherwise the primary."""
        return self.platform.database if self.replica is None else self.replica.database

    def find_reader_since(self, instant: float) -> Database:
        """Return `reader` if it has every commit up to this instant of the monotonic clock, otherwise the primary.

        Use this method for data that are cached until a notification announces a change. A replica without the change
        would put the old data back into the cache.
        """
        return self.reader if self.replica is not None and self.replica.proven_at > instant else self.platform.database

    def reading(self, subject: Cpf, fields: Sequence[str]) -> AbstractAsyncContextManager[Source]:
        """Return the source from which to read a person's data.

        Unless `reads_unrecorded` is true, the read is recorded first. Raises Invalid if a reason is required and
        missing, or Unavailable if the read cannot be recorded.
        """
        self.require_reason()
        if self.reads_unrecorded:
            return nullcontext(self.platform.database)
        return self._recorded_reading(subject, fields)

    @asynccontextmanager
    async def _recorded_reading(self, subject: Cpf, fields: Sequence[str]) -> AsyncIterator[Connection]:
        async with self.platform.database.transaction() as connection:
            await self.platform.audit.record(connection, self, "read", subject=subject, fields=fields)
            yield connection

    @property
    def reads_unrecorded(self) -> bool:
        """Whether a read of the person's data leaves no event, because the person reads their own data."""
        return self.is_owner and not self.platform.settings.audit_own_reads

    @property
    def reason(self) -> str | None:
        """The reason for the call. Only the four methods below set it. Two of them validate it."""
        return self._reason

    def read_access_reason(self) -> None:
        """Set the reason from the request's headers. Raises Invalid if it breaks the rules for reasons."""
        self._reason = parse_access_reason(self.headers)

    def give_reason(self, field: str, words: str) -> None:
        """Set a reason that a person typed, instead of the header's.

        Raises Invalid if it breaks the rules for reasons.
        """
        self._reason = clean_reason(field, words)

    def state_reason(self, sentence: str) -> None:
        """Set a sentence that the platform itself wrote as the reason, for a job or a command."""
        self._reason = sentence

    def explain_to_person(self, sentence: str) -> None:
        """Set a fixed sentence as the reason.

        The audit trail stores it for every caller, because the caller does not choose its words.
        """
        self._reason, self._is_explained = sentence, True

    def require_reason(self, *, always: bool = False) -> None:
        """Raise Invalid if a person other than the owner gives no reason and `BALCAO_REQUIRE_ACCESS_REASON` is set.

        With `always`, a reason is required regardless of the setting.
        """
        is_wanted = always or self.platform.settings.require_access_reason
        if is_wanted and self._reason is None and self.actor_kind in {"staff", "citizen"}:
            raise Invalid(
                "Informe o motivo do acesso no cabeçalho `X-Access-Reason` (de 3 a 200 caracteres).",
                code="access-reason-missing",
            )

    @property
    def recorded_reason(self) -> str | None:
        """The reason that the audit trail stores. None without a reason, or if the caller may not give one.

        The person concerned will read it. Only that person, staff with a granted action, operators, jobs and the
        platform itself may choose its words.
        """
        is_granted = self.decision.reason is Reason.GRANTED and self.actor_kind != "client"
        return self._reason if self._is_explained or self.is_owner or is_granted else None

    @property
    def identified_caller(self) -> Caller:
        """The caller. Raises Unauthenticated if there is none."""
        if self.caller is None:
            raise Unauthenticated()
        return self.caller

    @property
    def person(self) -> Cpf:
        """The caller's CPF, for operations on the caller's own data. Raises Unauthenticated if there is none."""
        if self.caller is None or self.caller.cpf is None:
            raise Unauthenticated("O token não identifica uma pessoa (CPF).", code="token-without-cpf")
        return self.caller.cpf

    def holds(self, action: str) -> bool:
        """Return whether the caller holds the action.

        Use this method if the record or the body determines which action the call requires (`Rule.testing`).

        A call without a caller comes from a command or a job, which holds every action, or from an anonymous visitor,
        who holds none.
        """
        if self.caller is None:
            return self.decision.reason is Reason.GRANTED
        return self.platform.catalogue.snapshot.grants(self.caller, action)

    def lacks(self, *actions: str) -> Forbidden:
        """Return the refusal for a caller who would need one of these actions."""
        return Forbidden(describe_missing(self.platform.catalogue.latest, self.identified_caller, *actions))

    def find_limits(self, attribute: str) -> frozenset[str] | None:
        """Return the values of a group attribute to which this call's right is limited, or None without a limit."""
        if self.caller is None or self.decision.reason is not Reason.GRANTED:
            return None
        return self.platform.catalogue.snapshot.find_limits(self.caller, self.grant, attribute)

    def as_owner(self) -> "Call":
        """Return the call with a person's right to their own data. Use it only to touch the data of `person`."""
        return self._with_decision(Decision(Reason.OWNER, "self"))

    def with_right_to(self, owner: Cpf, action: str) -> "Call | None":
        """Return the call with its right to this person's record (as the owner, or else by the action), or None."""
        if owner == self.actor_cpf:
            return self.as_owner()
        if not self.holds(action):
            return None
        return self._with_decision(Decision(Reason.GRANTED, action)) if self.caller else self

    def _with_decision(self, decision: Decision) -> "Call":
        changed = copy(self)
        changed.decision = decision
        return changed

    @property
    def zone(self) -> ZoneInfo:
        """The city's time zone."""
        return self.platform.zone

    @property
    def author(self) -> Author:
        """The author of a write: the caller, or the platform itself."""
        if self.caller is None:
            return Author("Operação da plataforma", self.actor_kind)
        return Author(self.caller.display_name, self.caller.subject)

    @property
    def is_owner(self) -> bool:
        """Whether the caller acts on their own data."""
        return self.decision.reason is Reason.OWNER

    @property
    def actor_cpf(self) -> Cpf | None:
        """The caller's CPF. None if the caller has no CPF, or if there is no caller."""
        return self.caller.cpf if self.caller else None

    @property
    def actor_kind(self) -> ActorKind:
        """The capacity in which the caller acts, in the words of the audit events."""
        if self.caller is None:
            return "operator" if self.grant == OPERATOR else "worker"
        if self.is_owner:
            return "owner"
        if self.caller.is_machine:
            return "client"
        return "staff" if self._is_staff(self.caller) else "citizen"

    def _is_staff(self, caller: Caller) -> bool:
        """Return whether a person acts for the city: by a granted action, or as the holder of any role.

        A grant that names a relation, such as the link to a vehicle, makes the caller a citizen, even if they work for
        the city.
        """
        if self.decision.reason is Reason.GRANTED:
            return True
        is_relation = self.decision.reason is Reason.AUTHENTICATED and self.grant != GENERAL_GRANT
        return not is_relation and self.platform.catalogue.snapshot.holds_role(caller)

    @property
    def client(self) -> str:
        """The OAuth client of the caller, or "" without a caller."""
        return self.caller.client if self.caller else ""

    @property
    def grant(self) -> str:
        """The grant that allowed the call, in the words of the audit events."""
        return self.decision.grant


def worker_call(platform: Platform, operation: str, request_id: str = "") -> Call:
    """Return the call of a job. It has no caller and holds every action."""
    return Call(platform, operation, request_id or new_id(), Decision(Reason.GRANTED, "worker"))


def operator_call(platform: Platform, operation: str) -> Call:
    """Return the call of a command or the demo loader, whose caller has shell access to the machine."""
    return Call(platform, operation, new_id(), Decision(Reason.GRANTED, OPERATOR))


# A function that records a denied call in a service's own trail instead of the platform's. Its arguments are the call
# and the path's parameters.
RecordDenial = Callable[[Call, Mapping[str, str]], Awaitable[None]]
