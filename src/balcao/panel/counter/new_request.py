"""Pages for a new request on behalf of the attended citizen.

The clerk fills in the form, checks the answers with the citizen and sends them. Until then, the answers are only in the
page's form. Files are stored as soon as the form arrives; the registry deletes those that no request uses.
"""

from itertools import groupby
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.attendance import Attendance
from balcao.panel.attendances import service as attendances
from balcao.panel.counter.pages import make_subject
from balcao.panel.counter.request_form import DEED, FILES, LARGEST_FORM, MORE, RequestForm, make_request_form
from balcao.panel.counter.requests import WRITE, make_request_crumbs
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.service_requests import client
from balcao.web.service_requests.client import RequestType
from balcao.web.service_requests.forms import Asked

# The buttons on the form and on the page where the clerk checks the answers.
_CHECK, _CHANGE, _SEND = "conferir", "mudar", "enviar"
_VERSION = "_versao"
_CHANGED = "As perguntas deste pedido acabaram de mudar. Confira as respostas com a pessoa."

pages = Pages("counter", "/atendimento/{attendance}/pedidos/novo")


@pages.get("", "Fazer um pedido", actions=[WRITE])
async def choose_type(visit: Visit, attendance: str) -> Response[Any]:
    """List the types of requests by category."""
    found = await attendances.find_attendance(visit, attendance)
    types = await client.list_request_types(visit.api)
    return visit.render(
        "counter/request_types.html",
        found=found,
        categories=[(name, list(kinds)) for name, kinds in groupby(types, lambda one: one.category)],
        is_possible=lambda kind: _is_possible(visit, kind),
        crumbs=make_request_crumbs(visit, found),
    )


@pages.form("/{kind}", "Fazer um pedido", actions=[WRITE], body_limit=LARGEST_FORM, takes_file=True)
async def open_request(visit: Visit, attendance: str, kind: str) -> Response[Any]:
    """Ask the questions of a request type, show the answers for checking, and send them once. Then show the receipt."""
    found = await attendances.find_attendance(visit, attendance)
    chosen = await client.read_request_type(visit.api, kind)
    if not _is_possible(visit, chosen):
        raise make_not_found()
    subject, deed = make_subject(visit, found), visit.posted.first(DEED)
    form = make_request_form(chosen, visit.panel.words.now().date(), takes_files=visit.may(FILES))(visit)
    if visit.is_post and visit.posted.first(_VERSION) != str(chosen.version):
        form.refusal = _CHANGED
    elif deed == MORE:
        await form.store_files(subject, is_needed=True)
    elif deed in {_CHECK, _SEND} and await form.check(subject):
        if deed == _CHECK:
            return _render(visit, found, chosen, form, template="counter/request_check.html")
        if await form.submit(lambda: form.check_files(client.open_request(subject, chosen, form.answers, form.key))):
            crumbs = make_request_crumbs(visit, found)
            return visit.render("counter/receipt.html", status=201, found=found, made=form.result, crumbs=crumbs)
    return _render(visit, found, chosen, form)


def _render(
    visit: Visit,
    found: Attendance,
    kind: RequestType,
    form: RequestForm,
    *,
    template: str = "counter/request_form.html",
) -> Response[Any]:
    return visit.render(
        template,
        found=found,
        kind=kind,
        form=form,
        typed=form.list_typed(visit),
        show_answer=_show_answer,
        left_out=[] if form.uploads else [one.label for one in kind.fields if one.kind == "file"],
        crumbs=make_request_crumbs(visit, found),
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


def _is_possible(visit: Visit, kind: RequestType) -> bool:
    """Return whether the clerk may make a request of this type. A required file needs the right to send files."""
    return visit.may(FILES) or not any(field.kind == "file" and field.required for field in kind.fields)
