"""Pages for request types: the list, a type as citizens see it, its form, its versions, and its retirement."""

from itertools import pairwise
from typing import Any

import msgspec

from balcao.core.http.responses import Response
from balcao.core.offloading import run_in_thread
from balcao.panel.declaration import Pages
from balcao.panel.departments import read_department_names
from balcao.panel.diff import compare, compare_values
from balcao.panel.fields import ACT, change_rows
from balcao.panel.merge import merge
from balcao.panel.requests import client
from balcao.panel.requests.definitions import (
    LABELS,
    LIMITS,
    Definition,
    make_definition,
    make_id,
    to_definition,
    to_form_values,
    to_shown,
)
from balcao.panel.requests.type_forms import TypeForm
from balcao.panel.visit import Visit
from balcao.panel.working.service import begin_work, finish_work
from balcao.web.api import Outdated, Read, gather_blocks
from balcao.web.lists import Filter, Listing, Tab
from balcao.web.service_requests.client import Field, RequestType
from balcao.web.service_requests.forms import AnswerForm, make_answer_form
from balcao.web.service_requests.labels import KINDS
from balcao.web.visit import Crumb
from balcao.web.words import parse_number

AREA = "requests"
WRITE = "request_types:write"
_BASE, _DEED, _PREVIEW = "_versao", "deed", "ver"
_IN_USE, _RETIRED = "", "fora"


pages = Pages(AREA, "/pedidos/tipos")


@pages.get("", "Tipos de pedido", actions=[WRITE], in_menu=True)
async def list_types(visit: Visit) -> Response[Any]:
    """List the types, by category and name."""
    types = await client.list_types(visit.api)
    (departments,) = await gather_blocks(read_department_names(visit.api))
    asked = Filter("busca", "Nome ou assunto", is_wide=True)
    listing = Listing(visit, ("tipo de pedido", "tipos de pedido"), [asked])
    retired = sum(not one.active for one in types)
    listing.tabs = [Tab(_IN_USE, "Em uso", len(types) - retired), Tab(_RETIRED, "Fora de uso", retired)]
    wanted = listing.values.get("busca", "").casefold()
    found = [
        one
        for one in types
        if one.active == (listing.tab == _IN_USE) and wanted in f"{one.name} {one.category}".casefold()
    ]
    listing.rows, listing.total = found[listing.skip : listing.skip + listing.size], len(found)
    return visit.render("requests/types.html", listing=listing, departments=departments.value or {})


@pages.form("/novo", "Novo tipo de pedido", actions=[WRITE])
async def create_type(visit: Visit) -> Response[Any]:
    """Create a type. Its id is derived from its name and never changes."""
    departments = await read_department_names(visit.api)
    form = TypeForm(visit, departments)
    if _is_saved(visit, form) and form.validate():
        definition = make_definition(form.data, departments, None)
        id_ = make_id(definition["name"], ())
        if await form.submit(lambda: client.create_type(visit.api, id_, definition, form.key)):
            await finish_work(visit)
            return await visit.redirect(_address(visit, form.result.id), "O tipo de pedido foi criado e está em uso.")
    return await _render(visit, form, departments, None)


@pages.get("/{kind}", "Tipo de pedido", actions=[WRITE])
async def show_type(visit: Visit, kind: str) -> Response[Any]:
    """Show a type as citizens see it, together with the actions that staff may take."""
    read = await client.read_type(visit.api, kind)
    (departments,) = await gather_blocks(read_department_names(visit.api))
    return visit.render(
        "requests/type.html",
        kind=read.value,
        etag=read.etag,
        preview=_make_preview(visit, read.value.fields),
        departments=departments.value or {},
        crumbs=[_types_crumb(visit)],
    )


@pages.form("/{kind}/editar", "Editar o tipo de pedido", actions=[WRITE])
async def edit_type(visit: Visit, kind: str) -> Response[Any]:
    """Change a type by creating a new version.

    After a concurrent change, merge both people's changes and show the disputed fields.
    """
    read = await client.read_type(visit.api, kind)
    departments = await read_department_names(visit.api)
    stored = to_definition(read.value)
    form = TypeForm(visit, departments, to_form_values(stored, departments), etag=read.etag)
    if _is_saved(visit, form) and form.validate():
        definition = make_definition(form.data, departments, stored)
        if await form.submit(lambda: client.replace_type(visit.api, kind, definition, form.etag)):
            await finish_work(visit)
            is_same = form.result.version == read.value.version
            text = (
                "Nada mudou."
                if is_same
                else f"Gravado: versão {form.result.version}. Ela vale para os próximos pedidos."
            )
            return await visit.redirect(_address(visit, kind), text)
        if form.is_outdated:
            await _join(visit, form, read, definition, departments)
    return await _render(visit, form, departments, read.value)


@pages.get("/{kind}/versoes", "Versões do tipo de pedido", actions=[WRITE])
async def list_versions(visit: Visit, kind: str) -> Response[Any]:
    """Show the newest versions of a type, each with the changes from the version before it."""
    found = await client.list_versions(visit.api, kind)
    (names,) = await gather_blocks(read_department_names(visit.api))
    departments, today = names.value or {}, visit.panel.words.now().date()
    shown = [to_shown(to_definition(one), departments, today) for one in found.data]
    changes = await run_in_thread(lambda: [compare(LABELS, old, new) for new, old in pairwise(shown)])
    return visit.render(
        "requests/type_versions.html",
        versions=found.data,
        total=found.pagination.total,
        changes=changes,
        crumbs=[_types_crumb(visit), Crumb(found.data[0].name, _address(visit, kind))],
    )


@pages.post("/{kind}/uso", "Mudar o uso do tipo de pedido", actions=[WRITE])
async def change_use(visit: Visit, kind: str) -> Response[Any]:
    """Stop offering a type, or offer it again. Existing requests stay unchanged."""
    read = await client.read_type(visit.api, kind)
    is_active = visit.posted.first("uso") == "1"
    here = _address(visit, kind)
    try:
        definition = to_definition(read.value) | {"active": is_active}
        await client.replace_type(visit.api, kind, definition, visit.posted.first("_etag"))
    except Outdated:
        return await visit.redirect(here, "Nada mudou: alguém gravou outra versão enquanto você lia.", is_done=False)
    done = (
        "O tipo voltou a ser oferecido." if is_active else "O tipo não é mais oferecido. Os pedidos feitos continuam."
    )
    return await visit.redirect(here, done)


def _is_saved(visit: Visit, form: TypeForm) -> bool:
    """Return whether the form was sent to be saved.

    First apply the pressed button if it changes the questions. Such a form is not saved.
    """
    if not form.is_sent:
        return False
    is_changed = change_rows(form, visit.posted.first(ACT), lambda kind: {"kind": kind if kind in LIMITS else "text"})
    return not is_changed and visit.posted.first(_DEED) != _PREVIEW


async def _join(
    visit: Visit, form: TypeForm, read: Read[RequestType], mine: Definition, departments: dict[str, str]
) -> None:
    """Merge both people's changes into the form, and show the other person's change for each disputed field."""
    number = parse_number(visit.posted.first(_BASE))
    versions = await client.list_versions(visit.api, read.value.id)
    theirs = to_definition(read.value)
    base = next((to_definition(one) for one in versions.data if one.version == number), theirs)
    merged = merge(base, theirs, mine | {"active": theirs["active"]})
    form.replace(to_form_values(merged.values, departments))
    form.etag, form.is_outdated = read.etag, True
    today = visit.panel.words.now().date()
    before, now = (to_shown(one, departments, today) for one in (base, theirs))
    names = {one.name for one in merged.disputed}
    form.theirs = {
        "questions" if name == "fields" else name: compare_values(before[name], now[name])
        for name in LABELS
        if name in names
    }


async def _render(
    visit: Visit, form: TypeForm, departments: dict[str, str], stored: RequestType | None
) -> Response[Any]:
    is_drawn = visit.is_post and visit.posted.first(_DEED) == _PREVIEW
    is_new_base = stored is not None and (form.is_outdated or not (visit.is_post or visit.draft))
    given = visit.posted if visit.is_post else visit.draft
    preview, files = None, []
    if is_drawn and form.validate():
        definition = make_definition(form.data, departments, to_definition(stored) if stored else None)
        questions = msgspec.convert(definition["fields"], list[Field])
        preview, files = _make_preview(visit, questions), [one for one in questions if one.kind == "file"]
    back = _address(visit, stored.id) if stored else visit.address("requests.list_types")
    (types,) = await gather_blocks(client.list_types(visit.api))
    return visit.render(
        "requests/type_edit.html",
        form=form,
        work=await begin_work(visit),
        stored=stored,
        base=stored.version if stored is not None and is_new_base else given.first(_BASE),
        preview=preview,
        files=files,
        categories=sorted({one.category for one in types.value or ()}),
        kinds=KINDS,
        limits=LIMITS,
        labels=LABELS,
        back=back,
        crumbs=[_types_crumb(visit), *([Crumb(stored.name, back)] if stored else [])],
        status=200 if visit.posted.first(ACT) or preview else form.status,
    )


def _make_preview(visit: Visit, questions: list[Field]) -> AnswerForm:
    """Return the form that citizens fill in, without any answers."""
    return make_answer_form(questions, visit.panel.words.now().date())(visit, is_sent=False)


def _address(visit: Visit, kind: str) -> str:
    return visit.address("requests.show_type", kind=kind)


def _types_crumb(visit: Visit) -> Crumb:
    return Crumb("Tipos de pedido", visit.address("requests.list_types"))
