"""Pages for applying for a job: the requirements, one page for each question, and a page for checking and sending.

Until the application is sent, the answers are stored encrypted for seven days, so that the citizen can stop and
continue later.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

import wtforms
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.site.mine import client, labels
from balcao.site.mine.client import OpenJob, Question
from balcao.site.mine.declaration import Pages
from balcao.site.mine.pending_application import JOB, find_remedy
from balcao.site.mine.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.forms import Form, length, list_choices, matching, needed
from balcao.web.person import client as people
from balcao.web.sessions.drafts import Draft

pages = Pages("applying", "/candidatar")
_NUMBERS = UUID("3f0b3c0e-8a55-4c1e-9a67-6d3f0f7f6f10")
_LONGEST_ANSWER = 2_000
# Separates the chosen options in the one text that the service accepts (rules: employability 4.5).
_SEPARATOR = ", "
# The states of an application that may be confirmed in green. The page of a refused one explains itself.
_ACTIVE = ("candidatura_enviada", "aprovada")


@pages.get("/{slug}", "Candidatar-se")
async def begin(visit: Visit, slug: str) -> Response[Any]:
    """Show the job's requirements, and whether the citizen meets them, before the application starts."""
    subject = await visit.read_subject()
    job = await client.read_open_job(visit.api, slug)
    if (sent := await client.find_application(subject, job.id)) is not None:
        notice = "Você já se candidatou a esta vaga." if sent.status in _ACTIVE else ""
        return await visit.redirect(_address_of(visit, sent.id), notice)
    eligibility = await client.read_eligibility(visit.api, job.id)
    answers = await _read_answers(visit, job)
    needs_terms = any(one.criterio == labels.TERMS and not one.atendido for one in eligibility.criterios)
    return visit.render(
        "mine/apply_begin.html",
        title=f"Candidatura a {job.titulo}",
        job=job,
        eligibility=eligibility,
        needs_terms=needs_terms,
        first=_find_step(visit, job, 1),
        begun=_find_step(visit, job, _find_open(job, answers)) if answers else "",
        labels=labels,
        find_remedy=find_remedy,
    )


@pages.post("/{slug}/termos", "Aceitar os termos")
async def accept_terms(visit: Visit, slug: str) -> Response[Any]:
    """Accept the terms of use for the city's job service."""
    await client.accept_terms(await visit.read_subject())
    return await visit.redirect(visit.address("applying.begin", slug=slug), "Os termos foram aceitos.")


@pages.form("/{slug}/pergunta/{number}", "Pergunta")
async def answer(visit: Visit, slug: str, number: str) -> Response[Any]:
    """Ask one of the job's questions. The answer is stored until the application is sent."""
    job = await client.read_open_job(visit.api, slug)
    questions = job.informacoes_complementares
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(questions):
        raise make_not_found()
    position = int(number)
    question = questions[position - 1]
    answers = await _read_answers(visit, job)
    form = _make_form(question)(visit, {"answer": _to_field(question, answers.get(question.id, ()))})
    stops, is_empty = bool(visit.posted.first("depois")), not visit.posted.first("answer").strip()
    if form.is_sent and stops and is_empty:  # a person may stop at a question without answering it
        await _keep(visit, job, {id_: values for id_, values in answers.items() if id_ != question.id})
        return await _leave(visit)
    if form.is_sent and form.validate():
        was_complete = _find_open(job, answers) > len(questions)
        await _keep(visit, job, answers | {question.id: _to_values(form.answer.data)})
        if stops:
            return await _leave(visit)
        return await visit.redirect(_find_step(visit, job, len(questions) + 1 if was_complete else position + 1))
    back = _find_step(visit, job, position - 1) if position > 1 else visit.address("applying.begin", slug=slug)
    return visit.render(
        "mine/apply_question.html",
        title=question.titulo,
        job=job,
        question=question,
        position=position,
        form=form,
        back=back,
        status=form.status,
    )


@pages.form("/{slug}/conferir", "Confira antes de enviar")
async def check(visit: Visit, slug: str) -> Response[Any]:
    """Show everything that will be sent, and send it once, even if the button is pressed again."""
    subject = await visit.read_subject()
    job = await client.read_open_job(visit.api, slug)
    answers = await _read_answers(visit, job)
    for position, question in enumerate(job.informacoes_complementares, 1):
        if question.obrigatorio and not answers.get(question.id):
            return await visit.redirect(_find_step(visit, job, position), "Falta esta resposta.")
    form = Form(visit)
    if form.is_sent and await form.submit(lambda: client.apply(subject, job.id, _join(answers), form.key)):
        await visit.mine.sessions.drafts.drop(visit.session, str(_number(visit, job)))
        step = client.name_first_step(job.etapas)
        notice = f"Candidatura enviada. {f'Próximo passo: {step}.' if step else 'Agora é com a empresa.'}"
        return await visit.redirect(_address_of(visit, form.result.id), notice)
    record = await people.read_provenance(subject)
    return visit.render(
        "mine/apply_check.html",
        job=job,
        answers=_join(answers),
        has_answers=bool(answers),
        form=form,
        record=record,
        query={JOB: job.slug},
        status=form.status,
    )


def _address_of(visit: Visit, application_id: str) -> str:
    return visit.address("work.show_application", application_id=application_id)


async def _leave(visit: Visit) -> Response[Any]:
    return await visit.redirect(visit.address("home.show"), "A candidatura está guardada por 7 dias.")


def _find_step(visit: Visit, job: OpenJob, position: int) -> str:
    """Return the address of the question at this position.

    After the last question, return the address of the checking page.
    """
    if position > len(job.informacoes_complementares):
        return visit.address("applying.check", slug=job.slug)
    return visit.address("applying.answer", slug=job.slug, number=position)


def _find_open(job: OpenJob, answers: Mapping[str, Sequence[str]]) -> int:
    """Return the position of the first question without an answer, or the position after the last question.

    An optional question that the citizen left empty counts as answered.
    """
    for position, question in enumerate(job.informacoes_complementares, 1):
        given = answers.get(question.id)
        if given is None or (question.obrigatorio and not given):
            return position
    return len(job.informacoes_complementares) + 1


def _make_form(question: Question) -> Any:
    """Return the form for a question."""
    is_choice = question.tipo_campo in ("selecao_unica", "selecao_multipla")
    text = "Escolha uma resposta." if is_choice else "Escreva uma resposta."
    rules = [needed(text)] if question.obrigatorio else [Optional()]
    label = question.titulo if question.obrigatorio else f"{question.titulo} (opcional)"
    pairs = list_choices([(option, option) for option in question.options])
    field: Any
    match question.tipo_campo:
        case "selecao_unica":
            field = wtforms.RadioField(label, choices=pairs, validators=rules)
        case "selecao_multipla":
            field = wtforms.SelectMultipleField(label, choices=pairs, validators=rules)
        case "resposta_numerica":
            number = matching(r"[0-9]{1,9}([.,][0-9]{1,2})?", "Escreva só o número.")
            field = wtforms.StringField(label, description="Só o número. Exemplo: 7", validators=[*rules, number])
        case _:
            field = wtforms.TextAreaField(label, validators=[*rules, length(0, _LONGEST_ANSWER)])
    return type("QuestionForm", (Form,), {"answer": field})


def _to_field(question: Question, values: Sequence[str]) -> Any:
    return values if question.tipo_campo == "selecao_multipla" else _SEPARATOR.join(values)


def _to_values(data: Any) -> list[str]:
    values = data if isinstance(data, list) else [(data or "").strip()]
    return [value for value in values if value]


def _join(answers: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the answers as the service accepts them, without the empty ones."""
    return {id_: _SEPARATOR.join(values) for id_, values in answers.items() if values}


def _number(visit: Visit, job: OpenJob) -> UUID:
    """Return the id under which this citizen's application for this job is stored as a draft."""
    return uuid5(_NUMBERS, visit.session.stored.subject_key.hex() + job.id)


async def _read_answers(visit: Visit, job: OpenJob) -> dict[str, list[str]]:
    """Return the stored answers, except those to questions that the job no longer asks.

    An answer is a list with one text or with the chosen options. It is empty if the citizen left the question empty.
    """
    draft = await visit.mine.sessions.drafts.read(visit.session, str(_number(visit, job)))
    asked = {question.id for question in job.informacoes_complementares}
    return {id_: values for id_, values in draft.fields.items() if id_ in asked} if draft else {}


async def _keep(visit: Visit, job: OpenJob, answers: Mapping[str, list[str]]) -> None:
    drafts = visit.mine.sessions.drafts
    begun = Draft(
        visit.address("applying.check", slug=job.slug),
        f"Candidatura a {job.titulo}",
        dict(answers),
    )
    sealed = await drafts.seal(visit.session, begun)
    async with visit.mine.database.connection() as connection:
        await drafts.write(connection, visit.session, sealed, _number(visit, job))
