"""Pages for one of the citizen's requests: its steps, its receipt, and the citizen's actions."""

from typing import Any

import wtforms
from wtforms.validators import DataRequired

from balcao.core.http.responses import Response
from balcao.site.mine.answer_form import AnswerForm, unify_line_ends
from balcao.site.mine.begun_forms import read_begun
from balcao.site.mine.declaration import Pages
from balcao.site.mine.downloads import send_file
from balcao.site.mine.request_client import find_question, rate_request
from balcao.site.mine.visit import Visit
from balcao.site.reading.departments import read_departments
from balcao.site.requests.states import describe_state
from balcao.web.api import ValidationFailed, gather_blocks
from balcao.web.faults import make_not_found
from balcao.web.forms import Form, length, list_choices, needed
from balcao.web.person.client import Subject
from balcao.web.service_requests import client
from balcao.web.service_requests.client import LONGEST_TEXT, ServiceRequest, Step
from balcao.web.service_requests.files import FILE_GONE, MOST_FILES
from balcao.web.service_requests.labels import CLOSED

pages = Pages("requests", "/pedidos")
_LONGEST_COMMENT = 500
_STARS = [("5", "5: muito bom"), ("4", "4: bom"), ("3", "3: mais ou menos"), ("2", "2: ruim"), ("1", "1: muito ruim")]
_AUTHORS = {"citizen": "você", "staff": "equipe da prefeitura", "crm": "central de atendimento"}
_OWN_STEPS = {"received": "Você fez o pedido", "in_progress": "Você respondeu", "reopened": "Você pediu para reabrir"}


class ReopeningForm(Form):
    """The form for explaining why the citizen is not satisfied."""

    text = wtforms.TextAreaField(
        "O que ainda falta?",
        validators=[DataRequired("Conte o que falta."), length(0, LONGEST_TEXT)],
        filters=[unify_line_ends],
    )


class RatingForm(Form):
    """The form for rating a closed request."""

    stars = wtforms.RadioField(
        "Que nota você dá?",
        choices=list_choices(_STARS),
        validators=[needed("Escolha uma nota.")],
        validate_choice=False,
    )
    comment = wtforms.TextAreaField("Quer contar por quê? (opcional)", validators=[length(0, _LONGEST_COMMENT)])

    def validate_stars(self, field: Any) -> None:
        """Reject a rating that the form does not offer."""
        if field.data not in dict(_STARS):
            raise wtforms.ValidationError("Escolha uma nota.")


@pages.get("/{number}", "Pedido")
async def show(visit: Visit, number: str) -> Response[Any]:
    """Show a request with its steps and answers."""
    one = await client.read_request(await visit.read_subject(), number)
    reader = visit.mine.site.make_reader(visit.request.peer, visit.request.id)
    (departments,) = await gather_blocks(read_departments(reader))
    owner = departments.value.find(one.departments[0]) if departments.value and one.departments else None
    return visit.render(
        "mine/request.html",
        question=find_question(one),
        is_closed=one.state in CLOSED,
        title=one.name,
        one=one,
        state=describe_state(one.state),
        steps=[(describe_step(step), describe_author(step), step) for step in one.steps],
        owner=owner,
        may_reopen=_may_reopen(visit, one),
    )


@pages.get("/{number}/comprovante", "Pedido feito")
async def show_receipt(visit: Visit, number: str) -> Response[Any]:
    """Show the number of a request that was just made, and the code for following it without a login."""
    one = await client.read_request(await visit.read_subject(), number)
    begun = await read_begun(visit, one.type)
    return visit.render("mine/request_receipt.html", one=one, code=begun.code if begun.sent == one.number else "")


@pages.file_form("/{number}/responder", "Responder à prefeitura", keeps_text=True)
async def answer(visit: Visit, number: str) -> Response[Any]:
    """Answer a question from the city. The citizen may add photos and documents."""
    subject = await visit.read_subject()
    one, form, back = await client.read_request(subject, number), AnswerForm(visit), _find_address(visit, number)
    if not find_question(one) and not form.is_sent:
        return await visit.redirect(back, "Não há pergunta da prefeitura para responder.", is_done=False)
    # After the answer, the form can only be a repeated one. Its files are in the request, so they do not count again.
    room = MOST_FILES - len(one.files) if find_question(one) else MOST_FILES
    if form.is_sent and await form.check(subject, room) and await _send_answer(subject, number, form):
        return await visit.redirect(back, "A resposta foi enviada.")
    return visit.render(
        "mine/request_answer.html",
        question=find_question(one),
        one=one,
        form=form,
        room=room - len(form.ids),
        back=back,
        status=form.status,
    )


async def _send_answer(subject: Subject, number: str, form: AnswerForm) -> bool:
    """Send the answer. Return whether the service accepted it."""
    is_gone = False

    async def send() -> ServiceRequest:
        nonlocal is_gone
        try:
            return await client.answer_question(subject, number, form.text.data or "", form.ids, form.key)
        except ValidationFailed as fault:
            is_gone = fault.code == FILE_GONE
            raise

    is_sent = await form.submit(send)
    if is_gone:
        form.drop_files()
    return is_sent


@pages.form("/{number}/reabrir", "Pedir para reabrir")
async def reopen(visit: Visit, number: str) -> Response[Any]:
    """Reopen a closed request, with a reason."""
    subject = await visit.read_subject()
    one, form, back = await client.read_request(subject, number), ReopeningForm(visit), _find_address(visit, number)
    if not _may_reopen(visit, one) and not form.is_sent:
        return await visit.redirect(back, "Este pedido não pode ser reaberto.", is_done=False)
    if form.is_sent and await form.submit(
        lambda: client.write_text(subject, number, "reopening", form.text.data or "", form.key)
    ):
        return await visit.redirect(back, "O pedido foi reaberto.")
    return visit.render("mine/request_reopen.html", one=one, form=form, back=back, status=form.status)


@pages.form("/{number}/nota", "Dar uma nota")
async def rate(visit: Visit, number: str) -> Response[Any]:
    """Rate a closed request. A request can be rated only once."""
    subject = await visit.read_subject()
    one, form, back = await client.read_request(subject, number), RatingForm(visit), _find_address(visit, number)
    if one.state not in CLOSED and not form.is_sent:
        return await visit.redirect(back, "A nota é dada depois que o pedido termina.", is_done=False)
    if one.rating is not None and not form.is_sent:
        return await visit.redirect(back, "Você já deu a nota deste pedido.", is_done=False)
    if form.is_sent and await form.submit(
        lambda: rate_request(subject, number, int(form.stars.data), form.comment.data or "", form.key)
    ):
        return await visit.redirect(back, "Obrigado! A nota foi guardada.")
    return visit.render("mine/request_rate.html", one=one, form=form, back=back, status=form.status)


@pages.get("/{number}/arquivos/{file_id}", "Arquivo")
async def download(visit: Visit, number: str, file_id: str) -> Response[Any]:
    """Return a file of the request as an attachment."""
    subject = await visit.read_subject()
    one = await client.read_request(subject, number)
    if file_id not in one.files:
        raise make_not_found()
    return await send_file(subject, file_id)


def describe_step(step: Step) -> str:
    """Describe what happened in a step."""
    if step.author == "citizen":
        return _OWN_STEPS.get(step.state or "", "Você escreveu")
    if step.state == "received":
        return "O atendimento fez o pedido com você"
    return describe_state(step.state).text if step.state else "Mensagem da prefeitura"


def describe_author(step: Step) -> str:
    """Describe who made a step, without naming members of staff."""
    return _AUTHORS.get(step.author, "sistema da prefeitura")


def _may_reopen(visit: Visit, one: ServiceRequest) -> bool:
    return one.state in CLOSED and one.reopen_until is not None and visit.mine.site.words.now() <= one.reopen_until


def _find_address(visit: Visit, number: str) -> str:
    return visit.address("requests.show", number=number)
