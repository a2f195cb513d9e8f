"""Check whether the replicas in `BALCAO_DATABASE_READ_URL` can be used for reads."""

import asyncio

from balcao.core.context.platform import make_database, make_replicas
from balcao.core.database.replicas import BEHIND, FOREIGN, PROMOTED, Replica, Replicas
from balcao.core.errors import Unavailable
from balcao.operate.doctor.checks import DOWN, UP, Check, Part, Subject
from balcao.settings import Settings

# How long to wait until the replicas reach the primary's current position, and the interval between measurements.
PATIENCE_SECONDS = 5.0
PAUSE_SECONDS = 0.25

_WORDS = {
    FOREIGN: "é de outro conjunto de servidores, que não o de BALCAO_DATABASE_URL: tire-o da lista.",
    PROMOTED: "não é réplica: aceita gravações, ou não segue o principal por streaming. Indique só réplicas.",
    BEHIND: "está parado ou atrasado: confira no principal `pg_stat_replication`, e no servidor a replicação.",
}
_DOWN = "não responde, ou recusa o usuário: confira se está no ar."


async def check_replicas(settings: Settings) -> tuple[dict[str, str], list[str]]:
    """Return the state of each replica (`up` or a fault code), and a sentence for each replica that cannot be used.

    While the primary is down, return nothing: the replicas cannot be judged, and the check of the database reports the
    problem.
    """
    replicas = make_replicas(settings)
    primary = make_database(settings, settings.database_url)
    watched = Replicas(primary, replicas, settings.database_read_lag)
    try:
        await primary.open(PATIENCE_SECONDS)
        await _measure(watched, replicas)
    except Unavailable:
        return {}, []
    finally:
        await asyncio.gather(primary.close(), *(replica.close() for replica in replicas))
    problems = [
        f"O servidor {replica.name}, de BALCAO_DATABASE_READ_URL, {_WORDS.get(replica.fault, _DOWN)} O principal "
        "responde por ele."
        for replica in replicas
        if replica.fault
    ]
    return {replica.name: replica.fault or "up" for replica in replicas}, problems


async def _measure(watched: Replicas, replicas: list[Replica]) -> None:
    """Measure until no replica is behind, at most for `PATIENCE_SECONDS`.

    A working replica may be slightly behind, so the first measurement is not enough.
    """
    await watched.measure()
    for _ in range(int(PATIENCE_SECONDS / PAUSE_SECONDS)):
        if not any(replica.fault == BEHIND for replica in replicas):
            return
        await asyncio.sleep(PAUSE_SECONDS)
        await watched.measure()


async def _check_replicas(subject: Subject) -> Part:
    states, problems = await check_replicas(subject.settings)
    return Part(DOWN if problems else UP, {"servers": states}, problems)


CHECK = Check(
    name="replicas",
    part="replicas",
    looks_at="the servers of `BALCAO_DATABASE_READ_URL`",
    wrong="no answer; a server that is not a replica of this primary; a replica that was promoted, or that is too far "
    "behind for reads",
    remedy="check `pg_stat_replication` on the primary; remove a server that is not a replica from the list "
    "([replicas](../operate/cluster.md))",
    examine=_check_replicas,
    is_due=lambda settings: bool(settings.database_read_url),
)
