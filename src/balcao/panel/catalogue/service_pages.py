"""Pages for services: the list, one service with its history, and changes to its editorial state."""

import asyncio
from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import client, search_client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.content import show_fields, to_fields
from balcao.panel.catalogue.forms import DeleteForm, ReasonForm
from balcao.panel.catalogue.labels import SOURCES, name_fields, name_state, name_version
from balcao.panel.catalogue.queue import IS_QUEUED, open_next
from balcao.panel.catalogue.routes import (
    AREA,
    CREATE,
    DELETE,
    PUBLISH,
    READ,
    REDIRECTS,
    TUNING,
    UPDATE,
    VERSIONS,
    read_departments,
    read_themes,
    service_crumbs,
)
from balcao.panel.declaration import Item, Pages
from balcao.panel.visit import Visit
from balcao.web.api import Block, Outdated, gather_blocks
from balcao.web.lists import Filter, Listing, Tab
from balcao.web.markup import render_markdown

_ORDERS = {"mudou": "Mudou por último", "nome": "Nome", "publicado": "Publicado por último"}
_SORTS = {"mudou": ("last_update", "desc"), "nome": ("nome_servico", "asc"), "publicado": ("published_at", "desc")}
_TABS: dict[str, dict[str, Any]] = {
    "todos": {},
    "edicao": {"status": 0, "awaiting_approval": False},
    "aprovacao": {"status": 0, "awaiting_approval": True},
    "publicados": {"status": 1},
}

pages = Pages(AREA, "")


@pages.get("/servicos", "Serviços", actions=[READ], in_menu=True)
async def list_services(visit: Visit) -> Response[Any]:
    """List the services, and count the services in each state."""
    themes, departments = await asyncio.gather(read_themes(visit), read_departments(visit))
    filters = [
        Filter("nome", "Nome contém", is_wide=True),
        Filter("tema", "Tema", [(name, name) for name in themes]),
        Filter("orgao", "Órgão", list(departments.items())),
    ]
    tabs = [Tab(value, "") for value in _TABS]
    listing = Listing(visit, ("serviço", "serviços"), filters, tabs, orders=_ORDERS)
    sort, order = _SORTS[listing.order]
    department = listing.values.get("orgao")
    query = {
        "nome_servico": listing.values.get("nome"),
        "tema_geral": listing.values.get("tema"),
        "field": "orgao_gestor" if department else None,
        "value": department,
        "sort_by": sort,
        "order": order,
        "page": listing.number,
        "per_page": listing.size,
    }
    found = await client.list_summaries(visit.api, query | _TABS[listing.tab])
    states = found.states
    listing.rows, listing.total = found.services, found.found
    listing.tabs = [
        Tab("todos", "Todos", states.in_edition + states.awaiting_approval + states.published),
        Tab("edicao", "Em edição", states.in_edition),
        Tab("aprovacao", "Esperam aprovação", states.awaiting_approval),
        Tab("publicados", "Publicados", states.published),
    ]
    return visit.render(
        "catalogue/services.html",
        listing=listing,
        departments=departments,
        name_state=name_state,
        to_moment=to_moment,
        may_create=visit.may(CREATE),
    )


@pages.get("/servicos/{service}", "Serviço", actions=[READ])
async def show_service(visit: Visit, service: str) -> Response[Any]:
    """Show a service as citizens see it, together with its state, its latest changes and its proposals."""
    read, departments = await client.read_service(visit.api, service), await read_departments(visit)
    may_read_versions, may_map = visit.may(VERSIONS), visit.may(REDIRECTS)
    of_service = {"id_servico_novo": service, "per_page": client.MOST_AT_ONCE}
    blocks: list[Block[Any]] = await gather_blocks(
        client.list_proposals(visit.api, service),
        client.list_versions(visit.api, service, size=5) if may_read_versions else None,
        search_client.list_mappings(visit.api, of_service) if may_map else None,
        search_client.read_phrases(visit.api, service),
    )
    proposals, versions, mappings, phrases = blocks
    found = read.value
    return await visit.render_in_thread(
        "catalogue/service.html",
        service=found,
        fields=show_fields(to_fields(found.content, departments)),
        markdown=render_markdown,
        etag=read.etag,
        state=name_state(found),
        proposals=proposals,
        versions=versions,
        mappings=mappings,
        phrases=phrases,
        may_read_versions=may_read_versions,
        may_map=may_map,
        may_tune=visit.may(TUNING),
        crumbs=service_crumbs(visit),
        sources=SOURCES,
        name_version=name_version,
        name_fields=name_fields,
        to_moment=to_moment,
        edits=visit.may(UPDATE),
        publishes=visit.may(PUBLISH),
    )


@pages.post("/servicos/{service}/publicar", "Publicar", actions=[PUBLISH])
async def publish_service(visit: Visit, service: str) -> Response[Any]:
    """Publish the version that the person has read. If the service has changed since then, show the changes instead."""
    etag = visit.posted.first("_etag")
    try:
        saved = await client.publish_service(visit.api, service, etag)
    except Outdated:
        return await _stop(visit, service, etag, "publicado")
    done = f"“{saved.nome_servico}” está no ar: as buscas já o acham."
    if visit.posted.first(IS_QUEUED):
        return await open_next(visit, done, service)
    return await visit.redirect(visit.address("catalogue.show_service", service=service), done)


@pages.form("/servicos/{service}/devolver", "Devolver para edição", actions=[PUBLISH])
async def send_back_service(visit: Visit, service: str) -> Response[Any]:
    """Send a service that awaits approval back to its editors, with a reason."""
    read = await client.read_service(visit.api, service)
    form = ReasonForm(visit, etag=read.etag)
    if form.is_sent:
        body = read.value.content | {"awaiting_approval": False, "status": 0, "change_reason": form.reason.data}
        if await form.submit(lambda: client.update_service(visit.api, service, body, form.etag)):
            return await open_next(visit, f"“{read.value.nome_servico}” voltou para edição.", service)
        if form.is_outdated:
            return await _stop(visit, service, form.etag, "devolvido")
    return visit.render(
        "catalogue/send_back.html",
        form=form,
        name=read.value.nome_servico,
        back=visit.address("catalogue.review_service", service=service),
        crumbs=service_crumbs(visit, read.value),
        status=form.status,
    )


@pages.form("/servicos/{service}/tirar-do-ar", "Tirar do ar", actions=[PUBLISH])
async def unpublish_service(visit: Visit, service: str) -> Response[Any]:
    """Ask for confirmation, and unpublish a service."""
    read = await client.read_service(visit.api, service)
    if visit.is_post:
        etag = visit.posted.first("_etag")
        try:
            await client.unpublish_service(visit.api, service, etag)
        except Outdated:
            return await _stop(visit, service, etag, "tirado do ar")
        back = visit.address("catalogue.show_service", service=service)
        return await visit.redirect(back, f"“{read.value.nome_servico}” saiu do ar: as buscas não o acham mais.")
    return visit.render(
        "catalogue/unpublish.html", service=read.value, etag=read.etag, crumbs=service_crumbs(visit, read.value)
    )


@pages.form("/servicos/{service}/excluir", "Excluir", actions=[DELETE])
async def delete_service(visit: Visit, service: str) -> Response[Any]:
    """Delete a service after the person has typed its name."""
    read = await client.read_service(visit.api, service)
    name = read.value.nome_servico
    form = DeleteForm(visit, etag=read.etag)
    if form.is_sent and " ".join((form.name.data or "").split()).casefold() != " ".join(name.split()).casefold():
        form.validate()
        if not form.name.errors:
            form.name.errors = ["Não é o nome deste serviço."]
    elif form.is_sent and await form.submit(lambda: client.delete_service(visit.api, service, form.etag)):
        return await visit.redirect(visit.address("catalogue.list_services"), f"“{name}” foi excluído.")
    elif form.is_outdated:
        return await _stop(visit, service, form.etag, "excluído")
    return visit.render(
        "catalogue/delete.html",
        form=form,
        service=read.value,
        crumbs=service_crumbs(visit, read.value),
        status=form.status,
    )


async def _stop(visit: Visit, service: str, etag: str, deed: str) -> Response[Any]:
    """Redirect to the changes that another editor saved while the person was reading."""
    asked = {"desde": etag.strip('"').removeprefix("v")}
    back = visit.address("catalogue.review_service", _query=asked, service=service)
    return await visit.redirect(
        back, f"Nada foi {deed}: alguém mudou o serviço enquanto você lia. Veja o que mudou.", is_done=False
    )


async def find_services(visit: Visit, asked: str) -> Sequence[Item]:
    """Return the services whose names contain the search text."""
    found = await client.list_summaries(visit.api, {"nome_servico": asked, "per_page": 10})
    return [
        Item(
            one.nome_servico,
            visit.address("catalogue.show_service", service=one.id),
            name_state(one).text,
            f"Catálogo › {one.tema_geral}",
        )
        for one in found.services
    ]
