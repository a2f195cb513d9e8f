"""Two hosts run workers. One worker is killed or frozen while it holds jobs, and the other worker takes them over.

Every job takes effect exactly once.
"""

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from balcao.core.values.cpf import Cpf
from tests.cluster.postgres import Postgres
from tests.cluster.sending import APPLICATIONS, APPLIED, WAITING, Sender, send_event
from tests.cluster.servers import folders, prepare
from tests.support import log_scan
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Serving, Terminal

pytestmark = pytest.mark.cluster

SENDERS = 8
CALLS = size(200, 1_000)  # calls to wait for before and after the loss
MANAGERS = "SELECT DISTINCT queue_manager_id AS id FROM queue.pgqueuer WHERE status = 'picked'"
AT_HAND = "SELECT id FROM queue.pgqueuer WHERE status = 'picked' AND queue_manager_id = $1"
LEFT = "SELECT count(*) FROM queue.pgqueuer WHERE id = ANY ($1)"
IDLE = """
SELECT count(*) FROM pg_stat_activity
WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '1 second'
"""
DEAD = "SELECT count(*) FROM queue.pgqueuer WHERE status = 'failed'"


@contextmanager
def worker(home: Path, server: Postgres, issuer: Issuer) -> Iterator[psutil.Popen]:
    """Run a `balcao worker` as if it ran on its own host."""
    terminal = Terminal(home, **reach(home, server, issuer), port=free_port())
    with (log_scan.folder() / f"{home.name}-worker.log").open("wb") as log:
        process = psutil.Popen(
            [str(BALCAO), "worker"], cwd=home, env=terminal.environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.is_running():
            process.resume()
            process.terminate()
        process.wait(PATIENCE)


def reach(home: Path, server: Postgres, issuer: Issuer) -> dict[str, object]:
    """Return the settings of a host's worker."""
    logins = {"database_url": server.url("balcao_app"), "database_owner_url": server.url("balcao")}
    return logins | {"data_dir": home, "crm_push": False, "auth_issuer": issuer.address}


class Loss:
    """Causes and records the loss of the first worker: its name in the queue, and the jobs that it held."""

    def __init__(self, server: Postgres, lost: psutil.Popen) -> None:
        self._server, self._lost = server, lost
        self._manager: object = None
        self.jobs: list[int] = []
        self.at = 0.0

    def recognise(self) -> bool:
        """Find the worker's name in the queue.

        Call this while only one worker runs. Return False until it holds a job.
        """
        found = self._server.sql(MANAGERS)
        self._manager = found[0]["id"] if found else None
        return bool(found)

    def kill(self) -> None:
        """Kill the worker while it holds jobs."""
        self._suspend_with(lambda: True)
        self._lost.kill()
        self._lost.wait()

    def freeze(self) -> None:
        """Freeze the worker during a job's transaction. The transaction keeps its locks, and connections stay open."""

        def holds_locks() -> bool:
            time.sleep(1.5)  # by then, all other transactions have ended
            return bool(self._server.sql(IDLE)[0][0])

        self._suspend_with(holds_locks)

    def _suspend_with(self, more: Callable[[], bool]) -> None:
        while not self.jobs:
            self._lost.suspend()
            self.at = time.monotonic()
            found = [row["id"] for row in self._server.sql(AT_HAND, self._manager)]
            if found and more():
                self.jobs = found
            else:
                self._lost.resume()
                time.sleep(random.uniform(0, 0.05))


async def lose(
    url: str, issuer: Issuer, server: Postgres, homes: tuple[Path, Path], how: Callable[[Loss], None]
) -> tuple[Sender, Loss, float, float]:
    """Lose a worker. Return the sender, the loss, and the seconds until the held jobs and all other jobs were done."""
    events, ending = Sender(issuer.machine("crm-sandbox"), send_event), asyncio.Event()
    persons = (Cpf.with_stem(str(stem)).digits for stem in itertools.count(980_000_000))
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
        for _ in range(SENDERS):
            group.create_task(events.run(http, persons, ending))
        with worker(homes[0], server, issuer) as first:
            loss = Loss(server, first)
            await asyncio.to_thread(until_now, loss.recognise)
            with worker(homes[1], server, issuer):
                await asyncio.to_thread(until_now, lambda: len(server.sql(MANAGERS)) == 2)
                await events.until_acknowledged(CALLS)
                await asyncio.to_thread(how, loss)
                before = len(await asyncio.to_thread(server.sql, APPLIED))
                await asyncio.to_thread(until_now, lambda: len(server.sql(APPLIED)) > before)
                others = time.monotonic() - loss.at
                await events.until_acknowledged(CALLS)
                ending.set()
                await asyncio.to_thread(until_now, lambda: not server.sql(LEFT, loss.jobs)[0][0])
                done = time.monotonic() - loss.at
                await asyncio.to_thread(until_now, lambda: not server.sql(WAITING)[0][0])
    return events, loss, done, others


@pytest.mark.parametrize("how", [Loss.kill, Loss.freeze], ids=["killed", "frozen"])
def test_the_other_host_takes_up_what_was_at_hand(issuer: Issuer, how: Callable[[Loss], None]) -> None:
    with folders(4) as (data, home, one, two), Postgres.create(data) as server:
        prepare(server)
        terminal = Terminal(home, **reach(home, server, issuer), port=(port := free_port()))
        with Serving(terminal, "--no-worker", "--processes", "1"):
            url = f"http://127.0.0.1:{port}"
            events, loss, done, others = asyncio.run(lose(url, issuer, server, (one, two), how))
        applied = {row["cpf"] for row in server.sql(APPLIED)}
        print(
            f"{how.__name__}: {events.describe()}; {len(loss.jobs)} jobs held by the lost worker, done by the "
            f"other worker {done:.1f} s later; other jobs continued after {others:.2f} s"
        )
        assert set(events.acknowledged) - applied == set()
        assert server.sql(APPLICATIONS)[0][0] == len(applied)
        assert server.sql(DEAD)[0][0] == 0
        assert not events.refused
