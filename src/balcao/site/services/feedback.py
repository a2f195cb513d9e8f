"""Asks whether the page of a service helped. The form is anonymous, and nothing about the visitor is stored."""

import re
from typing import Any

import wtforms
from wtforms.validators import Optional

from balcao.core.errors import TooMany
from balcao.core.http.responses import Response, redirect
from balcao.site.declaration import Pages
from balcao.site.faults import make_not_found
from balcao.site.reading.reader import Moved
from balcao.site.services import client
from balcao.site.visit import Head, Visit
from balcao.web.api import RateLimited, ServiceUnavailable, ValidationFailed
from balcao.web.forms import Form, length, list_choices, needed
from balcao.web.visit import Crumb

pages = Pages("services", "/servicos")
YES, NO = "sim", "nao"
LONGEST = 300  # the same limit as in the search service
# Slugs always have this form. Any other string is unknown, so no call is needed.
SLUG = re.compile(r"[a-z0-9-]{1,250}")
_TOO_MANY = "Muitas respostas em pouco tempo. Espere um minuto e envie de novo."
_DOWN = "Não conseguimos guardar a sua resposta agora. Espere um minuto e envie de novo."


class FeedbackForm(Form):
    """The form that asks whether the page helped, with a comment."""

    helpful = wtforms.RadioField(
        "A página ajudou?",
        choices=list_choices([(YES, "Sim, ajudou"), (NO, "Não ajudou")]),
        validate_choice=False,
        validators=[needed("Escolha sim ou não.")],
    )
    comment = wtforms.TextAreaField(
        "O que faltou, ou o que ajudou? (opcional)",
        description="Até 300 letras. Não escreva nome, CPF, telefone ou e-mail: ninguém responde a este texto.",
        validators=[Optional(), length(0, LONGEST)],
    )


@pages.get("/{slug}/opiniao", "A página ajudou?", is_indexed=False)
async def show_feedback(visit: Visit, slug: str) -> Response[Any]:
    """Ask whether the page of a service helped, or thank the visitor for the answer."""
    service = await _read(visit, slug)
    if isinstance(service, str):
        return visit.move(visit.address("services.show_feedback", slug=service))
    return _show(visit, service, FeedbackForm(visit), is_sent=visit.query.first("guardada") == YES)


@pages.post("/{slug}/opiniao", "Dizer se a página ajudou")
async def take_feedback(visit: Visit, slug: str) -> Response[Any]:
    """Send the feedback. If that fails, show the form again with the typed text."""
    service = await _read(visit, slug)
    if isinstance(service, str):
        raise make_not_found()
    form = FeedbackForm(visit)
    is_valid = form.validate() and form.helpful.data in {YES, NO}
    if not is_valid:
        form.helpful.errors = form.helpful.errors or ([] if form.errors else ["Escolha sim ou não."])
        return _show(visit, service, form)
    try:
        await visit.site.count_feedback(visit.request.peer)
        await client.give_feedback(visit.reader, slug, form.helpful.data == YES, (form.comment.data or "").strip())
    except ValidationFailed as fault:
        form.take(fault)
    except (TooMany, RateLimited):
        form.refusal = _TOO_MANY
    except ServiceUnavailable:
        form.refusal = _DOWN
    else:
        return redirect(visit.address("services.show_feedback", {"guardada": YES}, slug=slug), 303)
    return _show(visit, service, form)


async def _read(visit: Visit, slug: str) -> client.Service | str:
    """Return the service, or its current slug if the slug has changed."""
    if not SLUG.fullmatch(slug):
        raise make_not_found()
    try:
        return await client.read_service(visit.reader, slug)
    except Moved as moved:
        return moved.slug


def _show(visit: Visit, service: client.Service, form: FeedbackForm, *, is_sent: bool = False) -> Response[Any]:
    back = visit.address("services.show_service", slug=service.slug)
    title = "Obrigado pela resposta" if is_sent else f"A página “{service.nome_servico}” ajudou?"
    return visit.show(
        "services/feedback.html",
        Head(f"Erro: {title}" if form.status != 200 else title, is_indexed=False),
        status=form.status,
        service=service,
        form=form,
        is_sent=is_sent,
        back=back,
        steps=[Crumb("Serviços", visit.address("services.list_subjects")), Crumb(service.nome_servico, back)],
    )
