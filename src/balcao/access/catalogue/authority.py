"""Who may change what: nobody gives more than they hold, and somebody always can get in (rules: access 4.4)."""

from collections.abc import Sequence

from balcao.access.catalogue import store
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden

# Only administrative roles hold them; a rename changes nothing, as they are code keys.
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


async def require_power_over(connection: Connection, call: Call, roles: Sequence[int]) -> None:
    """Raise Forbidden where administration is given or taken by anybody but a superadmin.

    Whoever has the machine's shell is none that a catalogue could hold back.
    """
    if call.caller is None:
        return
    found = await store.read_authority(connection, call.caller.roles, call.caller.cpf, roles)
    _check_administration(concerned=found["gives_administration"], is_superadmin=found["is_superadmin"])


async def require_no_escalation(connection: Connection, call: Call, roles: Sequence[int]) -> None:
    """Raise Forbidden for a caller who would give roles that grant more than their own do.

    It is decided by what is stored now, under the catalogue's lock, not by the snapshot of this process.
    """
    if call.caller is None:
        return
    found = await store.read_authority(connection, call.caller.roles, call.caller.cpf, roles)
    _check_administration(concerned=found["gives_administration"], is_superadmin=found["is_superadmin"])
    if found["exceeds"] and not found["is_administrator"]:
        raise Forbidden("O papel dá ações que você não tem: só quem as tem pode dá-las.", code="role-escalation")


def _check_administration(*, concerned: bool, is_superadmin: bool) -> None:
    if concerned and not is_superadmin:
        raise Forbidden("Só um superadministrador dá ou tira a administração.", code="superadmin-only")


async def require_a_way_in(connection: Connection, call: Call) -> None:
    """Raise Conflict where the change so far leaves nobody who could administer the catalogue."""
    if call.platform.settings.access_admin_from_token or await store.count_administrators(connection):
        return
    raise Conflict("Ninguém mais poderia administrar os acessos: dê antes esse papel a outra.", code="last-way-in")


async def require_superadmin(connection: Connection, call: Call) -> None:
    """Raise Forbidden for anybody but a superadmin and the operator, where an operation is opened."""
    if call.caller is None:
        return
    found = await store.read_authority(connection, call.caller.roles, call.caller.cpf, [])
    if not found["is_superadmin"]:
        raise Forbidden("Só um superadministrador volta a abrir esta operação.", code="superadmin-only")
