"""Callers with a fixed service token. The configuration lists the hashes of the tokens, directly or in a file.

A changed file is read again without a restart, so a token that was removed from it stops working within seconds. If the
file is missing, no token is valid. Invalid lines are skipped. So a mistake can withdraw a token, but never keep one
valid.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import monotonic

from balcao.core.access.caller import Caller, TokenRefused
from balcao.core.logs import log
from balcao.settings.fixed_tokens import FixedToken, compute_digest, find_file, parse_entry, read_lines

# The shortest interval between two checks of the file.
LOOK_SECONDS = 5.0


class FixedTokens:
    """The valid fixed tokens. The setting lists them or names the file that contains them."""

    def __init__(self, setting: str, tokens: Iterable[FixedToken]) -> None:
        self._file = find_file(setting)
        self._stamp = _read_stamp(self._file) if self._file else None
        self._looked_at = monotonic()
        self._take(tokens)

    def find(
        self, operation: str | None, scopes: tuple[str, ...], authorization: bytes | None, now: float
    ) -> Caller | None:
        """Return the caller if the header contains a fixed token for this operation, otherwise None.

        `scopes` are the scopes of the operation's rule.
        Raises TokenRefused if the token has expired.
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
        if caller.issuer or not caller.is_machine:  # every other caller has an issuer
            return False
        if self._file is not None:
            self._look(self._file)
        return caller.subject not in self._names

    def _look(self, file: Path) -> None:
        if monotonic() - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = monotonic()
        stamp = _read_stamp(file)
        if stamp != self._stamp:
            self._stamp = stamp
            self._take(_read(file))

    def _take(self, tokens: Iterable[FixedToken]) -> None:
        # A token can have entries for several operations, each with its own last day.
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
