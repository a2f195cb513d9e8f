"""The person's current rights, as the access service returns them. Rights decide only what a page shows.

The services authorise every call themselves. If a page shows a button that the person may not use, the service refuses
the call.
"""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

import msgspec
from markupsafe import Markup

from balcao.web.api import Api

# Descriptions of the platform's rights, by service and permanent key. No other module has a copy. The file is found by
# its path, because `files("balcao.access")` would import that service.
_SEED = files("balcao") / "access" / "seed" / "seed.toml"
SHIPPED: dict[str, dict[str, str]] = tomllib.loads(_SEED.read_text())["actions"]
_DESCRIPTIONS = {key: text for service in SHIPPED.values() for key, text in service.items()}


class OwnAction(msgspec.Struct, frozen=True):
    action: str
    name: str
    reach: dict[str, list[str]]
    description: str = ""


class OwnActions(msgspec.Struct, frozen=True):
    administrator: bool
    superadmin: bool
    actions: list[OwnAction]


@dataclass(frozen=True)
class Rights:
    """A person's actions, and the reach of each action.

    If a reach does not contain a key, that key does not limit it.
    """

    is_administrator: bool = False
    is_superadmin: bool = False
    actions: dict[str, OwnAction] = field(default_factory=dict)

    def include(self, *actions: str) -> bool:
        """Return whether the person has one of these actions. Return True if no actions are given."""
        return not actions or any(action in self.actions for action in actions)

    def reach(self, action: str, key: str) -> list[str] | None:
        """Return the values of a key to which the action is limited.

        Return None if there is no limit, or [] if the person does not have the action.
        """
        held = self.actions.get(action)
        return [] if held is None else held.reach.get(key)

    @property
    def digest(self) -> str:
        """Return a hash of these rights. It changes whenever the rights or their reach change."""
        held = [self.actions[name] for name in sorted(self.actions)]
        return hashlib.sha256(
            msgspec.json.encode((self.is_administrator, self.is_superadmin, held), order="sorted")
        ).hexdigest()

    def missing_actions(self, actions: Sequence[str]) -> list[str]:
        """Return the actions that the person does not have."""
        return [action for action in actions if action not in self.actions]


NO_RIGHTS = Rights()


async def read_rights(api: Api) -> Rights:
    """Return the person's current rights.

    Every page reads them, so a removed right no longer applies on the next page.
    """
    found = await api.get("/access/api/v1/users/me/actions", OwnActions)
    return Rights(found.administrator, found.superadmin, {one.action: one for one in found.actions})


def describe_right(name: str) -> str:
    """Return the description of one of the platform's rights. For a right that the city created, return its name."""
    return _DESCRIPTIONS.get(name, name)


def show_right(name: str) -> str | Markup:
    """Return the description of one of the platform's rights.

    For a right that the city created, return its name, marked so that browsers do not translate it.
    """
    return _DESCRIPTIONS.get(name) or show_given(name)


def show_given(names: str | Sequence[str]) -> Markup:
    """Return names that the city chose, such as role names, marked so that browsers do not translate them."""
    listed = [names] if isinstance(names, str) else names
    return Markup(", ").join(Markup('<span class="given" translate="no">{}</span>').format(name) for name in listed)
