"""A session as one request sees it, and the person to whom it belongs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from balcao.web.provider import Tokens
from balcao.web.sessions.store import StoredSession


class Identity(msgspec.Struct, frozen=True):
    """The logged-in person. `form_secret` proves that a form came from a page of this session."""

    issuer: str
    subject: str
    name: str
    form_secret: str


class Counts(msgspec.Struct, frozen=True):
    """The numbers of waiting items, by navigation entry.

    `rights` is a digest of the person's rights when the items were counted.
    """

    rights: str
    numbers: dict[str, int]


@dataclass(frozen=True)
class Session:
    """A session as one request sees it. `tokens` is None if the session has ended.

    `actions` are the actions that the person had on the last page. They are None before the first page.
    """

    stored: StoredSession
    identity: Identity
    tokens: Tokens | None
    actions: list[str] | None

    @property
    def is_active(self) -> bool:
        """Return whether the session may still show pages."""
        return self.stored.is_active and self.tokens is not None

    def may_have_opened(self, actions: Sequence[str]) -> bool:
        """Return whether the person had one of these actions on the last page. Return True if no actions are given."""
        return not actions or not frozenset(actions).isdisjoint(self.actions or ())

    def may_send(self, actions: Sequence[str]) -> bool:
        """Return whether a large form should be read for a page that requires one of these actions."""
        if self.is_active and self.actions is None:
            return True
        return self.stored.is_recent and self.may_have_opened(actions)


class OwnSession(NamedTuple):
    """One of a person's sessions, as the list of sessions shows it.

    `name` distinguishes it from the person's other sessions. Knowing it grants no access.
    """

    name: str
    begun_at: datetime
    used_at: datetime
    is_present: bool


class SessionOver(Exception):
    """Raised if a session ended while it was in use: at the provider, in another window or through a timeout."""
