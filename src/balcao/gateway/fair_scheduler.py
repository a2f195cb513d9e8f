"""A turn each: who asks for much waits for themselves, and nobody else waits for them.

What arrives is begun at once, up to a few requests in each turn of the event loop. Those beyond wait by caller, and
later turns begin one of each caller, in between which the loop reads what has come from anybody else. Who waits for
the database waits several turns, so that where somebody else is, or was a moment ago, only every third turn begins any
of those who have more than one waiting; who is alone has a few begun in every one. Requests that wait for something
count from beginning to end: of those a caller has a few at a time.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from balcao.core.http.requests import Request
from balcao.gateway.application import Identity
from balcao.gateway.exchanges import Exchange

# How many requests are begun in one turn of the loop: the time for which somebody else is not read.
_A_TURN = 8
# How many of one caller wait for something at the same time: enough to share look-ups and commits.
_AT_ONCE = 16
# How many turns begin none of who asks for much, after one that did, while there is somebody else: in them the others'
# requests get on. A turn that has nothing to do takes some microseconds.
_PASSED = 2
# For how many turns that begin something a caller counts as accompanied: who asks again as soon as they are answered is
# not there in between, and would find what was begun meanwhile before them.
_ACCOMPANIED = 64


class Waiting(Protocol):
    """A connection, as it is seen from here."""

    def begin(self, exchange: Exchange) -> None:
        """Answer the request."""

    def begin_later(self, exchange: Exchange) -> None:
        """Answer the request and go on, unless the caller has gone: of what was not begun nothing is done."""


class _Caller:
    """One whose requests wait, or are waited for: `unfinished` of them, `is_due` where the next one may begin."""

    __slots__ = ("identity", "is_due", "unfinished", "waiting")

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.unfinished = 0
        self.is_due = False
        self.waiting: deque[tuple[Waiting, Exchange]] = deque()


class FairScheduler:
    """Begins the requests of all connections of a process, in turns; `identify` says whose a request is."""

    def __init__(self, loop: asyncio.AbstractEventLoop, identify: Callable[[Request], Identity]) -> None:
        self._loop = loop
        self._identify = identify
        self._left = _A_TURN
        self._has_next = False
        self._to_pass = 0
        self._accompanied = 0
        self._callers: dict[Identity, _Caller] = {}
        self._due: deque[_Caller] = deque()

    def enter(self, connection: Waiting, exchange: Exchange) -> None:
        """Begin the request now, or when it is its caller's turn."""
        if not self._has_next:
            self._plan_next()
        if self._left and not self._due and not (exchange.endpoint.waits and self._callers):
            self._left -= 1
            connection.begin(exchange)
            if exchange.endpoint.waits and not exchange.is_finished:
                # Nobody else waits, so that whose it is matters only now: most are answered from memory.
                caller = self._find(exchange)
                self._count(caller, exchange)
                self._note(caller)
            return
        caller = self._find(exchange)
        if self._left and not caller.waiting and caller.unfinished < _AT_ONCE:
            self._left -= 1
            self._count(caller, exchange)
            self._note(caller)
            connection.begin(exchange)
            return
        caller.waiting.append((connection, exchange))
        if not caller.is_due:
            self._note(caller)

    def leave(self, exchange: Exchange) -> None:
        """Let the caller's next request begin: this one is finished, or has become a stream."""
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
                self._accompanied = _ACCOMPANIED
            caller = self._callers[identity] = _Caller(identity)
        return caller

    def _count(self, caller: _Caller, exchange: Exchange) -> None:
        if exchange.endpoint.waits and caller.identity.is_bounded:
            caller.unfinished += 1
            exchange.counts_for = caller.identity

    def _note(self, caller: _Caller) -> None:
        """Put the caller into the row of those who are due, or forget one who wants nothing."""
        if caller.is_due:
            return
        if caller.waiting and caller.unfinished < _AT_ONCE:
            caller.is_due = True
            self._due.append(caller)
            if not self._has_next:
                self._plan_next()
        elif not caller.waiting and not caller.unfinished:
            self._callers.pop(caller.identity, None)

    def _plan_next(self) -> None:
        self._has_next = True
        self._loop.call_soon(self._take_turns)

    def _take_turns(self) -> None:
        """Begin one of each caller, as far as this turn of the loop goes; a few of one who is alone."""
        self._left, self._has_next = _A_TURN, False
        if not self._due:
            return
        self._plan_next()
        if self._to_pass and all(len(caller.waiting) > 1 for caller in self._due):
            self._to_pass -= 1
            return
        begun = _A_TURN
        if len(self._callers) > 1:
            self._accompanied = _ACCOMPANIED
        if self._accompanied:
            self._accompanied -= 1
            self._to_pass = _PASSED
            begun = min(len(self._due), _A_TURN)
        self._left -= begun
        while self._due and begun:
            caller = self._due.popleft()
            caller.is_due = False
            connection, exchange = caller.waiting.popleft()
            begun -= 1
            self._count(caller, exchange)
            self._note(caller)
            connection.begin_later(exchange)
