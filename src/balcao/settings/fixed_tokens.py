"""Fixed service tokens, for portals that can store only a fixed string.

An entry allows a token to call one operation and nothing else. The entries contain hashes, so that readers of the
configuration cannot use the tokens. With two entries for one operation, a token can be replaced without an interruption
(rules: health_units 1). The setting contains either the entries or the path of a file with entries. The file is read
again when it changes.
"""

import hashlib
import re
import secrets
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

LONGEST_DAYS = 400
PREFIX = "balcao_"
_ENTRY = re.compile(r"([a-z_]+\.[a-z_0-9]+):([0-9]{4}-[0-9]{2}-[0-9]{2}):([0-9a-f]{64})")


class FixedToken(NamedTuple):
    """An entry of the setting. `until` is the last day (UTC) on which the token allows the operation."""

    operation: str
    until: date
    digest: bytes

    @property
    def name(self) -> str:
        """The token's name in logs, counters and the audit trail: a prefix of its hash."""
        return f"fixed-{self.digest.hex()[:12]}"

    @property
    def expires_at(self) -> float:
        """The end of the last day on which the token is valid, in Unix seconds."""
        day = datetime(self.until.year, self.until.month, self.until.day, tzinfo=UTC)
        return (day + timedelta(days=1)).timestamp()


def find_file(setting: str) -> Path | None:
    """Return the file if the setting is an absolute path. Return None if it contains the entries itself."""
    return Path(setting.strip()) if setting.strip().startswith("/") else None


def read_lines(file: Path) -> list[tuple[int, str]]:
    """Return the file's entries with their line numbers. A line may contain several entries and end with a comment.

    Raises ValueError with a Portuguese message if the file cannot be read.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"o arquivo {file} não pode ser lido") from None
    return [
        (number, entry.strip())
        for number, line in enumerate(lines, start=1)
        for entry in line.partition("#")[0].split(",")
        if entry.strip()
    ]


def parse_setting(setting: str, today: date) -> tuple[FixedToken, ...]:
    """Parse the entries in the setting or its file.

    Raises ValueError with a Portuguese message if an entry is invalid or the file cannot be read.
    """
    file = find_file(setting)
    if file is None:
        return tuple(parse_entry(entry.strip(), today) for entry in setting.split(",") if entry.strip())
    return tuple(_parse_line(file, number, text, today) for number, text in read_lines(file))


def _parse_line(file: Path, number: int, text: str, today: date) -> FixedToken:
    try:
        return parse_entry(text, today)
    except ValueError as fault:
        raise ValueError(f"{file}, linha {number}: {fault}") from None


def parse_entry(text: str, today: date) -> FixedToken:
    """Parse an entry of the form `operation:last day:SHA-256`.

    Raises ValueError with a Portuguese message if the entry is invalid.
    """
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise ValueError("cada entrada é operação:último dia:hash, como `balcao identity fixed-token` a escreve")
    try:
        until = date.fromisoformat(found[2])
    except ValueError:
        raise ValueError(f"{found[2]} não é um dia") from None
    if until - today > timedelta(days=LONGEST_DAYS):
        raise ValueError(f"{found[2]} é daqui a mais de {LONGEST_DAYS} dias")
    return FixedToken(found[1], until, bytes.fromhex(found[3]))


def make_fixed_token(operation: str, until: date) -> tuple[str, FixedToken]:
    """Create a random token. Return the token and its entry."""
    token = PREFIX + secrets.token_urlsafe(32)
    return token, FixedToken(operation, until, compute_digest(token.encode()))


def format_entry(token: FixedToken) -> str:
    """Format an entry as the setting contains it."""
    return f"{token.operation}:{token.until}:{token.digest.hex()}"


def compute_digest(token: bytes) -> bytes:
    """Return the token's hash. The token is random, so a slow hash would add no protection."""
    return hashlib.sha256(token).digest()
