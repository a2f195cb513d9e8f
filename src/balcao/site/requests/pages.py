"""Pages for requests without a login: the list of types, one type, its form, and following a request by its code.

Nothing is stored between the pages of a form. Each page contains the answers from the page before it. All questions are
therefore on one page, and browsers restore the answers when a person goes back.
"""

import secrets
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import wtforms
from markupsafe import Markup

from balcao.core.errors import TooMany
from balcao.core.http.responses import Response
from balcao.core.values.text import fold_text
from balcao.site.declaration import Area, Finder, HomePart, MapAddress, MenuEntry, Pages, Result
from balcao.site.reading.departments import read_departments
from balcao.site.requests import client
from balcao.site.requests.states import describe_state
from balcao.site.visit import Head, Visit
from balcao.web.api import Conflict, NotFound, RateLimited, ValidationFailed
from balcao.web.faults import PageFault
from balcao.web.forms import Form, needed, read_key
from balcao.web.service_requests.client import Field, RequestType
from balcao.web.service_requests.forms import AnswerForm, make_answer_form
from balcao.web.service_requests.labels import CLOSED, describe_answer, name_questions
from balcao.web.visit import Crumb
from balcao.web.words import format_count

pages = Pages("requests", "/pedidos")
# Large enough for the answers to a type with many long texts. The service accepts 16 KiB of JSON.
_LARGEST_FORM = 48 * 1024
_KEY_BYTES = 24
# Show at most this many types on the first page and in search results.
_SHOWN = 4
_SHORTEST_WORD = 3
_CHANGED = "request-type-changed"
_LOOK, _SEND = "conferir", "enviar"


class FollowForm(Form):
    """The form for the number and code on a receipt."""

    number = wtforms.StringField(
        "Número do pedido",
        description=Markup('Está no comprovante, como <span class="inteiro">PED-00000003-4</span>.'),
        validators=[needed("Falta o número.")],
        render_kw={"autocomplete": "off"},
    )
    code = wtforms.StringField(
        "Código",
        description=Markup('São 12 letras e números, como <span class="inteiro">K7QM-3XRD-9TWA</span>.'),
        validators=[needed("Falta o código.")],
        render_kw={"autocomplete": "off"},
    )


@pages.get("", "Pedidos à prefeitura", footer="site")
async def list_types(visit: Visit) -> Response[Any]:
    """List what people can request from the city."""
    types = await client.list_types(visit.reader)
    return visit.show(
        "requests/list.html",
        Head(
            "Pedidos à prefeitura",
            "Lâmpada apagada, buraco na rua, poda e outros pedidos: faça pela internet e acompanhe até o fim.",
            visit.path,
        ),
        groups=[(name, list(group)) for name, group in groupby(types, lambda one: one.category)],
    )


@pages.get("/tipo/{tipo}", "Pedido")
async def show_type(visit: Visit, tipo: str) -> Response[Any]:
    """Show what a request is for, what it asks, and how people can make it."""
    kind = await client.find_type(visit.reader, tipo)
    departments = await visit.read_block(read_departments(visit.reader))
    owner = departments.value.find(kind.departments[0]) if departments.value and kind.departments else None
    return visit.show(
        "requests/type.html",
        Head(
            kind.name,
            f"Peça à prefeitura: {kind.name.lower()}. Prazo de até {kind.deadline_days} dias. {kind.description}",
            visit.path,
        ),
        kind=kind,
        owner=owner,
        has_files=len(kind.fields) > len(_list_questions(kind)),
        steps=_list_crumbs(visit),
    )


@pages.get("/tipo/{tipo}/sem-conta", "Pedir sem entrar na conta", is_indexed=False)
async def show_form(visit: Visit, tipo: str) -> Response[Any]:
    """Show the questions to a person without a login."""
    kind = await client.find_type(visit.reader, tipo)
    _require_without_login(kind)
    return _show_form(visit, kind, _make_form(visit, kind))


@pages.post("/tipo/{tipo}/sem-conta", "Fazer o pedido", body_limit=_LARGEST_FORM)
async def take_form(visit: Visit, tipo: str) -> Response[Any]:
    """Validate the answers, show them for checking, and make the request once, even if the button is pressed again."""
    kind = await client.read_newest_type(visit.reader, tipo)
    _require_without_login(kind)
    form, step = _make_form(visit, kind), visit.posted.first("passo")
    if visit.posted.first("version") != str(kind.version):
        form.validate()
        form.refusal = "As perguntas deste pedido mudaram há pouco. Confira as respostas."
        return _show_form(visit, kind, form)
    if step not in {_LOOK, _SEND} or not form.validate():
        return _show_form(visit, kind, form)
    if step == _SEND and len(key := read_key(visit.posted)) >= _KEY_BYTES:
        return await _send(visit, kind, form, key)
    return _show_check(visit, kind, form, secrets.token_urlsafe(_KEY_BYTES))


@pages.get("/acompanhar", "Acompanhar um pedido", footer="site")
async def show_follow(visit: Visit) -> Response[Any]:
    """Ask for the number and code on a receipt."""
    return _show_follow(visit, FollowForm(visit))


@pages.post("/acompanhar", "Ver o pedido")
async def follow(visit: Visit) -> Response[Any]:
    """Show the state of a request to a person who has its number and code."""
    form = FollowForm(visit)
    if not form.validate():
        return _show_follow(visit, form)
    try:
        await visit.site.count_follow(visit.request.peer)
        number = client.complete_number(form.number.data or "")
        found = await client.follow_request(visit.reader, number, form.code.data or "")
    except (NotFound, ValidationFailed):
        form.refusal = "Não há pedido com este número e este código. Confira os dois no comprovante."
        return _show_follow(visit, form)
    except (TooMany, RateLimited) as fault:
        raise _make_too_many("Muitas consultas em pouco tempo", fault.retry_after, "") from None
    return visit.show(
        "requests/followed.html",
        Head(f"Pedido {found.number}", is_indexed=False),
        one=found,
        state=describe_state(found.state),
        describe_state=describe_state,
        is_closed=found.state in CLOSED,
        steps=_list_crumbs(visit),
    )


async def _send(visit: Visit, kind: RequestType, form: AnswerForm, key: str) -> Response[Any]:
    """Make the request and show its receipt. The site shows the receipt only on this page."""
    try:
        await visit.site.count_request(visit.request.peer)
        receipt = await client.open_request(visit.reader, kind, form.answers, key)
    except (ValidationFailed, Conflict) as fault:
        form.take(fault)
        form.refusal = name_questions(form.refusal, kind.labels)
        return _show_form(visit, kind, form)
    except (TooMany, RateLimited) as fault:
        further = f" Com a sua conta você faz o pedido agora: {visit.absolute('/minha-pagina')}."
        title = "Muitos pedidos deste lugar em pouco tempo"
        raise _make_too_many(title, fault.retry_after, further if visit.site.has_login else "") from None
    return visit.show(
        "requests/receipt.html",
        Head("Pedido feito", is_indexed=False),
        kind=kind,
        receipt=receipt,
    )


def _list_questions(kind: RequestType) -> list[Field]:
    """Return the questions that a person without a login can answer. Such a person cannot send files."""
    return [field for field in kind.fields if field.kind != "file"]


def _make_form(visit: Visit, kind: RequestType) -> AnswerForm:
    return make_answer_form(_list_questions(kind), visit.site.words.now().date())(visit)


def _show_form(visit: Visit, kind: RequestType, form: AnswerForm) -> Response[Any]:
    head = Head(kind.name, is_indexed=False)
    return visit.show("requests/form.html", head, status=form.status, kind=kind, form=form, look=_LOOK)


def _show_check(visit: Visit, kind: RequestType, form: AnswerForm, key: str) -> Response[Any]:
    answers = form.answers
    return visit.show(
        "requests/check.html",
        Head("Confira antes de enviar", is_indexed=False),
        kind=kind,
        typed={field.name: text for field in form if (text := visit.posted.first(field.name))},
        rows=[(one.label, describe_answer(one, answers.get(one.id))) for one in form.questions],
        key=key,
        send=_SEND,
    )


def _show_follow(visit: Visit, form: FollowForm) -> Response[Any]:
    head = Head(
        "Acompanhar um pedido",
        "Veja a situação de um pedido à prefeitura com o número e o código do comprovante.",
        visit.path,
    )
    return visit.show("requests/follow.html", head, status=form.status, form=form, steps=_list_crumbs(visit))


def _list_crumbs(visit: Visit) -> list[Crumb]:
    return [Crumb("Pedidos", visit.address("requests.list_types"))]


def _require_without_login(kind: RequestType) -> None:
    """Raise NotFound if this type can be requested only with a login."""
    if not kind.without_login:
        raise NotFound("Este pedido só pode ser feito com a sua conta.")


def _make_too_many(title: str, seconds: int | None, further: str) -> PageFault:
    minutes = max(1, round((seconds or 60) / 60))
    wait = "1 minuto" if minutes == 1 else f"{minutes} minutos"
    return PageFault(429, title, f"Espere {wait} e tente de novo.{further}", retry_after=seconds or 60)


async def _list_addresses(visit: Visit) -> Sequence[MapAddress]:
    """Return the addresses of all types, for the sitemap."""
    types = await client.list_types(visit.reader)
    return [MapAddress(visit.address("requests.show_type", tipo=one.id)) for one in types]


async def _list_first(visit: Visit) -> Sequence[RequestType] | None:
    """Return up to four types for the first page, or None if there are none.

    Types that people can request without a login come first.
    """
    types = await client.list_types(visit.reader)
    return sorted(types, key=lambda one: not one.without_login)[:_SHOWN] or None


async def _find(visit: Visit, text: str) -> Sequence[Result]:
    """Return the types whose name or description contains all words of the text.

    Words with fewer than three letters, such as "de", are ignored.
    """
    words = [word for word in fold_text(text).split() if len(word) >= _SHORTEST_WORD]
    types = await client.list_types(visit.reader) if words else ()
    found = [one for one in types if all(word in fold_text(f"{one.name} {one.description}") for word in words)]
    return [
        Result(
            one.name,
            visit.address("requests.show_type", tipo=one.id),
            f"Prazo: até {format_count(one.deadline_days, 'dia', 'dias')}",
            one.description,
        )
        for one in found[:_SHOWN]
    ]


AREA = Area(
    pages,
    MenuEntry("Pedidos", "requests.list_types"),
    home=[HomePart("side", "os pedidos", "requests/home.html", _list_first)],
    finder=Finder("Pedidos à prefeitura", "os pedidos", _find, lambda visit, _: visit.address("requests.list_types")),
    addresses=_list_addresses,
)
