"""A database that records a span for each statement and passes the current trace on to enqueued jobs."""

import asyncio
import math
import time
from typing import Any

import asyncpg

from balcao.core.database.pool import Connection, Database, json_text
from balcao.core.tracing import Tracing, carry_trace

# Sets the trace of the session. `enqueue_sql` stores it with each job.
_MARK = "SELECT set_config('balcao.trace', $1, false)"


class TracedDatabase(Database):
    """The database of an installation with tracing.

    Within a trace, borrowing a connection costs one more round trip.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        """Accept the arguments of `Database`."""
        super().__init__(*args, **options)
        self._marked: set[int] = set()  # PIDs of server processes whose session has a trace set

    def acquire_now(self, _: str) -> Connection | None:
        """Return None, so that the caller awaits `acquire`. Setting the trace of a session needs a round trip."""
        return None

    async def acquire(self, name: str, deadline: float) -> Connection:
        """Return a connection that has the current trace set. Raises TimeoutError at the deadline."""
        connection = await super().acquire(name, deadline)
        try:
            connection.add_query_logger(_record)  # adding the logger twice has no effect
            left = max(deadline - asyncio.get_running_loop().time(), 0.1)
            await self._mark(connection, None if math.isinf(left) else left)
        except BaseException as fault:
            if isinstance(fault, TimeoutError):
                connection.terminate()  # a graceful close would wait for an unresponsive server
            await self.release(connection, name, is_usable=False)
            raise
        return connection

    async def _mark(self, connection: Connection, seconds: float | None) -> None:
        trace, process = carry_trace(), connection.get_server_pid()
        if trace is not None:
            self._marked.add(process)
            await connection.execute(_MARK, json_text(trace), timeout=seconds)
        elif process in self._marked:
            await connection.execute(_MARK, "", timeout=seconds)
            self._marked.discard(process)


def _record(query: asyncpg.connection.LoggedQuery) -> None:
    """Record a span for a finished statement. The span may leave the process, because a statement's text has no values.

    The driver calls this in the context of the task that ran the statement.
    """
    if Tracing.tracer is None or query.query == _MARK:
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span

    # Check the sampling flag instead of whether the span is recording: after the request has ended, its span is still
    # current but no longer records.
    if not get_current_span().get_span_context().trace_flags.sampled:
        return
    text = " ".join(query.query.split())
    ended = time.time_ns()
    made = Tracing.tracer.start_span(
        text.partition(" ")[0].rstrip(";") or "statement",
        kind=SpanKind.CLIENT,
        start_time=ended - int(query.elapsed * 1e9),
        attributes={"db.system.name": "postgresql", "db.query.text": text},
    )
    if query.exception is not None:
        made.set_attribute("error.type", type(query.exception).__name__)
        made.set_status(Status(StatusCode.ERROR))
    made.end(ended)
