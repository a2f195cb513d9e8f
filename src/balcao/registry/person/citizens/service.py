"""The citizen record: what the city has loaded, under what citizen, staff and CRM have said since."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.http.responses import Ready, require_match
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import service as mirror
from balcao.registry.person.citizens import store
from balcao.registry.person.citizens.base import shown
from balcao.registry.person.citizens.merge import merged
from balcao.registry.person.citizens.schemas import Citizen

PHONE_SCOPE = "rmi:telefone:read"


async def read_citizen(call: Call, cpf: Cpf) -> Citizen:
    """Raises NotFound for anybody but the owner when nothing is stored; a scope caller sees less."""
    async with call.reading(cpf, ["citizen"]) as connection:
        base = await store.read_base(connection, cpf)
        held = await mirror.read(connection, cpf)
    if base is None and not held.known and not call.is_owner:
        raise NotFound("Não há cadastro deste cidadão.", code="citizen-unknown")
    citizen = _today(merged(cpf, base, held), call)
    return _for_scope(citizen, call) if call.decision.reason is Reason.SCOPE else citizen


def _today(citizen: Citizen, call: Call) -> Citizen:
    zone = ZoneInfo(call.platform.settings.time_zone)
    return shown(citizen, zone, utc_now().astimezone(zone).date())


def _for_scope(citizen: Citizen, call: Call) -> Citizen:
    """Sensitive members are not for machines; the phone has a scope of its own."""
    citizen.mae = citizen.raca = citizen.genero = citizen.deficiencia = citizen.renda_familiar = None
    if PHONE_SCOPE not in call.identified.scopes:
        citizen.telefone = None
    return citizen


async def record_of(connection: Connection, cpf: Cpf) -> Citizen:
    """The whole record as it is stored, for the registry's own use: nothing is checked or audited."""
    return merged(cpf, await store.read_base(connection, cpf), await mirror.read(connection, cpf))


async def shown_record(connection: Connection, call: Call, cpf: Cpf) -> Citizen:
    """The whole record as the person sees it today; the caller has checked and audited."""
    return _today(await record_of(connection, cpf), call)


async def require_unchanged(connection: Connection, call: Call, cpf: Cpf) -> None:
    """Raises PreconditionFailed when `If-Match` names another state of the record; holds the mirror from then on."""
    if call.if_match is not None:
        await mirror.lock(connection, cpf)
        require_match(call.if_match, Ready.of(await shown_record(connection, call, cpf)).etag)


@dataclass(frozen=True)
class Identity:
    """What the registry itself knows of who this is; each None when unknown."""

    name: str | None
    declared_email: str | None


async def identity_of(platform: Platform, cpf: Cpf) -> Identity:
    """`declared_email` is the one that the citizen declared themselves."""
    async with platform.database.connection() as connection:
        base = await store.read_base(connection, cpf)
        held = await mirror.read(connection, cpf)
    email = held.registers.get("email")
    own = email is not None and email.origin == "citizen" and bool(email.value)
    return Identity((base or {}).get("nome"), str(email.value) if email and own else None)
