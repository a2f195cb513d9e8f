"""What the generated types stand on."""

from enum import StrEnum
from typing import Self

import msgspec


class Model(msgspec.Struct, dict=True, omit_defaults=True):
    """A body that is sent or received; members that were not given are not sent."""

    @property
    def etag(self) -> str | None:
        """The `ETag` that came with this response, for `if_match`; None for what was not received, or has none."""
        return self.__dict__.get("etag")

    def attach_etag(self, etag: str | None) -> None:
        """Attach the response's `ETag`, which is no member: it is neither sent nor compared."""
        self.__dict__["etag"] = etag


class OpenEnum(StrEnum):
    """Values that the API knows today; a newer platform may send others, which are taken as they are."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown
