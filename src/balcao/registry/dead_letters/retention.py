"""A dead letter that nobody looked after ends as if an operator had dropped it (rules: registry 5)."""

from datetime import timedelta

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs import dead_letters as service
from balcao.core.jobs import queue
from balcao.core.jobs.queue import Wanted

KEPT = timedelta(days=90)


async def _dead_letters(call: Call, connection: Connection) -> Swept:
    checked = await queue.count(connection, Wanted(service.DEAD))
    ended = [await _end(call, connection, number) for number in await queue.dead_for(connection, KEPT)]
    return Swept(checked, sum(ended))


async def _end(call: Call, connection: Connection, number: int) -> bool:
    """Whether it could be: an operator may have been faster."""
    try:
        async with connection.transaction():
            await service.end(connection, call, number)
    except (Conflict, NotFound):
        return False
    return True


RETENTION = (Retention("dead_letter", _dead_letters),)
