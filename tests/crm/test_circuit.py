"""The states of the circuit breaker, with a clock that the test controls."""

from collections import deque

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from balcao.core.errors import NotFound
from balcao.crm.circuit import FIRST_OPEN_SECONDS, IN_A_ROW, LONGEST_OPEN_SECONDS, WINDOW, Circuit, State
from balcao.crm.failures import CrmAway


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class CircuitMachine(RuleBasedStateMachine):
    """Compares the circuit breaker with a simple model of its rules (rules: registry 4.5)."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.circuit = Circuit(self.clock)
        self.outcomes: list[bool] = []  # outcomes since the circuit was last closed
        self.opened_at: float | None = None
        self.open_for = FIRST_OPEN_SECONDS
        self.probe: int | None = None
        self.stale: deque[int] = deque(maxlen=5)

    @property
    def may_probe(self) -> bool:
        return self.opened_at is not None and self.clock.now >= self.opened_at + self.open_for and self.probe is None

    @precondition(lambda self: self.opened_at is None)
    @rule(good=st.booleans())
    def a_call_ends(self, good: bool) -> None:
        admitted = self.circuit.admit()
        self.stale.append(admitted)
        (self.circuit.record_success if good else self.circuit.record_failure)(admitted)
        self.outcomes.append(good)
        in_a_row = len(self.outcomes) >= IN_A_ROW and not any(self.outcomes[-IN_A_ROW:])
        half = len(self.outcomes) >= WINDOW and self.outcomes[-WINDOW:].count(False) >= WINDOW / 2
        if in_a_row or half:
            self.opened_at, self.open_for = self.clock.now, FIRST_OPEN_SECONDS

    @precondition(lambda self: self.may_probe)
    @rule()
    def the_probe_starts(self) -> None:
        self.probe = self.circuit.admit()

    @precondition(lambda self: self.probe is not None)
    @rule(outcome=st.sampled_from(["good", "bad", "cancelled"]))
    def the_probe_ends(self, outcome: str) -> None:
        assert self.probe is not None
        if outcome == "cancelled":
            self.circuit.record_abandonment(self.probe)
        elif outcome == "good":
            self.circuit.record_success(self.probe)
            self.opened_at, self.outcomes = None, [True]
        else:
            self.circuit.record_failure(self.probe)
            self.opened_at, self.open_for = self.clock.now, min(self.open_for * 2, LONGEST_OPEN_SECONDS)
        self.probe = None

    @precondition(lambda self: self.opened_at is not None and not self.may_probe)
    @rule()
    def other_calls_are_refused(self) -> None:
        with pytest.raises(CrmAway) as raised:
            self.circuit.admit()
        assert raised.value.retry_after is not None
        assert raised.value.retry_after >= 1

    @precondition(lambda self: self.opened_at is not None and self.stale)
    @rule(good=st.booleans())
    def a_call_from_before_ends_late(self, good: bool) -> None:
        (self.circuit.record_success if good else self.circuit.record_failure)(self.stale[0])

    @rule(seconds=st.sampled_from([0.5, 10.0, 30.0, 60.0, 300.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def the_state_is_the_one_that_the_rules_give(self) -> None:
        expected = State.CLOSED if self.opened_at is None else State.HALF_OPEN if self.may_probe else State.OPEN
        assert self.circuit.state is expected


TestCircuit = CircuitMachine.TestCase


def fail(circuit: Circuit, times: int) -> None:
    for _ in range(times):
        with pytest.raises(CrmAway), circuit.guard():
            raise CrmAway


def test_the_open_time_doubles_up_to_its_limit() -> None:
    clock = Clock()
    circuit = Circuit(clock)
    fail(circuit, IN_A_ROW)
    waits = []
    for _ in range(6):
        waits.append(circuit.seconds_until_probe)
        clock.now += waits[-1]
        fail(circuit, 1)
    assert waits == [30, 60, 120, 240, 300, 300]


def test_an_answer_of_any_kind_counts_as_success() -> None:
    circuit = Circuit(Clock())
    fail(circuit, IN_A_ROW - 1)
    with pytest.raises(NotFound), circuit.guard():
        raise NotFound
    fail(circuit, IN_A_ROW - 1)
    assert circuit.state is State.CLOSED


def test_a_cancelled_probe_leaves_the_place_to_the_next_one() -> None:
    clock = Clock()
    circuit = Circuit(clock)
    fail(circuit, IN_A_ROW)
    clock.now += FIRST_OPEN_SECONDS
    with pytest.raises(KeyboardInterrupt), circuit.guard():
        raise KeyboardInterrupt
    states = []
    with circuit.guard():
        states.append(circuit.state)
    states.append(circuit.state)
    assert states == [State.OPEN, State.CLOSED]
