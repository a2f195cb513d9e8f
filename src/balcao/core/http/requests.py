"""A request as the server received it, before anything is checked."""

import re
from collections.abc import Collection, Mapping, Sequence
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from uuid_utils import uuid7

from balcao.core.context.headers import NO_HEADERS, Headers

# Ids that callers send are taken over only in a form that cannot be a CPF or a phone number.
_REQUEST_ID = re.compile(rb"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


class Request:
    """`path` is the raw path without query; `peer` the address from which the connection was opened.

    `prefix` is the gateway's in front of the matched path, `path_values` the values of its parameters in their order,
    `content` the whole body, None for one that was too large. All three are set on the way to the handler.
    `is_added_up` is set where the response stands in a summary and has no line of its own in the log, `is_apart` where
    it is counted by itself and not among the service's responses. `client_key` is whose call it is, once that is known,
    and `refused_because` which check its token failed.
    """

    __slots__ = (
        "client_key",
        "content",
        "headers",
        "id",
        "is_added_up",
        "is_apart",
        "method",
        "path",
        "path_values",
        "peer",
        "prefix",
        "query_string",
        "refused_because",
        "started",
    )

    def __init__(
        self, method: str, path: bytes, query_string: bytes = b"", headers: Headers = NO_HEADERS, peer: str = ""
    ) -> None:
        self.method = method
        self.path = path
        self.query_string = query_string
        self.headers = headers
        self.peer = peer
        self.prefix = ""
        self.path_values: Sequence[str] = ()
        self.content: bytes | None = b""
        self.is_added_up = False
        self.is_apart = False
        self.client_key: tuple[str, str] | None = None
        self.refused_because: str | None = None
        self.started = perf_counter()
        sent = headers.get(b"x-request-id")
        self.id = sent.decode("ascii") if sent is not None and _REQUEST_ID.fullmatch(sent) else str(uuid7())

    def query(self, repeated: Collection[str] = ()) -> Mapping[str, Any]:
        """Return the query as text; of a parameter that comes twice the first counts.

        Those named in `repeated` are lists of what came, absent where nothing did.
        """
        found: dict[str, Any] = {}
        for name, value in parse_qsl(self.query_string.decode("latin-1"), keep_blank_values=True):
            if name in repeated:
                found.setdefault(name, []).append(value)
            else:
                found.setdefault(name, value)
        return found
