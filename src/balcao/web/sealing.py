"""Encrypt what pages store about people or put into cookies: AES-256-GCM, with keys from the settings."""

import hashlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ID_BYTES, _NONCE_BYTES = 4, 12


class _Key(NamedTuple):
    id: bytes
    cipher: AESGCM


class SealBroken(Exception):
    """The sealed text was made with another key or for another place, or is not a sealed text at all."""


class Sealer:
    """Seals with the first key and opens with any key, so that a key can be replaced without ending sessions."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [_derive(key) for key in keys]

    def seal(self, place: bytes, text: bytes) -> bytes:
        """Return the text sealed for this place. It cannot be opened for another place."""
        key, nonce = self._keys[0], os.urandom(_NONCE_BYTES)
        return key.id + nonce + key.cipher.encrypt(nonce, text, place)

    def open(self, place: bytes, sealed: bytes) -> bytes:
        """Return the text that was sealed for this place. Raises SealBroken."""
        name, nonce = sealed[:_ID_BYTES], sealed[_ID_BYTES : _ID_BYTES + _NONCE_BYTES]
        for key in self._keys:
            if key.id == name and len(nonce) == _NONCE_BYTES:
                try:
                    return key.cipher.decrypt(nonce, sealed[_ID_BYTES + _NONCE_BYTES :], place)
                except InvalidTag:
                    break
        raise SealBroken


def _derive(key: str) -> _Key:
    """Derive a key from the text of a setting. The id precedes every sealed text and reveals nothing about the key."""
    # The prefix is part of every stored session. Changing it would log out every user at the next upgrade.
    secret = hashlib.sha256(b"balcao console\0" + key.encode()).digest()
    return _Key(hashlib.sha256(b"id\0" + secret).digest()[:_ID_BYTES], AESGCM(secret))
