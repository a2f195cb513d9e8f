"""The queue by kinds, for operators: numbers and times, nobody's job."""

from collections import Counter

from balcao.core.context.call import Call
from balcao.core.declared import Declared
from balcao.core.jobs import queue
from balcao.core.jobs.schedule import list_recurring
from balcao.registry.operation.queues.schemas import QueueOfKind, Queues, Schedule


async def read_queues(call: Call) -> Queues:
    """Return what waits, runs and has failed for good of each kind, and the schedules."""
    declared = call.platform.part(Declared).jobs
    async with call.platform.database.connection() as connection:
        counted = await queue.count_jobs(connection)
        oldest = await queue.find_oldest_due(connection)
        recurring = await list_recurring(connection, declared)
    numbers: Counter[tuple[str, str]] = Counter()
    for kind, state, number in counted:
        numbers[kind, state] += number
    # A kind that no code declares any more may still have jobs.
    kinds = sorted({kind.name for kind in declared} | {kind for kind, _ in numbers})
    data = [
        QueueOfKind(kind, numbers[kind, "queued"], numbers[kind, "running"], numbers[kind, "dead"], oldest.get(kind))
        for kind in kinds
    ]
    return Queues(
        data, sum(one.dead for one in data), [Schedule(one.kind, one.cron, one.last, one.next) for one in recurring]
    )
