"""The states of a request, and the steps between them (rules: registry 4.20)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum


class State(StrEnum):
    """The state of a request."""

    RECEIVED = "received"
    SENT = "sent"
    IN_PROGRESS = "in_progress"
    NEEDS_INFORMATION = "needs_information"
    DONE = "done"
    REFUSED = "refused"
    REOPENED = "reopened"


class Author(StrEnum):
    """The author of a step. Staff and the CRM act for the city. The platform itself adds the step `sent`."""

    CITIZEN = "citizen"
    STAFF = "staff"
    CRM = "crm"
    PLATFORM = "platform"


CLOSED = frozenset({State.DONE, State.REFUSED})
REOPENING = timedelta(days=30)
# A step to one of these states must include a message that explains the step to the citizen.
NEED_TEXT = frozenset({State.NEEDS_INFORMATION, State.REFUSED})
_HANDLED = frozenset({State.IN_PROGRESS, State.NEEDS_INFORMATION, State.DONE, State.REFUSED})
_STAFF: Mapping[State, frozenset[State]] = {
    State.RECEIVED: _HANDLED,
    State.SENT: _HANDLED,
    State.IN_PROGRESS: _HANDLED - {State.IN_PROGRESS},
    State.NEEDS_INFORMATION: _HANDLED,
    State.REOPENED: _HANDLED,
    State.DONE: frozenset(),
    State.REFUSED: frozenset(),
}
_CITIZEN: Mapping[State, State] = {
    State.NEEDS_INFORMATION: State.IN_PROGRESS,
    State.DONE: State.REOPENED,
    State.REFUSED: State.REOPENED,
}


def may_move(state: State, target: State, author: Author) -> bool:
    """Return whether this author may move a request from `state` to `target`. Time limits are not checked here."""
    match author:
        case Author.CITIZEN:
            return _CITIZEN.get(state) == target
        case Author.STAFF:
            return target in _STAFF[state]
        case Author.CRM:
            # Unlike staff, the CRM may reopen a closed request, because work on its case may resume there.
            return target in _STAFF[state] or (state in CLOSED and target is State.IN_PROGRESS)
        case Author.PLATFORM:
            return (state, target) == (State.RECEIVED, State.SENT)


def find_reopening_end(closed_at: datetime | None) -> datetime | None:
    """Return the end of the period in which the citizen may reopen a request, or None for an open request."""
    return None if closed_at is None else closed_at + REOPENING
