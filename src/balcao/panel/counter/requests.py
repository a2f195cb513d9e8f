"""Pages for the requests of the attended citizen: the list, one request, and a new request on the citizen's behalf.

The clerk fills in the form, checks the answers with the citizen and sends them. Until then, the answers are only in the
page's form, so that nothing is stored before the citizen agrees.
"""

from itertools import groupby
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
from balcao.web.faults import make_not_found
from balcao.web.forms import Form, length, needed
from balcao.web.lists import Listing
from balcao.web.person import client as people
from balcao.web.service_requests import client
from balcao.web.service_requests.client import LONGEST_TEXT, RequestType
from balcao.web.service_requests.forms import AnswerForm, Asked, make_answer_form
from balcao.web.service_requests.labels import CLOSED
from balcao.web.visit import Crumb

READ, WRITE = "requests:read", "requests:write"
# The buttons on the form and on the page where the clerk checks the answers.
_CHECK, _CHANGE, _SEND = "conferir", "mudar", "enviar"
_DEED, _VERSION = "deed", "_versao"
_CHANGED = "As perguntas deste pedido acabaram de mudar. Confira as respostas com a pessoa."

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


@pages.get("/novo", "Fazer um pedido", actions=[WRITE])
async def choose_type(visit: Visit, attendance: str) -> Response[Any]:
    """List the types of requests by category."""
    found = await attendances.find_attendance(visit, attendance)
    types = await client.list_request_types(visit.api)
    return visit.render(
        "counter/request_types.html",
        found=found,
        categories=[(name, list(kinds)) for name, kinds in groupby(types, lambda one: one.category)],
        needs_file=_needs_file,
        crumbs=_request_crumbs(visit, found),
    )


@pages.form("/novo/{kind}", "Fazer um pedido", actions=[WRITE])
async def open_request(visit: Visit, attendance: str, kind: str) -> Response[Any]:
    """Ask the questions of a request type, show the answers for checking, and send them once. Then show the receipt."""
    found = await attendances.find_attendance(visit, attendance)
    chosen = await client.read_request_type(visit.api, kind)
    if _needs_file(chosen):
        raise make_not_found()
    deed = visit.posted.first(_DEED)
    form = _make_form(visit, chosen)
    if visit.is_post and visit.posted.first(_VERSION) != str(chosen.version):
        form.refusal = _CHANGED
    elif form.is_sent and deed == _SEND:
        subject = make_subject(visit, found)
        if await form.submit(lambda: client.open_request(subject, chosen, form.answers, form.key)):
            crumbs = _request_crumbs(visit, found)
            return visit.render("counter/receipt.html", status=201, found=found, made=form.result, crumbs=crumbs)
    elif form.is_sent and deed == _CHECK and form.validate():
        return _render(visit, found, chosen, form, template="counter/request_check.html")
    return _render(visit, found, chosen, form)


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
        crumbs=_request_crumbs(visit, found),
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
        crumbs=_request_crumbs(visit, found),
        status=form.status,
    )


def _make_form(visit: Visit, kind: RequestType) -> AnswerForm:
    return make_answer_form(kind.fields, visit.panel.words.now().date())(visit)


def _render(
    visit: Visit, found: Attendance, kind: RequestType, form: AnswerForm, *, template: str = "counter/request_form.html"
) -> Response[Any]:
    typed = [(name, value) for name, values in visit.posted.items() if name in form for value in values]
    return visit.render(
        template,
        found=found,
        kind=kind,
        form=form,
        typed=typed,
        show_answer=_show_answer,
        left_out=[one.label for one in kind.fields if one.kind == "file"],
        crumbs=_request_crumbs(visit, found),
        status=form.status,
    )


def _show_answer(asked: Asked) -> str:
    """Format the typed answer to a question, for the page where the clerk checks it."""
    (first, *others), question = asked.fields, asked.question
    if others:
        return ", ".join(text for field in asked.fields if (text := (field.data or "").strip()))
    if question.kind == "choice":
        return next((option.label for option in question.options or () if option.id == first.data), "")
    return f"{first.data:%d/%m/%Y}" if question.kind == "date" and first.data else str(first.data or "")


def _needs_file(kind: RequestType) -> bool:
    """Return whether a type requires a file. The counter cannot upload files."""
    return any(field.kind == "file" and field.required for field in kind.fields)


def _is_recent(visit: Visit, read: client.ServiceRequest) -> bool:
    return read.reopen_until is not None and read.reopen_until > visit.panel.words.now()


def _address(visit: Visit, found: Attendance) -> str:
    return visit.address("counter.list_requests", attendance=found.number)


def _request_crumbs(visit: Visit, found: Attendance) -> list[Crumb]:
    return [*make_crumbs(visit, found), Crumb("Pedidos", _address(visit, found))]
