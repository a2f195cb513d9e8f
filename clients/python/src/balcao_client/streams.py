"""Server-sent events, as in the HTML standard."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

# A carriage return at the end may be the first half of a line end. Other Unicode line separators are not line ends,
# because data may contain them.
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


class Event(NamedTuple):
    """An event of a stream. A later call can resume after its `id` (`last_event_id`)."""

    name: str
    data: str
    id: str

    def decode(self) -> Any:
        """Return the data parsed as JSON."""
        return msgspec.json.decode(self.data)


class EventReader:
    """A parser for a stream that arrives in parts of any size, over several connections.

    The next connection resumes after `last_id`. `retry` is the pause in seconds that the platform requested.
    """

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry: float | None = None
        self.reconnect()

    def reconnect(self) -> None:
        """Drop an event or id that the end of the connection has cut off. The platform sends it again."""
        self._rest = ""
        self._name = ""
        self._data: list[str] = []
        self._id = self.last_id

    def read(self, text: str) -> Iterator[Event]:
        """Yield the events that are complete after this part."""
        *lines, self._rest = _LINE_END.split(self._rest + text)
        for line in lines:
            if event := self._read_line(line):
                yield event

    def _read_line(self, line: str) -> Event | None:
        """Return the event that this line completes, or None. Comments and unknown fields are ignored."""
        if not line:
            return self._end()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1000
        return None

    def _end(self) -> Event | None:
        self.last_id = self._id
        event = Event(self._name or "message", "\n".join(self._data), self._id) if self._data else None
        self._name, self._data = "", []
        return event
