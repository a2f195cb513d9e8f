"""Structured logs on standard error: one JSON object per line, or short lines on a terminal.

Log lines contain no paths and no personal data. The id of the current request comes from the context and does not have
to be passed.
"""

import json
import logging
import os
import sys
import time
from contextvars import ContextVar

import structlog

request_id: ContextVar[str] = ContextVar("request_id", default="")

LOGGER_NAME = "balcao"
log: structlog.stdlib.BoundLogger = structlog.get_logger(LOGGER_NAME)


def _add_request_id(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if current := request_id.get():
        event["request_id"] = current
    return event


def _reduce_exception(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Replace an exception with its type and location, because its text may quote a row or a body."""
    failure = event.pop("exc_info", None)
    if failure is True:
        failure = sys.exc_info()[1]
    if isinstance(failure, tuple):
        failure = failure[1]
    if isinstance(failure, BaseException):
        event["exception"] = type(failure).__name__
        event["where"] = _trace_places(failure)
    return event


def _trace_places(failure: BaseException) -> list[str]:
    trace, places = failure.__traceback__, []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    return places[-8:]


# Write values that JSON does not support as their `repr`, which masks personal data (see `Cpf`).
_encode = json.JSONEncoder(ensure_ascii=False, default=repr).encode


def _format_line(_: object, __: str, event: structlog.typing.EventDict) -> str:
    return _encode(event)


_COLOURS = {"debug": "2", "info": "32", "warning": "33", "error": "31", "critical": "31;1"}
# Members that a line on a terminal does not contain as `name=value`: they have their own position, or are omitted.
_UNSEEN = frozenset({"event", "level", "timestamp", "logger"})


def format_for_terminal(event: structlog.typing.EventDict) -> str:
    """Format a record as a short line: the time, the level, the event and other members."""
    known = " ".join(f"{name}={_format_value(value)}" for name, value in event.items() if name not in _UNSEEN)
    level = str(event.get("level", "info"))
    clock = time.strftime("%H:%M:%S")
    return (
        f"{paint(clock, '2')} {paint(f'{level:7}', _COLOURS.get(level, '0'))} {event.get('event', '')} {known}".rstrip()
    )


def paint(text: str, colour: str) -> str:
    """Return the string in the terminal colour with this number. Return it unchanged if NO_COLOR is set."""
    return text if os.environ.get("NO_COLOR") else f"\x1b[{colour}m{text}\x1b[0m"


def _format_value(value: object) -> str:
    return value if isinstance(value, str) and value.isprintable() and value else _encode(value)


def _format_short(_: object, __: str, event: structlog.typing.EventDict) -> str:
    return format_for_terminal(event)


def is_terminal() -> bool:
    """Return whether the log is written to a terminal."""
    return sys.stderr.isatty()


_SHARED: list[structlog.typing.Processor] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _add_request_id,
    _reduce_exception,
]


class _Lines(structlog.stdlib.ProcessorFormatter):
    """A formatter that does not format our own records again.

    They are already formatted, and formatting a record twice would be expensive.
    """

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage() if record.name == LOGGER_NAME else super().format(record)


def configure(level: str = "info") -> None:
    """Process our own and the libraries' log records in the same way, and write them to standard error."""
    structlog.configure(
        processors=[*_SHARED, _format_short if is_terminal() else _format_line],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(create_formatter(readable=is_terminal()))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    # Drop library messages below warnings: they contain addresses and statements, which may include personal data.
    for name in ("httpx", "httpcore", "asyncpg", "pgqueuer", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").disabled = True


def create_formatter(*, readable: bool = False) -> logging.Formatter:
    """Return a formatter for our own and the libraries' records: JSON lines or, if `readable`, short lines."""
    return _Lines(
        foreign_pre_chain=_SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _format_short if readable else _format_line,
        ],
    )
