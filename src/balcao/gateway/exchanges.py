"""What a connection's receiving side hands to its answering side: whole requests, and refusals of the wire's own."""

from typing import Any, NamedTuple

from balcao.core.http.endpoint import Endpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.gateway.application import Identity
from balcao.gateway.quotas import Quota


class Exchange:
    """One request and what answers it; `keep` says whether the connection goes on, `is_old` that it is HTTP/1.0.

    `counts_for` names the caller of whose unfinished requests it is one; `is_finished` says that nobody waits for its
    end any more (`turns`). `size` is that of its head and body, `held` how much of the body the caller's quota counts.
    """

    __slots__ = ("_bodies", "counts_for", "endpoint", "held", "is_finished", "is_old", "keep", "request", "size")

    def __init__(self, endpoint: Endpoint, request: Request, bodies: Quota, *, keep: bool, is_old: bool) -> None:
        self.endpoint = endpoint
        self.request = request
        self.keep = keep
        self.is_old = is_old
        self.counts_for: Identity | None = None
        self.is_finished = False
        self.size = self.held = 0
        self._bodies = bodies

    def hold(self, amount: int) -> bool:
        """Count so much more of the body, if the caller's quota allows it."""
        is_allowed = self._bodies.take(self.request.peer, amount)
        self.held += amount if is_allowed else 0
        return is_allowed

    def release(self) -> None:
        """Count the body no more: the request was answered, or will not be."""
        if self.held:
            self._bodies.give_back(self.request.peer, self.held)
            self.held = 0


class Refusal(NamedTuple):
    """What the wire answers by itself; only where people ask by a browser it has a page."""

    status: int
    page: Response[Any] | None = None

    @property
    def size(self) -> int:
        """Return 0: no body is kept."""
        return 0

    def release(self) -> None:
        """Do nothing: no body is kept."""
