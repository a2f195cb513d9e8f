"""The limits of connections and requests of one process, as the settings have them."""

from typing import Self

import msgspec

from balcao.settings import Settings


class Limits(msgspec.Struct, frozen=True):
    """`address_connections` are those of one address; `body_bytes` is the memory for all request bodies.

    `head_seconds` also ends an idle connection; `unread_seconds` one whose caller takes nothing of a response.

    `settling_seconds` passes between the last accepted connection and the first one that is closed, so that a caller
    who has just connected still gets a response; `drain_seconds` is how long requests in flight may take to end.
    """

    connections: int = 4096
    address_connections: int = 256
    body_bytes: int = 268_435_456
    head_bytes: int = 65_536
    head_seconds: float = 30.0
    body_seconds: float = 30.0
    unread_seconds: float = 30.0
    settling_seconds: float = 0.2
    drain_seconds: float = 10.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return those of a process that callers reach."""
        return cls(
            connections=settings.max_connections,
            address_connections=settings.max_address_connections,
            body_bytes=settings.max_body_memory,
            head_bytes=settings.max_header_bytes,
            head_seconds=settings.header_timeout,
            body_seconds=settings.body_timeout,
            drain_seconds=settings.shutdown_timeout,
        )
