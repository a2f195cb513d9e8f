"""Show operators the queue by kind of job, as counts and times without individual jobs."""

from collections import Counter

from balcao.core.context.call import Call
from balcao.core.declared import Declared
from balcao.core.jobs import queue
from balcao.core.jobs.schedule import list_recurring
from balcao.registry.operation.queues.schemas import QueueOfKind, Queues, Schedule


async def read_queues(call: Call) -> Queues:
    """Return the number of queued, running and dead-lettered jobs of each kind, and the schedules."""
    declared = call.platform.part(Declared).jobs
    async with call.platform.database.connection() as connection:
        counted = await queue.count_jobs(connection)
        oldest = await queue.find_oldest_due(connection)
        recurring = await list_recurring(connection, declared)
    numbers: Counter[tuple[str, str]] = Counter()
    for kind, state, number in counted:
        numbers[kind, state] += number
    # The queue may still contain jobs of a kind that the code no longer declares.
    kinds = sorted({kind.name for kind in declared} | {kind for kind, _ in numbers})
    data = [
        QueueOfKind(kind, numbers[kind, "queued"], numbers[kind, "running"], numbers[kind, "dead"], oldest.get(kind))
        for kind in kinds
    ]
    return Queues(
        data, sum(one.dead for one in data), [Schedule(one.kind, one.cron, one.last, one.next) for one in recurring]
    )
