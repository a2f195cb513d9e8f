"""What the person at hand may do, as the access service says at this moment: for what is shown, never for what is let.

The services decide on every call; a page that shows a button too many is explained by their refusal.
"""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

import msgspec
from markupsafe import Markup

from balcao.web.api import Api

# What each right that the platform ships permits, by service and permanent key: the one dictionary of rights.
SHIPPED: dict[str, dict[str, str]] = tomllib.loads((files("balcao.access") / "seed" / "seed.toml").read_text())[
    "actions"
]
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
    """The actions of one person, each with where it reaches; a key of a reach that is missing is no limit."""

    is_administrator: bool = False
    is_superadmin: bool = False
    actions: dict[str, OwnAction] = field(default_factory=dict)

    def include(self, *actions: str) -> bool:
        """Return whether the person holds one of these actions; true where none is named."""
        return not actions or any(action in self.actions for action in actions)

    def reach(self, action: str, key: str) -> list[str] | None:
        """Return the values of a key to which the action is limited; None: it is not limited."""
        held = self.actions.get(action)
        return [] if held is None else held.reach.get(key)

    @property
    def digest(self) -> str:
        """Return what tells these rights from any others, reach included."""
        held = [self.actions[name] for name in sorted(self.actions)]
        return hashlib.sha256(
            msgspec.json.encode((self.is_administrator, self.is_superadmin, held), order="sorted")
        ).hexdigest()

    def lacking(self, actions: Sequence[str]) -> list[str]:
        """Return which of the actions the person does not hold."""
        return [action for action in actions if action not in self.actions]


NO_RIGHTS = Rights()


async def read_rights(api: Api) -> Rights:
    """Return the person's rights of now: what was taken away is gone at the next click."""
    found = await api.get("/access/api/v1/users/me/actions", OwnActions)
    return Rights(found.administrator, found.superadmin, {one.action: one for one in found.actions})


def describe_right(name: str) -> str:
    """Return what a right of the platform permits; the name itself of a right that the city created."""
    return _DESCRIPTIONS.get(name, name)


def show_right(name: str) -> str | Markup:
    """Return what a right permits; the name of the city's own rights, marked as a name."""
    return _DESCRIPTIONS.get(name) or show_given(name)


def show_given(names: str | Sequence[str]) -> Markup:
    """Return names that the city chose, for example of roles and groups, marked so that no browser translates them."""
    listed = [names] if isinstance(names, str) else names
    return Markup(", ").join(Markup('<span class="given" translate="no">{}</span>').format(name) for name in listed)
