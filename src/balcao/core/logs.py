"""Structured logs on standard error: one JSON object a line, no path, no value of a person.

What belongs to the request at hand (its id, the route's template) is bound to the context, not passed around.
"""

import json
import logging
import sys
from contextvars import ContextVar

import structlog

request_id: ContextVar[str] = ContextVar("request_id", default="")

OURS = "balcao"
log: structlog.stdlib.BoundLogger = structlog.get_logger(OURS)


def _add_request_id(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if current := request_id.get():
        event["request_id"] = current
    return event


def _only_the_kind(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """An exception's text may quote a row or a body: its kind and where it was raised are enough."""
    failure = event.pop("exc_info", None)
    if failure is True:
        failure = sys.exc_info()[1]
    if isinstance(failure, tuple):
        failure = failure[1]
    if isinstance(failure, BaseException):
        event["exception"] = type(failure).__name__
        event["where"] = _where(failure)
    return event


def _where(failure: BaseException) -> list[str]:
    trace, places = failure.__traceback__, []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    return places[-8:]


# What JSON does not know shows its `repr`, which hides what is a person's.
_encode = json.JSONEncoder(ensure_ascii=False, default=repr).encode


def _as_line(_: object, __: str, event: structlog.typing.EventDict) -> str:
    return _encode(event)


_SHARED: list[structlog.typing.Processor] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _add_request_id,
    _only_the_kind,
]


class _Lines(structlog.stdlib.ProcessorFormatter):
    """Ours come as lines already: one is written for every request, and a second pass would cost as much again."""

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage() if record.name == OURS else super().format(record)


def configure(level: str = "info") -> None:
    """Ours and every library's records leave through the same processors."""
    structlog.configure(
        processors=[*_SHARED, _as_line],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    _quiet_libraries()


def formatter() -> logging.Formatter:
    """One JSON object a line, for ours and for every library's records."""
    return _Lines(
        foreign_pre_chain=_SHARED,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _as_line],
    )


def _quiet_libraries() -> None:
    """These write addresses or statements at their lower levels."""
    for name in ("httpx", "httpcore", "asyncpg", "pgqueuer", "uvicorn", "granian"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").disabled = True
