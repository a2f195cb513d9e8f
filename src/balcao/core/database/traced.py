"""A database whose statements are spans, and whose connections know which trace a job that they enqueue belongs to."""

import time
from typing import Any

import asyncpg

from balcao.core.database.pool import Connection, Database, json_text
from balcao.core.tracing import Tracing, carry_trace

# Sets what `enqueue_sql` reads: the trace to which an enqueued job belongs.
_MARK = "SELECT set_config('balcao.trace', $1, false)"


class TracedDatabase(Database):
    """For who has switched traces on; a connection that is taken for a traced call costs a round trip more."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take what `Database` takes."""
        super().__init__(*args, **options)
        self._marked: set[int] = set()  # the server's processes behind connections that name a trace

    def take_now(self, _: str) -> Connection | None:
        """Take none: each is marked first, which has to be waited for."""
        return None

    async def take(self, name: str, deadline: float) -> Connection:
        """Take a connection as `Database` does."""
        connection = await super().take(name, deadline)
        try:
            connection.add_query_logger(_record)  # one that is there already is not added again
            await self._mark(connection)
        except BaseException:
            await self.give_back(connection, name, sound=False)
            raise
        return connection

    async def _mark(self, connection: Connection) -> None:
        trace, process = carry_trace(), connection.get_server_pid()
        if trace is not None:
            self._marked.add(process)
            await connection.execute(_MARK, json_text(trace))
        elif process in self._marked:
            await connection.execute(_MARK, "")
            self._marked.discard(process)


def _record(query: asyncpg.connection.LoggedQuery) -> None:
    """Make a span of a statement that has ended; its text is ours and has no values in it.

    The driver calls this in the context of the task that ran the statement.
    """
    if Tracing.tracer is None or query.query == _MARK:
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span

    # The request may have been answered already: its span is still the current one, but has ended.
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
