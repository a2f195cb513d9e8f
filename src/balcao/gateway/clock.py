"""The header `Date`, made anew each second."""

import time


class Clock:
    """Says what time it is as a header has it."""

    def __init__(self) -> None:
        self._second = 0
        self._line = b""

    def read(self) -> bytes:
        """Return the line."""
        now = int(time.time())
        if now != self._second:
            self._second = now
            self._line = time.strftime("date: %a, %d %b %Y %H:%M:%S GMT\r\n", time.gmtime(now)).encode()
        return self._line


clock = Clock()
