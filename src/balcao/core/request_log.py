"""The log line of a request.

To be cheap for every request, it is built from a prepared prefix and written in batches.
"""

import asyncio
import contextlib
import logging
import re
import time

from balcao.core.logs import LOGGER_NAME, is_terminal, paint

# The maximum delay of a line. Unlike the audit trail, which is committed, the log may lose its last lines in a crash.
DELAY_SECONDS = 0.05
# The operations of health checks. Gateways call them several times a second, so their successful responses are logged
# only at debug level.
_HEALTH_CHECK = re.compile(r"(?:.*\.)?(?:live|ready|readi)[a-z0-9_]*")


class RequestLog:
    """A collector that writes lines in batches.

    Call its methods only in the event loop's thread. If `readable`, a request is logged as a short line for a terminal.
    """

    def __init__(self, *, readable: bool) -> None:
        self._lines: list[str] = []
        self._beginnings: dict[tuple[str, str, str], tuple[str, bool]] = {}
        self._second = 0
        self._clock = ""
        self._readable = readable

    def add(self, labels: tuple[str, str, str], status: int, seconds: float, request_id: str) -> None:
        """Log one response.

        `labels` are the service, operation and method, as in the metrics. The labels are our own strings and the
        request id is a UUID, so nothing needs escaping.
        """
        beginning, is_health_check = self._beginnings.get(labels) or self._prepare(labels)
        level = "info"
        if is_health_check and status < 400:
            if not logging.getLogger(LOGGER_NAME).isEnabledFor(logging.DEBUG):
                return
            level = "debug"
        if self._readable:
            self._collect(_format_for_terminal(labels, status, seconds, request_id))
            return
        now = time.time()
        if int(now) != self._second:
            self._second = int(now)
            self._clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self._second))
        self._collect(
            f'{beginning}{status}, "ms": {seconds * 1000:.2f}, "event": "request", "level": "{level}", "timestamp": '
            f'"{self._clock}.{int((now - self._second) * 1e6):06}Z", "request_id": "{request_id}"}}\n'
        )

    def _collect(self, line: str) -> None:
        if not self._lines:
            asyncio.get_running_loop().call_later(DELAY_SECONDS, self.flush)
        self._lines.append(line)

    def flush(self) -> None:
        """Write the collected lines to the log's handlers."""
        text, self._lines = "".join(self._lines), []
        if not text or not logging.getLogger(LOGGER_NAME).isEnabledFor(logging.INFO):
            return
        for handler in logging.getLogger().handlers:
            if isinstance(handler, logging.StreamHandler):
                # Do not fail if the disk is full. These lines are then lost.
                with handler.lock, contextlib.suppress(OSError):  # type: ignore[union-attr]  # set by every constructor
                    handler.stream.write(text)
                    handler.flush()

    def _prepare(self, labels: tuple[str, str, str]) -> tuple[str, bool]:
        """Return the prefix of the line, and whether the operation is a health check."""
        service, operation, method = labels
        text = f'{{"service": "{service}", "operation": "{operation}", "method": "{method}", "status": '
        return self._beginnings.setdefault(labels, (text, _HEALTH_CHECK.fullmatch(operation) is not None))


def _format_for_terminal(labels: tuple[str, str, str], status: int, seconds: float, request_id: str) -> str:
    """Return a line with the time, status, operation and duration, and for a 5xx the request id."""
    service, operation, method = labels
    colour = "32" if status < 400 else "33" if status < 500 else "31"
    clock, word = paint(time.strftime("%H:%M:%S"), "2"), paint(str(status), colour)
    which = f" {request_id}" if status >= 500 else ""
    name = operation if operation.startswith(f"{service}.") else f"{service} {operation}".rstrip()
    return f"{clock} {word} {method} {name} {seconds * 1000:.0f} ms{which}\n"


request_log = RequestLog(readable=is_terminal())
