"""Pages for approvals: review the changes in pending services and proposals, then publish them or send them back."""

import asyncio
from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.core.offloading import run_in_thread
from balcao.panel.catalogue import client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.content import show_fields, to_fields, to_values
from balcao.panel.catalogue.forms import SendBackForm
from balcao.panel.catalogue.labels import FIELDS, name_fields, name_state
from balcao.panel.catalogue.queue import AWAITING, open_next
from balcao.panel.catalogue.routes import AREA, PUBLISH, READ, UPDATE, read_departments, service_crumbs
from balcao.panel.catalogue.version_pages import mark_changes
from balcao.panel.declaration import Item, Pages
from balcao.panel.diff import compare
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, Outdated, gather_blocks
from balcao.web.markup import render_markdown
from balcao.web.words import format_count, parse_number

# Show only the newest returned items. The list of services shows all services that are being edited.
_MOST_RETURNED = 10
_EDITED = {"status": 0, "awaiting_approval": False, "sort_by": "last_update", "order": "desc"}

pages = Pages(AREA, "")


@pages.get("/aprovacoes", "Fila de aprovação", actions=[PUBLISH], in_menu=True)
async def list_approvals(visit: Visit) -> Response[Any]:
    """List the pending services and proposals. The ones that have waited longest come first."""
    services, proposals = await gather_blocks(
        client.list_summaries(visit.api, AWAITING | {"per_page": 100}), client.list_awaiting_proposals(visit.api)
    )
    return visit.render(
        "catalogue/approvals.html",
        services=services,
        proposals=proposals,
        name_fields=name_fields,
        to_moment=to_moment,
    )


@pages.get("/aprovacoes/{service}", "Ler para aprovar", actions=[PUBLISH])
async def review_service(visit: Visit, service: str) -> Response[Any]:
    """Show a pending service and what has changed in it.

    The changes are relative to the version in the query, or else to the last published version.
    """
    read, departments = await client.read_service(visit.api, service), await read_departments(visit)
    since = parse_number(visit.query.first("desde"))
    number = await _find_published(visit, service) if since is None else since
    differences = None
    if number is not None and number != read.value.version:
        found = await client.compare_versions(visit.api, service, number, read.value.version)
        differences = await run_in_thread(mark_changes, found)
    (versions,) = await gather_blocks(client.list_versions(visit.api, service, size=1))
    return await visit.render_in_thread(
        "catalogue/review.html",
        service=read.value,
        etag=read.etag,
        state=name_state(read.value),
        fields=show_fields(to_fields(read.value.content, departments)),
        markdown=render_markdown,
        differences=differences,
        number=number,
        since=since,
        newest=versions.value.versions[0] if versions.value and versions.value.versions else None,
        to_moment=to_moment,
        crumbs=[*service_crumbs(visit, read.value)],
    )


@pages.get("/servicos/{service}/propostas/{proposal}", "Proposta", actions=[READ])
async def show_proposal(visit: Visit, service: str, proposal: str) -> Response[Any]:
    """Show the changes that a proposal makes to its service."""
    present, departments = await client.read_service(visit.api, service), await read_departments(visit)
    read = await client.read_proposal(visit.api, service, proposal)
    now, proposed = (to_fields(one, departments) for one in (present.value.content, read.value.content))
    return await visit.render_in_thread(
        "catalogue/proposal.html",
        service=present.value,
        proposal=read.value,
        etag=read.etag,
        fields=show_fields(proposed),
        markdown=render_markdown,
        differences=await run_in_thread(compare, FIELDS, to_values(now), to_values(proposed)),
        to_moment=to_moment,
        crumbs=service_crumbs(visit, present.value),
        edits=visit.may(UPDATE),
        publishes=visit.may(PUBLISH),
    )


@pages.post("/servicos/{service}/propostas/{proposal}/publicar", "Publicar a proposta", actions=[PUBLISH])
async def publish_proposal(visit: Visit, service: str, proposal: str) -> Response[Any]:
    """Publish the version of a proposal that the person has read. Refuse if the proposal has changed since then."""
    here = visit.address("catalogue.show_proposal", service=service, proposal=proposal)
    try:
        saved = await client.publish_proposal(visit.api, service, proposal, visit.posted.first("_etag"))
    except Outdated:
        return await visit.redirect(
            here, "Nada foi publicado: alguém gravou a proposta enquanto você lia.", is_done=False
        )
    except Conflict as fault:
        return await visit.redirect(here, f"Nada foi publicado. {fault.text}", is_done=False)
    return await open_next(
        visit, f"“{saved.nome_servico}”: a proposta está no ar, como versão {saved.version}.", proposal
    )


@pages.form("/servicos/{service}/propostas/{proposal}/devolver", "Devolver a proposta", actions=[PUBLISH])
async def send_back_proposal(visit: Visit, service: str, proposal: str) -> Response[Any]:
    """Send a proposal back to its editors with a reason."""
    read = await client.read_proposal(visit.api, service, proposal)
    form = SendBackForm(visit, etag=read.etag)
    here = visit.address("catalogue.show_proposal", service=service, proposal=proposal)
    if form.is_sent:
        reason = form.reason.data or ""
        if await form.submit(lambda: client.send_back_proposal(visit.api, service, proposal, reason, form.etag)):
            return await open_next(visit, f"“{read.value.nome_servico}”: a proposta voltou para edição.", proposal)
        if form.is_outdated:
            return await visit.redirect(
                here, "Nada foi devolvido: alguém gravou a proposta enquanto você lia.", is_done=False
            )
    return visit.render(
        "catalogue/send_back.html",
        form=form,
        name=read.value.nome_servico,
        back=here,
        crumbs=service_crumbs(visit),
        status=form.status,
    )


@pages.form("/servicos/{service}/propostas/{proposal}/retirar", "Retirar a proposta", actions=[UPDATE])
async def withdraw_proposal(visit: Visit, service: str, proposal: str) -> Response[Any]:
    """Ask for confirmation, and withdraw a proposal."""
    read = await client.read_proposal(visit.api, service, proposal)
    here = visit.address("catalogue.show_proposal", service=service, proposal=proposal)
    if visit.is_post:
        try:
            await client.withdraw_proposal(visit.api, service, proposal, visit.posted.first("_etag"))
        except Outdated:
            return await visit.redirect(
                here, "Nada foi retirado: alguém gravou a proposta enquanto você lia.", is_done=False
            )
        back = visit.address("catalogue.show_service", service=service)
        return await visit.redirect(back, "A proposta foi retirada.")
    return visit.render(
        "catalogue/withdraw.html", proposal=read.value, etag=read.etag, back=here, crumbs=service_crumbs(visit)
    )


async def find_approvals(visit: Visit) -> Sequence[Item]:
    """Return one item for all pending services and one for all pending proposals."""
    summaries = await client.list_summaries(visit.api, {"per_page": 1})
    titles = [
        (summaries.states.awaiting_approval, "serviço espera aprovação", "serviços esperam aprovação"),
        (summaries.awaiting_proposals, "proposta espera aprovação", "propostas esperam aprovação"),
    ]
    queue = visit.address("catalogue.list_approvals")
    return [
        Item(
            format_count(found, one, many),
            queue,
            detail="Catálogo",
            urgency="warning",
            action_label="Ver a fila",
            number=found,
        )
        for found, one, many in titles
        if found
    ]


async def find_returned(visit: Visit) -> Sequence[Item]:
    """Return the services and proposals that were sent back to their editors, each with the reason."""
    services, proposals = await asyncio.gather(
        client.list_summaries(visit.api, _EDITED | {"per_page": 100}), client.list_edited_proposals(visit.api)
    )
    returned: list[tuple[str, str, str | None, str]] = [
        (one.nome_servico, visit.address("catalogue.show_service", service=one.id), one.returned_reason, one.changed_by)
        for one in services.services
        if one.returned_reason is not None
    ]
    returned += [
        (
            one.nome_servico,
            visit.address("catalogue.show_proposal", service=one.service_id, proposal=one.id),
            one.returned_reason,
            one.returned_by,
        )
        for one in proposals.proposals
        if one.returned_by is not None
    ]
    return [
        Item(
            name,
            address,
            text=f"voltou para edição: “{reason}”" if reason else "voltou para edição",
            detail=f"Catálogo · por {by}",
            urgency="warning",
            action_label="Corrigir",
        )
        for name, address, reason, by in returned[:_MOST_RETURNED]
    ]


async def _find_published(visit: Visit, service: str) -> int | None:
    """Return the newest published version among the last hundred versions, or None."""
    found = await client.list_versions(visit.api, service, size=100)
    return next((one.version_number for one in found.versions if one.status == 1), None)
