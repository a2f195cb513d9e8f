"""Encode the status line and the headers of responses."""

import time
from http import HTTPStatus
from typing import Any

from balcao.core.http.responses import RawHeaders, Response
from balcao.gateway.application import COMMON_HEADERS, is_page

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


CLOSE = b"connection: close\r\n"
_SERVER = b"server: balcao\r\n"
_RETRY = b"retry-after: 1\r\n"


def encode_status(status: int) -> bytes:
    """Return the status line of a response."""
    return _STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status


def encode(fields: RawHeaders) -> bytes:
    """Encode headers from our own code, which need no check."""
    return b"".join([b"%b: %b\r\n" % field for field in fields])


def encode_own(response: Response[Any]) -> bytes:
    """Encode the response's own headers and the common headers.

    Raises ValueError if a header contains a line break or a NUL.
    """
    lines = response.lines
    if lines is None:
        lines = response.lines = _encode_checked(response.raw_headers) + _COMMON_LINES[is_page(response)]
    return lines


def _encode_checked(fields: RawHeaders) -> bytes:
    """Encode headers. Raises ValueError if a header contains a line break or a NUL."""
    lines = encode(fields)
    if not lines.count(b"\r") == lines.count(b"\n") == len(fields) or b"\0" in lines:
        raise ValueError("a header field that cannot be sent")
    return lines


class Clock:
    """The source of the `Date` header, which is formatted at most once a second."""

    def __init__(self) -> None:
        self._second = 0
        self._line = b""

    def read(self) -> bytes:
        """Return the header line for the current second."""
        now = int(time.time())
        if now != self._second:
            self._second = now
            self._line = time.strftime("date: %a, %d %b %Y %H:%M:%S GMT\r\n", time.gmtime(now)).encode()
        return self._line


clock = Clock()
_COMMON_LINES = {is_page: encode(headers) + _SERVER for is_page, headers in COMMON_HEADERS.items()}


def encode_refusal(status: int, page: Response[Any] | None) -> bytes:
    """Encode a complete refusal, after which the connection closes. The body is the page, if there is one."""
    lines, body = _SERVER + b"content-length: 0\r\n", b""
    if page is not None:
        lines, body = encode(page.raw_headers) + _COMMON_LINES[is_page(page)], page.body
    retry = _RETRY if status == 503 else b""
    return encode_status(status) + retry + lines + clock.read() + CLOSE + b"\r\n" + body
