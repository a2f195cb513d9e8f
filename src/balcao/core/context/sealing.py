"""Texts that only the platform can read.

They are sealed with a key that is derived from its hash key for one purpose.
"""

import base64
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from balcao.core.context.audit import HashKey

_NONCE_BYTES = 12
_SEAL = {"alg": "dir", "enc": "A256GCM"}


def seal_text(key: HashKey, purpose: str, text: str) -> str:
    """Seal a string. `purpose` is a name of at most 16 bytes."""
    return jwe.encrypt_compact(_SEAL, text, _make_key(key, purpose))


def unseal_text(keys: Sequence[HashKey], purpose: str, sealed: str) -> str:
    """Unseal a string that was sealed with one of the keys. Raises JoseError if no key fits."""
    # Try the current key last, so that its exception is raised if no key fits.
    for former in keys[1:][::-1]:
        with suppress(JoseError):
            return _open(former, purpose, sealed)
    return _open(keys[0], purpose, sealed)


def seal_briefly(key: HashKey, purpose: str, texts: Iterable[str]) -> list[str]:
    """Seal each string in a form that is short enough for a link.

    Sealing a thousand strings takes two milliseconds.
    """
    cipher = AESGCM(key.derive(purpose))
    nonces = ((text, os.urandom(_NONCE_BYTES)) for text in texts)
    return [_encode(nonce + cipher.encrypt(nonce, text.encode(), None)) for text, nonce in nonces]


def unseal_briefly(keys: Sequence[HashKey], purpose: str, sealed: str) -> str | None:
    """Unseal a string that `seal_briefly` sealed. Return None if none of the keys fits."""
    content = _decode(sealed)
    if len(content) <= _NONCE_BYTES:
        return None
    for key in keys:
        with suppress(InvalidTag):
            cipher = AESGCM(key.derive(purpose))
            return cipher.decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], None).decode()
    return None


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decode(text: str) -> bytes:
    """Return the decoded bytes, or no bytes if `_encode` would not return exactly this string for them."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return b""
    return content if _encode(content) == text else b""


def _open(key: HashKey, purpose: str, sealed: str) -> str:
    return (jwe.decrypt_compact(sealed, _make_key(key, purpose)).plaintext or b"").decode()


def _make_key(key: HashKey, purpose: str) -> OctKey:
    return OctKey.import_key(key.derive(purpose))
