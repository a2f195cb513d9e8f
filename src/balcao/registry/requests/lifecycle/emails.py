"""E-mails to citizens about the city's changes to their requests (rules: registry 4.20).

Each change enqueues a job in the change's transaction. The job waits for a short time, and then sends an e-mail only if
its change is still the newest. Several changes within that time therefore cause only one e-mail.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Retry, enqueue
from balcao.core.mail import MailRefused, create_mailer
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.validators.service import EmailAddress
from balcao.registry.requests.lifecycle import store
from balcao.registry.requests.lifecycle.states import Author, State
from balcao.registry.requests.lifecycle.store import StoredRequest
from balcao.registry.senders.recipients import service as recipients
from balcao.settings import Settings

EMAIL_JOB = "request_email"
# Staff often correct a change within this time, and a poll of the CRM a minute later may add a message to it.
COLLECTING = timedelta(minutes=2)
BY_CITY = frozenset({Author.STAFF, Author.CRM})
PAGE = "/minha-pagina/pedidos"
STATES: Mapping[State, str] = {
    State.RECEIVED: "recebido",
    State.SENT: "encaminhado",
    State.IN_PROGRESS: "em andamento",
    State.NEEDS_INFORMATION: "esperando a sua resposta",
    State.DONE: "concluído",
    State.REFUSED: "encerrado sem atendimento",
    State.REOPENED: "reaberto",
}
SUBJECT = "Pedido {number}: {state}"
TEXT = """Olá,

Há novidade no seu pedido {number} à prefeitura. Situação: {state}.

{where}
Esta mensagem é automática: não é preciso respondê-la.

Para não receber mais mensagens sobre serviços, abra este endereço:
{unsubscribe}
"""
AT_SITE = "Para ver os detalhes ou responder, entre em Minha página com a sua conta:\n{address}\n"
AT_PORTAL = "Para ver os detalhes ou responder, entre no portal do cidadão com a sua conta.\n"


class RequestEmail(NamedTuple):
    """An e-mail to send now. It contains only the number and the state of the request."""

    to: str
    cpf: Cpf
    number: str
    state: State
    now: datetime


async def enqueue_email(connection: Connection, row: StoredRequest, step: int, author: Author) -> None:
    """Enqueue the e-mail about a step, in the step's transaction. Only steps by the city cause an e-mail.

    Requests made without a login, and requests of erased people, have no recipient.
    """
    if author in BY_CITY and row.owner:
        await enqueue(connection, EMAIL_JOB, {"request": row.id, "step": step}, delay=COLLECTING)


async def send_email(platform: Platform, request: str, step: int) -> None:
    """Send the e-mail about a step, unless the city or the citizen has added a later step.

    Nothing is sent if no mail server is configured, or if the citizen has no e-mail address or refuses messages about
    services. These conditions are checked when the job runs, not when it is enqueued. No database connection is held
    during the delivery. If the worker dies before the job ends, the e-mail is sent again with the same Message-ID.
    Raises Retry if the mail server rejects the e-mail.
    """
    mailer = create_mailer(platform.settings)
    if mailer is None:
        return
    async with platform.database.transaction() as connection:
        email = await _prepare(connection, request, step)
    if email is None:
        return
    unsubscribe = recipients.make_own_unsubscribe(platform, email.cpf, email.now)
    subject, text = _compose(platform.settings, email, unsubscribe)
    try:
        await mailer.send(email.to, subject, text, key=f"{email.number}.{step}", unsubscribe=unsubscribe)
    except MailRefused as refused:
        raise Retry(refused.code) from None


async def _prepare(connection: Connection, request: str, step: int) -> RequestEmail | None:
    row = await store.select_request_by_id(connection, request)
    if row is None or not row.owner:
        return None
    later = [each for each in await store.list_steps(connection, row) if each.seq > step]
    if any(each.author is not Author.PLATFORM for each in later):
        return None
    cpf = Cpf(row.owner)
    main = (await citizens.read_citizen_record(connection, cpf)).email.principal
    address = EmailAddress.parse(main.valor) if main and main.valor else None
    if address is None or not await recipients.accepts_own_message(connection, cpf):
        return None
    return RequestEmail(address.normalized, cpf, row.number, row.state, await store.read_clock(connection))


def _compose(settings: Settings, email: RequestEmail, unsubscribe: str) -> tuple[str, str]:
    """Return the subject and the text of the e-mail."""
    has_page = settings.has_site and settings.has_site_login
    where = AT_SITE.format(address=f"{settings.site_address}{PAGE}") if has_page else AT_PORTAL
    state = STATES[email.state]
    return (
        SUBJECT.format(number=email.number, state=state),
        TEXT.format(number=email.number, state=state, where=where, unsubscribe=unsubscribe),
    )
