"""The drivers of a vehicle in addition to the owner. The owner invites them by CPF, and they accept or reject."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.context.call import Call, worker_call
from balcao.core.context.idempotency import Repeatable
from balcao.core.context.optimistic import write_optimistically
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.jobs.worker import NewJob, Retry, encode_payload
from balcao.core.mail import MailRefused, create_mailer
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.text import clean_optional, clean_text
from balcao.registry.mobility import people
from balcao.registry.mobility.drivers import links, store
from balcao.registry.mobility.drivers.links import InvitationEmail, Invitee, Link, VehicleLinks
from balcao.registry.mobility.drivers.schemas import (
    Conductor,
    ConductorInvite,
    Conductors,
    DrivenVehicle,
    EmailStatus,
    InvitationAnswer,
    LinkStatus,
    VehicleInvitations,
)
from balcao.registry.person.validators.service import EMAIL_LENGTH, EmailAddress
from balcao.registry.senders.recipients import service as recipients
from balcao.settings import Settings

FIELDS = ["conductor"]
LONGEST_NAME, LONGEST_PHONE = 120, 20
TRIES = 3
# Daily limits for e-mails, so that no caller can flood a mailbox. Above a limit, invitations are created without an
# e-mail.
MOST_TO_ADDRESS, MOST_BY_CITIZEN = 5, 20
# The text names neither a person nor a vehicle, because the owner may have mistyped the address.
SUBJECT = "Convite para conduzir um veículo"
TEXT = """Olá,

Você foi convidado(a) a conduzir um veículo elétrico leve registrado na prefeitura.

{where}
O convite vale por 90 dias. Se você não o esperava, ignore esta mensagem.
"""
PAGE = "/minha-pagina/convites"
AT_SITE = "Para ver de quem é o convite e responder, abra este endereço e entre com a sua conta:\n{address}\n"
AT_PORTAL = (
    "Para ver de quem é o convite e responder, entre no portal do cidadão com a sua conta e abra "
    '"Convites de veículos".\n'
)


async def list_conductors(call: Call, cpf: Cpf, vehicle_id: str) -> Conductors:
    """Return pending and accepted drivers, oldest first.

    Raises DriverRefused if the caller only drives the vehicle, and NotFound if they neither own nor drive it.
    """
    async with people.recording_refusals(call), call.platform.database.transaction() as connection:
        people.require_owner(await _find_owner(connection, vehicle_id, cpf), cpf)
        found = await store.list_open_links(connection, vehicle_id)
        accepted = [link.conductor_cpf for link in found if link.is_accepted]
        await people.record_trail(connection, call, "read", cpf, accepted, FIELDS)
        contacts = await people.fetch_contacts(connection, accepted)
    conductors = [links.to_conductor(link, cpf, contacts) for link in found]
    if people.hides_phones(call):
        conductors = [msgspec.structs.replace(conductor, phone=None) for conductor in conductors]
    return Conductors(conductors)


async def invite_conductor(call: Call, cpf: Cpf, vehicle_id: str, body: ConductorInvite) -> bytes:
    """Invite a driver, and return the pending link as JSON. The link and the job for its e-mail are committed together.

    Raises Invalid for an invalid body, or if the invitee is the owner. Raises DriverRefused if the inviter only drives
    the vehicle, and NotFound if they neither own nor drive it. Raises Conflict if the person is already invited or
    drives the vehicle, or if the vehicle has reached the limit.
    """
    invitee = _parse_invitee(body)
    trail = people.encode_trail(call, "create", cpf, [invitee.cpf], FIELDS)
    repeatable = Repeatable.of(call, cpf, [cpf.digits, vehicle_id, body])

    async def attempt(connection: Connection) -> bytes | None:
        vehicle = await store.read_vehicle_links(connection, vehicle_id, cpf)
        # Look up the idempotency key only after reading the links: if another call has added the link, its stored
        # response is now visible.
        if repeatable is not None and (earlier := await repeatable.find(connection)) is not None:
            return earlier
        if vehicle is None:
            raise _unknown_vehicle()
        _require_invitable(vehicle, cpf, invitee, call.platform.settings.mobility_max_drivers)
        link = _to_pending(vehicle, invitee, cpf)
        response = msgspec.json.encode(links.to_conductor(link, cpf, {}))
        email = NewJob(store.EMAIL_JOB, encode_payload({"conductor": link.id}))
        kept = repeatable and repeatable.keep(response)
        is_inserted = await store.insert_link(connection, link, sorted(vehicle.links), email, trail, kept)
        return response if is_inserted else None

    async with people.recording_refusals(call):
        return await write_optimistically(call.platform.database, attempt)


def _require_invitable(vehicle: VehicleLinks, inviter: Cpf, invitee: Invitee, most: int) -> None:
    people.require_owner(vehicle.owner, inviter)
    if invitee.cpf == inviter:
        raise Invalid("O campo `cpf` é o de quem registrou o veículo.", code="invitee-is-owner")
    # Check for an existing invitation before the limit, so that it is reported even if the limit is reached.
    if invitee.cpf in vehicle.links.values():
        raise Conflict("Esta pessoa já tem convite pendente ou já conduz o veículo.", code="conductor-exists")
    if most and len(vehicle.links) >= most:
        raise Conflict(f"Cada veículo pode ter até {most} condutores.", code="conductor-limit")


def _to_pending(vehicle: VehicleLinks, invitee: Invitee, inviter: Cpf) -> Link:
    return Link(
        id=new_id(),
        vehicle_id=vehicle.vehicle_id,
        conductor_cpf=invitee.cpf,
        conductor_name=invitee.name,
        notify_email=invitee.email,
        phone=invitee.phone,
        status=LinkStatus.PENDING,
        invited_by_cpf=inviter,
        email_status=EmailStatus.PENDING,
        email_attempted_at=None,
        created_at=vehicle.moment,
        updated_at=vehicle.moment,
        responded_at=None,
    )


async def remove_conductor(call: Call, cpf: Cpf, vehicle_id: str, link_id: str) -> None:
    """Remove a pending or accepted link as the vehicle's owner, or an accepted link as its driver.

    Raises NotFound if there is no such link or the person may not remove it, and Invalid if the owner removes an ended
    link.
    """

    async def attempt(connection: Connection) -> bool | None:
        owner = await _find_owner(connection, vehicle_id, cpf)
        link = await store.read_link(connection, link_id, vehicle_id)
        if link is None or not (owner == cpf or (link.conductor_cpf == cpf and link.is_accepted)):
            raise _unknown_link()
        links.require_open(link.status)
        trail = people.encode_trail(call, "delete", cpf, [owner, link.conductor_cpf], FIELDS)
        return await store.revoke_link(connection, link, trail) or None

    await write_optimistically(call.platform.database, attempt)


async def list_invitations(call: Call, cpf: Cpf) -> VehicleInvitations:
    """Return a person's pending invitations, newest first."""
    async with call.platform.database.transaction() as connection:
        pending = await store.list_pending_invitations(connection, cpf)
        owners = {invited.owner_cpf for invited in pending if invited.owner_cpf}
        await people.record_trail(connection, call, "read", cpf, owners, FIELDS)
        contacts = await people.fetch_contacts(connection, owners)
    return VehicleInvitations([links.to_invitation(invited, cpf, contacts) for invited in pending])


async def answer_invitation(call: Call, cpf: Cpf, link_id: str, body: InvitationAnswer) -> Conductor:
    """Accept or reject an invitation, and return the changed link.

    Raises Invalid if the answer is not valid, or if the invitation is no longer pending. Raises NotFound if there is no
    such invitation, or if its vehicle was deleted.
    """
    status = links.parse_invitation_answer(body.status)

    async def attempt(connection: Connection) -> Conductor | None:
        found = await store.read_received_invitation(connection, link_id, cpf)
        if found is None:
            raise _unknown_link()
        link, driver = found
        links.require_pending(link.status)
        inviter = [link.invited_by_cpf] if link.invited_by_cpf else []
        trail = people.encode_trail(call, "update", cpf, inviter, FIELDS)
        answered = await store.answer_invitation(connection, link.id, status, trail)
        return links.to_conductor(answered, cpf, {cpf: driver}) if answered else None

    return await write_optimistically(call.platform.database, attempt)


async def list_driven_vehicles(connection: Connection, driver: Cpf) -> list[DrivenVehicle]:
    """Return a person's links in any state, oldest first, for their data export."""
    return [links.to_driven_vehicle(linked, driver) for linked in await store.list_driver_links(connection, driver)]


async def _find_owner(connection: Connection, vehicle_id: str, viewer: Cpf) -> Cpf:
    owner = await store.find_vehicle_owner(connection, vehicle_id, viewer)
    if owner is None:
        raise _unknown_vehicle()
    return owner


def _unknown_vehicle() -> NotFound:
    """Return the error for a vehicle that does not exist or is not visible to this caller."""
    return NotFound("Não há veículo com este id.", code="vehicle-unknown")


def _unknown_link() -> NotFound:
    """Return the error for a link that does not exist or is not visible to this caller."""
    return NotFound("Não há condutor ou convite com este id.", code="conductor-unknown")


def _parse_invitee(body: ConductorInvite) -> Invitee:
    cpf = Cpf.parse(body.cpf.strip())
    if cpf is None:
        raise Invalid("O campo `cpf` deve ter os 11 dígitos de um CPF válido.", code="cpf-invalid")
    address = EmailAddress.parse(clean_text("email", body.email, longest=EMAIL_LENGTH))
    # Some mail programs treat an address that starts with `-` or `|` as an option or a command.
    if address is None or address.normalized.startswith(("-", "|")):
        raise Invalid("O campo `email` deve ser um endereço de e-mail.", code="email-invalid")
    return Invitee(
        cpf,
        address.normalized,
        clean_optional("name", body.name, longest=LONGEST_NAME),
        clean_optional("phone", body.phone, longest=LONGEST_PHONE),
    )


async def send_invitation(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Try once to send an invitation by e-mail, if the invitee accepts e-mails about services (rules: registry 4.17).

    The invitation is valid even if this fails.

    Raises Retry if the mail server rejected the e-mail. After the last attempt, the link's `email_status` is `failed`.

    The attempt is committed before the call to the mail server, and its outcome afterwards, so no transaction waits for
    the server. If the worker is killed in between, the e-mail may be sent twice, but it is not lost.
    """
    mailer, link_id = create_mailer(platform.settings), payload["conductor"]
    async with platform.database.transaction() as connection:
        email = await store.take_email(connection, link_id, MOST_TO_ADDRESS, MOST_BY_CITIZEN) if mailer else None
        if email is not None and not await recipients.accepts_own_message(connection, email.invitee):
            email = None
        if email is None:
            await store.skip_email(connection, link_id)
    if mailer is None or email is None:
        return
    try:
        await mailer.send(email.to, SUBJECT, _compose(platform.settings, link_id))
    except MailRefused as refused:
        if email.tries >= TRIES:
            await _finish_email(platform, link_id, email, EmailStatus.FAILED)
        raise Retry(refused.code) from None
    await _finish_email(platform, link_id, email, EmailStatus.SENT)


def _compose(settings: Settings, link_id: str) -> str:
    """Return the text of the e-mail. Only the invitee can open the page to which it links."""
    has_page = settings.has_site and settings.has_site_login
    where = AT_SITE.format(address=f"{settings.site_address}{PAGE}/{link_id}") if has_page else AT_PORTAL
    return TEXT.format(where=where)


async def _finish_email(platform: Platform, link_id: str, email: InvitationEmail, status: EmailStatus) -> None:
    call = worker_call(platform, "registry.send_invitation")
    async with platform.database.transaction() as connection:
        await store.finish_email(connection, link_id, status)
        await platform.audit.record(
            connection, call, "update", subject=email.invitee, fields=["email_status"], outcome=status
        )
