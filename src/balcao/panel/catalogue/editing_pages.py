"""Pages for editing: new services, changes, proposals for published services, and edit conflicts."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.core.offloading import run_in_thread
from balcao.panel.catalogue import client
from balcao.panel.catalogue.client import Service, to_moment
from balcao.panel.catalogue.conflict import Conflict, apply_choices, describe_conflict
from balcao.panel.catalogue.content import show_fields, to_fields
from balcao.panel.catalogue.forms import ServiceForm
from balcao.panel.catalogue.labels import CHOICES, IN_EDITION, name_state
from balcao.panel.catalogue.queue import open_next
from balcao.panel.catalogue.routes import (
    AREA,
    CREATE,
    PUBLISH,
    UPDATE,
    VERSIONS,
    number_of,
    read_departments,
    read_themes,
    service_crumbs,
)
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.panel.working.service import begin_work, finish_work
from balcao.web.api import Read, gather_blocks
from balcao.web.markup import render_markdown
from balcao.web.words import parse_number

# The values of the form's buttons.
_SAVE, _SUBMIT, _PUBLISH, _PREVIEW = "guardar", "enviar", "publicar", "ver"

pages = Pages(AREA, "")


@pages.form("/servicos/novo", "Novo serviço", actions=[CREATE])
async def create_service(visit: Visit) -> Response[Any]:
    """Create a service."""
    form = ServiceForm(visit, await read_themes(visit), await read_departments(visit))
    deed = visit.posted.first("deed")
    if form.is_sent and deed != _PREVIEW:
        body = form.make_body() | _name_states(deed)
        body.pop("change_reason", None)
        if await form.submit(lambda: client.create_service(visit.api, body, form.key)):
            await finish_work(visit)
            back = visit.address("catalogue.show_service", service=form.result.id)
            return await visit.redirect(back, "O serviço foi criado." + _describe(deed))
    return await _render(visit, form, deed, title="Novo serviço", state=IN_EDITION)


@pages.form("/servicos/{service}/editar", "Editar o serviço", actions=[UPDATE])
async def edit_service(visit: Visit, service: str) -> Response[Any]:
    """Change a service. For a published service, editors without the right to publish create a proposal."""
    visit.posted = apply_choices(visit.posted)
    departments = await read_departments(visit)
    read = await client.read_service(visit.api, service)
    is_proposed = read.value.status == 1 and not visit.may(PUBLISH)
    values = to_fields(read.value.content, departments)
    form = ServiceForm(visit, await read_themes(visit), departments, values, etag=read.etag)
    deed = visit.posted.first("deed")
    if form.is_sent and deed != _PREVIEW:
        body = form.make_body()
        if is_proposed:
            proposing = client.create_proposal
            if await form.submit(lambda: proposing(visit.api, service, body, etag=form.etag, key=form.key)):
                await finish_work(visit)
                back = visit.address("catalogue.show_proposal", service=service, proposal=form.result.id)
                text = "A proposta foi enviada. O que está no ar não muda até que a publiquem."
                return await visit.redirect(back, text)
        else:
            body |= _name_states(deed, read.value)
            if await form.submit(lambda: client.update_service(visit.api, service, body, form.etag)):
                await finish_work(visit)
                if deed == _PUBLISH and read.value.awaiting_approval:
                    return await open_next(visit, f"“{form.result.nome_servico}” está no ar.", service)
                back = visit.address("catalogue.show_service", service=service)
                return await visit.redirect(back, f"Gravado: versão {form.result.version}." + _describe(deed))
        if form.is_outdated:
            return await _show_conflict(visit, form, service, deed)
    title = f"{'Propor mudança em' if is_proposed else 'Editar'} “{read.value.nome_servico}”"
    return await _render(visit, form, deed, title=title, service=read.value, is_proposed=is_proposed)


@pages.form("/servicos/{service}/propostas/{proposal}/editar", "Editar a proposta", actions=[UPDATE])
async def edit_proposal(visit: Visit, service: str, proposal: str) -> Response[Any]:
    """Change a proposal. If the proposal or its service has changed in the meantime, merge both editors' texts."""
    visit.posted = apply_choices(visit.posted)
    departments = await read_departments(visit)
    present = await client.read_service(visit.api, service)
    read = await client.read_proposal(visit.api, service, proposal)
    form = ServiceForm(
        visit,
        await read_themes(visit),
        departments,
        to_fields(read.value.content, departments) | {"change_reason": read.value.change_reason},
        etag=read.etag,
    )
    deed = visit.posted.first("deed")
    joined = parse_number(visit.posted.first("base_version"))
    if form.is_sent and deed != _PREVIEW:
        body = form.make_body() | {"awaiting_approval": deed == _SUBMIT}
        body |= {} if joined is None else {"base_version": joined}
        if await form.submit(lambda: client.change_proposal(visit.api, service, proposal, body, form.etag)):
            await finish_work(visit)
            back = visit.address("catalogue.show_proposal", service=service, proposal=proposal)
            return await visit.redirect(back, "A proposta foi gravada." + _describe(deed))
        if form.is_outdated:
            return await _show_conflict(visit, form, service, deed, read.value.content, read.etag)
    elif read.value.outdated and not form.is_sent:
        base = await client.read_version(visit.api, service, read.value.base_version)
        fields = {name: to_fields(one, departments) for name, one in (("base", base), ("now", present.value.content))}
        conflict = await run_in_thread(describe_conflict, fields["base"], fields["now"], form.texts)
        return await _render_conflict(
            visit, form, conflict, present, _SUBMIT, base_version=present.value.version, title=read.value.nome_servico
        )
    return await _render(
        visit, form, deed, title=read.value.nome_servico, service=present.value, is_proposed=True, proposal=read.value
    )


async def _show_conflict(
    visit: Visit,
    form: ServiceForm,
    service: str,
    deed: str,
    present: dict[str, Any] | None = None,
    etag: str = "",
) -> Response[Any]:
    """Show the conflicting changes of both editors.

    `present` is the content of a proposal that another editor saved.
    """
    departments = await read_departments(visit)
    read = await client.read_service(visit.api, service)
    number = number_of(form.etag)
    base = await client.read_version(visit.api, service, number) if number else read.value.content
    theirs = read.value.content if present is None else present
    conflict = await run_in_thread(
        describe_conflict, to_fields(base, departments), to_fields(theirs, departments), form.texts
    )
    form.etag = etag or read.etag
    return await _render_conflict(visit, form, conflict, read, deed, title=read.value.nome_servico)


async def _render_conflict(
    visit: Visit,
    form: ServiceForm,
    conflict: Conflict,
    present: Read[Service],
    deed: str,
    *,
    title: str,
    base_version: int | None = None,
) -> Response[Any]:
    newest = None
    if visit.may(VERSIONS):
        (versions,) = await gather_blocks(client.list_versions(visit.api, present.value.id, size=1))
        newest = versions.value.versions[0] if versions.value and versions.value.versions else None
    return visit.render(
        "catalogue/conflict.html",
        form=form,
        work=await begin_work(visit),
        newest=newest,
        to_moment=to_moment,
        conflict=conflict,
        choices=CHOICES,
        service=present.value,
        deed=deed or _SAVE,
        base_version=base_version,
        service_name=title,
        crumbs=service_crumbs(visit, present.value),
        status=form.status,
    )


async def _render(
    visit: Visit,
    form: ServiceForm,
    deed: str,
    *,
    title: str,
    service: Service | None = None,
    state: Any = None,
    is_proposed: bool = False,
    proposal: Any = None,
) -> Response[Any]:
    back = visit.address("catalogue.list_services")
    if service is not None:
        back = visit.address("catalogue.show_service", service=service.id)
    return await visit.render_in_thread(
        "catalogue/edit.html",
        form=form,
        work=await begin_work(visit),
        heading=title,
        service=service,
        proposal=proposal,
        state=state or (name_state(service) if service else IN_EDITION),
        is_proposed=is_proposed,
        publishes=visit.may(PUBLISH),
        preview=show_fields(form.texts) if deed == _PREVIEW else None,
        markdown=render_markdown,
        back=back,
        crumbs=service_crumbs(visit, service),
        status=200 if deed == _PREVIEW else form.status,
    )


def _name_states(deed: str, service: Service | None = None) -> dict[str, Any]:
    """Return the editorial state that a button sets. Saving leaves the state unchanged."""
    if deed == _PUBLISH:
        return {"status": 1}
    if deed == _SUBMIT:
        return {"awaiting_approval": True}
    return {"awaiting_approval": bool(service and service.awaiting_approval)}


def _describe(deed: str) -> str:
    return {_SUBMIT: " Espera aprovação.", _PUBLISH: " Está no ar."}.get(deed, "")
