"""The citizen record: the city's imported data, overridden by values from the citizen, staff and the CRM."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.context.optimistic import write_optimistically
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import require_match
from balcao.core.values.ready import Ready
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.records import Written
from balcao.registry.mirror.store import read_mirror
from balcao.registry.mirror.writes import OwnWrite
from balcao.registry.person.citizens import store
from balcao.registry.person.citizens.base import format_citizen
from balcao.registry.person.citizens.merge import merge_record
from balcao.registry.person.citizens.provenance import list_field_sources
from balcao.registry.person.citizens.schemas import Citizen, Provenance

PHONE_SCOPE = "rmi:telefone:read"
UNKNOWN = "Não há cadastro deste cidadão."


async def read_citizen(call: Call, cpf: Cpf) -> Citizen:
    """Return the merged record. A caller whose only grant is a scope sees fewer members.

    Raises NotFound if nothing is stored, unless the caller is the owner.
    """
    async with call.reading(cpf, ["citizen"]) as source:
        base = await store.read_base_record(source, cpf)
        stored_mirror = await read_mirror(source, cpf)
    if base is None and not stored_mirror.known and not call.is_owner:
        raise NotFound(UNKNOWN, code="citizen-unknown")
    citizen = _format(merge_record(cpf, base, stored_mirror), call)
    return _hide_from_scope(citizen, call) if call.decision.reason is Reason.SCOPE else citizen


async def read_provenance(call: Call, cpf: Cpf, *, with_sensitive: bool) -> Provenance:
    """Return the members of the merged record with their sources. Sensitive values are returned only if requested.

    The audit trail distinguishes reads with and without them. Raises NotFound if nothing is stored, unless the caller
    is the owner.
    """
    read = ["citizen", "citizen_sensitive"] if with_sensitive else ["citizen"]
    async with call.reading(cpf, read) as source:
        base = await store.read_base_record(source, cpf)
        origin = await store.read_base_origin(source, cpf)
        stored_mirror = await read_mirror(source, cpf)
    if base is None and not stored_mirror.known and not call.is_owner:
        raise NotFound(UNKNOWN, code="citizen-unknown")
    return Provenance(cpf.digits, list_field_sources(cpf, base, stored_mirror, origin, with_sensitive=with_sensitive))


def _format(citizen: Citizen, call: Call) -> Citizen:
    zone = call.zone
    return format_citizen(citizen, zone, utc_now().astimezone(zone).date())


def _hide_from_scope(citizen: Citizen, call: Call) -> Citizen:
    """Hide the members that are too sensitive for machines. Phone numbers require a separate scope."""
    citizen.mae = citizen.raca = citizen.genero = citizen.deficiencia = citizen.renda_familiar = None
    if PHONE_SCOPE not in call.identified_caller.scopes:
        citizen.telefone = None
    return citizen


@dataclass(frozen=True)
class StoredCitizen:
    """The full record as stored, with the version of its mirror and the time when it was read."""

    citizen: Citizen
    version: int
    read_at: datetime | None


async def read_stored_citizen(connection: Connection, cpf: Cpf) -> StoredCitizen:
    """Read the full record for the registry's own use, without an access check or an audit event."""
    document = await store.read_citizen_document(connection, cpf)
    return StoredCitizen(
        merge_record(cpf, document.base, document.mirror), document.mirror.version, document.mirror.read_at
    )


def parse_citizen(cpf: Cpf, document: str) -> Citizen:
    """Parse the result of `citizen_document_sql`. Return the same record as `read_citizen_record`."""
    stored = store.parse_citizen_document(document)
    return merge_record(cpf, stored.base, stored.mirror)


async def read_citizen_record(connection: Connection, cpf: Cpf) -> Citizen:
    """Return the full record as stored, for the registry's own use, without an access check or an audit event."""
    return (await read_stored_citizen(connection, cpf)).citizen


async def read_formatted_citizen(connection: Connection, call: Call, cpf: Cpf) -> Citizen:
    """Return the full record as the person sees it today. The caller must check access and record the audit event."""
    return _format(await read_citizen_record(connection, cpf), call)


async def write_own_data(
    call: Call,
    cpf: Cpf,
    member: str,
    write: OwnWrite,
    check: Callable[[StoredCitizen], None] | None = None,
    *,
    verification: str | None = None,
) -> bool:
    """Write a citizen's declaration with its audit event.

    Raises PreconditionFailed if `If-Match` does not match. Exceptions raised by `check` are passed on. Return False
    only if the phone `verification` was already used or is no longer valid.

    If the decision depends on the record, the record is read without a lock. The statement that writes then locks the
    mirror and compares its version. If another call has changed the mirror in the meantime, this function reads and
    decides again.
    """
    trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=[member])
    depends = check is not None or call.if_match is not None or write.removes_wording

    async def attempt(connection: Connection) -> Written | None:
        expected = await _check_current(connection, call, cpf, check) if depends else None
        written = await mirror.write_own_fields(
            connection, call, cpf, write, trail=trail, expected=expected, verification=verification
        )
        return written if written.is_current else None

    return (await write_optimistically(call.platform.database, attempt)).is_written


async def _check_current(
    connection: Connection, call: Call, cpf: Cpf, check: Callable[[StoredCitizen], None] | None
) -> int:
    """Check `If-Match` and the record. Return the version of the mirror that was checked."""
    stored = await read_stored_citizen(connection, cpf)
    require_current(call, stored)
    if check is not None:
        check(stored)
    return stored.version


def require_current(call: Call, stored: StoredCitizen) -> None:
    """Raise PreconditionFailed unless `If-Match` matches the current record as its owner and staff read it."""
    if call.if_match is not None:
        require_match(call.if_match, Ready.of(_format(stored.citizen, call)).etag)


@dataclass(frozen=True)
class Identity:
    """A person's name and declared e-mail address. Unknown members are None."""

    name: str | None
    declared_email: str | None


async def read_identity(platform: Platform, cpf: Cpf) -> Identity:
    """Return the name from the base record, and the e-mail address that the citizen or staff declared."""
    async with platform.database.connection() as connection:
        base = await store.read_base_record(connection, cpf)
        stored_mirror = await read_mirror(connection, cpf)
    email = stored_mirror.fields.get("email")
    own = email is not None and email.origin != "crm" and bool(email.value)
    return Identity((base or {}).get("nome"), str(email.value) if email and own else None)
