"""Pages for groups: their members, their roles and limits, and the groups whose members they administer."""

from collections.abc import Mapping
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.access import client, labels
from balcao.panel.access.forms import ChoiceForm, GroupForm, MemberForm, NewGroupForm, clean_cpf, split_lines
from balcao.panel.access.own import make_removal_form
from balcao.panel.access.reserved import is_reserved, is_reserved_group, list_roles_to_give
from balcao.panel.access.rights import (
    EXPLAIN,
    GROUP_ASSIGN,
    GROUP_CREATE,
    GROUP_DELETE,
    GROUP_READ,
    GROUP_UPDATE,
    MEMBERS_MANAGE,
    MEMBERS_READ,
)
from balcao.panel.declaration import Pages
from balcao.panel.departments import read_department_names
from balcao.panel.visit import Visit
from balcao.web.api import Block, gather_blocks
from balcao.web.forms import Form
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb
from balcao.web.words import format_count

pages = Pages("access", "/acessos/grupos")
_LIMITS = ("area", "manages")
# The name prefix of a group whose rights apply to one department. The department's code follows.
OF_DEPARTMENT = "go:orgao:"


@pages.get("", "Grupos", actions=[GROUP_READ], in_menu=True)
async def list_groups(visit: Visit) -> Response[Any]:
    """List the groups by name, optionally filtered by the start of the name."""
    listing = Listing(visit, ("grupo", "grupos"), [Filter("comeco", "O nome começa com", is_wide=True)])
    found = await client.list_groups(visit.api, listing.values.get("comeco", ""))
    listing.rows, listing.total = found[listing.skip : listing.skip + listing.size], len(found)
    return visit.render("access/groups.html", listing=listing, labels=labels)


@pages.form("/novo", "Novo grupo", actions=[GROUP_CREATE])
async def create_group(visit: Visit) -> Response[Any]:
    """Create a group, which grants nothing yet."""
    form = NewGroupForm(visit)
    if form.is_sent and await form.submit(
        lambda: client.create_group(
            visit.api, (form.name.data or "").strip(), form.description.data or "", _read_limits(form, {}), key=form.key
        )
    ):
        address = visit.address("access.show_group", group=form.result.name)
        return await visit.redirect(address, "O grupo foi criado. Agora escolha os papéis que ele dá e as pessoas.")
    (departments,) = await gather_blocks(read_department_names(visit.api))
    names = {f"{OF_DEPARTMENT}{code}": name for code, name in (departments.value or {}).items()}
    back = visit.address("access.list_groups")
    return _show_form(visit, form, "Criar o grupo", back, [_groups_crumb(visit)], names=names)


@pages.get("/{group}", "Grupo", actions=[GROUP_READ])
async def show_group(visit: Visit, group: str) -> Response[Any]:
    """Show a group's roles and members."""
    listing = Listing(visit, ("pessoa", "pessoas"))
    blocks: list[Block[Any]] = await gather_blocks(
        client.read_group(visit.api, group),
        client.list_group_roles(visit.api, group),
        client.list_members(visit.api, group, limit=listing.size, skip=listing.skip)
        if visit.may(MEMBERS_READ)
        else None,
    )
    found, roles, members = blocks
    if found.fault is not None:
        raise found.fault
    assert found.value is not None
    listing.rows, listing.total = members.value or [], found.value.value.member_count
    return visit.render(
        "access/group.html",
        group=found.value.value,
        roles=roles,
        members=members,
        listing=listing,
        is_reserved=is_reserved,
        crumbs=[_groups_crumb(visit)],
        labels=labels,
    )


@pages.form("/{group}/editar", "Editar o grupo", actions=[GROUP_UPDATE])
async def edit_group(visit: Visit, group: str) -> Response[Any]:
    """Change a group's purpose and limits. After a concurrent change, show the saved values next to the form."""
    present = await client.read_group(visit.api, group)
    found = present.value
    values = {"description": found.description} | {key: "\n".join(found.attributes.get(key, [])) for key in _LIMITS}
    form = GroupForm(visit, values, etag=present.etag)
    back = visit.address("access.show_group", group=group)
    if form.is_sent and await form.submit(
        lambda: client.update_group(
            visit.api, group, form.description.data or "", _read_limits(form, found.attributes), etag=form.etag
        )
    ):
        return await visit.redirect(back, "O grupo foi gravado; vale desde já.")
    theirs = [(form[name].label.text, values[name]) for name in values if (form[name].data or "") != values[name]]
    if form.is_outdated:
        form.etag = present.etag  # a resubmission overwrites the version shown now
    crumbs = [_groups_crumb(visit), Crumb(group, back)]
    return _show_form(visit, form, "Gravar", back, crumbs, theirs)


@pages.form("/{group}/excluir", "Excluir o grupo", actions=[GROUP_DELETE])
async def delete_group(visit: Visit, group: str) -> Response[Any]:
    """Delete a group. First show the number of its members and the roles that it gives."""
    form = await make_removal_form(visit, lambda way: way.group == group)
    if form.is_sent and await form.submit(lambda: client.delete_group(visit.api, group)):
        return await visit.redirect(visit.address("access.list_groups"), f"O grupo {group} foi excluído.")
    blocks: list[Block[Any]] = await gather_blocks(
        client.read_group(visit.api, group), client.list_group_roles(visit.api, group)
    )
    found, roles = blocks
    if found.fault is not None:
        raise found.fault
    assert found.value is not None
    members = found.value.value.member_count
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Excluir o grupo {group}?",
        text=f"O grupo tem {format_count(members, 'pessoa', 'pessoas')}. O que só ele dá acaba na hora. "
        "Não é possível desfazer.",
        is_reserved=is_reserved(visit, [role.name for role in roles.value or []]),
        items=[role.name for role in roles.value or []],
        items_title="Papéis que o grupo dá",
        action_label="Excluir o grupo",
        back=visit.address("access.show_group", group=group),
        crumbs=[_groups_crumb(visit), _group_crumb(visit, group)],
        status=form.status,
    )


@pages.form("/{group}/incluir", "Incluir uma pessoa", actions=[MEMBERS_MANAGE])
async def add_member(visit: Visit, group: str) -> Response[Any]:
    """Add a person to a group by CPF. First show what the person would gain, if the visitor may see this.

    The CPF is sent in the form and never appears in an address.
    """
    form = MemberForm(visit)
    gains = None
    if form.is_sent and form.validate():
        cpf = clean_cpf(form.cpf.data)
        if visit.posted.first("visto") or not visit.may(EXPLAIN):
            if await form.submit(lambda: client.add_member(visit.api, group, cpf)):
                back = visit.address("access.show_group", group=group)
                return await visit.redirect(back, f"A pessoa de CPF {labels.mask_cpf(cpf)} está no grupo.")
        else:
            await form.submit(lambda: client.list_person_actions(visit.api, cpf, group))
            gains = form.result
    return visit.render(
        "access/member.html",
        form=form,
        group=group,
        gains=gains,
        is_reserved=await is_reserved_group(visit, group),
        crumbs=[_groups_crumb(visit), _group_crumb(visit, group)],
        labels=labels,
        status=form.status,
    )


@pages.form("/{group}/papeis/novo", "Dar um papel ao grupo", actions=[GROUP_ASSIGN])
async def assign_group_role(visit: Visit, group: str) -> Response[Any]:
    """Give a role to all members of a group."""
    form = ChoiceForm(visit)
    form.choice.choices = await list_roles_to_give(visit)
    back = visit.address("access.show_group", group=group)
    if form.is_sent and await form.submit(lambda: client.assign_group_role(visit.api, group, form.choice.data)):
        return await visit.redirect(back, f"O grupo dá agora o papel {form.choice.data}.")
    return visit.render(
        "access/choice.html",
        form=form,
        hint="Todas as pessoas do grupo passam a ter o papel, no próximo clique.",
        action_label="Dar o papel ao grupo",
        back=back,
        crumbs=[_groups_crumb(visit), _group_crumb(visit, group)],
        status=form.status,
    )


@pages.form("/{group}/papeis/{role}/retirar", "Tirar o papel do grupo", actions=[GROUP_ASSIGN])
async def remove_group_role(visit: Visit, group: str, role: str) -> Response[Any]:
    """Remove a role from a group."""
    form = await make_removal_form(visit, lambda way: way.group == group and way.role == role)
    back = visit.address("access.show_group", group=group)
    if form.is_sent and await form.submit(lambda: client.remove_group_role(visit.api, group, role)):
        return await visit.redirect(back, f"O grupo não dá mais o papel {role}.")
    actions = await client.list_role_actions(visit.api, role)
    return visit.render(
        "access/confirm.html",
        form=form,
        title=f"Tirar o papel {role} do grupo {group}?",
        text="As pessoas do grupo perdem na hora o que só este papel lhes dá.",
        is_reserved=is_reserved(visit, [role]),
        items=[one.name for one in actions],
        items_title="O que o papel dá",
        action_label="Tirar o papel",
        back=back,
        crumbs=[_groups_crumb(visit), _group_crumb(visit, group)],
        status=form.status,
    )


def _read_limits(form: GroupForm, present: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the group's new attributes: the limits from the form, and all other attributes unchanged."""
    typed = {key: split_lines(form[key].data) for key in _LIMITS}
    kept = {key: values for key, values in present.items() if key not in typed}
    return kept | {key: values for key, values in typed.items() if values}


def _show_form(
    visit: Visit,
    form: Form,
    action_label: str,
    back: str,
    crumbs: list[Crumb],
    theirs: list[tuple[str, str]] | None = None,
    names: Mapping[str, str] | None = None,
) -> Response[Any]:
    """Show the form. `names` maps each suggested group name to the full name of its department."""
    return visit.render(
        "access/form.html",
        form=form,
        action_label=action_label,
        back=back,
        crumbs=crumbs,
        theirs=theirs or [],
        names=names or {},
        status=form.status,
    )


def _groups_crumb(visit: Visit) -> Crumb:
    return Crumb("Grupos", visit.address("access.list_groups"))


def _group_crumb(visit: Visit, group: str) -> Crumb:
    return Crumb(group, visit.address("access.show_group", group=group))
