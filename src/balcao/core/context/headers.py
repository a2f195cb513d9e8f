"""The headers of a request, as the server passes them."""

from collections.abc import Iterable
from typing import Self

AUTHORIZATION = b"authorization"


class Headers(dict[bytes, bytes]):
    """Values by lower-case name. The last value of a repeated header wins."""

    __slots__ = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[bytes, bytes]]) -> Self:
        """Read the pairs of an ASGI scope.

        Two `Authorization` headers count as one empty header, because a proxy in front of us may have checked the other
        one.
        """
        pairs = pairs if isinstance(pairs, list) else list(pairs)
        headers = cls(pairs)
        if len(headers) != len(pairs) and sum(name == AUTHORIZATION for name, _ in pairs) > 1:
            headers[AUTHORIZATION] = b""
        return headers

    def text(self, name: bytes) -> str | None:
        """Return the value as text: UTF-8 if it is valid, otherwise Latin-1."""
        value = self.get(name)
        if value is None:
            return None
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.decode("latin-1")


NO_HEADERS = Headers()
