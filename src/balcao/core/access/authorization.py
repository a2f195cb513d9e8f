"""The value of the header `Authorization`, and the digest that represents it in caches."""

import hashlib
from typing import Self


class Authorization(bytes):
    """An `Authorization` value that several requests of a connection send. Its digest is computed once.

    The caller is not stored with it. Each request looks up the caller again.
    """

    digest: bytes

    def __new__(cls, value: bytes) -> Self:
        """Compute the digest of the value."""
        made = super().__new__(cls, value)
        made.digest = _make_digest(value)
        return made


def digest_of(authorization: bytes) -> bytes:
    """Return the digest under which a caller is cached. The cache stores no tokens, because they are credentials.

    The digest of an `Authorization` is already computed.
    """
    if isinstance(authorization, Authorization):
        return authorization.digest
    return _make_digest(authorization)


def _make_digest(authorization: bytes) -> bytes:
    return hashlib.blake2b(authorization, digest_size=20).digest()
