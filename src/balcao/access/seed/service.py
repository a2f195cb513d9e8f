"""Loads the seed data of a release from `seed.toml`. Each item is written only once (rules: access 3.3)."""

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
    """A role that grants the named `actions` and all actions of `services`, except those in `except`.

    `resource:*` means all actions of a resource.
    """

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
    """The seed data of a release.

    `actions` maps each service to its actions: their descriptions by code key.
    """

    actions: dict[str, dict[str, str]]
    roles: tuple[SeedRole, ...]
    groups: tuple[SeedGroup, ...]

    @property
    def descriptions(self) -> dict[str, str]:
        """The description of each action by its code key."""
        return {key: text for service in self.actions.values() for key, text in service.items()}

    def grants(self, role: SeedRole) -> list[str]:
        """Return the code keys of the actions that the role grants, in the order of the file."""
        granted = [*role.actions, *(key for service in role.services for key in self.actions[service])]
        return [key for key in self.descriptions if _is_named(key, granted) and not _is_named(key, role.without)]


def _is_named(key: str, names: list[str] | tuple[str, ...]) -> bool:
    return key in names or key.partition(":")[0] + WILDCARD in names


@cache
def read_seed() -> Seed:
    """Read the seed data of this release from its file."""
    text = (files("balcao.access.seed") / "seed.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Seed)


async def load_seed(connection: Connection, release: Seed | None = None) -> None:
    """Write the items that no earlier run has written, in the caller's transaction.

    An item that an administrator has removed is not added again. A later release adds only its new actions, roles,
    grants and groups. A role or group that the city has created with the same name does not change.
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
    """Return whether an earlier run has written this item."""
    return item in await store.list_written_items(connection)


async def mark_item_written(connection: Connection, item: SeedItem) -> None:
    """Mark the item as written, so that no later run writes it."""
    await store.mark_items_written(connection, [item])
