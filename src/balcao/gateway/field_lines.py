"""Status and fields of responses as lines."""

import time
from http import HTTPStatus

from balcao.core.http.responses import RawHeaders

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


def encode_status(status: int) -> bytes:
    """Return the first line of a response."""
    return _STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status


def encode(fields: RawHeaders) -> bytes:
    """Return the lines of fields that are ours."""
    return b"".join([b"%b: %b\r\n" % field for field in fields])


def encode_checked(fields: RawHeaders) -> bytes:
    """Return the lines. Raises ValueError where a field would be more than one."""
    lines = encode(fields)
    if not lines.count(b"\r") == lines.count(b"\n") == len(fields) or b"\0" in lines:
        raise ValueError("a header field that cannot be sent")
    return lines


class Clock:
    """Makes the line of `Date`, anew each second."""

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
