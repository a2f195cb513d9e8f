"""The value of the header `Authorization`, and the digest that represents it in caches."""

import hashlib
from typing import Self


class Authorization(bytes):
    """An `Authorization` value that a connection's requests repeat. Its digest is computed once.

    The caller is not cached with it but looked up for each request.
    """

    digest: bytes

    def __new__(cls, value: bytes) -> Self:
        """Compute the digest of the value."""
        made = super().__new__(cls, value)
        made.digest = _make_digest(value)
        return made


def digest_of(authorization: bytes) -> bytes:
    """Return the digest under which a caller is cached. Tokens are credentials, so the cache does not store them.

    The digest is precomputed if the connection repeats the value.
    """
    if isinstance(authorization, Authorization):
        return authorization.digest
    return _make_digest(authorization)


def _make_digest(authorization: bytes) -> bytes:
    return hashlib.blake2b(authorization, digest_size=20).digest()
