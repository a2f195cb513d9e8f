"""The sandbox's stand-in for a message gateway: takes the codes that the platform sends to phones and shows them.

It lives in the sandbox's own server because that is one process and on the loopback address, whichever and however many
processes serve the API and run the jobs.
"""

import secrets
from collections import deque
from datetime import UTC, datetime

import msgspec

MAX_MESSAGES = 1_000


class SentCode(msgspec.Struct):
    """`to` is in E.164."""

    to: str
    code: str
    text: str = ""
    at: datetime = msgspec.field(default_factory=lambda: datetime.now(UTC))


class Mailbox:
    """The newest codes, oldest first; `secret` is what the platform shows as its right to send."""

    def __init__(self, secret: str) -> None:
        self._authorization = f"Bearer {secret}".encode()
        self._sent: deque[SentCode] = deque(maxlen=MAX_MESSAGES)

    def admits(self, authorization: str | None) -> bool:
        """Tell whether the caller shows the platform's secret."""
        return secrets.compare_digest((authorization or "").encode(), self._authorization)

    def add(self, sent: SentCode) -> None:
        self._sent.append(sent)

    def list_messages(self, to: str | None) -> list[SentCode]:
        return [sent for sent in self._sent if to in (None, sent.to)]
