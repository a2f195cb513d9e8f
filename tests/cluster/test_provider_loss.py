"""The identity provider goes down under load, and another host starts in the meantime.

Callers with known tokens can continue. All other callers are accepted again once the provider is back.
"""

import asyncio
import contextlib
import itertools
import time
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.core.values.cpf import Cpf
from balcao_sandbox.postgresql import supervisor
from tests.cluster.sending import WRITTEN, Sender, write
from tests.cluster.servers import folders
from tests.support.demo_people import KLEBER
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.owner_connection import Owner
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

pytestmark = pytest.mark.cluster

SENDERS = 8
CALLS = size(100, 1_000)  # calls to wait for before, during and after the loss
STAFF = KLEBER
WHO, PUBLIC = "/agent/api/v1/auth", "/registry/v1/citizen/gender/options"


class Host:
    """A `balcao serve` with its own folder and one trusted provider. All hosts share the database."""

    def __init__(self, home: Path, database_url: str, issuer: Issuer) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        terminal = Terminal(home, data_dir=home, port=port, database_url=database_url, auth_issuer=issuer.address)
        self.serving = Serving(terminal, "--no-worker", "--processes", "2")


async def ask(http: httpx.AsyncClient, token: str) -> tuple[int, str | None]:
    answer = await http.get(WHO, headers=bearer(token))
    return answer.status_code, answer.headers.get("Error-Code")


async def until_let_in(http: httpx.AsyncClient, token: str) -> float:
    """Retry after each `Retry-After` until the token is accepted. Return the time when it was accepted."""
    async with asyncio.timeout(PATIENCE):
        while (answer := await http.get(WHO, headers=bearer(token))).status_code != 200:
            assert answer.headers["Error-Code"] == "identity-away"
            await asyncio.sleep(float(answer.headers["Retry-After"]))
    return time.monotonic()


async def lose(issuer: Issuer, first: str, second: Host) -> tuple[list[Sender], list[float]]:
    """Stop the provider and start it again.

    Return the senders that continued, and the seconds until other callers were accepted. The senders use a token that
    was verified before the loss, and a new token with a known key. The seconds are measured from the provider's return,
    on the running host and on the host that started during the loss.
    """
    known, unseen = (Sender(issuer.admin(STAFF, sub=sub), write) for sub in ("known", "unseen"))
    persons = (Cpf.with_stem(str(stem)).digits for stem in itertools.count(940_000_000))
    ending = asyncio.Event()
    async with httpx.AsyncClient(base_url=first, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
        for _ in range(SENDERS):
            group.create_task(known.run(http, persons, ending))
        await known.until_acknowledged(CALLS)
        issuer.close()
        issuer.keys.append(new_key())  # the key rotates while no host can fetch the new one
        late = issuer.admin(STAFF)
        group.create_task(unseen.run(http, persons, ending))
        for sender in (known, unseen):
            await sender.until_acknowledged(CALLS)
        assert await ask(http, late) == (503, "identity-away")
        await asyncio.to_thread(second.serving.__enter__)
        async with httpx.AsyncClient(base_url=second.url, timeout=PATIENCE) as other:
            assert (await other.get(PUBLIC)).status_code == 200
            assert await ask(other, late) == (503, "identity-away")
            issuer.open()
            came_back = time.monotonic()
            let_in = await asyncio.gather(until_let_in(http, late), until_let_in(other, late))
        await known.until_acknowledged(CALLS)
        ending.set()
    return [known, unseen], [instant - came_back for instant in let_in]


def test_who_has_a_token_goes_on_and_everybody_else_comes_back() -> None:
    issuer = Issuer()
    with folders(3) as (data, one, two), supervisor.start(data) as database:
        url = database.server.url
        app.migrate_now(url)
        first, second = (Host(home, url, issuer) for home in (one, two))
        with first.serving:
            try:
                senders, seconds = asyncio.run(lose(issuer, first.url, second))
            finally:
                second.serving.__exit__()
        with contextlib.closing(Owner(url)) as owner:
            stored = {row["cpf"] for row in owner.run(WRITTEN)}
    issuer.close()
    for name, sent in zip(("known", "never seen"), senders, strict=True):
        print(f"token {name}: {sent.describe()}")
        assert set(sent.acknowledged) - stored == set()
        assert not sent.refused
    print(f"tokens with a new key: accepted {seconds[0]:.1f} s after the return, on the new host {seconds[1]:.1f} s")
