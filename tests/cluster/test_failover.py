"""Failover under load: the primary is killed, and its synchronous replica is promoted.

No acknowledged call is lost, and the platform finds the new primary without help from an operator.
"""

import asyncio
import itertools

import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients, people
from tests.cluster.postgres import Postgres
from tests.cluster.sending import APPLIED, WAITING, WRITTEN, Sender, send_event, write
from tests.cluster.servers import cluster, folders
from tests.support.login import client_token, log_in
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

pytestmark = pytest.mark.cluster

SENDERS = 8  # event senders; the number of senders of own writes is equal
CALLS = 400  # acknowledged calls to wait for, before and after the kill


async def fail_over(settings: Settings, primary: Postgres, replica: Postgres) -> tuple[Sender, Sender]:
    """Kill the primary and promote the replica under load, and return the senders."""
    issuer = settings.issuers[0]
    secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
    staff = next(person for person in people() if person.username == "marina")
    crm = await asyncio.to_thread(client_token, issuer, "crm-sandbox", secret)
    desk = str((await asyncio.to_thread(log_in, issuer, staff.username, staff.password))["access_token"])
    events, writes = Sender(crm, send_event), Sender(desk, write)
    persons = (Cpf.with_stem(str(stem)).digits for stem in itertools.count(960_000_000))
    ending = asyncio.Event()
    async with httpx.AsyncClient(base_url=settings.base_url, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
        for sender in (events, writes) * SENDERS:
            group.create_task(sender.run(http, persons, ending))
        for sender in (events, writes):
            await sender.until_acknowledged(CALLS)
        await asyncio.to_thread(primary.kill)
        await asyncio.to_thread(replica.sql, "SELECT pg_promote()", database="postgres")
        for sender in (events, writes):
            await sender.until_acknowledged(CALLS)
        ending.set()
    return events, writes


def test_nothing_acknowledged_is_lost_and_the_service_answers_again_by_itself() -> None:
    with cluster() as (primary, replica), folders(1) as (folder,):
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}"
        terminal = Terminal(
            folder,
            port=(port := free_port()),
            data_dir=folder,
            crm_push=False,
            database_url=f"postgresql://balcao_app@{hosts}/balcao",
            database_owner_url=f"postgresql://balcao@{hosts}/balcao",
        )
        assert terminal.run("demo", "--load").returncode == 0
        with Serving(terminal, "--processes", "2"):
            events, writes = asyncio.run(fail_over(Settings(data_dir=folder, port=port), primary, replica))
            until_now(lambda: not replica.sql(WAITING)[0][0])
        stored = {row["cpf"] for row in replica.sql(WRITTEN)}
        applied = {row["cpf"] for row in replica.sql(APPLIED)}
        for name, sent in (("events", events), ("own writes", writes)):
            print(f"{name}: {sent.describe()}")
        assert set(events.acknowledged) - applied == set()
        assert set(writes.acknowledged) - stored == set()
        assert {*events.refused, *writes.refused} <= {"503 store-away"}
