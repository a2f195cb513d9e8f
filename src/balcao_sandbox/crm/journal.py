"""A journal of the calls to the sandbox CRM, for tests and users. Only the newest entries are kept, in memory."""

from collections import deque
from datetime import UTC, datetime

import msgspec

MAX_ENTRIES = 10_000


class Entry(msgspec.Struct):
    """A call to the CRM.

    `fields` contains only names, no values. `status` is 0 while the call runs, and stays 0 if the connection was
    closed.
    """

    at: str
    operation: str
    cpf: str | None
    fields: list[str]
    request_id: str | None
    fault: str | None = None
    status: int = 0


class Journal:
    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=MAX_ENTRIES)

    def open(self, operation: str, cpf: str | None, fields: list[str], request_id: str | None) -> Entry:
        """Add an entry for a call that is starting, and return it. The caller completes the entry."""
        moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = Entry(moment, operation, cpf, sorted(fields), request_id)
        self._entries.append(entry)
        return entry

    def list_entries(self, cpf: str | None) -> list[Entry]:
        return [entry for entry in self._entries if cpf is None or entry.cpf == cpf]

    def clear(self) -> None:
        self._entries.clear()
