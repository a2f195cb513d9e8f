"""The provider's signing keys: kept across restarts, rotated by command, published while a token may need them."""

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
# A new key is published at once and signs a little later: who has just fetched the keys asks again for an unknown one
# only after ten seconds, and would refuse good tokens until then.
SIGNS_AFTER_SECONDS = 15
# Longer than any token lives: access and ID tokens 300 s, refresh tokens 1800 s.
PUBLISHED_SECONDS = 3600


class StoredKey(msgspec.Struct, frozen=True):
    """`jwk` holds the private key; `made_at` in Unix seconds."""

    made_at: float
    jwk: dict[str, Any]


class SigningKeys:
    """The keys of one file; a changed file is noticed at the next use. Raises SettingsError when it cannot be used."""

    def __init__(self, settings: Settings) -> None:
        self._path = _path(settings)
        with _locked(self._path):
            if not self._path.exists():
                _write(self._path, [_new()])
        self._seen = _stamp(self._path)
        self._made_at, self._keys = _usable(_read(self._path))

    @property
    def signing(self) -> RSAKey:
        """The newest key that has been published long enough; the oldest when none has."""
        self._notice_change()
        ready = [i for i, made_at in enumerate(self._made_at) if made_at <= time.time() - SIGNS_AFTER_SECONDS]
        return self._keys[ready[-1] if ready else 0]

    @property
    def all(self) -> KeySet:
        self._notice_change()
        return KeySet(list(self._keys))

    def published(self) -> dict[str, Any]:
        """The JWKS document: public members only."""
        self._notice_change()
        return {"keys": [key.as_dict(private=False, use="sig", alg="RS256") for key in self._keys]}

    def _notice_change(self) -> None:
        """A file that cannot be read leaves the known keys in use."""
        stamp = _stamp(self._path)
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self._made_at, self._keys = _usable(_read(self._path))
        except SettingsError:
            log.warning("identity.key_file_unusable")


def rotate(settings: Settings) -> str:
    """Adds a key that will sign from `SIGNS_AFTER_SECONDS` on, drops those no token needs. Returns the new key's id."""
    path = _path(settings)
    made = _new()
    with _locked(path):
        stored = _read(path) if path.exists() else []
        _write(path, [*_still_needed(stored, time.time()), made])
    return str(made.jwk["kid"])


def _still_needed(stored: Sequence[StoredKey], now: float) -> list[StoredKey]:
    """A key signs until its successor does; the newest always stays."""
    ended = [*(key.made_at for key in stored[1:]), now]
    return [key for number, key in enumerate(stored) if ended[number] > now - PUBLISHED_SECONDS]


def _new() -> StoredKey:
    """The id is the key's thumbprint (RFC 7638)."""
    key = RSAKey.generate_key(BITS, private=True, auto_kid=True)
    return StoredKey(time.time(), dict(key.as_dict(private=True)))


def _usable(stored: Sequence[StoredKey]) -> tuple[list[float], list[RSAKey]]:
    try:
        keys = [RSAKey.import_key(key.jwk) for key in stored]
    except (JoseError, ValueError, KeyError, TypeError):
        raise _unusable() from None
    if not keys or not all(key.is_private and key.kid for key in keys):
        raise _unusable()
    return [key.made_at for key in stored], keys


def _path(settings: Settings) -> Path:
    return settings.data_dir / "identity" / "keys.json"


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _read(path: Path) -> list[StoredKey]:
    """In the order of their making."""
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=list[StoredKey])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        raise _unusable() from None
    return sorted(stored, key=lambda key: key.made_at)


def _write(path: Path, stored: Sequence[StoredKey]) -> None:
    """Whole or not at all, readable by the owner alone."""
    draft = path.with_suffix(".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(stored))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time makes or rotates keys."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError:
        raise SettingsError(
            "Não foi possível gravar as chaves do provedor de identidade: verifique BALCAO_DATA_DIR e suas permissões."
        ) from None


def _unusable() -> SettingsError:
    return SettingsError(
        "O arquivo identity/keys.json em BALCAO_DATA_DIR não pode ser usado: apague-o para gerar uma chave nova."
    )
