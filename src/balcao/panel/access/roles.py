"""Pages for roles: the actions that a role grants, and the groups that give it."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.access import client, labels
from balcao.panel.access.forms import GrantForm, NewRoleForm, RoleForm
from balcao.panel.access.own import make_removal_form
from balcao.panel.access.rights import ROLE_CREATE, ROLE_DELETE, ROLE_GRANT, ROLE_READ, ROLE_UPDATE
from balcao.panel.declaration import Pages
from balcao.panel.rights import describe_right
from balcao.panel.visit import Visit
from balcao.web.forms import Form, list_choices
from balcao.web.lists import Listing
from balcao.web.visit import Crumb

pages = Pages("access", "/acessos/papeis")


@pages.get("", "Papéis", actions=[ROLE_READ], in_menu=True)
async def list_roles(visit: Visit) -> Response[Any]:
    """List the roles by name."""
    listing = Listing(visit, ("papel", "papéis"))
    found = await client.list_roles(visit.api, limit=listing.size, skip=listing.skip)
    listing.rows, listing.total = found.items, found.total
    return visit.render("access/roles.html", listing=listing)


@pages.form("/novo", "Novo papel", actions=[ROLE_CREATE])
async def create_role(visit: Visit) -> Response[Any]:
    """Create a role, which grants nothing yet."""
    form = NewRoleForm(visit)
    if form.is_sent and await form.submit(
        lambda: client.create_role(visit.api, (form.name.data or "").strip(), form.description.data or "", key=form.key)
    ):
        address = visit.address("access.show_role", role=form.result.name)
        return await visit.redirect(address, "O papel foi criado. Agora escolha as ações que ele dá.")
    back = visit.address("access.list_roles")
    return visit.render(
        "access/form.html",
        form=form,
        action_label="Criar o papel",
        back=back,
        crumbs=[_roles_crumb(visit)],
        theirs=[],
        status=form.status,
    )


@pages.get("/{role}", "Papel", actions=[ROLE_READ])
async def show_role(visit: Visit, role: str) -> Response[Any]:
    """Show the actions that a role grants."""
    found = await client.read_role(visit.api, role)
    actions = await client.list_role_actions(visit.api, role)
    return visit.render(
        "access/role.html", role=found.value, actions=actions, crumbs=[_roles_crumb(visit)], labels=labels
    )


@pages.form("/{role}/editar", "Descrever o papel", actions=[ROLE_UPDATE])
async def edit_role(visit: Visit, role: str) -> Response[Any]:
    """Change the description of a role."""
    present = await client.read_role(visit.api, role)
    form = RoleForm(visit, {"description": present.value.description}, etag=present.etag)
    back = visit.address("access.show_role", role=role)
    if form.is_sent and await form.submit(
        lambda: client.update_role(visit.api, role, form.description.data or "", etag=form.etag)
    ):
        return await visit.redirect(back, "O papel foi gravado.")
    if form.is_outdated:
        form.etag = present.etag
    return visit.render(
        "access/form.html",
        form=form,
        action_label="Gravar",
        back=back,
        crumbs=[_roles_crumb(visit), Crumb(role, back)],
        theirs=[(form.description.label.text, present.value.description)],
        status=form.status,
    )


@pages.form("/{role}/acoes/nova", "Dar uma ação ao papel", actions=[ROLE_GRANT])
async def grant_action(visit: Visit, role: str) -> Response[Any]:
    """Add an action to a role. The person can search for a part of the action's name."""
    search = visit.query.first("procura").strip()[:100]
    found = await client.list_actions(visit.api, search=search or None, limit=100, skip=0)
    form = GrantForm(visit)
    form.choice.choices = list_choices(((one.name, one.description) for one in found.actions), is_asked=True)
    back = visit.address("access.show_role", role=role)
    if form.is_sent and await form.submit(lambda: client.grant_action(visit.api, role, form.choice.data)):
        return await visit.redirect(back, f"O papel dá agora: {describe_right(form.choice.data)}.")
    return visit.render(
        "access/grant.html",
        form=form,
        search=search,
        total=found.total,
        action_label="Dar a ação",
        back=back,
        crumbs=[_roles_crumb(visit), Crumb(role, back)],
        status=form.status,
    )


@pages.form("/{role}/acoes/{name}/tirar", "Tirar a ação do papel", actions=[ROLE_GRANT])
async def revoke_action(visit: Visit, role: str, name: str) -> Response[Any]:
    """Remove an action from a role."""
    form = Form(visit)
    back = visit.address("access.show_role", role=role)
    if form.is_sent and await form.submit(lambda: client.revoke_action(visit.api, role, name)):
        return await visit.redirect(back, f"O papel não dá mais: {describe_right(name)}.")
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Tirar “{describe_right(name)}” do papel {role}?",
        text="Quem tem a ação só por este papel a perde na hora.",
        items=[],
        items_title="",
        action_label="Tirar a ação",
        back=back,
        crumbs=[_roles_crumb(visit), Crumb(role, back)],
        status=form.status,
    )


@pages.form("/{role}/excluir", "Excluir o papel", actions=[ROLE_DELETE])
async def delete_role(visit: Visit, role: str) -> Response[Any]:
    """Delete a role. First show the actions that it grants."""
    form = await make_removal_form(visit, lambda way: way.role == role)
    if form.is_sent and await form.submit(lambda: client.delete_role(visit.api, role)):
        return await visit.redirect(visit.address("access.list_roles"), f"O papel {role} foi excluído.")
    actions = await client.list_role_actions(visit.api, role)
    back = visit.address("access.show_role", role=role)
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Excluir o papel {role}?",
        text="Quem recebeu o papel diretamente o perde na hora. Se um grupo dá o papel, tire-o antes do grupo. "
        "Não é possível desfazer.",
        items=[one.name for one in actions],
        items_title="O que o papel dá",
        action_label="Excluir o papel",
        back=back,
        crumbs=[_roles_crumb(visit), Crumb(role, back)],
        status=form.status,
    )


def _roles_crumb(visit: Visit) -> Crumb:
    return Crumb("Papéis", visit.address("access.list_roles"))
