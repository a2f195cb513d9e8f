"""The base classes of the generated types."""

from enum import StrEnum
from typing import Self

import msgspec


class Model(msgspec.Struct, dict=True, omit_defaults=True):
    """A request or response body. Members without a value are not sent."""

    @property
    def etag(self) -> str | None:
        """The `ETag` of this response, for `if_match`. It is None for a body that was not received or has no ETag."""
        return self.__dict__.get("etag")

    def attach_etag(self, etag: str | None) -> None:
        """Attach the response's `ETag`. It is not a member, so it is neither sent nor compared."""
        self.__dict__["etag"] = etag


class OpenEnum(StrEnum):
    """The values that the API has today. A newer platform may send others, which are accepted unchanged."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown
