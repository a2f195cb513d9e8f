"""Pages for the requests of the attended citizen: the list, one request, and its answers on the citizen's behalf."""

from typing import Any

from wtforms import TextAreaField

from balcao.core.http.responses import Response
from balcao.panel.attendance import Attendance
from balcao.panel.attendances import service as attendances
from balcao.panel.counter.pages import make_crumbs, make_subject
from balcao.panel.declaration import Pages
from balcao.panel.request_states import AUTHORS, STATES, TAGS, name_step
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.forms import Form, length, needed
from balcao.web.lists import Listing
from balcao.web.person import client as people
from balcao.web.service_requests import client
from balcao.web.service_requests.client import LONGEST_TEXT
from balcao.web.service_requests.labels import CLOSED
from balcao.web.visit import Crumb

READ, WRITE = "requests:read", "requests:write"

pages = Pages("counter", "/atendimento/{attendance}/pedidos")


class TextForm(Form):
    """The form for the citizen's answer to a question, or for the reason to reopen a request."""

    text = TextAreaField(
        "O que a pessoa diz", validators=[needed("Escreva o que a pessoa diz."), length(1, LONGEST_TEXT)]
    )

    @property
    def typed(self) -> str:
        """Return the typed text trimmed and with LF line endings, because CRLF would count as two characters."""
        return (self.text.data or "").replace("\r\n", "\n").strip()


@pages.get("", "Pedidos", actions=[READ, WRITE])
async def list_requests(visit: Visit, attendance: str) -> Response[Any]:
    """List the citizen's requests and tickets, newest first."""
    found = await attendances.find_attendance(visit, attendance)
    listing = Listing(visit, ("pedido", "pedidos"))
    (tickets,) = await gather_blocks(
        people.list_tickets(make_subject(visit, found), page=listing.number, size=listing.size)
    )
    if tickets.value:
        listing.rows, listing.total = tickets.value.data, tickets.value.pagination.total
    return visit.render(
        "counter/requests.html", found=found, tickets=tickets, listing=listing, crumbs=make_crumbs(visit, found)
    )


@pages.get("/{number}", "Um pedido", actions=[READ])
async def show_request(visit: Visit, attendance: str, number: str) -> Response[Any]:
    """Show one of the citizen's requests and its steps."""
    found = await attendances.find_attendance(visit, attendance)
    read = await client.read_request(make_subject(visit, found), number)
    return visit.render(
        "counter/request.html",
        found=found,
        one=read,
        states=STATES,
        tags=TAGS,
        authors=AUTHORS,
        name_step=name_step,
        may_answer=visit.may(WRITE) and read.state == "needs_information",
        may_reopen=visit.may(WRITE) and read.state in CLOSED and _is_recent(visit, read),
        crumbs=make_request_crumbs(visit, found),
    )


@pages.form("/{number}/responder", "Responder à prefeitura", actions=[WRITE])
async def answer_question(visit: Visit, attendance: str, number: str) -> Response[Any]:
    """Answer the city's question on behalf of the citizen."""
    return await _write(visit, attendance, number, "answer", "A resposta foi enviada.")


@pages.form("/{number}/reabrir", "Reabrir o pedido", actions=[WRITE])
async def reopen_request(visit: Visit, attendance: str, number: str) -> Response[Any]:
    """Reopen a closed request on behalf of the citizen."""
    return await _write(visit, attendance, number, "reopening", "O pedido foi reaberto.")


async def _write(visit: Visit, attendance: str, number: str, what: str, done: str) -> Response[Any]:
    found = await attendances.find_attendance(visit, attendance)
    subject, form = make_subject(visit, found), TextForm(visit)
    back = visit.address("counter.show_request", attendance=found.number, number=number)
    if form.is_sent and await form.submit(lambda: client.write_text(subject, number, what, form.typed, form.key)):
        return await visit.redirect(back, done)
    read = await client.read_request(subject, number)
    return visit.render(
        "counter/request_text.html",
        found=found,
        one=read,
        form=form,
        back=back,
        asked=next((step.text for step in reversed(read.steps) if step.state == "needs_information"), None),
        crumbs=make_request_crumbs(visit, found),
        status=form.status,
    )


def _is_recent(visit: Visit, read: client.ServiceRequest) -> bool:
    return read.reopen_until is not None and read.reopen_until > visit.panel.words.now()


def _address(visit: Visit, found: Attendance) -> str:
    return visit.address("counter.list_requests", attendance=found.number)


def make_request_crumbs(visit: Visit, found: Attendance) -> list[Crumb]:
    """Return the breadcrumbs for the pages that the list of requests links to."""
    return [*make_crumbs(visit, found), Crumb("Pedidos", _address(visit, found))]
