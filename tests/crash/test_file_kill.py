"""kill -9 of all processes while citizens send files.

Every row has its content, and every acknowledged file has a row.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Iterator

import asyncpg
import httpx
import psutil
import pytest

from balcao.settings import Settings
from balcao_sandbox.identity.demo import people
from balcao_sandbox.postgresql import supervisor
from tests.support.login import log_in
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.sample_files import document, photo
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, open_folder, remove

pytestmark = pytest.mark.long

# The number of acknowledged files before each kill, and the number of kills.
FILES = size(12, 60)
KILLS = size(2, 10)
SENDERS = 4
STORED = "SELECT id::text, encode(digest, 'hex') AS digest FROM registry.citizen_file"


@pytest.fixture
def settings() -> Iterator[Settings]:
    folder = open_folder()
    yield Settings(data_dir=folder, port=free_port())
    remove(folder)


@pytest.mark.cases("registry", "Y6")
def test_no_row_lacks_its_content_after_a_kill(settings: Settings) -> None:
    terminal = Terminal(settings.data_dir, port=settings.port, data_dir=settings.data_dir)
    acknowledged: set[str] = set()
    for _ in range(KILLS):
        with Serving(terminal) as serving:
            acknowledged |= asyncio.run(send_until_killed(settings, serving))
    assert len(acknowledged) >= KILLS * FILES
    with Serving(terminal):
        rows = asyncio.run(read_rows(settings))
    contents = {path.name: path.read_bytes() for path in (settings.data_dir / "files").glob("*/*")}
    assert acknowledged <= set(rows)
    assert {name: hashlib.sha256(contents[name]).hexdigest() for name in rows} == rows


async def send_until_killed(settings: Settings, serving: Serving) -> set[str]:
    """Send files as several people until enough are acknowledged, and kill everything. Return the acknowledged ids."""
    acknowledged: set[str] = set()

    async def send(client: httpx.AsyncClient, cpf: str, token: str) -> None:
        number = 0
        while True:
            number += 1
            content = photo(600 + number, 400) if number % 3 == 0 else document(b"x" * 1000 * number)
            try:
                answer = await client.post(
                    f"/registry/v1/citizen/{cpf}/files", content=content, headers={"Authorization": f"Bearer {token}"}
                )
            except httpx.TransportError:
                return
            if answer.status_code in {429, 503}:  # refused by the rate limit, or PostgreSQL died first
                return
            assert answer.status_code == 201, answer.text
            acknowledged.add(answer.json()["id"])
            if len(acknowledged) == FILES:
                kill_everything(serving)

    async with httpx.AsyncClient(base_url=settings.base_url, timeout=PATIENCE) as client:
        senders = [person for person in people() if person.cpf and person.username][:SENDERS]
        logins = [
            await asyncio.to_thread(log_in, settings.issuers[0], person.username, person.password) for person in senders
        ]
        tokens = [str(login["access_token"]) for login in logins]
        await asyncio.gather(
            *(send(client, person.cpf, token) for person, token in zip(senders, tokens, strict=True) if person.cpf)
        )
    return acknowledged


def kill_everything(serving: Serving) -> None:
    """Kill the parent process and all its children, including PostgreSQL and decoders, with SIGKILL."""
    for process in [serving.process, *serving.family()]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


async def read_rows(settings: Settings) -> dict[str, str]:
    """Return the digest of each stored file by its id."""
    server = supervisor.find_running(settings.data_dir)
    assert server
    connection = await asyncpg.connect(server.url)
    try:
        return {row["id"]: row["digest"] for row in await connection.fetch(STORED)}
    finally:
        await connection.close()
