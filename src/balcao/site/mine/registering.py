"""Pages for registering a light electric vehicle: one question on each page, then a page for checking and sending.

Until the form is sent, the answers are stored encrypted for seven days, so that the citizen can stop and continue
later.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
import wtforms

from balcao.core.http.responses import Response
from balcao.site.mine import vehicle_client as client
from balcao.site.mine.begun_forms import Begun, FormOfPages, drop_begun, keep_answers, keep_receipt, read_begun
from balcao.site.mine.declaration import Pages
from balcao.site.mine.downloads import send_file
from balcao.site.mine.photo_form import PhotoForm
from balcao.site.mine.vehicle_client import Vehicle
from balcao.site.mine.vehicle_steps import (
    LABELS,
    MEMBERS,
    PHOTOS,
    find_missing,
    find_next,
    list_changes,
    list_steps,
    read_question,
    to_body,
)
from balcao.site.mine.visit import Visit
from balcao.web.api import Conflict, ValidationFailed
from balcao.web.faults import PageFault, make_not_found
from balcao.web.forms import KEY, Form, needed
from balcao.web.person.client import Subject
from balcao.web.service_requests.client import Field
from balcao.web.service_requests.files import FILE_GONE, describe_note, find_id, has_file
from balcao.web.service_requests.forms import fill_answers, make_answer_form
from balcao.web.service_requests.labels import describe_answer, name_questions

pages = Pages("registering", "/veiculos/novo")
# The id under which the answers are stored. No type of request has an id with this character.
_ID, _TITLE = "veiculo:novo", "Registrar um veículo"
_KEY_REUSED = "idempotency-key-reused"


class CheckForm(Form):
    """The form on the last page. `lacks_photo` is True if the registry has deleted a photo of the form."""

    declared = wtforms.BooleanField(
        "Declaro que o veículo é meu e que estes dados são verdadeiros.",
        validators=[needed("Marque a declaração para registrar o veículo.")],
    )
    lacks_photo = False


@pages.get("", _TITLE)
async def begin(visit: Visit) -> Response[Any]:
    """Show what the form asks. Link to the answers if the citizen has already begun."""
    begun = await _read_open(visit)
    first = visit.address("registering.check" if begun.answers else "registering.answer", step="marca")
    return visit.render("mine/vehicle_begin.html", is_begun=bool(begun.answers), first=first)


@pages.form("/{step}", _TITLE)
async def answer(visit: Visit, step: str) -> Response[Any]:
    """Ask one question. The answer is stored until the vehicle is registered."""
    begun = await _read_open(visit)
    if (elsewhere := _find_elsewhere(visit, step, begun.answers, is_photo=False)) is not None:
        return await visit.redirect(elsewhere)
    question = await read_question(visit.api, step, begun.answers)
    make = make_answer_form([question], visit.mine.site.words.now().date())
    form = make(visit, fill_answers([question], begun.answers))
    # A person may stop at a question without answering it.
    may_skip = bool(visit.posted.first("depois")) and not any(visit.posted.first(field.name).strip() for field in form)
    if form.is_sent and (may_skip or form.validate()):
        return await _keep(visit, begun, step, form.answers.get(question.id))
    return _show(visit, "mine/vehicle_question.html", begun, step, question, form)


@pages.file_form("/fotos/{step}", _TITLE)
async def add_photo(visit: Visit, step: str) -> Response[Any]:
    """Ask for one of the two photos. If there is one, another replaces it."""
    begun = await _read_open(visit)
    if (elsewhere := _find_elsewhere(visit, step, begun.answers, is_photo=True)) is not None:
        return await visit.redirect(elsewhere)
    form, stored = PhotoForm(visit), begun.answers.get(MEMBERS[step], "")
    if form.is_sent:
        note = await form.store(visit, await visit.read_subject()) or ("" if form.errors else stored)
        if note or (visit.posted.first("depois") and not form.errors):
            return await _keep(visit, begun, step, note)
        form.require()
    question = await read_question(visit.api, step, begun.answers)
    return _show(visit, "mine/vehicle_photo.html", begun, step, question, form, stored=stored)


@pages.get("/fotos/{step}/baixar", "Foto")
async def download_photo(visit: Visit, step: str) -> Response[Any]:
    """Return a photo of the form as an attachment, so that the citizen can check it."""
    begun = await _read_open(visit)
    note = begun.answers.get(PHOTOS.get(step, ""), "")
    if not note:
        raise make_not_found()
    return await send_file(await visit.read_subject(), find_id(note))


@pages.form("/conferir", "Confira antes de registrar")
async def check(visit: Visit) -> Response[Any]:
    """Show everything that will be sent, and register the vehicle once, even if the button is pressed again."""
    begun = await read_begun(visit, _ID)
    if begun.sent:
        return await visit.redirect(visit.address("vehicles.show_receipt", vehicle_id=begun.sent))
    subject, answers = await visit.read_subject(), begun.answers
    if missing := find_missing(answers):
        notice = "Falta esta resposta." if answers else ""
        return await visit.redirect(_find_address(visit, missing), notice)
    steps = list_steps(answers)
    questions = await asyncio.gather(*(read_question(visit.api, step, answers) for step in steps))
    for step, question in zip(steps, questions, strict=True):
        if question.options and answers[question.id] not in [option.id for option in question.options]:
            return await visit.redirect(_find_address(visit, step), "A sua resposta saiu da lista. Escolha de novo.")
    form, version = CheckForm(visit), _make_version(answers)
    if form.is_sent:
        if visit.posted.first("version") != version or visit.posted.first(KEY) != begun.key:
            form.refusal = "As respostas mudaram desde que você abriu a página. Confira e registre."
        elif await form.submit(_prepare(visit, subject, begun, form)):
            vehicle_id = form.result.id
            page = visit.address("vehicles.show_vehicle", vehicle_id=vehicle_id)
            await keep_receipt(visit, _form_of(visit), page, vehicle_id)
            return await visit.redirect(visit.address("vehicles.show_receipt", vehicle_id=vehicle_id))
        elif form.lacks_photo:
            return await _ask_again(visit, subject, begun)
    form.key = begun.key
    rows = [
        (step, LABELS[step], _describe(question, answers[question.id]), _find_address(visit, step))
        for step, question in zip(steps, questions, strict=True)
    ]
    return visit.render(
        "mine/vehicle_check.html", rows=rows, photos=PHOTOS, form=form, version=version, status=form.status
    )


def _prepare(visit: Visit, subject: Subject, begun: Begun, form: CheckForm) -> Callable[[], Awaitable[Vehicle]]:
    """Return the call that registers the vehicle. The messages of its errors are written for citizens.

    The vehicle has no invoice, because the registry accepts the photo of an invoice only as an address.
    """
    body = to_body(begun.answers, list_steps(begun.answers)) | {"has_invoice": False, "self_declaration": True}

    async def send() -> Vehicle:
        try:
            return await client.register_vehicle(subject, body, begun.key)
        except Conflict as fault:
            if fault.code != _KEY_REUSED:
                raise
            # The form was sent before, but the response was lost. Then the answers changed. The vehicle therefore
            # already exists.
            await drop_begun(visit, _ID)
            text = "A resposta tinha se perdido no caminho. Ele está em Meus veículos, em Minha página."
            raise PageFault(409, "Este veículo já foi registrado", text) from None
        except ValidationFailed as fault:
            form.lacks_photo = fault.code == FILE_GONE
            fault.text = name_questions(fault.text, {MEMBERS[step]: LABELS[step] for step in MEMBERS})
            raise

    return send


async def _ask_again(visit: Visit, subject: Subject, begun: Begun) -> Response[Any]:
    """Remove the photos that the registry has deleted from the answers, and redirect to the page of the first one."""
    gone = [step for step, member in PHOTOS.items() if not await has_file(subject, begun.answers[member])]
    await keep_answers(visit, _form_of(visit), begun, {PHOTOS[step]: None for step in gone})
    address = _find_address(visit, gone[0]) if gone else visit.path
    return await visit.redirect(address, "A foto foi apagada, porque passou um dia. Envie-a de novo.")


async def _read_open(visit: Visit) -> Begun:
    """Return the answers that are not sent yet. After the vehicle has been registered, a new form begins."""
    begun = await read_begun(visit, _ID)
    return Begun() if begun.sent else begun


def _find_elsewhere(visit: Visit, step: str, answers: Mapping[str, Any], *, is_photo: bool) -> str | None:
    """Return the page to show instead, if earlier answers make this question needless. Return None for this page.

    Raises PageFault if there is no such page.
    """
    if step not in MEMBERS or (step in PHOTOS) != is_photo:
        raise make_not_found()
    if step in list_steps(answers) and (step != "modelo" or answers.get(MEMBERS["marca"])):
        return None
    return visit.address("registering.begin")


def _find_address(visit: Visit, step: str) -> str:
    """Return the address of a question, or of the checking page after the last question."""
    if not step:
        return visit.address("registering.check")
    return visit.address("registering.add_photo" if step in PHOTOS else "registering.answer", step=step)


async def _keep(visit: Visit, begun: Begun, step: str, answer_: Any) -> Response[Any]:
    """Store the answer, and redirect to the next question, or to Minha página if the citizen stops here."""
    changes = list_changes(begun.answers, step, answer_)
    await keep_answers(visit, _form_of(visit), begun, changes)
    if visit.posted.first("depois"):
        return await visit.redirect(visit.address("home.show"), "O que você respondeu está guardado por 7 dias.")
    return await visit.redirect(_find_address(visit, find_next({**begun.answers, **changes}, step)))


def _form_of(visit: Visit) -> FormOfPages:
    return FormOfPages(_ID, "registro de um veículo", visit.address("registering.check"))


def _make_version(answers: Mapping[str, Any]) -> str:
    """Return a text that changes with the answers, so that a page never sends answers that it does not show."""
    return hashlib.sha256(msgspec.json.encode(answers, order="sorted")).hexdigest()[:16]


def _describe(question: Field, answer_: Any) -> str:
    return describe_note(answer_) if question.kind == "file" else describe_answer(question, answer_)


def _show(
    visit: Visit, template: str, begun: Begun, step: str, question: Field, form: Form, **values: Any
) -> Response[Any]:
    steps = list_steps(begun.answers)
    position = steps.index(step)
    back = _find_address(visit, steps[position - 1]) if position else visit.address("registering.begin")
    about = f"{_TITLE} · pergunta\N{NO-BREAK SPACE}{position + 1}\N{NO-BREAK SPACE}de\N{NO-BREAK SPACE}{len(steps)}"
    return visit.render(
        template,
        title=question.label,
        question=question,
        about=about,
        form=form,
        back=back,
        action=visit.path,
        is_change=False,
        status=form.status,
        **values,
    )
