"""Encryption for stored data about people and for cookies: AES-256-GCM, with keys from the settings."""

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


class InvalidSeal(Exception):
    """Raised for a value that cannot be decrypted.

    Its key is unknown, it was encrypted for another context, or it was never encrypted.
    """


class Sealer:
    """Encrypts with the first key and decrypts with any key, so that replacing a key does not end sessions."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [_derive(key) for key in keys]

    def seal(self, place: bytes, text: bytes) -> bytes:
        """Encrypt a string for one context, `place`. The result cannot be decrypted for another context."""
        key, nonce = self._keys[0], os.urandom(_NONCE_BYTES)
        return key.id + nonce + key.cipher.encrypt(nonce, text, place)

    def open(self, place: bytes, sealed: bytes) -> bytes:
        """Decrypt a string that was encrypted for this context, `place`. Raises InvalidSeal for any other value."""
        name, nonce = sealed[:_ID_BYTES], sealed[_ID_BYTES : _ID_BYTES + _NONCE_BYTES]
        for key in self._keys:
            if key.id == name and len(nonce) == _NONCE_BYTES:
                try:
                    return key.cipher.decrypt(nonce, sealed[_ID_BYTES + _NONCE_BYTES :], place)
                except InvalidTag:
                    break
        raise InvalidSeal


def _derive(key: str) -> _Key:
    """Derive a cipher and its id from a key in the settings.

    The id precedes every encrypted text and does not reveal the key.
    """
    # The prefix is part of every stored session. Changing it would log out every user at the next upgrade.
    secret = hashlib.sha256(b"balcao console\0" + key.encode()).digest()
    return _Key(hashlib.sha256(b"id\0" + secret).digest()[:_ID_BYTES], AESGCM(secret))
