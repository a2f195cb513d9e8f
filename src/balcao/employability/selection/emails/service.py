"""E-mails to candidates, queued in the transaction of what they tell of (rules: employability 4.8)."""

from collections.abc import Mapping
from uuid import UUID

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Retry
from balcao.core.mail import MailRefused, create_mailer
from balcao.employability.selection.emails import store
from balcao.employability.selection.emails.kinds import Email
from balcao.employability.selection.emails.texts import compose_email


async def enqueue_emails(connection: Connection, kind: Email, events: Mapping[UUID, int]) -> None:
    """Queue the e-mails that tell candidates of entries in the histories of these applications.

    A candidate without an address gets none.
    """
    await store.enqueue_emails(connection, kind, [store.Occasion(id_, event) for id_, event in events.items()])


async def tell_of_closed_job(platform: Platform, job: UUID, event: int) -> None:
    """Queue the e-mails that tell of a closed job to those on whom nobody has decided.

    `event` is the entry of the job's history. Run again, it queues them again, under the same Message-IDs.
    """
    async with platform.database.transaction() as connection:
        waiting = await store.list_undecided_applications(connection, job)
        await store.enqueue_emails(connection, Email.JOB_CLOSED, [store.Occasion(id_, event) for id_ in waiting])


async def send_email(platform: Platform, kind: Email, application: UUID, event: int) -> None:
    """Send the e-mail, if what it tells is still true. Raises Retry when the mail server did not take it.

    Address and text are read now, and no connection is held while the server is spoken to. A worker that dies before
    the job's end sends it again, under the same Message-ID.
    """
    mailer = create_mailer(platform.settings)
    if mailer is None:
        return
    async with platform.database.connection() as connection:
        news = await store.read_news(connection, kind, application, event)
    if news is None:
        return
    subject, text = compose_email(kind, news)
    try:
        await mailer.send(news.email, subject, text, key=f"{application}.{event}")
    except MailRefused as refused:
        raise Retry(refused.code) from None
