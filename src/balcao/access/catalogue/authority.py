"""Limits for administrators: they give only rights that they have, and one of them must remain (rules: access 4.4)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from balcao.access.catalogue import store
from balcao.access.catalogue.store import HeldRoles
from balcao.core.access.reach import (
    DEPARTMENT,
    MANAGED,
    UNLIMITED,
    Excess,
    HeldRights,
    describe_reach,
    find_held_rights,
    limit_covers,
)
from balcao.core.access.snapshot import Snapshot
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, NotFound
from balcao.core.values.cpf import Cpf

# Only administrative roles grant these actions. They are listed by code key, so renaming an action changes nothing.
PROTECTED = frozenset(
    [
        *(f"{noun}:{verb}" for noun in ("action", "mapping", "role") for verb in ("create", "update", "delete")),
        "role:manage_actions",
        "group:update",
        "group:assign_role",
        "user:assign_role",
        "catalogue:apply",
    ]
)


OPERATOR = HeldRights(is_superadmin=True, is_administrator=True)


class Assignments(NamedTuple):
    """A group membership or direct roles to give to a person. All values are ids. `roles` contains all resulting roles.

    Without `cpf`, the person is assumed to have no rights except through these roles.
    """

    roles: Sequence[int]
    cpf: Cpf | None = None
    group: int | None = None
    direct: Sequence[int] = ()


# A group's attribute `manages` limits these operations to certain groups. The limit applies to the actions that are
# currently bound to the operations, even if an administrator has changed a binding.
_MANAGING = ("access.add_member", "access.remove_member", "access.list_members")


async def read_held_rights(connection: Connection, call: Call) -> HeldRights:
    """Return the caller's rights, from the roles in the token and from the database.

    A call without a caller comes from an operator on the machine, who has all rights.
    """
    if call.caller is None:
        return OPERATOR
    return _hold(call, await store.read_held_roles(connection, call.caller.cpf, call.caller.roles))


def _hold(call: Call, held: HeldRoles) -> HeldRights:
    return HeldRights.of(held.held_roles, held.groups, list_managed_actions(call.platform.catalogue.latest))


def list_managed_actions(snapshot: Snapshot) -> frozenset[str]:
    """Return the actions that a group's attribute `manages` can limit to certain groups."""
    return frozenset(snapshot.bindings[operation] for operation in _MANAGING if operation in snapshot.bindings)


def describe_right(snapshot: Snapshot, cpf: Cpf | None, roles: Iterable[str], action: str) -> dict[str, list[str]]:
    """Return the reach of a person's right to an action, over all their roles and groups.

    An empty result means that the right has no limits.
    """
    held = find_held_rights(snapshot, cpf, roles, list_managed_actions(snapshot))
    return {} if held.is_administrator else describe_reach(held.grants.get(action, UNLIMITED))


async def find_role_id(connection: Connection, name: str) -> int:
    """Return the id of the role with this name. Raises NotFound if there is no such role."""
    role_id = await store.select_role_id(connection, name)
    if role_id is None:
        raise NotFound("Não há papel com esse nome.")
    return role_id


async def require_power_over(connection: Connection, call: Call, roles: Sequence[int]) -> None:
    """Raise Forbidden if one of the roles is administrative and the caller is not a superadmin."""
    check_administration(
        await read_held_rights(connection, call), concerned=await store.is_any_administrative(connection, roles)
    )


async def require_management(connection: Connection, call: Call, group_name: str) -> HeldRights:
    """Return the caller's rights. Raises Forbidden if the caller may not manage the members of this group.

    The decision uses the database, under the catalogue's lock, and not the snapshot of this process.
    """
    held = await read_held_rights(connection, call)
    check_management(held.find_limit(call.grant, MANAGED), group_name)
    return held


def check_management(limit: frozenset[str] | None, group_name: str) -> None:
    """Raise Forbidden if the group is outside the limit. None means no limit."""
    if limit is not None and not limit_covers(MANAGED, limit, group_name):
        raise Forbidden("A sua permissão não alcança as pessoas deste grupo.", code="group-not-managed")


async def require_no_escalation(connection: Connection, call: Call, held: HeldRights, given: Assignments) -> None:
    """Raise Forbidden if the assignment would give the person an action, or a reach, that the caller does not have.

    The person's stored rights before and after the assignment are compared. If the assignment removes or widens one
    limit, the check also considers the person's other limits. This prevents two assignments, each harmless, from adding
    up to a reach that the caller does not have (rules: access 4.8).
    """
    check_administration(held, concerned=await store.is_any_administrative(connection, given.roles))
    if held.is_administrator:
        return
    before = _hold(call, await store.read_held_roles(connection, given.cpf))
    after = _hold(
        call, await store.read_held_roles(connection, given.cpf, given_roles=given.direct, given_group=given.group)
    )
    refuse_escalation(held.find_excess(before, after))


def refuse_escalation(excess: Excess | None) -> None:
    """Raise Forbidden if the person would gain more than the caller has. `excess` is None if the person would not."""
    if excess is None:
        return
    if excess.key is None and excess.action != DEPARTMENT:
        raise Forbidden("O papel dá ações que você não tem: só quem as tem pode dá-las.", code="role-escalation")
    raise Forbidden(
        "A pessoa alcançaria mais do que você (áreas, órgãos ou grupos): só quem o alcança pode dá-lo.",
        code="reach-escalation",
    )


def check_administration(held: HeldRights, *, concerned: bool) -> None:
    """Raise Forbidden if the change concerns an administrative role and the caller is not a superadmin."""
    if concerned and not held.is_superadmin:
        raise Forbidden("Só um superadministrador dá ou tira a administração.", code="superadmin-only")


async def require_administrators_left(connection: Connection, call: Call) -> None:
    """Raise Conflict if no stored person and no token could administer the catalogue after this transaction."""
    check_administrators_left(
        is_there=call.platform.settings.access_admin_from_token or bool(await store.count_administrators(connection))
    )


def check_administrators_left(*, is_there: bool) -> None:
    """Raise Conflict if `is_there` is false, because no administrator would remain."""
    if not is_there:
        raise Conflict(
            "Ninguém mais poderia administrar os acessos: antes, dê esse papel a outra pessoa.", code="last-way-in"
        )


def check_superadmin(held: HeldRights) -> None:
    """Raise Forbidden unless the caller is a superadmin. Call it before making an operation less restricted."""
    if not held.is_superadmin:
        raise Forbidden("Só um superadministrador volta a abrir esta operação.", code="superadmin-only")
