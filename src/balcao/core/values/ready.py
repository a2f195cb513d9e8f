"""A body that is serialised once and sent many times."""

from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

from balcao.core.values.etags import etag_of


@dataclass(frozen=True, slots=True)
class Ready:
    """A body that was serialised once, and its strong ETag.

    `responses` are what was made of it for the wire, by their `Cache-Control`.
    """

    body: bytes
    etag: str
    responses: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, value: Any) -> Self:
        """Serialise the value."""
        body = msgspec.json.encode(value)
        return cls(body, etag_of(body))
