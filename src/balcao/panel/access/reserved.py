"""Changes to administrative roles, which only a superadministrator may make (rules: access 4.4)."""

from collections.abc import Iterable
from typing import Any

from balcao.panel.access import client
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.forms import list_choices

ADMINISTRATIVE = frozenset({"admin", "superadmin"})


def is_reserved(visit: Visit, roles: Iterable[str]) -> bool:
    """Return whether one of the roles is administrative and the person is not a superadministrator."""
    return not visit.rights.is_superadmin and not ADMINISTRATIVE.isdisjoint(roles)


async def is_reserved_group(visit: Visit, group: str) -> bool:
    """Return whether the group gives an administrative role and the person is not a superadministrator.

    Return False if the group's roles cannot be read.
    """
    (roles,) = await gather_blocks(client.list_group_roles(visit.api, group))
    return is_reserved(visit, [role.name for role in roles.value or []])


async def list_roles_to_give(visit: Visit) -> list[Any]:
    """Return the roles that the person may give, as choices. Initially, nothing is selected."""
    roles = await client.list_all_roles(visit.api)
    given = ((one.name, f"{one.name}: {one.description}") for one in roles if not is_reserved(visit, [one.name]))
    return list_choices(given, is_asked=True)
