"""The rules for the states of a notification (rules: health_units 4.1)."""

import itertools
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from balcao.core.errors import Conflict
from balcao.health_units.notifications import states
from balcao.health_units.notifications.schemas import Causa, EventKind
from balcao.health_units.notifications.states import Notification, NotificationEvent
from balcao.health_units.situation import Risco, Status

START = datetime(2026, 1, 1, tzinfo=UTC)
colours = st.sampled_from(Risco)
# The smallest time difference that the database can store.
STEP = timedelta(microseconds=1)
# The clock may stop, or be set back.
clocks = st.timedeltas(min_value=timedelta(minutes=-5), max_value=timedelta(minutes=5))


class OneUnit(RuleBasedStateMachine):
    """Operations on one unit in any order, while the clock jumps.

    The state must always equal a replay of all events.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = self.latest = START
        self.episodes: list[tuple[Notification, list[NotificationEvent]]] = []

    @property
    def active(self) -> bool:
        return bool(self.episodes) and self.episodes[-1][0].active

    @precondition(lambda self: not self.active)
    @rule(risco=colours, passed=clocks)
    def open(self, risco: Risco, passed: timedelta) -> None:
        self._pass(passed)
        last = self.episodes[-1][0].ultima_atualizacao if self.episodes else None
        event = states.open_event(risco, states.next_instant(self.now, last))
        self.episodes.append((states.begin_notification(uuid4(), "9900001", event), [event]))

    @precondition(lambda self: self.active)
    @rule(risco=colours, passed=clocks)
    def change(self, risco: Risco, passed: timedelta) -> None:
        self._pass(passed)
        before = self.episodes[-1][0]
        event = states.change_event(before, risco, self.now)
        assert event.tipo is (EventKind.CONFIRMACAO if risco is before.risco else EventKind.MUDANCA)
        self._apply(event)

    @precondition(lambda self: self.active)
    @rule(causa=st.sampled_from(Causa), risco=st.none() | colours, passed=clocks)
    def close(self, causa: Causa, risco: Risco | None, passed: timedelta) -> None:
        self._pass(passed)
        before = self.episodes[-1][0]
        self._apply(states.close_event(before, causa, risco, self.now))
        assert self.episodes[-1][0].risco is (risco or before.risco)

    @precondition(lambda self: self.episodes and not self.active)
    @rule(risco=colours)
    def closed_stays_closed(self, risco: Risco) -> None:
        with pytest.raises(Conflict):
            states.change_event(self.episodes[-1][0], risco, self.now)
        with pytest.raises(Conflict):
            states.close_event(self.episodes[-1][0], Causa.OUTRO, None, self.now)

    @invariant()
    def replaying_the_events_gives_the_state(self) -> None:
        for state, events in self.episodes:
            assert states.replay_events(state.id, state.cnes, events) == state

    @invariant()
    def instants_only_move_forward_and_not_ahead_of_the_latest_clock(self) -> None:
        instants = [event.em for _, events in self.episodes for event in events]
        assert all(before < after for before, after in itertools.pairwise(instants))
        assert all(instant <= self.latest + len(instants) * STEP for instant in instants)

    @invariant()
    def the_highest_colour_is_remembered_and_at_most_one_is_active(self) -> None:
        for state, events in self.episodes:
            assert state.risco_maximo.rank == max(event.risco_depois.rank for event in events)
            assert state.versao == len(events)
            assert (state.encerrada_em is not None) == (state.status is Status.ENCERRADO) == (state.causa is not None)
        assert sum(state.active for state, _ in self.episodes) <= 1

    def _pass(self, passed: timedelta) -> None:
        self.now += passed
        self.latest = max(self.latest, self.now)

    def _apply(self, event: NotificationEvent) -> None:
        state, events = self.episodes[-1]
        self.episodes[-1] = (states.apply_notification_event(state, event), [*events, event])


TestOneUnit = OneUnit.TestCase


@given(passed=clocks)
def test_the_clock_counts_unless_it_is_behind(passed: timedelta) -> None:
    instant = states.next_instant(START + passed, START)
    assert instant == max(START + passed, START + STEP)
