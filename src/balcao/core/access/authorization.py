"""The value of the header `Authorization`, and what stands for it in memory."""

import hashlib
from typing import Self


class Authorization(bytes):
    """The value that a connection's requests repeat: its digest is made once.

    Nothing else is remembered with it. Whom it stands for, if anybody, is looked up for each request.
    """

    digest: bytes

    def __new__(cls, value: bytes) -> Self:
        """Make the digest of the value."""
        made = super().__new__(cls, value)
        made.digest = _make_digest(value)
        return made


def digest_of(authorization: bytes) -> bytes:
    """Return what stands for the value where callers are remembered: tokens are credentials and are not stored there.

    Where it came over a connection that goes on repeating it, the digest is there already.
    """
    if isinstance(authorization, Authorization):
        return authorization.digest
    return _make_digest(authorization)


def _make_digest(authorization: bytes) -> bytes:
    return hashlib.blake2b(authorization, digest_size=20).digest()
