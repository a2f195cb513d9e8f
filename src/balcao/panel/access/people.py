"""Pages for people: their data, their groups and direct roles, and their rights with the reason for each."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.access import client, labels
from balcao.panel.access.forms import ChoiceForm, GroupChoiceForm
from balcao.panel.access.own import make_removal_form
from balcao.panel.access.reserved import is_reserved, is_reserved_group, list_roles_to_give
from balcao.panel.access.rights import EXPLAIN, GROUP_READ, MEMBERS_MANAGE, USER_ASSIGN, USER_READ
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.forms import list_choices
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

pages = Pages("access", "/acessos/pessoas")


@pages.get("", "Pessoas", actions=[USER_READ], in_menu=True)
async def list_people(visit: Visit) -> Response[Any]:
    """List the people in the catalogue. Optional filters: a name or CPF, and whether they are in any group."""
    filters = [
        Filter("procura", "Nome ou CPF", is_wide=True),
        Filter("grupo", "Grupos", [("sim", "Só quem está em algum grupo")], unset="Com ou sem"),
    ]
    listing = Listing(visit, ("pessoa", "pessoas"), filters)
    search = listing.values.get("procura")
    too_short = search is not None and max(map(len, search.split())) < 3
    if not too_short:
        found = await client.list_users(
            visit.api, search=search, in_groups="grupo" in listing.values, limit=listing.size, skip=listing.skip
        )
        listing.rows, listing.total = found.items, found.total
    return visit.render("access/people.html", listing=listing, too_short=too_short, labels=labels)


@pages.get("/{person}", "Pessoa", actions=[USER_READ])
async def show_person(visit: Visit, person: str) -> Response[Any]:
    """Show a person's groups.

    As far as the visitor may see them, also show direct roles, and rights with their reasons.
    """
    user = await client.find_user(visit.api, person)
    rights, direct = await gather_blocks(
        client.list_person_actions(visit.api, user.cpf) if visit.may(EXPLAIN) else None,
        client.list_direct_roles(visit.api, user.cpf) if visit.may(USER_ASSIGN) else None,
    )
    return visit.render(
        "access/person.html",
        user=user,
        rights=rights,
        direct=direct,
        is_reserved=is_reserved,
        may_join=visit.may(MEMBERS_MANAGE) and visit.may(GROUP_READ),
        crumbs=[_people_crumb(visit)],
        labels=labels,
    )


@pages.form("/{person}/incluir", "Incluir em um grupo", actions=[MEMBERS_MANAGE])
async def join_group(visit: Visit, person: str) -> Response[Any]:
    """Add a person to a group. First show what the person would gain, if the visitor may see this."""
    user = await client.find_user(visit.api, person)
    form = GroupChoiceForm(visit)
    groups = await client.list_groups(visit.api)
    form.choice.choices = list_choices(
        ((one.name, one.name) for one in groups if one.name not in user.groups), is_asked=True
    )
    group = visit.query.first("grupo")
    if form.is_sent:
        chosen = visit.posted.first("choice")
        if await form.submit(lambda: client.add_member(visit.api, chosen, user.cpf)):
            text = f"{labels.name_person(user.display_name, user.cpf)} está no grupo {chosen}."
            return await visit.redirect(visit.address("access.show_person", person=person), text)
        group = chosen
    gains = None
    if group and visit.may(EXPLAIN):
        gains = await client.list_person_actions(visit.api, user.cpf, group)
    form.choice.data = group or None
    return visit.render(
        "access/join.html",
        user=user,
        form=form,
        group=group,
        gains=gains,
        is_reserved=bool(group) and await is_reserved_group(visit, group),
        crumbs=[_people_crumb(visit), _person_crumb(visit, user)],
        labels=labels,
        status=form.status,
    )


@pages.form("/{person}/grupos/{group}/retirar", "Retirar do grupo", actions=[MEMBERS_MANAGE])
async def leave_group(visit: Visit, person: str, group: str) -> Response[Any]:
    """Remove a person from a group. First show what the person would lose, if the visitor may see this."""
    user = await client.find_user(visit.api, person)
    form = await make_removal_form(visit, lambda way: way.group == group, cpf=user.cpf)
    if form.is_sent and await form.submit(lambda: client.remove_member(visit.api, group, user.cpf)):
        text = f"{labels.name_person(user.display_name, user.cpf)} não está mais no grupo {group}."
        return await visit.redirect(visit.address("access.show_person", person=person), text)
    (rights,) = await gather_blocks(client.list_person_actions(visit.api, user.cpf) if visit.may(EXPLAIN) else None)
    lost = [one for one in (rights.value.actions if rights.value else []) if all(way.group == group for way in one.via)]
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Retirar do grupo {group}?",
        text=f"{labels.name_person(user.display_name, user.cpf)} perde na hora o que só este grupo lhe dá.",
        is_reserved=await is_reserved_group(visit, group),
        items=[one.action for one in lost],
        items_title="O que a pessoa perde",
        action_label="Retirar do grupo",
        back=visit.address("access.show_person", person=person),
        crumbs=[_people_crumb(visit), _person_crumb(visit, user)],
        status=form.status,
    )


@pages.form("/{person}/papeis/novo", "Dar um papel", actions=[USER_ASSIGN])
async def assign_role(visit: Visit, person: str) -> Response[Any]:
    """Give a person a role directly, without a group."""
    user = await client.find_user(visit.api, person)
    form = ChoiceForm(visit)
    form.choice.choices = await list_roles_to_give(visit)
    if form.is_sent and await form.submit(lambda: client.assign_direct_role(visit.api, user.cpf, form.choice.data)):
        text = f"{labels.name_person(user.display_name, user.cpf)} tem agora o papel {form.choice.data}."
        return await visit.redirect(visit.address("access.show_person", person=person), text)
    return visit.render(
        "access/choice.html",
        form=form,
        hint="Prefira um grupo quando o papel é de mais de uma pessoa.",
        action_label="Dar o papel",
        back=visit.address("access.show_person", person=person),
        crumbs=[_people_crumb(visit), _person_crumb(visit, user)],
        status=form.status,
    )


@pages.form("/{person}/papeis/{role}/retirar", "Tirar o papel", actions=[USER_ASSIGN])
async def remove_role(visit: Visit, person: str, role: str) -> Response[Any]:
    """Remove a direct role from a person."""
    user = await client.find_user(visit.api, person)
    form = await make_removal_form(visit, lambda way: not way.group and way.role == role, cpf=user.cpf)
    if form.is_sent and await form.submit(lambda: client.remove_direct_role(visit.api, user.cpf, role)):
        text = f"{labels.name_person(user.display_name, user.cpf)} não tem mais o papel {role}."
        return await visit.redirect(visit.address("access.show_person", person=person), text)
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Tirar o papel {role}?",
        text=f"{labels.name_person(user.display_name, user.cpf)} perde o papel na hora, "
        "a não ser que também o tenha por um grupo.",
        is_reserved=is_reserved(visit, [role]),
        items=[],
        items_title="",
        action_label="Tirar o papel",
        back=visit.address("access.show_person", person=person),
        crumbs=[_people_crumb(visit), _person_crumb(visit, user)],
        status=form.status,
    )


def _people_crumb(visit: Visit) -> Crumb:
    return Crumb("Pessoas", visit.address("access.list_people"))


def _person_crumb(visit: Visit, user: client.User) -> Crumb:
    return Crumb(labels.name_person(user.display_name, user.cpf), visit.address("access.show_person", person=user.id))
