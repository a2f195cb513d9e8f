"""Pages for the requests of the attended citizen: the list, one request, and its answers on the citizen's behalf."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.attendance import Attendance
from balcao.panel.attendances import service as attendances
from balcao.panel.counter.pages import make_crumbs, make_subject
from balcao.panel.counter.request_form import DEED, FILES, LARGEST_FORM, MORE, TextForm, make_text_form
from balcao.panel.declaration import Pages
from balcao.panel.request_states import AUTHORS, STATES, TAGS, name_step
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.lists import Listing
from balcao.web.person import client as people
from balcao.web.person.client import Subject
from balcao.web.service_requests import client
from balcao.web.service_requests.client import ServiceRequest
from balcao.web.service_requests.files import MOST_FILES
from balcao.web.service_requests.labels import CLOSED
from balcao.web.visit import Crumb

READ, WRITE = "requests:read", "requests:write"
# The state of a request to which the city waits for an answer.
_ASKED = "needs_information"

pages = Pages("counter", "/atendimento/{attendance}/pedidos")


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
        may_answer=visit.may(WRITE) and not _refuse_answer(read),
        may_reopen=visit.may(WRITE) and not _refuse_reopening(visit, read),
        crumbs=make_request_crumbs(visit, found),
    )


@pages.form("/{number}/responder", "Responder à prefeitura", actions=[WRITE], body_limit=LARGEST_FORM, takes_file=True)
async def answer_question(visit: Visit, attendance: str, number: str) -> Response[Any]:
    """Answer the city's question on behalf of the citizen, with photos and documents that the citizen brings."""
    found, subject, read = await _read_request(visit, attendance, number)
    refusal = _refuse_answer(read)
    # After the answer, the form can only be a repeated one. Its files are in the request, so they do not count again.
    room = MOST_FILES - len(read.files) if read.state == _ASKED else MOST_FILES
    form = make_text_form(room, visit.panel.words.now().date(), takes_files=visit.may(FILES))(visit)
    if visit.posted.first(DEED) == MORE and not refusal:
        await form.store_files(subject, is_needed=True)
    elif (
        form.is_sent
        and await form.check(subject)
        and await form.submit(
            lambda: form.check_files(client.answer_question(subject, number, form.typed, form.files, form.key))
        )
    ):
        return await visit.redirect(_find_address(visit, found, number), "A resposta foi enviada.")
    return _render(visit, found, read, form, refusal, takes_answer=True)


@pages.form("/{number}/reabrir", "Reabrir o pedido", actions=[WRITE])
async def reopen_request(visit: Visit, attendance: str, number: str) -> Response[Any]:
    """Reopen a closed request on behalf of the citizen."""
    found, subject, read = await _read_request(visit, attendance, number)
    form = TextForm(visit)
    if form.is_sent and await form.submit(
        lambda: client.write_text(subject, number, "reopening", form.typed, form.key)
    ):
        return await visit.redirect(_find_address(visit, found, number), "O pedido foi reaberto.")
    return _render(visit, found, read, form, _refuse_reopening(visit, read))


async def _read_request(visit: Visit, attendance: str, number: str) -> tuple[Attendance, Subject, ServiceRequest]:
    found = await attendances.find_attendance(visit, attendance)
    subject = make_subject(visit, found)
    return found, subject, await client.read_request(subject, number)


def _refuse_answer(read: ServiceRequest) -> str:
    """Return why the request takes no answer, or an empty string."""
    return "" if read.state == _ASKED else "A prefeitura não espera uma resposta neste pedido."


def _refuse_reopening(visit: Visit, read: ServiceRequest) -> str:
    """Return why the request cannot be reopened, or an empty string."""
    if read.state not in CLOSED:
        return "O pedido está aberto."
    is_recent = read.reopen_until is not None and read.reopen_until > visit.panel.words.now()
    return "" if is_recent else "O prazo para reabrir este pedido acabou. Se for preciso, faça um pedido novo."


def _render(
    visit: Visit, found: Attendance, read: ServiceRequest, form: TextForm, refusal: str, *, takes_answer: bool = False
) -> Response[Any]:
    """Show the form. If the request does not allow this step, show the `refusal` and the typed text instead."""
    question = next((step.text for step in reversed(read.steps) if step.state == _ASKED), None)
    return visit.render(
        "counter/request_text.html",
        found=found,
        one=read,
        form=form,
        refusal=refusal,
        takes_answer=takes_answer,
        asked=question if read.state == _ASKED else None,
        back=_find_address(visit, found, read.number),
        crumbs=make_request_crumbs(visit, found),
        status=409 if refusal and form.is_sent else form.status,
    )


def _find_address(visit: Visit, found: Attendance, number: str) -> str:
    return visit.address("counter.show_request", attendance=found.number, number=number)


def _address(visit: Visit, found: Attendance) -> str:
    return visit.address("counter.list_requests", attendance=found.number)


def make_request_crumbs(visit: Visit, found: Attendance) -> list[Crumb]:
    """Return the breadcrumbs for the pages that the list of requests links to."""
    return [*make_crumbs(visit, found), Crumb("Pedidos", _address(visit, found))]
