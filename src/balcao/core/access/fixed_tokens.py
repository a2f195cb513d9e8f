"""Callers with a fixed service token. The configuration lists the hashes of the tokens, directly or in a file.

If the file changes, it is read again without a restart. A token that was removed from it stops working within
`CHECK_SECONDS`. If the file is missing, no token is valid. An unreadable line is skipped. A mistake in the file can
therefore invalidate a token, but never keep a removed token valid.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import monotonic

from balcao.core.access.caller import Caller, TokenRefused
from balcao.core.logs import log
from balcao.settings.fixed_tokens import FixedToken, compute_digest, find_file, parse_entry, read_lines

# The minimum interval between two checks of the file, so that few calls have to wait for a check.
CHECK_SECONDS = 5.0


class FixedTokens:
    """The configured tokens, from the setting itself or from the current content of the file that the setting names."""

    def __init__(self, setting: str, tokens: Iterable[FixedToken]) -> None:
        self._file = find_file(setting)
        self._stamp = _read_stamp(self._file) if self._file else None
        self._looked_at = monotonic()
        self._replace(tokens)

    def find(
        self, operation: str | None, scopes: tuple[str, ...], authorization: bytes | None, now: float
    ) -> Caller | None:
        """Return the caller if the header contains one of this operation's tokens.

        `scopes` are the scopes of the operation's rule. Raises TokenRefused if the token has expired.
        """
        if self._file is not None:
            self._look(self._file)
        if not self._tokens or not scopes or authorization is None:
            return None
        scheme, _, text = authorization.partition(b" ")
        token = self._tokens.get((operation, compute_digest(text.strip()))) if scheme.lower() == b"bearer" else None
        if token is None:
            return None
        if token.expires_at <= now:
            refused = TokenRefused("token-expired")
            refused.is_genuine = True
            raise refused
        return _to_machine(token, scopes)

    def has_withdrawn(self, caller: Caller) -> bool:
        """Return whether the caller used a fixed token that is no longer valid."""
        if caller.issuer or not caller.is_machine:  # only callers with a fixed token have no issuer
            return False
        if self._file is not None:
            self._look(self._file)
        return caller.subject not in self._names

    def _look(self, file: Path) -> None:
        if monotonic() - self._looked_at < CHECK_SECONDS:
            return
        self._looked_at = monotonic()
        stamp = _read_stamp(file)
        if stamp != self._stamp:
            self._stamp = stamp
            self._replace(_read(file))

    def _replace(self, tokens: Iterable[FixedToken]) -> None:
        # A token may be listed for several operations. Each entry has its own last day.
        self._tokens: Mapping[tuple[str | None, bytes], FixedToken] = {
            (token.operation, token.digest): token for token in tokens
        }
        self._names = frozenset(token.name for token in self._tokens.values())


def _read(file: Path) -> list[FixedToken]:
    """Return the entries of the file. Log the line numbers of invalid lines."""
    today, tokens = datetime.now(UTC).date(), []
    try:
        lines = read_lines(file)
    except ValueError:
        log.warning("fixed_tokens.unreadable")
        return []
    for number, text in lines:
        try:
            tokens.append(parse_entry(text, today))
        except ValueError:
            log.warning("fixed_tokens.line_unreadable", line=number)
    log.info("fixed_tokens.read", count=len(tokens))
    return tokens


def _read_stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=256)
def _to_machine(token: FixedToken, scopes: tuple[str, ...]) -> Caller:
    return Caller(
        subject=token.name,
        client=token.name,
        cpf=None,
        name=None,
        email=None,
        scopes=frozenset(scopes),
        roles=frozenset(),
        expires_at=token.expires_at,
        is_machine=True,
    )
