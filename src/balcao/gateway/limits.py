"""The limits for connections and requests of one process, from the settings."""

from typing import Self

import msgspec

from balcao.settings import Settings


class Limits(msgspec.Struct, frozen=True):
    """The limits of one server.

    - `address_connections` limits the connections of one address.
    - `body_bytes` is the memory for all request bodies.
    - `head_seconds` is the time within which the head of a request must arrive, and for which a connection may be idle.
    - `unread_seconds` is the time after which a connection is closed if its caller reads nothing more of a response.
    - `settling_seconds` is how long a stopping server waits between accepting its last connection and closing the
      first, so that a caller who has just connected still gets a response.
    - `drain_seconds` is the time that requests in flight have to finish.
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
        """Return the limits for a process that serves callers."""
        return cls(
            connections=settings.max_connections,
            address_connections=settings.max_address_connections,
            body_bytes=settings.max_body_memory,
            head_bytes=settings.max_header_bytes,
            head_seconds=settings.header_timeout,
            body_seconds=settings.body_timeout,
            drain_seconds=settings.shutdown_timeout,
        )
