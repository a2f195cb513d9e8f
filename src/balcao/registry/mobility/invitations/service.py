"""The e-mail that tells an invitee of the invitation; the invitation is valid whatever happens to it.

It names nobody and no vehicle: the owner may have mistyped the address.
"""

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Retry, enqueue
from balcao.core.mail import Mailer, MailRefused, mailer_of
from balcao.registry.mobility.drivers.schemas import EmailStatus
from balcao.registry.mobility.invitations import store
from balcao.registry.mobility.invitations.store import Letter

JOB = "invite_email"
TRIES = 3
SUBJECT = "Convite para conduzir um veículo"
TEXT = """Olá,

Você foi convidado(a) a conduzir um veículo elétrico leve registrado na prefeitura.

Para ver de quem é o convite e responder, entre no portal do cidadão com a sua conta e abra "Convites de veículos".
O convite vale por 90 dias. Se você não o esperava, ignore esta mensagem.
"""


async def order(connection: Connection, link_id: str) -> None:
    """The letter goes out once the invitation is committed."""
    await enqueue(connection, JOB, {"conductor": link_id})


async def send(platform: Platform, link_id: str) -> None:
    """One try. Raises Retry when the server did not take the letter; after the last try the link says so."""
    mailer = mailer_of(platform.settings)
    async with platform.database.transaction() as connection:
        letter = await store.take(connection, link_id) if mailer else None
        if letter is None:
            await store.skip(connection, link_id)
    if mailer is not None and letter is not None:
        await _send(platform, link_id, mailer, letter)


async def _send(platform: Platform, link_id: str, mailer: Mailer, letter: Letter) -> None:
    try:
        await mailer.send(letter.to, SUBJECT, TEXT)
    except MailRefused as refused:
        if letter.tries >= TRIES:
            await _finish(platform, link_id, letter, EmailStatus.FAILED)
        raise Retry(refused.code) from None
    await _finish(platform, link_id, letter, EmailStatus.SENT)


async def _finish(platform: Platform, link_id: str, letter: Letter, status: EmailStatus) -> None:
    call = worker_call(platform, "registry.send_invitation")
    async with platform.database.transaction() as connection:
        await store.finish(connection, link_id, status)
        await platform.audit.record(
            connection, call, "update", subject=letter.invitee, fields=["email_status"], outcome=status
        )
