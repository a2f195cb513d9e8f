"""The request as the server received it, before any checks."""

import re
from collections.abc import Collection, Mapping, Sequence
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from uuid_utils import uuid7

from balcao.core.context.headers import NO_HEADERS, Headers
from balcao.core.errors import Invalid

# Accept a caller's request id only in the form of a UUID, which cannot be a CPF or a phone number.
_REQUEST_ID = re.compile(rb"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
# The maximum number of query parameters. The longest list that an operation accepts has a hundred values.
_MOST_PARAMETERS = 500


class Request:
    """A request.

    - `path`: the raw path without the query.
    - `peer`: the caller's own address, even behind trusted proxies (`gateway.proxies`).
    - `prefix`: the gateway's prefix, which precedes the matched path.
    - `path_values`: the values of the path's parameters in their order.
    - `content`: the whole body, or None if it was too large.
    - `is_added_up`: the log contains the response only in a summary, without its own line.
    - `is_apart`: the response is counted separately from the service's other responses.
    - `client_key`: the client to which the call is attributed, once it is known.
    - `refused_because`: the reason why the token was refused.

    `prefix`, `path_values` and `content` are set before the handler runs.
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
        """Return the query parameters as text. The first value of a repeated parameter wins.

        The parameters in `repeated` are lists of all their values. A parameter that was not sent is absent. Raises
        Invalid if there are too many parameters.
        """
        text, found = self.query_string.decode("latin-1"), dict[str, Any]()
        try:
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
        except ValueError:
            raise Invalid(f"A consulta pode ter até {_MOST_PARAMETERS} parâmetros.") from None
        for name, value in pairs:
            if name in repeated:
                found.setdefault(name, []).append(value)
            else:
                found.setdefault(name, value)
        return found
