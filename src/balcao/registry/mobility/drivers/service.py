"""Who may drive a vehicle besides its owner: invited by CPF, accepted or refused by the invitee."""

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.http.idempotency import run_once
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean, clean_optional
from balcao.registry.mobility import people
from balcao.registry.mobility.drivers import states, views
from balcao.registry.mobility.drivers.schemas import (
    Conductor,
    ConductorInvite,
    Conductors,
    DrivenVehicle,
    InvitationAnswer,
    VehicleInvitations,
)
from balcao.registry.mobility.invitations import service as invitations
from balcao.registry.mobility.invitations.records import Link
from balcao.registry.mobility.invitations.schemas import LinkStatus
from balcao.registry.mobility.invitations.service import Invitee
from balcao.registry.mobility.vehicles import service as vehicles
from balcao.registry.person.validators.service import EMAIL_LENGTH, EmailAddress

FIELDS = ["conductor"]
LONGEST_NAME, LONGEST_PHONE = 100, 20


async def list_conductors(call: Call, cpf: Cpf, vehicle_id: str) -> Conductors:
    """Pending and accepted ones, oldest first. Raises DriverRefused, NotFound."""
    async with vehicles.tracing_refusals(call), call.platform.database.transaction() as connection:
        vehicles.require_owner(await vehicles.seen(connection, vehicle_id, cpf), cpf)
        links = await invitations.open_of(connection, vehicle_id)
        accepted = _accepted(links)
        await people.record(connection, call, "read", cpf, accepted, FIELDS)
        known = await people.contacts(connection, accepted)
    shown = [views.conductor(link, cpf, known) for link in links]
    if people.hides_phones(call):
        shown = [msgspec.structs.replace(conductor, phone=None) for conductor in shown]
    return Conductors(shown)


async def invite(call: Call, cpf: Cpf, vehicle_id: str, body: ConductorInvite) -> bytes:
    """The pending link as JSON; its e-mail is a job. Raises Invalid, DriverRefused, NotFound, Conflict."""
    invitee = _checked(body)
    async with vehicles.tracing_refusals(call), call.platform.database.transaction() as connection:

        async def make() -> Conductor:
            vehicle = await vehicles.owned(connection, vehicle_id, cpf)
            if invitee.cpf == vehicle.owner_cpf:
                raise Invalid("O campo `cpf` é o de quem registrou o veículo.", code="invitee-is-owner")
            link = await invitations.invite(connection, call, vehicle.id, invitee, cpf)
            await people.record(connection, call, "create", cpf, [invitee.cpf], FIELDS)
            return views.conductor(link, cpf, {})

        return await run_once(connection, call, cpf, [cpf.digits, vehicle_id, body], make)


async def remove(call: Call, cpf: Cpf, vehicle_id: str, link_id: str) -> None:
    """The owner removes a pending or accepted link, a driver leaves by their own accepted one.

    Raises NotFound, and Invalid for the owner when the link is over.
    """
    async with call.platform.database.transaction() as connection:
        vehicle = await vehicles.seen(connection, vehicle_id, cpf)
        link = await invitations.lock(connection, link_id, vehicle_id)
        if not (vehicle.owner_cpf == cpf or _drives(link, cpf)):
            raise invitations.unknown()
        states.require_open(link.status)
        await invitations.revoke(connection, link)
        await people.record(connection, call, "delete", cpf, [vehicle.owner_cpf, link.conductor_cpf], FIELDS)


async def list_invitations(call: Call, cpf: Cpf) -> VehicleInvitations:
    """Pending ones, newest first."""
    async with call.platform.database.transaction() as connection:
        pending = await invitations.pending_of(connection, cpf)
        owners = {offered.owner_cpf for offered in pending if offered.owner_cpf}
        await people.record(connection, call, "read", cpf, owners, FIELDS)
        known = await people.contacts(connection, owners)
    return VehicleInvitations([views.invitation(offered, cpf, known) for offered in pending])


async def answer(call: Call, cpf: Cpf, link_id: str, body: InvitationAnswer) -> Conductor:
    """Raises Invalid, also when it is not pending any more; NotFound, also once the vehicle is deleted."""
    wanted = states.answer_of(body.status)
    async with call.platform.database.transaction() as connection:
        link = await invitations.lock(connection, link_id)
        if link.conductor_cpf != cpf or not await vehicles.lives(connection, link.vehicle_id):
            raise invitations.unknown()
        states.require_pending(link.status)
        answered = await invitations.answer(connection, link, wanted)
        await people.record(connection, call, "update", cpf, _inviter(link), FIELDS)
        known = await people.contacts(connection, _accepted([answered]))
    return views.conductor(answered, cpf, known)


async def driven_by(connection: Connection, driver: Cpf) -> list[DrivenVehicle]:
    """For the person's export: links in whatever state."""
    return [views.driven(offered, driver) for offered in await invitations.every_of(connection, driver)]


def _checked(body: ConductorInvite) -> Invitee:
    cpf = Cpf.parse(body.cpf.strip())
    if cpf is None:
        raise Invalid("O campo `cpf` deve ter os 11 dígitos de um CPF válido.", code="cpf-invalid")
    return Invitee(
        cpf,
        _email(body.email),
        clean_optional("name", body.name, longest=LONGEST_NAME),
        clean_optional("phone", body.phone, longest=LONGEST_PHONE),
    )


def _email(text: str) -> str:
    address = EmailAddress.read(clean("email", text, longest=EMAIL_LENGTH))
    if address is None:
        raise Invalid("O campo `email` deve ser um endereço de e-mail.", code="email-invalid")
    return address.normalized


def _drives(link: Link, cpf: Cpf) -> bool:
    return link.conductor_cpf == cpf and link.status is LinkStatus.ACCEPTED


def _accepted(links: list[Link]) -> list[Cpf]:
    return [link.conductor_cpf for link in links if link.status is LinkStatus.ACCEPTED]


def _inviter(link: Link) -> list[Cpf]:
    return [link.invited_by_cpf] if link.invited_by_cpf else []
