"""Whether the servers of `BALCAO_DATABASE_READ_URL` can be read from, for `balcao doctor`."""

import asyncio

from balcao.core.context.platform import make_database, make_replicas
from balcao.core.database.replicas import BEHIND, FOREIGN, PROMOTED, Replica, Replicas
from balcao.core.errors import Unavailable
from balcao.settings import Settings

# How long a replica may take to have what the primary has now, and how often it is asked meanwhile.
PATIENCE_SECONDS = 5.0
PAUSE_SECONDS = 0.25

_WORDS = {
    FOREIGN: "é de outro conjunto de servidores, que não o de BALCAO_DATABASE_URL: tire-o da lista.",
    PROMOTED: "não é réplica: grava, ou não segue o principal por streaming. Nomeie só réplicas.",
    BEHIND: "está parado ou atrasado: confira no principal `pg_stat_replication`, e no servidor a replicação.",
}
_AWAY = "não responde, ou recusa o usuário: confira se está no ar."


async def check_replicas(settings: Settings) -> tuple[dict[str, str], list[str]]:
    """Return the state of each server (`up`, or the code of why not), and a sentence for each that is not read from.

    Nothing can be told while the primary is away, which `doctor` says elsewhere.
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
        f"O servidor {replica.name}, de BALCAO_DATABASE_READ_URL, {_WORDS.get(replica.fault, _AWAY)} O principal "
        "responde por ele."
        for replica in replicas
        if replica.fault
    ]
    return {replica.name: replica.fault or "up" for replica in replicas}, problems


async def _measure(watched: Replicas, replicas: list[Replica]) -> None:
    """Ask until no server is behind any more, as one that follows always is by a moment, or patience ends."""
    await watched.measure()
    for _ in range(int(PATIENCE_SECONDS / PAUSE_SECONDS)):
        if not any(replica.fault == BEHIND for replica in replicas):
            return
        await asyncio.sleep(PAUSE_SECONDS)
        await watched.measure()
