"""Texts that only the platform can read, sealed with a key derived from its hash key for one purpose."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from balcao.core.context.audit import HashKey

_SEAL = {"alg": "dir", "enc": "A256GCM"}


def seal_text(key: HashKey, purpose: str, text: str) -> str:
    """Return the sealed text. `purpose` is a word of at most 16 bytes."""
    return seal_texts(key, purpose, [text])[0]


def seal_texts(key: HashKey, purpose: str, texts: Iterable[str]) -> list[str]:
    """Return each text sealed as by `seal_text`. A thousand short texts take about 20 ms."""
    derived = _make_key(key, purpose)
    return [jwe.encrypt_compact(_SEAL, text, derived) for text in texts]


def unseal_text(keys: Sequence[HashKey], purpose: str, sealed: str) -> str:
    """Return the text that was sealed with one of the keys. Raises JoseError if no key fits."""
    # Try the current key last, so that its exception is raised if no key fits.
    for former in keys[1:][::-1]:
        with suppress(JoseError):
            return _open(former, purpose, sealed)
    return _open(keys[0], purpose, sealed)


def _open(key: HashKey, purpose: str, sealed: str) -> str:
    return (jwe.decrypt_compact(sealed, _make_key(key, purpose)).plaintext or b"").decode()


def _make_key(key: HashKey, purpose: str) -> OctKey:
    return OctKey.import_key(key.derive(purpose))
