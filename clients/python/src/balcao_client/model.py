"""The base classes of the generated types."""

from enum import StrEnum
from typing import Self

import msgspec


class Model(msgspec.Struct, dict=True, omit_defaults=True):
    """A request or response body. Members without a value are not sent."""

    @property
    def etag(self) -> str | None:
        """The response's `ETag`, for `if_match`.

        The value is None if the object was not received, or if its response had no ETag.
        """
        return self.__dict__.get("etag")

    def attach_etag(self, etag: str | None) -> None:
        """Attach the response's `ETag`. It is not a member of the body, so it is neither sent nor compared."""
        self.__dict__["etag"] = etag


class OpenEnum(StrEnum):
    """An enumeration that accepts unknown values unchanged, because a newer platform may send more."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown
