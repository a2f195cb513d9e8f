"""Sends e-mails to candidates. They are enqueued in the transaction of the change that they report.

Rules: employability 4.8.
"""

from collections.abc import Mapping
from uuid import UUID

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.core.jobs.worker import Retry
from balcao.core.mail import MailRefused, create_mailer
from balcao.core.values.ids import new_id
from balcao.employability.registry_people import EmailConsent, ask_email_consent
from balcao.employability.selection.emails import store
from balcao.employability.selection.emails.kinds import Email
from balcao.employability.selection.emails.texts import News, compose_email


async def enqueue_emails(connection: Connection, kind: Email, events: Mapping[UUID, int]) -> None:
    """Enqueue an e-mail about each of these events in the histories of applications.

    Applications without an address get no e-mail.
    """
    await store.enqueue_emails(connection, kind, [store.Occasion(id_, event) for id_, event in events.items()])


async def notify_of_closed_job(platform: Platform, job: UUID, event: int) -> None:
    """Enqueue e-mails about a discontinued job to the candidates whose applications have no decision.

    `event` is the event in the job's history. If this runs twice, both runs use the same Message-IDs.
    """
    async with platform.database.transaction() as connection:
        waiting = await store.list_undecided_applications(connection, job)
        await store.enqueue_emails(connection, Email.JOB_CLOSED, [store.Occasion(id_, event) for id_ in waiting])


async def send_email(platform: Platform, kind: Email, application: UUID, event: int) -> None:
    """Send an e-mail if what it says is still true. Raises Retry if the mail server or the registry fails.

    Nothing is sent if no mail server is configured, or if the candidate refuses e-mails about services. The address and
    the content are read now, and no database connection is held during the delivery. If the worker dies before the job
    ends, the e-mail is sent again with the same Message-ID.
    """
    mailer = create_mailer(platform.settings)
    if mailer is None:
        return
    async with platform.database.connection() as connection:
        news = await store.read_news(connection, kind, application, event)
    consent = await _ask_consent(platform, news) if news else None
    if news is None or consent is None or not consent.accepts:
        return
    subject, text = compose_email(kind, news)
    try:
        await mailer.send(news.email, subject, text, key=f"{application}.{event}", unsubscribe=consent.unsubscribe)
    except MailRefused as refused:
        raise Retry(refused.code) from None


async def _ask_consent(platform: Platform, news: News) -> EmailConsent:
    """Ask the registry whether the candidate accepts the e-mail. If the registry does not answer, raise Retry."""
    if news.cpf is None:
        return EmailConsent(True)
    try:
        return await ask_email_consent(platform, news.cpf, new_id())
    except Unavailable as fault:
        raise Retry(fault.code) from None
