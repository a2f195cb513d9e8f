"""Pages for actions: their descriptions, the effects of a change, and the people who hold each action."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.access import client, labels
from balcao.panel.access.forms import ActionForm
from balcao.panel.access.rights import ACTION_CREATE, ACTION_DELETE, ACTION_READ, ACTION_UPDATE, EXPLAIN
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import Block, gather_blocks
from balcao.web.forms import Form
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

pages = Pages("access", "/acessos/acoes")


@pages.get("", "Ações", actions=[ACTION_READ], in_menu=True)
async def list_actions(visit: Visit) -> Response[Any]:
    """List the actions, optionally filtered by a part of the name."""
    listing = Listing(visit, ("ação", "ações"), [Filter("procura", "Parte do nome", is_wide=True)])
    found = await client.list_actions(
        visit.api, search=listing.values.get("procura"), limit=listing.size, skip=listing.skip
    )
    listing.rows, listing.total = found.actions, found.total
    return visit.render("access/actions.html", listing=listing)


@pages.form("/nova", "Nova ação", actions=[ACTION_CREATE])
async def create_action(visit: Visit) -> Response[Any]:
    """Create one of the city's own actions."""
    form = ActionForm(visit)
    if form.is_sent and await form.submit(lambda: client.create_action(visit.api, _read(form), key=form.key)):
        address = visit.address("access.show_action", action=form.result.id)
        return await visit.redirect(address, "A ação foi criada. Agora escolha os papéis que a dão.")
    return visit.render(
        "access/form.html",
        form=form,
        action_label="Criar a ação",
        back=visit.address("access.list_actions"),
        crumbs=[_actions_crumb(visit)],
        theirs=[],
        status=form.status,
    )


@pages.get("/{action}", "Ação", actions=[ACTION_READ])
async def show_action(visit: Visit, action: str) -> Response[Any]:
    """Show everything that depends on an action.

    If the visitor may see them, also show the people who have the action.
    """
    listing = Listing(visit, ("pessoa", "pessoas"))
    blocks: list[Block[Any]] = await gather_blocks(
        client.read_impact(visit.api, action),
        client.list_holders(visit.api, action, limit=listing.size, skip=listing.skip) if visit.may(EXPLAIN) else None,
    )
    impact, holders = blocks
    if impact.fault is not None:
        raise impact.fault
    if holders.value is not None:
        listing.rows, listing.total = holders.value.items, holders.value.total
    return visit.render(
        "access/action.html",
        impact=impact.value,
        holders=holders,
        listing=listing,
        crumbs=[_actions_crumb(visit)],
        labels=labels,
    )


@pages.form("/{action}/editar", "Mudar a ação", actions=[ACTION_UPDATE])
async def edit_action(visit: Visit, action: str) -> Response[Any]:
    """Rename or describe an action. Save a new name only after showing the effects of the change."""
    present = await client.read_action(visit.api, action)
    found = present.value
    form = ActionForm(visit, {"name": found.name, "description": found.description}, etag=present.etag)
    back = visit.address("access.show_action", action=action)
    impact = None
    if form.is_sent and form.validate():
        if form.name.data == found.name or visit.posted.first("visto") == form.name.data:
            if await form.submit(lambda: client.update_action(visit.api, action, _read(form), etag=form.etag)):
                return await visit.redirect(
                    back, "Ação gravada. Papéis, endereços e programas continuam ligados a ela."
                )
        else:
            await form.submit(lambda: client.read_impact(visit.api, action, "rename", form.name.data))
            impact = form.result
    if form.is_outdated:
        form.etag = present.etag
    return visit.render(
        "access/action_form.html",
        form=form,
        action=found,
        impact=impact,
        back=back,
        crumbs=[_actions_crumb(visit), Crumb(found.name, back)],
        labels=labels,
        status=form.status,
    )


@pages.form("/{action}/excluir", "Excluir a ação", actions=[ACTION_DELETE])
async def delete_action(visit: Visit, action: str) -> Response[Any]:
    """Delete an action. First show the city's addresses and the grants that are deleted with it."""
    form = Form(visit)
    if form.is_sent and await form.submit(lambda: client.delete_action(visit.api, action, force=True)):
        return await visit.redirect(visit.address("access.list_actions"), "A ação foi excluída.")
    impact = await client.read_impact(visit.api, action, "delete")
    return visit.render(
        "access/action_deletion.html",
        form=form,
        impact=impact,
        is_possible=not {"reserved", "system_mappings"} & set(impact.blocked_by),
        back=visit.address("access.show_action", action=action),
        crumbs=[
            _actions_crumb(visit),
            Crumb(impact.action.name, visit.address("access.show_action", action=action)),
        ],
        labels=labels,
        status=form.status,
    )


def _read(form: ActionForm) -> dict[str, str]:
    return {"name": (form.name.data or "").strip(), "description": form.description.data or ""}


def _actions_crumb(visit: Visit) -> Crumb:
    return Crumb("Ações", visit.address("access.list_actions"))
