"""The records of a draft of the catalogue, and the changes that result from applying a document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.documents.schemas import Item
from balcao.access.roles.rules import RESERVED
from balcao.core.errors import BalcaoError

Members = dict[str, Any]


class Change(NamedTuple):
    """A row to write, and its event.

    `lost` is the number of memberships and grants that are deleted with the row.
    """

    event: CatalogueEvent
    row: Members
    lost: int = 0


class BlockedStep(NamedTuple):
    """A step, and the error that blocks it."""

    step: Item
    fault: BalcaoError


@dataclass
class DraftAction:
    id: int
    name: str
    description: str
    code_key: str | None

    @property
    def key(self) -> str:
        """The key by which decisions refer to the action."""
        return self.code_key or f"#{self.id}"

    @property
    def is_reserved(self) -> bool:
        return (self.code_key or "").startswith(RESERVED)


@dataclass
class DraftRole:
    """A role. `actions` contains ids. `people` is the number of people who have the role directly."""

    id: int
    name: str
    description: str
    administrative: bool = False
    actions: set[int] = field(default_factory=set)
    people: int = 0


@dataclass
class DraftGroup:
    id: int
    name: str
    description: str
    attributes: Mapping[str, Sequence[str]]
    roles: set[str] = field(default_factory=set)
    members: int = 0


@dataclass
class DraftMapping:
    id: int
    method: str
    path_pattern: str
    action_id: int
    description: str | None
    operation: str | None = None
    floor: str = "public"
    declared: str | None = None
