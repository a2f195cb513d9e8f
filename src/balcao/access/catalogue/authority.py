"""Limits of administration: no caller gives more than they have, and an administrator remains (rules: access 4.4)."""

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

# Only administrative roles have these actions. They are code keys, so a rename of an action changes nothing.
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
    """An assignment to a person: a group, or direct roles, by id. `roles` contains all roles that result from it.

    Without `cpf` it is judged as for a person who has nothing else.
    """

    roles: Sequence[int]
    cpf: Cpf | None = None
    group: int | None = None
    direct: Sequence[int] = ()


# The attribute `manages` of a group limits these operations to some groups. It applies to the actions that are bound to
# them now, even if an administrator has changed the binding.
_MANAGING = ("access.add_member", "access.remove_member", "access.list_members")


async def read_held_rights(connection: Connection, call: Call) -> HeldRights:
    """Return the caller's rights, from the token and the current database.

    The operator on the machine has all rights.
    """
    if call.caller is None:
        return OPERATOR
    return _hold(call, await store.read_held_roles(connection, call.caller.cpf, call.caller.roles))


def _hold(call: Call, held: HeldRoles) -> HeldRights:
    return HeldRights.of(held.held_roles, held.groups, list_managed_actions(call.platform.catalogue.latest))


def list_managed_actions(snapshot: Snapshot) -> frozenset[str]:
    """Return the actions that the attribute `manages` limits to some groups."""
    return frozenset(snapshot.bindings[operation] for operation in _MANAGING if operation in snapshot.bindings)


def describe_right(snapshot: Snapshot, cpf: Cpf | None, roles: Iterable[str], action: str) -> dict[str, list[str]]:
    """Return the total reach of a person's right to an action. An administrator has no limits."""
    held = find_held_rights(snapshot, cpf, roles, list_managed_actions(snapshot))
    return {} if held.is_administrator else describe_reach(held.grants.get(action, UNLIMITED))


async def find_role_id(connection: Connection, name: str) -> int:
    """Return the id of the role to give or remove. Raises NotFound."""
    role_id = await store.select_role_id(connection, name)
    if role_id is None:
        raise NotFound("Não há papel com esse nome.")
    return role_id


async def require_power_over(connection: Connection, call: Call, roles: Sequence[int]) -> None:
    """Raise Forbidden if an administrative role is given or removed by a caller other than a superadmin."""
    check_administration(
        await read_held_rights(connection, call), concerned=await store.is_any_administrative(connection, roles)
    )


async def require_management(connection: Connection, call: Call, group_name: str) -> HeldRights:
    """Return the caller's rights. Raises Forbidden if their right does not reach this group.

    The decision uses the current database under the lock of the catalogue, not the snapshot of this process.
    """
    held = await read_held_rights(connection, call)
    check_management(held.find_limit(call.grant, MANAGED), group_name)
    return held


def check_management(limit: frozenset[str] | None, group_name: str) -> None:
    """Raise Forbidden for a group outside the limit; None means no limit."""
    if limit is not None and not limit_covers(MANAGED, limit, group_name):
        raise Forbidden("A sua permissão não alcança as pessoas deste grupo.", code="group-not-managed")


async def require_no_escalation(connection: Connection, call: Call, held: HeldRights, given: Assignments) -> None:
    """Raise Forbidden if the person would gain an action, or a reach of an action, that the caller does not have.

    The total afterwards counts, because a part of it may have existed before (rules: access 4.8).
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
    """Raise Forbidden if there is an excess over the caller's own rights."""
    if excess is None:
        return
    if excess.key is None and excess.action != DEPARTMENT:
        raise Forbidden("O papel dá ações que você não tem: só quem as tem pode dá-las.", code="role-escalation")
    raise Forbidden(
        "A pessoa alcançaria mais do que você (áreas, órgãos ou grupos): só quem o alcança pode dá-lo.",
        code="reach-escalation",
    )


def check_administration(held: HeldRights, *, concerned: bool) -> None:
    """Raise Forbidden if administration is concerned and the caller is not a superadmin."""
    if concerned and not held.is_superadmin:
        raise Forbidden("Só um superadministrador dá ou tira a administração.", code="superadmin-only")


async def require_administrators_left(connection: Connection, call: Call) -> None:
    """Raise Conflict if the changes of this transaction leave no person who could administer the catalogue."""
    check_administrators_left(
        is_there=call.platform.settings.access_admin_from_token or bool(await store.count_administrators(connection))
    )


def check_administrators_left(*, is_there: bool) -> None:
    """Raise Conflict if there is no administrator."""
    if not is_there:
        raise Conflict("Ninguém mais poderia administrar os acessos: dê antes esse papel a outra.", code="last-way-in")


def check_superadmin(held: HeldRights) -> None:
    """Raise Forbidden unless the caller is a superadmin, because the change makes an operation less restricted."""
    if not held.is_superadmin:
        raise Forbidden("Só um superadministrador volta a abrir esta operação.", code="superadmin-only")
