"""Fair scheduling of requests: a caller with many requests delays only its own requests.

- A request starts immediately while the current loop iteration has started fewer than `_MOST_STARTED` requests.
- Further requests wait in their caller's queue. Later iterations start one request of each caller (round robin).
  Between iterations the loop reads new input, so other callers are served too.
- A database query takes several iterations. If there are several callers, and every caller in the queue has more than
  one request waiting, two of three iterations start no request, so that requests in flight can progress. A single
  caller is not slowed down.
- A caller has at most `_MOST_IN_FLIGHT` requests in flight that wait for something, such as the database.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Protocol

from balcao.core.http.requests import Request
from balcao.gateway.application import Identity
from balcao.gateway.exchanges import Exchange

# The maximum number of requests started in one loop iteration. While they start, the loop reads no new input.
_MOST_STARTED = 8
# The maximum number of a caller's requests in flight that wait for something. It is large enough for these requests to
# share look-ups and commits.
_MOST_IN_FLIGHT = 16
# If there are several callers, how many iterations start no request after an iteration that started some. In these
# iterations, requests in flight progress. An empty iteration takes some microseconds.
_EMPTY_ITERATIONS = 2
# After a second caller was seen, assume for this many iterations with starts that there are still several callers. A
# caller that sends each request only after the previous response has no request in between. Without this assumption,
# its next request would wait behind a full burst from another caller.
_SEVERAL_CALLERS_ITERATIONS = 64


class QueuedConnection(Protocol):
    """The methods of `wire.Connection` that the scheduler calls."""

    def start(self, exchange: Exchange) -> None:
        """Start the request."""

    def start_queued(self, exchange: Exchange) -> None:
        """Start a request that has waited in a queue. Drop it if its caller has disconnected."""


class _Caller:
    """A caller with `waiting` and `unfinished` requests. `is_due`: the caller is in the queue `_due`."""

    __slots__ = ("identity", "is_due", "unfinished", "waiting")

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.unfinished = 0
        self.is_due = False
        self.waiting: deque[tuple[QueuedConnection, Exchange]] = deque()


class FairScheduler:
    """Schedules the requests of all connections of a process. `identify` returns the caller of a request."""

    def __init__(self, loop: asyncio.AbstractEventLoop, identify: Callable[[Request], Identity]) -> None:
        self._loop = loop
        self._identify = identify
        self._starts_left = _MOST_STARTED
        self._has_next = False
        self._empty_left = 0
        self._several_callers_left = 0
        self._callers: dict[Identity, _Caller] = {}
        self._due: deque[_Caller] = deque()

    def enter(self, connection: QueuedConnection, exchange: Exchange) -> None:
        """Start a request now, or queue it."""
        if not self._has_next:
            self._plan_next()
        if self._starts_left and not self._due and not (exchange.endpoint.waits and self._callers):
            self._starts_left -= 1
            connection.start(exchange)
            if exchange.endpoint.waits and not exchange.is_finished:
                # Identify the caller only now, because most requests are answered from memory before their caller must
                # be known.
                caller = self._find(exchange)
                self._count(caller, exchange)
                self._note(caller)
            return
        caller = self._find(exchange)
        if self._starts_left and not caller.waiting and caller.unfinished < _MOST_IN_FLIGHT:
            self._starts_left -= 1
            self._count(caller, exchange)
            self._note(caller)
            connection.start(exchange)
            return
        caller.waiting.append((connection, exchange))
        if not caller.is_due:
            self._note(caller)

    def leave(self, exchange: Exchange) -> None:
        """Release the slot of a request that has finished or has become a stream."""
        exchange.is_finished = True
        exchange.release()
        if exchange.counts_for is not None:
            caller = self._callers[exchange.counts_for]
            exchange.counts_for = None
            caller.unfinished -= 1
            if not caller.is_due:
                self._note(caller)

    def _find(self, exchange: Exchange) -> _Caller:
        identity = self._identify(exchange.request)
        caller = self._callers.get(identity)
        if caller is None:
            if self._callers:
                self._several_callers_left = _SEVERAL_CALLERS_ITERATIONS
            caller = self._callers[identity] = _Caller(identity)
        return caller

    def _count(self, caller: _Caller, exchange: Exchange) -> None:
        if exchange.endpoint.waits and caller.identity.is_bounded:
            caller.unfinished += 1
            exchange.counts_for = caller.identity

    def _note(self, caller: _Caller) -> None:
        """Queue the caller if it may start a request. Forget a caller without waiting or unfinished requests."""
        if caller.is_due:
            return
        if caller.waiting and caller.unfinished < _MOST_IN_FLIGHT:
            caller.is_due = True
            self._due.append(caller)
            if not self._has_next:
                self._plan_next()
        elif not caller.waiting and not caller.unfinished:
            self._callers.pop(caller.identity, None)

    def _plan_next(self) -> None:
        self._has_next = True
        # Use an empty context. The current context may belong to a request that has just finished.
        self._loop.call_soon(self._start_due, context=Context())

    def _start_due(self) -> None:
        """Start one request of each caller in the queue, or up to `_MOST_STARTED` requests of a single caller."""
        self._starts_left, self._has_next = _MOST_STARTED, False
        if not self._due:
            return
        self._plan_next()
        if self._empty_left and all(len(caller.waiting) > 1 for caller in self._due):
            self._empty_left -= 1
            return
        starting = _MOST_STARTED
        if len(self._callers) > 1:
            self._several_callers_left = _SEVERAL_CALLERS_ITERATIONS
        if self._several_callers_left:
            self._several_callers_left -= 1
            self._empty_left = _EMPTY_ITERATIONS
            starting = min(len(self._due), _MOST_STARTED)
        self._starts_left -= starting
        while self._due and starting:
            caller = self._due.popleft()
            caller.is_due = False
            connection, exchange = caller.waiting.popleft()
            starting -= 1
            self._count(caller, exchange)
            self._note(caller)
            connection.start_queued(exchange)
