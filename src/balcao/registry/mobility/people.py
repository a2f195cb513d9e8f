"""A vehicle's owner and drivers: their contact data, and audit events for calls that concern another person's data."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from balcao.core.access.rules import Decision, Reason
from balcao.core.context.audit import Action as AuditAction
from balcao.core.context.audit import join_trails
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.schemas import Citizen

# The grant that lets a vehicle's owner and its drivers access each other's data.
LINK = "vehicle_link"


@dataclass(frozen=True)
class Contact:
    """A person's contact data from their current merged record. Unknown members are None."""

    name: str | None
    email: str | None
    phone: str | None


class DriverRefused(Forbidden):
    """Raised if a driver tries to do something that only the owner may do. The attempt is recorded for the owner."""

    def __init__(self, owner: Cpf) -> None:
        super().__init__("Só quem registrou o veículo pode fazer isto.", code="owner-only")
        self.owner = owner


def format_cpf(cpf: Cpf, viewer: Cpf) -> str:
    """Return the CPF, masked unless it is the viewer's own."""
    return cpf.digits if cpf == viewer else cpf.masked


def hides_phones(call: Call) -> bool:
    """Return whether to hide phone numbers from the caller.

    They require a separate scope, as in the citizen's record.
    """
    return call.decision.reason is Reason.SCOPE and citizens.PHONE_SCOPE not in call.identified_caller.scopes


async def fetch_contacts(connection: Connection, cpfs: Iterable[Cpf]) -> Mapping[Cpf, Contact]:
    """Return the contact data of these people."""
    return {cpf: _to_contact(await citizens.read_citizen_record(connection, cpf)) for cpf in set(cpfs)}


def parse_contact(cpf: Cpf, document: str) -> Contact:
    """Parse a person's contact data from the result of `citizen_document_sql`."""
    return _to_contact(citizens.parse_citizen(cpf, document))


def encode_trail(call: Call, action: AuditAction, person: Cpf, others: Iterable[Cpf], fields: list[str]) -> str:
    """Return the audit events that `record_trail` would record, as JSON for a statement that also writes the change."""
    audit = call.platform.audit
    return join_trails(
        audit.encode_event(by, action, subject=subject, fields=fields)
        for by, subject in _list_concerned(call, action, person, others)
    )


async def record_trail(
    connection: Connection, call: Call, action: AuditAction, person: Cpf, others: Iterable[Cpf], fields: list[str]
) -> None:
    """Record an audit event for the person in the path, and one for each other person concerned.

    A citizen's read of their own data needs no event, but reading other people's data does. The person's event is
    written first, followed by the others in the order of their CPFs.
    """
    for by, subject in _list_concerned(call, action, person, others):
        await call.platform.audit.record(connection, by, action, subject=subject, fields=fields)


def require_owner(owner: Cpf, viewer: Cpf) -> None:
    """Raise DriverRefused unless the viewer owns the vehicle."""
    if owner != viewer:
        raise DriverRefused(owner)


@asynccontextmanager
async def recording_refusals(call: Call) -> AsyncIterator[None]:
    """Record a driver's refused attempt.

    The block must enclose the whole transaction, so that a rollback does not undo the event.
    """
    try:
        yield
    except DriverRefused as refused:
        async with call.platform.database.connection() as connection:
            audit = call.platform.audit
            await audit.record(connection, _through_link(call), "denied", subject=refused.owner, outcome="denied")
        raise


def _list_concerned(call: Call, action: AuditAction, person: Cpf, others: Iterable[Cpf]) -> Iterator[tuple[Call, Cpf]]:
    """Yield, for each person concerned, the call with the grant for this person's data, and the person."""
    if not (action == "read" and call.is_owner):
        yield call, person
    for other in sorted(set(others) - {person}, key=lambda cpf: cpf.digits):
        yield _through_link(call), other


def _through_link(call: Call) -> Call:
    """Return the call with the grant for another person's data.

    A caller who is the person in the path does not own the other person's data, so the driver link is the grant. Staff
    and clients retain their own grant.
    """
    if not call.is_owner:
        return call
    decision = Decision(Reason.AUTHENTICATED, LINK)
    return Call(call.platform, call.operation, call.request_id, decision, call.caller, call.headers)


def _to_contact(citizen: Citizen) -> Contact:
    email = citizen.email.principal
    phone = citizen.telefone.principal if citizen.telefone else None
    return Contact(
        name=citizen.nome_social or citizen.nome or citizen.nome_exibicao,
        email=(email.valor or None) if email else None,
        phone=f"+{phone.ddi or ''}{phone.ddd or ''}{phone.valor}" if phone and phone.valor else None,
    )
