"""Pages for addresses and the actions that they require.

An address is an operation of the platform or of another city application.
"""

from collections.abc import Mapping
from typing import Any

from balcao.core.http.responses import Response
from balcao.core.values.text import fold_text
from balcao.panel.access import client, labels
from balcao.panel.access.client import EndpointMapping
from balcao.panel.access.forms import BindingForm, MappingForm
from balcao.panel.access.rights import MAPPING_CREATE, MAPPING_DELETE, MAPPING_READ, MAPPING_UPDATE
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.forms import Form, list_choices
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

pages = Pages("access", "/acessos/enderecos")
# Offer at most this many actions as choices. Catalogues contain far fewer.
_MOST_ACTIONS = 1_000


@pages.get("", "Endereços", actions=[MAPPING_READ], in_menu=True)
async def list_mappings(visit: Visit) -> Response[Any]:
    """List the addresses, optionally filtered by service and by a part of the action's name."""
    filters = [
        Filter("acao", "Parte do nome da ação", is_wide=True),
        Filter("servico", "Serviço", list(labels.SERVICES.items())),
    ]
    listing = Listing(visit, ("endereço", "endereços"), filters)
    found = await client.list_mappings(
        visit.api, action=listing.values.get("acao"), service=listing.values.get("servico")
    )
    listing.rows, listing.total = found[listing.skip : listing.skip + listing.size], len(found)
    return visit.render("access/mappings.html", listing=listing, labels=labels)


@pages.form("/novo", "Novo endereço", actions=[MAPPING_CREATE])
async def create_mapping(visit: Visit) -> Response[Any]:
    """Map an address of another city application."""
    form = MappingForm(visit)
    form.action.choices = await _list_choices(visit)
    back = visit.address("access.list_mappings")
    if form.is_sent and await form.submit(lambda: client.create_mapping(visit.api, _read(form), key=form.key)):
        return await visit.redirect(back, "O endereço foi cadastrado.")
    return _show_form(visit, form, "Mapear o endereço", back, None)


@pages.form("/{mapping}/editar", "Mudar o endereço", actions=[MAPPING_UPDATE])
async def edit_mapping(visit: Visit, mapping: str) -> Response[Any]:
    """Bind an address to another action.

    The other members can be changed only for addresses of other city applications.
    """
    present = await client.read_mapping(visit.api, mapping)
    found = present.value
    values = {
        "method": found.method,
        "path": found.path_pattern,
        "action": str(found.action_id),
        "description": found.description or "",
    }
    form: MappingForm | BindingForm = (
        BindingForm(visit, values, etag=present.etag)
        if found.operation
        else MappingForm(visit, values, etag=present.etag)
    )
    form.action.choices = await _list_choices(visit)
    back = visit.address("access.list_mappings")
    if form.is_sent and await form.submit(
        lambda: client.update_mapping(visit.api, mapping, _read(form), etag=form.etag)
    ):
        return await visit.redirect(back, "O endereço foi gravado; vale desde já.")
    if form.is_outdated:
        form.etag = present.etag
    return _show_form(visit, form, "Gravar", back, found)


@pages.form("/{mapping}/excluir", "Excluir o endereço", actions=[MAPPING_DELETE])
async def delete_mapping(visit: Visit, mapping: str) -> Response[Any]:
    """Delete an address of another city application."""
    form = Form(visit)
    back = visit.address("access.list_mappings")
    if form.is_sent and await form.submit(lambda: client.delete_mapping(visit.api, mapping)):
        return await visit.redirect(back, "O endereço foi excluído.")
    found = (await client.read_mapping(visit.api, mapping)).value
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Excluir {found.description or found.path_pattern}?",
        text="As chamadas a este endereço passam a ser recusadas na hora.",
        items=[],
        items_title="",
        action_label="Excluir o endereço",
        back=back,
        crumbs=[_mappings_crumb(visit)],
        status=form.status,
    )


async def _list_choices(visit: Visit) -> list[Any]:
    found: list[client.Action] = []
    while len(found) < _MOST_ACTIONS:
        page = await client.list_actions(visit.api, search=None, limit=100, skip=len(found))
        found += page.actions
        if not page.actions or len(found) >= page.total:
            break
    ordered = sorted(found, key=lambda action: fold_text(action.description))
    return list_choices(((str(action.id), action.description) for action in ordered), is_asked=True)


def _read(form: MappingForm | BindingForm) -> Mapping[str, Any]:
    body: dict[str, Any] = {"action_id": int(form.action.data)}
    if isinstance(form, MappingForm):
        body |= {
            "method": form.method.data,
            "path_pattern": (form.path.data or "").strip(),
            "description": (form.description.data or "").strip() or None,
        }
    return body


def _show_form(visit: Visit, form: Form, action_label: str, back: str, found: EndpointMapping | None) -> Response[Any]:
    return visit.render(
        "access/mapping_form.html",
        form=form,
        action_label=action_label,
        back=back,
        mapping=found,
        crumbs=[_mappings_crumb(visit)],
        labels=labels,
        status=form.status,
    )


def _mappings_crumb(visit: Visit) -> Crumb:
    return Crumb("Endereços", visit.address("access.list_mappings"))
