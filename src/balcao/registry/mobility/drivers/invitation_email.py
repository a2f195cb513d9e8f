"""The e-mail that tells of an invitation, sent by a job.

It names nobody and no vehicle, as the owner may have mistyped the address; the invitation is valid whatever happens to
it.
"""

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import Retry
from balcao.core.mail import MailRefused, create_mailer
from balcao.registry.mobility.drivers import store
from balcao.registry.mobility.drivers.records import InvitationEmail
from balcao.registry.mobility.drivers.schemas import EmailStatus

JOB = "invite_email"
TRIES = 3
# E-mails within a day, so that nobody makes us flood a mailbox; beyond them an invitation goes without.
MOST_TO_ADDRESS, MOST_BY_CITIZEN = 5, 20
SUBJECT = "Convite para conduzir um veículo"
TEXT = """Olá,

Você foi convidado(a) a conduzir um veículo elétrico leve registrado na prefeitura.

Para ver de quem é o convite e responder, entre no portal do cidadão com a sua conta e abra "Convites de veículos".
O convite vale por 90 dias. Se você não o esperava, ignore esta mensagem.
"""


async def send(platform: Platform, link_id: str) -> None:
    """Try once to send the e-mail. Raises Retry when the server did not take it; after the last try the link says so.

    The try is committed before the server is called, and its outcome after: no transaction waits for a mail server,
    and a worker that is killed in between leaves an e-mail that is sent again rather than lost.
    """
    mailer = create_mailer(platform.settings)
    async with platform.database.transaction() as connection:
        email = await store.take_email(connection, link_id, MOST_TO_ADDRESS, MOST_BY_CITIZEN) if mailer else None
        if email is None:
            await store.skip_email(connection, link_id)
    if mailer is None or email is None:
        return
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
