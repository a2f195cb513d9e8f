"""What the person at hand may do, as the access service says at this moment: for what is shown, never for what is let.

The services decide on every call; a page that shows a button too many is explained by their refusal.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from balcao.console.api import Api


class OwnAction(msgspec.Struct, frozen=True):
    action: str
    name: str
    reach: dict[str, list[str]]


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
