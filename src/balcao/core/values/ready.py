"""A body that is serialised once and sent many times."""

from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

from balcao.core.values.etags import etag_of


@dataclass(frozen=True, slots=True)
class Ready:
    """A serialised body and its strong ETag. `responses` caches the responses with this body, by `Cache-Control`."""

    body: bytes
    etag: str
    responses: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, value: Any) -> Self:
        """Serialise the value."""
        body = msgspec.json.encode(value)
        return cls(body, etag_of(body))
