"""Pages for making a service request: one page for each question, and a page for checking and sending.

Until the request is sent, the answers are stored encrypted for seven days, so that the citizen can stop and continue
later.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import wtforms

from balcao.core.http.responses import Response
from balcao.site.mine.begun_forms import Begun, FormOfPages, drop_begun, keep_answers, keep_receipt, read_begun
from balcao.site.mine.declaration import Pages
from balcao.site.mine.visit import Visit
from balcao.web.api import Conflict, ValidationFailed
from balcao.web.faults import PageFault, make_not_found
from balcao.web.forms import KEY, Form
from balcao.web.person.client import Subject
from balcao.web.service_requests import client
from balcao.web.service_requests.client import Field, NewRequest, RequestType
from balcao.web.service_requests.files import FILE_GONE, MOST_FILES, Kept, keep_file, read_content
from balcao.web.service_requests.forms import fill_answers, make_answer_form, select_fitting
from balcao.web.service_requests.labels import describe_answer, name_questions

pages = Pages("asking", "/pedir")
_FILE = "file"
_KEY_REUSED = "idempotency-key-reused"


class FileForm(Form):
    """The form for one file. The file's content is not a form field."""

    file = wtforms.FileField("Escolha um arquivo")


@pages.get("/{type_id}", "Fazer um pedido")
async def begin(visit: Visit, type_id: str) -> Response[Any]:
    """Show what the request is for and what it asks. Link to the answers if the citizen has already begun."""
    kind = await client.read_request_type(visit.api, type_id)
    begun = await _read_begun(visit, kind)
    return visit.render(
        "mine/ask_begin.html",
        title=kind.name,
        kind=kind,
        first=_find_step(visit, kind, 1),
        begun=visit.address("asking.check", type_id=type_id) if begun.answers else "",
    )


@pages.form("/{type_id}/pergunta/{number}", "Pergunta")
async def answer(visit: Visit, type_id: str, number: str) -> Response[Any]:
    """Ask one question. The answer is stored until the request is sent."""
    kind, question, position = await _find_question(visit, type_id, number)
    if question.kind == _FILE:
        return await visit.redirect(_find_step(visit, kind, position))
    begun = await _read_begun(visit, kind)
    make = make_answer_form([question], visit.mine.site.words.now().date())
    form = make(visit, fill_answers([question], {} if begun.sent else begun.answers))
    # A person may stop at a required question without answering it.
    is_empty = not any(visit.posted.first(field.name).strip() for field in form)
    may_skip = is_empty and bool(visit.posted.first("depois"))
    if form.is_sent and (may_skip or form.validate()):
        await keep_answers(visit, _form_of(visit, kind), begun, {question.id: form.answers.get(question.id)})
        return await _leave(visit, kind, position)
    return _show_question(visit, "mine/ask_question.html", kind, question, position, form=form, status=form.status)


@pages.file_form("/{type_id}/arquivos/{number}", "Arquivos")
async def add_file(visit: Visit, type_id: str, number: str) -> Response[Any]:
    """Ask for files, one at a time, so that a failed upload on a slow connection loses at most one file."""
    kind, question, position = await _find_question(visit, type_id, number)
    if question.kind != _FILE:
        return await visit.redirect(_find_step(visit, kind, position))
    begun = await _read_begun(visit, kind)
    kept = [] if begun.sent else list(begun.answers.get(question.id, ()))
    form = FileForm(visit)
    if form.is_sent:
        content = read_content(visit, form.file.name)
        wants_more, stops = (bool(visit.posted.first(name)) for name in ("outro", "depois"))
        is_needed = wants_more or (question.required and not kept and not stops)
        if refusal := _refuse_file(kind, question, begun, kept, content, is_needed=is_needed):
            form.file.errors = [refusal]
        else:
            stored = await keep_file(await visit.read_subject(), content, form.key) if content else Kept()
            if stored.refusal:
                form.file.errors = [stored.refusal]
            else:
                notes = list(dict.fromkeys(filter(None, [*kept, stored.note])))  # a second press stores nothing new
                await keep_answers(visit, _form_of(visit, kind), begun, {question.id: notes})
                if wants_more:
                    return await visit.redirect(visit.path, "O arquivo foi guardado.")
                return await _leave(visit, kind, position)
    room = min(question.max_files or 1, MOST_FILES) - len(kept)
    status = 422 if form.is_sent else 200
    return _show_question(
        visit, "mine/ask_files.html", kind, question, position, form=form, kept=kept, room=room, status=status
    )


@pages.post("/{type_id}/arquivos/{number}/retirar", "Retirar o arquivo")
async def remove_file(visit: Visit, type_id: str, number: str) -> Response[Any]:
    """Remove a file from the request. The registry deletes unused files after a day."""
    kind, question, position = await _find_question(visit, type_id, number)
    begun, removed = await _read_begun(visit, kind), visit.posted.first("arquivo")
    kept = [one for one in begun.answers.get(question.id, ()) if one.partition(" ")[0] != removed]
    if not begun.sent:
        await keep_answers(visit, _form_of(visit, kind), begun, {question.id: kept})
    return await visit.redirect(_find_step(visit, kind, position), "O arquivo foi retirado.")


@pages.form("/{type_id}/conferir", "Confira antes de enviar")
async def check(visit: Visit, type_id: str) -> Response[Any]:
    """Show everything that will be sent, and send it once, even if the button is pressed again."""
    subject = await visit.read_subject()
    kind = await client.read_request_type(visit.api, type_id)
    begun = await _read_begun(visit, kind)
    if begun.sent:
        return await visit.redirect(visit.address("requests.show_receipt", number=begun.sent))
    for position, question in enumerate(kind.fields, 1):
        if not begun.key or (question.required and question.id not in begun.answers):
            return await visit.redirect(_find_step(visit, kind, position), "Falta esta resposta.", is_done=False)
    form = Form(visit)
    if form.is_sent:
        sent_version, sent_key = visit.posted.first("version"), visit.posted.first(KEY)
        if sent_version != str(kind.version) or sent_key != begun.key:
            form.refusal = "Este pedido mudou desde que você abriu a página. Confira as respostas e envie."
        elif await form.submit(_prepare(visit, subject, kind, begun)):
            number, code = form.result.number, form.result.code
            address = visit.address("requests.show", number=number)
            await keep_receipt(visit, _form_of(visit, kind), address, number, code)
            return await visit.redirect(visit.address("requests.show_receipt", number=number))
    form.key = begun.key
    rows = [
        (one.label, describe_answer(one, begun.answers.get(one.id)), _find_step(visit, kind, position))
        for position, one in enumerate(kind.fields, 1)
    ]
    return visit.render("mine/ask_check.html", kind=kind, rows=rows, form=form, status=form.status)


def _prepare(visit: Visit, subject: Subject, kind: RequestType, begun: Begun) -> Callable[[], Awaitable[NewRequest]]:
    """Return the call that makes the request. The messages of its errors are written for citizens."""
    of_files = [field.id for field in kind.fields if field.kind == _FILE]
    answers = {
        id_: [one.partition(" ")[0] for one in answer_] if id_ in of_files else answer_
        for id_, answer_ in begun.answers.items()
    }

    async def send() -> NewRequest:
        try:
            return await client.open_request(subject, kind, answers, begun.key)
        except Conflict as fault:
            if fault.code != _KEY_REUSED:
                raise
            # The request was sent before, but the response was lost. Then the answers changed. The request therefore
            # already exists.
            await drop_begun(visit, kind.id)
            text = "A resposta tinha se perdido no caminho. Ele está em Meus pedidos, em Minha página."
            raise PageFault(409, "Este pedido já foi enviado", text) from None
        except ValidationFailed as fault:
            if fault.code == FILE_GONE:
                fault.text = "Os arquivos deste pedido foram apagados, porque passou um dia. Envie-os de novo."
            fault.text = name_questions(fault.text, kind.labels)
            raise

    return send


async def _read_begun(visit: Visit, kind: RequestType) -> Begun:
    """Return what the citizen has answered. An answer that no longer fits its question counts as not given."""
    begun = await read_begun(visit, kind.id)
    return begun._replace(answers=select_fitting(kind.fields, begun.answers))


def _form_of(visit: Visit, kind: RequestType) -> FormOfPages:
    return FormOfPages(kind.id, kind.name, visit.address("asking.check", type_id=kind.id))


async def _find_question(visit: Visit, type_id: str, number: str) -> tuple[RequestType, Field, int]:
    """Return the request type, the question with this number and its position.

    Raises PageFault if there is no such question.
    """
    kind = await client.read_request_type(visit.api, type_id)
    if not number.isascii() or not number.isdigit() or not 1 <= int(number[:4]) <= len(kind.fields):
        raise make_not_found()
    return kind, kind.fields[int(number[:4]) - 1], int(number[:4])


def _find_step(visit: Visit, kind: RequestType, position: int) -> str:
    """Return the address of the question at this position.

    After the last question, return the address of the checking page.
    """
    if position > len(kind.fields):
        return visit.address("asking.check", type_id=kind.id)
    page = "asking.add_file" if kind.fields[position - 1].kind == _FILE else "asking.answer"
    return visit.address(page, type_id=kind.id, number=position)


async def _leave(visit: Visit, kind: RequestType, position: int) -> Response[Any]:
    """Redirect to the next question, or to the checking page, or to Minha página if the citizen stops here."""
    if visit.posted.first("depois"):
        return await visit.redirect(visit.address("home.show"), "O pedido está guardado por 7 dias.")
    if visit.posted.first("conferir"):
        return await visit.redirect(visit.address("asking.check", type_id=kind.id))
    return await visit.redirect(_find_step(visit, kind, position + 1))


def _show_question(
    visit: Visit, template: str, kind: RequestType, question: Field, position: int, **values: Any
) -> Response[Any]:
    back = _find_step(visit, kind, position - 1) if position > 1 else visit.address("asking.begin", type_id=kind.id)
    return visit.render(
        template, title=question.label, kind=kind, question=question, position=position, back=back, **values
    )


def _refuse_file(
    kind: RequestType, question: Field, begun: Begun, kept: Sequence[str], content: bytes, *, is_needed: bool
) -> str:
    """Return why the site refuses a file without sending it to the registry.

    Return an empty string for a valid file.
    """
    if not content:
        return "Escolha um arquivo." if is_needed else ""
    held = 0 if begun.sent else sum(len(begun.answers.get(one.id, ())) for one in kind.fields if one.kind == _FILE)
    if len(kept) >= (question.max_files or 1) or held >= MOST_FILES:
        return "Não cabem mais arquivos neste pedido. Retire um para enviar outro."
    return ""
