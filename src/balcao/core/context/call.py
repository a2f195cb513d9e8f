"""The call at hand: who makes it, by what right, and under which id it is traced."""

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
    """Who writes a row, as it is stored in the row: the name is for people, the subject tells namesakes apart."""

    name: str
    subject: str


class Call:
    """Who calls what, by which right; the first argument of every use case.

    A request's call is made before its operation's rule is checked; a job and a command make their own.
    """

    __slots__ = ("_reason", "caller", "decision", "headers", "operation", "platform", "replica", "request_id")

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
        self.replica: Replica | None = None  # set for an operation that may read from a replica (`Operation.may_lag`)
        self._reason: str | None = None

    @property
    def if_none_match(self) -> str | None:
        """Return the header of a conditional read."""
        return self.headers.text(b"if-none-match")

    @property
    def if_match(self) -> str | None:
        """Return the header of a conditional write."""
        return self.headers.text(b"if-match")

    @property
    def idempotency_key(self) -> str | None:
        """Return the key under which a repeated call gets the first one's response."""
        return self.headers.text(b"idempotency-key")

    @property
    def reader(self) -> Database:
        """Return the database for what everybody may read: a replica for a call that may lag, else the primary."""
        return self.platform.database if self.replica is None else self.replica.database

    def find_reader_since(self, instant: float) -> Database:
        """Return `reader` if it has all that was committed by this instant of the monotonic clock, else the primary.

        For what is kept in memory until a notice says that something has changed: read again from a replica without
        the change, the old would be kept as the new.
        """
        return self.reader if self.replica is not None and self.replica.proven_at > instant else self.platform.database

    def reading(self, subject: Cpf, fields: Sequence[str]) -> AbstractAsyncContextManager[Source]:
        """Return what a person's data are read from; a read by anybody else is recorded before it is answered.

        Raises Invalid for staff who do not say why, where they must.
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
        """Return whether a read of the person's data leaves no event, as it is their own."""
        return self.is_owner and not self.platform.settings.audit_own_reads

    @property
    def reason(self) -> str | None:
        """Return why the call is made: nobody's words get here but through the methods that check them."""
        return self._reason

    def read_access_reason(self) -> None:
        """Take the reason from the request's headers. Raises Invalid."""
        self._reason = parse_access_reason(self.headers)

    def give_reason(self, field: str, words: str) -> None:
        """Take somebody's words as the reason, in place of the header's. Raises Invalid naming the field."""
        self._reason = clean_reason(field, words)

    def state_reason(self, sentence: str) -> None:
        """Take a sentence of the platform's own, as a job or a command has it."""
        self._reason = sentence

    def require_reason(self, *, always: bool = False) -> None:
        """Raise Invalid for another person who gives no reason, where `BALCAO_REQUIRE_ACCESS_REASON` wants one.

        With `always` it is wanted whatever the setting says.
        """
        is_wanted = always or self.platform.settings.require_access_reason
        if is_wanted and self._reason is None and self.actor_kind in {"staff", "citizen"}:
            raise Invalid(
                "Informe o motivo do acesso no cabeçalho `X-Access-Reason` (de 3 a 200 caracteres).",
                code="access-reason-missing",
            )

    @property
    def recorded_reason(self) -> str | None:
        """Return the reason as the audit trail keeps it: of the person, of staff whom a role let pass, of operators.

        The person concerned will read it, so that nobody else chooses the words.
        """
        is_granted = self.decision.reason is Reason.GRANTED and self.actor_kind != "client"
        return self._reason if self.is_owner or is_granted else None

    @property
    def identified_caller(self) -> Caller:
        """Return the caller. Raises Unauthenticated where there is none."""
        if self.caller is None:
            raise Unauthenticated()
        return self.caller

    @property
    def person(self) -> Cpf:
        """Return the caller's CPF, for operations on the caller's own data. Raises Unauthenticated without one."""
        if self.caller is None or self.caller.cpf is None:
            raise Unauthenticated("O token não identifica uma pessoa (CPF).", code="token-without-cpf")
        return self.caller.cpf

    def holds(self, action: str) -> bool:
        """Return whether the caller may do this, where record or body decides what is needed (`Rule.testing`).

        A call without caller is that of a command or a job, which may, or of an anonymous visitor, who may not.
        """
        if self.caller is None:
            return self.decision.reason is Reason.GRANTED
        return self.platform.catalogue.snapshot.grants(self.caller, action)

    def lacks(self, *actions: str) -> Forbidden:
        """Return the refusal of a caller who would need one of these actions."""
        return Forbidden(describe_missing(self.platform.catalogue.latest, self.identified_caller, *actions))

    def find_limits(self, attribute: str) -> frozenset[str] | None:
        """Return the values of a group attribute to which the right of this call is limited; None: not limited."""
        if self.caller is None or self.decision.reason is not Reason.GRANTED:
            return None
        return self.platform.catalogue.snapshot.find_limits(self.caller, self.grant, attribute)

    def as_owner(self) -> "Call":
        """Return the call by the right to one's own data, for a use case that confines itself to `person`."""
        return self._with_decision(Decision(Reason.OWNER, "self"))

    def with_right_to(self, owner: Cpf, action: str) -> "Call | None":
        """Return the call by the right to this person's record: ownership, else the action; None without either."""
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
        """Return the city's time zone."""
        return self.platform.zone

    @property
    def author(self) -> Author:
        """Return who writes: the caller, or the platform itself."""
        if self.caller is None:
            return Author("Operação da plataforma", self.actor_kind)
        return Author(self.caller.display_name, self.caller.subject)

    @property
    def is_owner(self) -> bool:
        """Return whether the caller acts on their own data."""
        return self.decision.reason is Reason.OWNER

    @property
    def actor_cpf(self) -> Cpf | None:
        """Return the caller's CPF; None for a machine, a job or a command."""
        return self.caller.cpf if self.caller else None

    @property
    def actor_kind(self) -> ActorKind:
        """Return in which capacity the call is made, as audit events name it."""
        if self.caller is None:
            return "operator" if self.grant == OPERATOR else "worker"
        if self.is_owner:
            return "owner"
        if self.caller.is_machine:
            return "client"
        return "staff" if self._is_staff(self.caller) else "citizen"

    def _is_staff(self, caller: Caller) -> bool:
        """Return whether a person acts for the city: by a role, or without one that was needed but as its holder.

        A grant that names a relation, such as the link to a vehicle, is a citizen's even if they work for the city.
        """
        if self.decision.reason is Reason.GRANTED:
            return True
        is_relation = self.decision.reason is Reason.AUTHENTICATED and self.grant != GENERAL_GRANT
        return not is_relation and self.platform.catalogue.snapshot.holds_role(caller)

    @property
    def client(self) -> str:
        """Return the OAuth client that the caller uses; empty without caller."""
        return self.caller.client if self.caller else ""

    @property
    def grant(self) -> str:
        """Return what let the call pass, as audit events name it."""
        return self.decision.grant


def worker_call(platform: Platform, operation: str, request_id: str = "") -> Call:
    """Return the call of a job, which acts by the right of what enqueued it."""
    return Call(platform, operation, request_id or new_id(), Decision(Reason.GRANTED, "worker"))


def operator_call(platform: Platform, operation: str) -> Call:
    """Return the call of a command or of the demo loader: somebody with the machine's shell."""
    return Call(platform, operation, new_id(), Decision(Reason.GRANTED, OPERATOR))


# Leaves a service's own trace of a denied call, in place of the platform's; given the call and the path's parameters.
RecordDenial = Callable[[Call, Mapping[str, str]], Awaitable[None]]
