"""A substitute for a message gateway. It receives and shows the codes that the platform sends to phones.

It is part of the sandbox CRM's server, which always runs as a single process on the loopback address. The API and the
jobs may run in several processes, so they cannot store the codes in memory.
"""

import secrets
from collections import deque
from datetime import UTC, datetime

import msgspec

MAX_MESSAGES = 1_000


class SentCode(msgspec.Struct):
    """A code that the platform sent. `to` is in E.164 format."""

    to: str
    code: str
    text: str = ""
    at: datetime = msgspec.field(default_factory=lambda: datetime.now(UTC))


class Mailbox:
    """The newest codes, oldest first. The platform authenticates with `secret`."""

    def __init__(self, secret: str) -> None:
        self._authorization = f"Bearer {secret}".encode()
        self._sent: deque[SentCode] = deque(maxlen=MAX_MESSAGES)

    def admits(self, authorization: str | None) -> bool:
        """Return whether the header contains the platform's secret."""
        return secrets.compare_digest((authorization or "").encode(), self._authorization)

    def add(self, sent: SentCode) -> None:
        self._sent.append(sent)

    def list_messages(self, to: str | None) -> list[SentCode]:
        return [sent for sent in self._sent if to in (None, sent.to)]
