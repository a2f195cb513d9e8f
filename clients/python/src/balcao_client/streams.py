"""Server-sent events, as the HTML standard has them."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

# A carriage return at the end may be the first half of a line's end. Nothing else ends a line, whatever ends one in
# other texts: data may hold it.
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


class Event(NamedTuple):
    """An event of a stream; `id` is what a later call continues after (`last_event_id`)."""

    name: str
    data: str
    id: str

    def decode(self) -> Any:
        """Return the data read as JSON."""
        return msgspec.json.decode(self.data)


class EventReader:
    """Reads a stream in whatever parts it comes, over several connections; an event ends with an empty line.

    `last_id` is what the next connection continues after, `retry` how many seconds the platform wants between two.
    """

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry: float | None = None
        self.reconnect()

    def reconnect(self) -> None:
        """Forget the event that the end of a connection cut off, and its id: it will be sent again."""
        self._rest = ""
        self._name = ""
        self._data: list[str] = []
        self._id = self.last_id

    def read(self, text: str) -> Iterator[Event]:
        """Yield the events that end within this part."""
        *lines, self._rest = _LINE_END.split(self._rest + text)
        for line in lines:
            if event := self._read_line(line):
                yield event

    def _read_line(self, line: str) -> Event | None:
        """Return the event that this line ends, if it does; comments and unknown fields are passed over."""
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
