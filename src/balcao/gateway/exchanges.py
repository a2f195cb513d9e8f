"""What the receiving side of a connection passes to its answering side: requests and refusals."""

from typing import Any, NamedTuple

from balcao.core.http.endpoint import Endpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.gateway.application import Identity
from balcao.gateway.quotas import Quota


class Exchange:
    """One request and its endpoint.

    `keep`: the connection stays open after the response. `is_old`: the request is HTTP/1.0. `fair_scheduler` sets two
    attributes: `counts_for` is the caller among whose unfinished requests this request is counted, and `is_finished`
    means that it is no longer counted. `size` is the size of the head and the body in bytes. `held` is the number of
    body bytes counted in the caller's quota.
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
        """Count `amount` more bytes of the body. Return whether the caller's quota allows them."""
        is_allowed = self._bodies.reserve(self.request.peer, amount)
        self.held += amount if is_allowed else 0
        return is_allowed

    def release(self) -> None:
        """Release the quota for the body's bytes, because the request was answered or dropped."""
        if self.held:
            self._bodies.release(self.request.peer, self.held)
            self.held = 0


class Refusal(NamedTuple):
    """A refusal by the server itself. `page` is an HTML page, if a person may have opened the path in a browser."""

    status: int
    page: Response[Any] | None = None

    @property
    def size(self) -> int:
        """Return 0, because a refusal stores no body."""
        return 0

    def release(self) -> None:
        """Do nothing, because a refusal stores no body."""
