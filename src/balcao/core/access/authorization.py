"""The value of the header `Authorization`, and the digest that represents it in caches."""

import hashlib
from typing import Self


class Authorization(bytes):
    """An `Authorization` value that several requests of a connection repeat. Its digest is computed once.

    The connection stores only the value and its digest. Every request looks up the caller again.
    """

    digest: bytes

    def __new__(cls, value: bytes) -> Self:
        """Compute the digest of the value."""
        made = super().__new__(cls, value)
        made.digest = _make_digest(value)
        return made


def digest_of(authorization: bytes) -> bytes:
    """Return the cache key of an `Authorization` value. Tokens are credentials, so the cache does not store them.

    An `Authorization` object already contains the digest.
    """
    if isinstance(authorization, Authorization):
        return authorization.digest
    return _make_digest(authorization)


def _make_digest(authorization: bytes) -> bytes:
    return hashlib.blake2b(authorization, digest_size=20).digest()
