"""The provider's signing keys.

The keys are stored in a file, and a command rotates them. Old keys remain published as long as tokens may need them.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

from balcao.core.logs import log
from balcao.settings import Settings, SettingsError

BITS = 2048
# A new key is published immediately, but is used for signing only after this time. A service that has just fetched the
# keys waits a few seconds before it fetches them again. Without this delay, it could not verify the first tokens that
# the new key signs.
SIGNS_AFTER_SECONDS = 15
# Old keys stay published for longer than the lifetime of any token (`demo.LONGEST_ACCESS_SECONDS`) plus the verifier's
# leeway.
PUBLISHED_SECONDS = 3900


class StoredKey(msgspec.Struct, frozen=True):
    """A key as stored in the file. `jwk` contains the private key. `made_at` is in Unix seconds."""

    made_at: float
    jwk: dict[str, Any]


class SigningKeys:
    """The provider's keys.

    If the file has changed, the next use loads it again. The constructor raises SettingsError if the file is not
    usable.
    """

    def __init__(self, settings: Settings) -> None:
        self._path = _locate_file(settings)
        with _lock(self._path):
            if not self._path.exists():
                _write(self._path, [_make_key()])
        self._seen = _read_stamp(self._path)
        self._made_at, self._keys = _import_keys(_read(self._path))

    @property
    def signing(self) -> RSAKey:
        """Return the key for signing: the newest key that has been published long enough, or else the oldest key."""
        self._reload_if_changed()
        ready = [i for i, made_at in enumerate(self._made_at) if made_at <= time.time() - SIGNS_AFTER_SECONDS]
        return self._keys[ready[-1] if ready else 0]

    @property
    def all(self) -> KeySet:
        """Return all keys that may have signed a token."""
        self._reload_if_changed()
        return KeySet(list(self._keys))

    def export_public(self) -> dict[str, Any]:
        """Return the JWKS document. It contains no private key material."""
        self._reload_if_changed()
        return {"keys": [key.as_dict(private=False, use="sig", alg="RS256") for key in self._keys]}

    def _reload_if_changed(self) -> None:
        """Load the file again if it has changed. If it is not usable, the loaded keys remain in use."""
        stamp = _read_stamp(self._path)
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self._made_at, self._keys = _import_keys(_read(self._path))
        except SettingsError:
            log.warning("identity.key_file_unusable")


def rotate_keys(settings: Settings) -> str:
    """Add a key, remove keys that are no longer needed, and return the new key's id.

    The new key is used for signing after `SIGNS_AFTER_SECONDS`. Raises SettingsError if the file is not usable.
    """
    path = _locate_file(settings)
    made = _make_key()
    with _lock(path):
        stored = _read(path) if path.exists() else []
        _write(path, [*_list_needed(stored, time.time()), made])
    return str(made.jwk["kid"])


def _list_needed(stored: Sequence[StoredKey], now: float) -> list[StoredKey]:
    """Return the keys that some token may still need.

    A key may sign tokens until its successor starts to sign. The newest key is always needed.
    """
    ended = [*(key.made_at for key in stored[1:]), now]
    return [key for number, key in enumerate(stored) if ended[number] > now - PUBLISHED_SECONDS]


def _make_key() -> StoredKey:
    """Generate a key. Its id is its thumbprint (RFC 7638)."""
    key = RSAKey.generate_key(BITS, private=True, auto_kid=True)
    return StoredKey(time.time(), dict(key.as_dict(private=True)))


def _import_keys(stored: Sequence[StoredKey]) -> tuple[list[float], list[RSAKey]]:
    try:
        keys = [RSAKey.import_key(key.jwk) for key in stored]
    except (JoseError, ValueError, KeyError, TypeError):
        raise _make_unusable() from None
    if not keys or not all(key.is_private and key.kid for key in keys):
        raise _make_unusable()
    return [key.made_at for key in stored], keys


def _locate_file(settings: Settings) -> Path:
    return settings.data_dir / "identity" / "keys.json"


def _read_stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _read(path: Path) -> list[StoredKey]:
    """Read the keys, oldest first. Raises SettingsError if the file is not usable."""
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=list[StoredKey])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        raise _make_unusable() from None
    return sorted(stored, key=lambda key: key.made_at)


def _write(path: Path, stored: Sequence[StoredKey]) -> None:
    """Write the file atomically. Only its owner can read it."""
    draft = path.with_suffix(".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(stored))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a lock, so that only one process at a time creates or rotates keys.

    Raises SettingsError if a file cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError:
        raise SettingsError(
            "Não foi possível gravar as chaves do provedor de identidade: verifique BALCAO_DATA_DIR e suas permissões."
        ) from None


def _make_unusable() -> SettingsError:
    return SettingsError(
        "O arquivo identity/keys.json em BALCAO_DATA_DIR não pode ser usado: apague-o para gerar uma chave nova."
    )
