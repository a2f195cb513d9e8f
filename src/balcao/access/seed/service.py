"""What a release brings to the catalogue: read from `seed.toml`, written once (rules: access 3.3)."""

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from balcao import __version__
from balcao.access.catalogue.events import SYSTEM, CatalogueEvent
from balcao.access.catalogue.store import lock_catalogue, record_events
from balcao.access.groups.store import add_group_roles, add_groups
from balcao.access.roles.store import add_grants, add_roles
from balcao.access.seed import store
from balcao.access.seed.items import SeedItem
from balcao.core.database.pool import Connection

WILDCARD = ":*"


class SeedRole(msgspec.Struct, frozen=True):
    """Grants all of `services` and the named `actions`, less `except`; `resource:*` names all of a resource."""

    name: str
    description: str
    administrative: bool = False
    services: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    without: tuple[str, ...] = msgspec.field(name="except", default=())


class SeedGroup(msgspec.Struct, frozen=True):
    name: str
    description: str
    roles: tuple[str, ...]


class Seed(msgspec.Struct, frozen=True):
    """`actions` holds a description for each code key, by service."""

    actions: dict[str, dict[str, str]]
    roles: tuple[SeedRole, ...]
    groups: tuple[SeedGroup, ...]

    @property
    def descriptions(self) -> dict[str, str]:
        """Return each action's description by its code key."""
        return {key: text for service in self.actions.values() for key, text in service.items()}

    def grants(self, role: SeedRole) -> list[str]:
        """Return the code keys that the role grants, in the file's order."""
        granted = [*role.actions, *(key for service in role.services for key in self.actions[service])]
        return [key for key in self.descriptions if _is_named(key, granted) and not _is_named(key, role.without)]


def _is_named(key: str, names: list[str] | tuple[str, ...]) -> bool:
    return key in names or key.partition(":")[0] + WILDCARD in names


@cache
def read_seed() -> Seed:
    """Read the seed data of this release."""
    text = (files("balcao.access.seed") / "seed.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Seed)


async def load_seed(connection: Connection, release: Seed | None = None) -> None:
    """Write what no earlier run has written, in the caller's transaction; nothing else is touched.

    What an administrator removed stays removed; a later release adds its own new actions, roles, grants and groups.
    A name that the city gave to a role or group of its own stays the city's.
    """
    release = release or read_seed()
    await lock_catalogue(connection)
    known = await store.list_written_items(connection)
    made = {
        "actions": await store.add_actions(connection, _list_new_actions(release, known)),
        "roles": await add_roles(connection, _list_new_roles(release, known)),
        "grants": await add_grants(connection, _list_new_grants(release, known)),
        "groups": await add_groups(connection, _list_new_groups(release, known)),
        "group_roles": await add_group_roles(connection, _list_new_group_roles(release, known)),
    }
    await store.mark_items_written(connection, [item for item in _list_items(release) if item not in known])
    if any(made.values()):
        event = CatalogueEvent("catalogue.apply", "catalogue", name=f"balcao {__version__}", after=made)
        await record_events(connection, [event.to_document(SYSTEM, request_id="")])


Known = set[SeedItem]


def _list_items(release: Seed) -> list[SeedItem]:
    return [
        *(SeedItem("action", key) for key in release.descriptions),
        *(SeedItem("role", role.name) for role in release.roles),
        *(SeedItem("grant", role.name, key) for role in release.roles for key in release.grants(role)),
        *(SeedItem("group", group.name) for group in release.groups),
        *(SeedItem("group_role", group.name, role) for group in release.groups for role in group.roles),
    ]


def _list_new_actions(release: Seed, known: Known) -> list[dict[str, str]]:
    return [
        {"key": key, "description": text}
        for key, text in release.descriptions.items()
        if SeedItem("action", key) not in known
    ]


def _list_new_roles(release: Seed, known: Known) -> list[dict[str, object]]:
    return [
        {"name": role.name, "description": role.description, "administrative": role.administrative}
        for role in release.roles
        if SeedItem("role", role.name) not in known
    ]


def _list_new_grants(release: Seed, known: Known) -> list[dict[str, str]]:
    return [
        {"role": role.name, "action": key}
        for role in release.roles
        for key in release.grants(role)
        if SeedItem("grant", role.name, key) not in known
    ]


def _list_new_groups(release: Seed, known: Known) -> list[dict[str, str]]:
    return [
        {"name": group.name, "description": group.description}
        for group in release.groups
        if SeedItem("group", group.name) not in known
    ]


def _list_new_group_roles(release: Seed, known: Known) -> list[dict[str, str]]:
    return [
        {"group": group.name, "role": role}
        for group in release.groups
        for role in group.roles
        if SeedItem("group_role", group.name, role) not in known
    ]


async def is_item_written(connection: Connection, item: SeedItem) -> bool:
    """Tell whether an earlier run has written this."""
    return item in await store.list_written_items(connection)


async def mark_item_written(connection: Connection, item: SeedItem) -> None:
    """Let no later run write this again."""
    await store.mark_items_written(connection, [item])
