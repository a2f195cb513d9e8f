"""Merges imported rows into stored notifications (rules: health_units 4.1), without SQL or HTTP."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import reduce
from typing import TypeAlias
from uuid import UUID, uuid5

import msgspec

from balcao.core.errors import Invalid
from balcao.health_units.notifications import states
from balcao.health_units.notifications.schemas import Causa, Remarks
from balcao.health_units.notifications.states import Notification, NotificationEvent
from balcao.health_units.situation import Risco

ALREADY_ACTIVE = "A unidade já tem outra notificação ativa."
# The namespace for ids of notifications from former systems, which do not send ids of ours.
_FORMER = UUID("0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90")
# A notification's unit and id. The database rejects a row with the id of another unit's notification.
Key: TypeAlias = tuple[str, UUID]


class ImportedNotification(msgspec.Struct, frozen=True):
    """A notification from a former system: one colour and up to three times."""

    id: UUID
    cnes: str
    risco: Risco
    aberta_em: datetime
    ultima_atualizacao: datetime | None
    encerrada_em: datetime | None
    causa: Causa | None
    motivo: str | None

    @property
    def key(self) -> Key:
        return self.cnes, self.id

    def is_contained_in(self, present: Notification | None) -> bool:
        """Return whether the stored notification already contains everything that this row reports.

        Once this is true, it stays true after any further events.
        """
        return present is not None and not list_later_events(present, self)


def make_id(cnes: str, opened_at: datetime) -> UUID:
    """Derive a notification's id from its unit and opening time."""
    return uuid5(_FORMER, f"{cnes} {opened_at.astimezone(UTC).isoformat(timespec='seconds')}")


def list_later_events(present: Notification, old: ImportedNotification) -> list[NotificationEvent]:
    """Return the events that a row reports and the stored notification lacks.

    This is at most one event: a change, a confirmation or the closing.
    """
    if not present.active:
        return []
    if old.encerrada_em is not None:
        return [states.close_event(present, old.causa or Causa.NORMALIZACAO, old.risco, old.encerrada_em)]
    if old.ultima_atualizacao is not None and old.ultima_atualizacao > present.ultima_atualizacao:
        return [states.change_event(present, old.risco, old.ultima_atualizacao)]
    return []


class Replay:
    """Applies imported rows to stored notifications, one after the other, and collects the changes to write."""

    def __init__(self, units: Collection[str], known: Iterable[Notification], newest: Iterable[Notification]) -> None:
        """`known` contains the stored notifications of the rows, and `newest` the newest notification of each unit."""
        self._units = units
        self._known = {state.key: state for state in known}
        self._newest = {state.cnes: state for state in newest}
        self.added: dict[Key, Notification] = {}
        self.updated: dict[Key, Notification] = {}
        self.events: list[tuple[UUID, NotificationEvent, Remarks]] = []

    def apply(self, old: ImportedNotification) -> bool:
        """Apply a row, and return whether it contained anything new.

        Raises Invalid if the row's notification is not stored and:

        - the unit is unknown
        - the unit has another active notification, opened at the same time or earlier
        - the row is active, but the unit has a notification opened at the same time or later
        """
        present = self._known.get(old.key)
        if present is None:
            self._require_place(old)
            opening = states.open_event(old.risco, old.aberta_em)
            begun = states.begin_notification(old.id, old.cnes, opening)
            later = list_later_events(begun, old)
            state, events = reduce(states.apply_notification_event, later, begun), [opening, *later]
        else:
            events = list_later_events(present, old)
            state = reduce(states.apply_notification_event, events, present)
        if events:
            self._keep(state, is_new=present is None or old.key in self.added)
            self.events += [(old.id, event, Remarks(old.motivo)) for event in events]
        return bool(events)

    def _require_place(self, old: ImportedNotification) -> None:
        """Raise Invalid if this notification conflicts with its unit's newest one, or if the unit is unknown."""
        newest = self._newest.get(old.cnes)
        if old.cnes not in self._units:
            raise Invalid("O campo `cnes` não é o de uma unidade daqui: importe-a antes.")
        if newest is None:
            return
        if newest.aberta_em >= old.aberta_em and old.encerrada_em is None:
            raise Invalid("A notificação está ativa, mas a unidade tem outra mais nova: falta o campo `encerrada_em`.")
        if newest.active and newest.aberta_em <= old.aberta_em:
            raise Invalid(ALREADY_ACTIVE)

    def _keep(self, state: Notification, *, is_new: bool) -> None:
        self._known[state.key] = state
        (self.added if is_new else self.updated)[state.key] = state
        newest = self._newest.get(state.cnes)
        if newest is None or newest.id == state.id or newest.aberta_em < state.aberta_em:
            self._newest[state.cnes] = state
