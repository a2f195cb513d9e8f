"""Invitations to drive a vehicle: the link between the two from its making to its end, and the e-mail that tells of it.

The e-mail names nobody and no vehicle, as the owner may have mistyped the address; the invitation is valid whatever
happens to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs.worker import Retry, enqueue
from balcao.core.mail import Mailer, MailRefused, create_mailer
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.invitations import store
from balcao.registry.mobility.invitations.records import InvitationEmail, Link, Offered
from balcao.registry.mobility.invitations.schemas import EmailStatus, LinkStatus

JOB = "invite_email"
TRIES = 3
SUBJECT = "Convite para conduzir um veículo"
TEXT = """Olá,

Você foi convidado(a) a conduzir um veículo elétrico leve registrado na prefeitura.

Para ver de quem é o convite e responder, entre no portal do cidadão com a sua conta e abra "Convites de veículos".
O convite vale por 90 dias. Se você não o esperava, ignore esta mensagem.
"""


@dataclass(frozen=True)
class Invitee:
    """What the owner typed."""

    cpf: Cpf
    email: str
    name: str | None
    phone: str | None


async def invite(connection: Connection, call: Call, vehicle_id: str, invitee: Invitee, inviter: Cpf) -> Link:
    """Make a pending link; its e-mail goes out once that is committed. The vehicle is locked, so the count holds.

    Raises Conflict for somebody who is invited already, and beyond the limit.
    """
    most, held = call.platform.settings.mobility_max_drivers, await store.count_open(connection, vehicle_id)
    link = await store.insert(connection, vehicle_id, invitee.cpf, invitee.email, invitee.name, invitee.phone, inviter)
    if link is None:
        raise Conflict("Esta pessoa já tem convite pendente ou já conduz o veículo.", code="conductor-exists")
    if most and held >= most:
        raise Conflict(f"Cada veículo pode ter até {most} condutores.", code="conductor-limit")
    await enqueue(connection, JOB, {"conductor": link.id})
    return link


def unknown() -> NotFound:
    """Return the fault for a link that is not there, or not for this caller."""
    return NotFound("Não há condutor ou convite com este id.", code="conductor-unknown")


async def lock(connection: Connection, link_id: str, vehicle_id: str | None = None) -> Link:
    """Return a link, locked; with `vehicle_id`, only one of that vehicle. Raises NotFound."""
    link = await store.lock(connection, link_id, vehicle_id)
    if link is None:
        raise unknown()
    return link


async def answer(connection: Connection, link: Link, status: LinkStatus) -> Link:
    """Return the link after its invitee's answer."""
    return await store.answer(connection, link.id, status)


async def revoke(connection: Connection, link: Link) -> None:
    """End an open link, be it by the owner or by the driver."""
    await store.revoke(connection, link.id)


async def revoke_all(connection: Connection, vehicle_id: str) -> list[Cpf]:
    """End every open link of a vehicle, which is locked; return whose."""
    return await store.revoke_all(connection, vehicle_id)


async def open_of(connection: Connection, vehicle_id: str) -> list[Link]:
    """Return pending and accepted links of a vehicle, the oldest first."""
    return await store.open_of(connection, vehicle_id)


async def pending_of(connection: Connection, invitee: Cpf) -> Sequence[Offered]:
    """Return a person's pending invitations, the newest first."""
    return await store.pending_of(connection, invitee)


async def every_of(connection: Connection, person: Cpf) -> Sequence[Offered]:
    """Return a person's links in whatever state, the oldest first."""
    return await store.every_of(connection, person)


async def send(platform: Platform, link_id: str) -> None:
    """One try. Raises Retry when the server did not take the e-mail; after the last try the link says so."""
    mailer = create_mailer(platform.settings)
    async with platform.database.transaction() as connection:
        email = await store.take_email(connection, link_id) if mailer else None
        if email is None:
            await store.skip_email(connection, link_id)
    if mailer is not None and email is not None:
        await _send(platform, link_id, mailer, email)


async def _send(platform: Platform, link_id: str, mailer: Mailer, email: InvitationEmail) -> None:
    try:
        await mailer.send(email.to, SUBJECT, TEXT)
    except MailRefused as refused:
        if email.tries >= TRIES:
            await _finish(platform, link_id, email, EmailStatus.FAILED)
        raise Retry(refused.code) from None
    await _finish(platform, link_id, email, EmailStatus.SENT)


async def _finish(platform: Platform, link_id: str, email: InvitationEmail, status: EmailStatus) -> None:
    call = worker_call(platform, "registry.send_invitation")
    async with platform.database.transaction() as connection:
        await store.finish_email(connection, link_id, status)
        await platform.audit.record(
            connection, call, "update", subject=email.invitee, fields=["email_status"], outcome=status
        )
