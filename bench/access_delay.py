"""`python -m bench.access_delay`: how soon a right granted or revoked in one process applies in another process.

Two processes of the platform use one database. A change goes to the first process. A person calls the second process
repeatedly until the response changes. Then the benchmark measures changes without a notification, which the second
process finds only when it polls.
"""

import asyncio
import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import asyncpg
import httpx
import typer
from rich.console import Console

from balcao import app
from balcao_sandbox.postgresql import supervisor
from bench.servers import serving
from bench.stage import OURS
from tests.support.issuer import Issuer, bearer

BASE = "/access/api/v1"
PERSON, GROUP = "90000040479", "auditoria_da_medida"
# Grants (True) or revokes (False) the right directly in the tables, without a notification.
SILENT = {
    True: "INSERT INTO access.membership (group_id, person_id) SELECT grp.id, person.id FROM access.grp, access.person "
    "WHERE name = $1 AND cpf = $2",
    False: "DELETE FROM access.membership USING access.grp, access.person "
    "WHERE grp.id = group_id AND person.id = person_id AND name = $1 AND cpf = $2",
}
RAISE = "UPDATE access.catalogue_version SET version = version + 1"
console = Console()


@dataclass(frozen=True)
class Delays:
    """The delay in milliseconds, from the response to the change until the change applies in the other process."""

    changes: int
    p50: float
    p99: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Delays":
        """Return the statistics of the measurements."""
        found = sorted(1000 * one for one in seconds)
        return cls(len(found), statistics.median(found), found[min(len(found) - 1, len(found) * 99 // 100)], found[-1])


def bench(
    changes: Annotated[int, typer.Option(min=2, help="Mudanças avisadas.")] = 200,
    lost: Annotated[int, typer.Option(min=2, help="Mudanças cujo aviso se perde.")] = 10,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede quanto tempo leva para um direito dado ou tirado em um processo valer no outro."""
    issuer = Issuer()
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name, contextlib.ExitStack() as stack:
        stack.callback(issuer.close)
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        url = stack.enter_context(supervisor.start(folder)).server.url
        app.migrate_now(url)
        ports = [
            stack.enter_context(serving(OURS, folder, url, "access", "/access", issuer.address))[0] for _ in range(2)
        ]
        writer, reader = [
            stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30)) for port in ports
        ]
        writer.headers = httpx.Headers(
            bearer(issuer.person("90000001309", realm_access={"roles": ["superadmin"]}, exp=_in_an_hour()))
        )
        reader.headers = httpx.Headers(bearer(issuer.person(PERSON, exp=_in_an_hour())))
        _prepare(writer)
        told = Delays.of(_measure(reader, changes, lambda member: _change(writer, member)))
        silent = Delays.of(_measure(reader, lost, lambda member: asyncio.run(_change_silently(url, member))))
    for title, delays in (("avisadas", told), ("sem aviso", silent)):
        console.print(
            f"{delays.changes} mudanças {title}: p50 {delays.p50:.0f} ms, p99 {delays.p99:.0f} ms, "
            f"máximo {delays.most:.0f} ms"
        )
    if as_json:
        as_json.write_text(json.dumps({"told": asdict(told), "lost": asdict(silent)}, indent=2) + "\n")


def _in_an_hour() -> int:
    return int(time.time()) + 3600


def _prepare(writer: httpx.Client) -> None:
    """Create a group whose members may list the roles.

    Add the person and remove them again, so that their row exists.
    """
    writer.post(f"{BASE}/groups", json={"name": GROUP, "description": "Da medida"}).raise_for_status()
    writer.post(f"{BASE}/roles/groups/{GROUP}/roles", json={"role_name": "acessos:leitor"}).raise_for_status()
    for member in (True, False):
        _change(writer, member)


def _change(writer: httpx.Client, member: bool) -> None:
    path = f"{BASE}/groups/{GROUP}/members"
    answer = writer.post(path, json={"subject": PERSON}) if member else writer.delete(f"{path}/{PERSON}")
    answer.raise_for_status()


async def _change_silently(url: str, member: bool) -> None:
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(SILENT[member], GROUP, PERSON)
            await connection.execute(RAISE)
    finally:
        await connection.close()


def _measure(reader: httpx.Client, changes: int, change: Callable[[bool], None]) -> list[float]:
    """Return how many seconds each change took to apply. The changes alternately grant and revoke the right."""
    delays = []
    for turn in range(changes):
        member = turn % 2 == 0
        change(member)
        begun, wanted = time.perf_counter(), 200 if member else 403
        while reader.get(f"{BASE}/roles", params={"limit": 1}).status_code != wanted:
            pass
        delays.append(time.perf_counter() - begun)
    return delays


if __name__ == "__main__":
    typer.run(bench)
