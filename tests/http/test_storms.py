"""During a storm, well-behaved callers always get responses. After the storm, no resources stay occupied."""

from collections.abc import Iterator

import msgspec
import psutil
import pytest

from balcao.gateway.limits import Limits
from tests.http.connection import Connection
from tests.http.process import running
from tests.http.requests import THEN
from tests.http.storms import LAST, RESET, SLOW, Honest, Phase, Storm
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import report, size

pytestmark = pytest.mark.long

CALLERS = size(20, 3_000)
ROUNDS = size(2, 4)
SECONDS = size(1, 10) / 5
# The two well-behaved callers may use these additional files, because their connections may still be closing.
FILES = 4
MIB = 1024 * 1024
# The growth that allocator fragmentation may cause, whatever the number of callers.
ALLOWED_BYTES = 32 * MIB
# The memory that a caller may use during the storm, for a partial body or an unread response.
ALLOWED_BY_CALLER = MIB // 2

Process = tuple[psutil.Process, int]


def _run(limits: Limits) -> Iterator[Process]:
    with running("tests.http.stormed", msgspec.json.encode(limits).decode()) as process:
        yield process


@pytest.fixture(scope="module")
def patient() -> Iterator[Process]:
    """Yield a server with a slot for each caller, and with deadlines that no test reaches.

    All callers have the same address, which may hold less than a fifth of the slots.
    """
    places = 6 * (CALLERS + 10)
    yield from _run(
        Limits(
            connections=places,
            address_connections=places,
            head_seconds=PATIENCE,
            body_seconds=PATIENCE,
            unread_seconds=PATIENCE,
        )
    )


@pytest.fixture(scope="module")
def hasty() -> Iterator[Process]:
    """Yield a server with short deadlines, and with slots for only half of the callers."""
    yield from _run(
        Limits(connections=CALLERS // 2, head_seconds=SECONDS, body_seconds=SECONDS, unread_seconds=SECONDS)
    )


@pytest.mark.parametrize("phase", [*SLOW, *RESET], ids=lambda phase: phase.name)
def test_honest_callers_are_answered_throughout_and_nothing_is_left(patient: Process, phase: Phase) -> None:
    """The callers reset their connections in every second round, and close them in the other rounds.

    Only growth in the last round counts, because earlier rounds fill the caches that all callers share. The growth
    varies: a stream of events may have 100 kB of unread data for each caller that leaves.
    """
    child, port = patient
    files, memory, most = child.num_fds(), [], []
    with Honest(port) as honest:
        for number in range(ROUNDS):
            with Storm(port, phase, CALLERS, resets=number % 2 == 0) as storm:
                for _ in range(3):
                    storm.send_on()
                    honest.until_answered()
                most.append(child.memory_info().rss)
            until_now(lambda: child.num_fds() <= files + FILES)
            memory.append(child.memory_info().rss)
    grown, during = memory[-1] - max(memory[:-1]), max(most) - memory[0]
    report(
        f"{phase.name}: {honest.answered} answered; {during / MIB:+.1f} MB under the storm, {grown / MIB:+.1f} after"
    )
    assert grown < ALLOWED_BYTES
    assert during < ALLOWED_BYTES + CALLERS * ALLOWED_BY_CALLER


@pytest.mark.parametrize("phase", SLOW, ids=lambda phase: phase.name)
def test_deadlines_end_a_storm_that_takes_every_place(hasty: Process, phase: Phase) -> None:
    _, port = hasty
    with Storm(port, phase, CALLERS, resets=True) as storm:

        def is_over() -> bool:
            storm.send_on()
            return _is_answered(port)

        until_now(is_over)


def _is_answered(port: int) -> bool:
    """Return whether a well-behaved caller gets a response. If it was too slow for the deadlines, try again."""
    with Connection(port) as connection:
        connection.send(LAST)
        return connection.answers() == [THEN]
