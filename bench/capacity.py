"""`python -m bench.capacity`: bytes on disk per row and bytes of write-ahead log per call, to plan servers."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import asyncpg
import httpx
import msgspec
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.database.roles import ApplicationRole
from balcao.core.imports.service import import_rows
from balcao.core.jobs.worker import Worker
from balcao.gateway.asgi import AsgiApplication
from balcao.registry import SERVICE as REGISTRY
from balcao.settings import Settings
from balcao_sandbox.demo.registry import invented
from balcao_sandbox.postgresql import supervisor
from tests.support.issuer import Issuer, bearer

console = Console(highlight=False, width=120)
AT_ONCE = 16
PATIENCE_SECONDS = 300
# The first generated citizen's number. It is greater than the numbers of all demo people. Every seventh citizen has
# tickets.
FIRST = 1_001
SMALL = 100  # a row's size is meaningless in a smaller table
READ_BY_STAFF = "staff reads a citizen"

_SIZES = """
SELECT relid::regclass::text AS name, n_live_tup AS rows, pg_table_size(relid) AS heap,
       pg_indexes_size(relid) AS indexes
FROM pg_stat_user_tables WHERE n_live_tup > $1 AND schemaname IN ('registry', 'platform')
ORDER BY pg_total_relation_size(relid) DESC
"""
_POSITION = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"

# Builds a call of the citizen with this CPF: the method, the path, the body, and the token's owner.
Build = Callable[[str], tuple[str, str, Any, str]]


def list_calls() -> dict[str, Build]:
    """Return, by name, the calls that an active citizen makes in a year.

    Each value builds the call from the citizen's CPF.
    """
    base = "/registry/v1/citizen"
    pet = next(one.example for one in REGISTRY.operations() if one.key == "registry.create_pet")
    choices = {"channel": "web", "category_opt_ins": {"health": False, "courses": True}}
    told = {"genero": "Mulher cisgênero", "email": "pessoa@exemplo.com.br", "idioma": ["Português"]}
    told |= {"telefonePrincipal": "+5521999990000", "nomeExibicao": "Ana"}

    def event(cpf: str) -> Any:
        return {"cpf": cpf, "evento": "atualizacao", "updatedAt": "2026-03-01T12:00:00Z", "dados": told}

    return {
        "event of the CRM, applied": lambda cpf: ("POST", "/registry/v1/webhooks/crm/cidadao", event(cpf), "crm"),
        "own write": lambda cpf: ("PUT", f"{base}/{cpf}/gender", {"valor": "Mulher cisgênero"}, cpf),
        "preferences": lambda cpf: ("PUT", f"{base}/{cpf}/notification-preferences", choices, cpf),
        "a pet": lambda cpf: ("POST", f"{base}/{cpf}/pets", pet, cpf),
        READ_BY_STAFF: lambda cpf: ("GET", f"{base}/{cpf}", None, "staff"),
    }


class Sizes(msgspec.Struct):
    """The size of one table."""

    name: str
    rows: int
    heap: int
    indexes: int

    @property
    def row(self) -> float:
        return (self.heap + self.indexes) / self.rows


class Calls(msgspec.Struct):
    """The log bytes of a call, including the jobs that it causes. `first` is measured right after a checkpoint."""

    name: str
    first: float
    log: float


class City:
    """A new database, a connection as its owner, and an application that uses it."""

    def __init__(self, url: str, issuer: Issuer, folder: Path) -> None:
        self.url = url
        self.settings = Settings(
            data_dir=folder, auth_issuer=issuer.address, crm_push=False, read_rate="1000000/second"
        )
        self.platform = assemble(self.settings, url)
        self._tokens = {"crm": issuer.machine("crm-sandbox"), "staff": issuer.admin()}
        self._issuer = issuer

    async def import_people(self, citizens: int) -> float:
        """Import citizens and their tickets as a city would. Return the log bytes per citizen."""
        before = await self.ask(_POSITION)
        people = invented.make_citizens(citizens, FIRST)
        await import_rows(self.platform, REGISTRY.imports["citizens"], people)
        await import_rows(self.platform, REGISTRY.imports["tickets"], invented.make_tickets(citizens, FIRST))
        written = await self.ask(_POSITION) - before
        await self.execute("VACUUM (ANALYZE)")  # so that autovacuum does not run during the calls
        return float(written) / citizens

    async def act(self, active: int) -> list[Calls]:
        """Make every call as `active` citizens: the first half right after a checkpoint, then the other half."""
        application = app.build_application(self.settings, self.url)
        found = []
        async with application.open():
            transport = httpx.ASGITransport(app=AsgiApplication(application))
            async with httpx.AsyncClient(transport=transport, base_url="http://city", timeout=PATIENCE_SECONDS) as http:
                for name, build in list_calls().items():
                    people = [invented.make_cpf(number).digits for number in range(FIRST, FIRST + active)]
                    half = active // 2
                    await self.execute("CHECKPOINT")
                    first = await self._measure(http, build, people[:half])
                    found.append(Calls(name, first, await self._measure(http, build, people[half:])))
        return found

    async def _measure(self, http: httpx.AsyncClient, build: Build, people: Sequence[str]) -> float:
        before = await self.ask(_POSITION)
        waiting = iter(people)
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._call(http, build, waiting))
        await Worker(self.platform.database, app.list_job_kinds(), self.platform).drain()
        return float(await self.ask(_POSITION) - before) / len(people)

    async def _call(self, http: httpx.AsyncClient, build: Build, waiting: Iterator[str]) -> None:
        for cpf in waiting:
            method, path, body, who = build(cpf)
            token = self._tokens.get(who) or self._issuer.person(cpf)
            answer = await http.request(method, path, json=body, headers=bearer(token))
            if not answer.is_success:
                raise SystemExit(f"{method} {path.replace(cpf, '...')}: {answer.status_code} {answer.text[:200]}")

    async def measure_tables(self) -> list[Sizes]:
        await self.execute("VACUUM (ANALYZE)")
        connection = await asyncpg.connect(self.url)
        try:
            return [msgspec.convert(dict(row), Sizes) for row in await connection.fetch(_SIZES, SMALL)]
        finally:
            await connection.close()

    async def ask(self, statement: str) -> Any:
        return await self._with_connection(lambda connection: connection.fetchval(statement))

    async def execute(self, statement: str) -> None:
        await self._with_connection(lambda connection: connection.execute(statement))

    async def _with_connection(self, use: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
        connection = await asyncpg.connect(self.url)
        try:
            return await use(connection)
        finally:
            await connection.close()


async def measure(url: str, issuer: Issuer, folder: Path, citizens: int, active: int) -> None:
    """Fill a database, make the calls, and print the figures."""
    city = City(url, issuer, folder)
    await app.bring_up_to_date(url, ApplicationRole())
    began = time.perf_counter()
    async with app.open_services(city.platform):
        imported = await city.import_people(citizens)
        seconds = time.perf_counter() - began
        console.print(f"{citizens:,} citizens imported in {seconds:.0f} s, {imported:,.0f} bytes of log each")
        calls = await city.act(active)
    show_tables(await city.measure_tables())
    show_calls(calls, active)


def show_tables(tables: Sequence[Sizes]) -> None:
    table = Table("Table", "Rows", "Heap per row", "Indexes per row", "Bytes per row")
    for one in tables:
        figures = (one.rows, one.heap / one.rows, one.indexes / one.rows, one.row)
        table.add_row(one.name, *(f"{figure:,.0f}" for figure in figures))
    console.print(table)


def show_calls(calls: Sequence[Calls], active: int) -> None:
    table = Table(f"Call of {active:,} citizens", "Bytes of log after a checkpoint", "Later")
    for one in calls:
        table.add_row(one.name, f"{one.first:,.0f}", f"{one.log:,.0f}")
    console.print(table)


def main(
    citizens: Annotated[int, typer.Option(help="The number of citizens to import.")] = 100_000,
    active: Annotated[int, typer.Option(help="The number of these citizens that make every call.")] = 4_000,
) -> None:
    """Print the bytes per row and per call."""
    issuer = Issuer()
    with tempfile.TemporaryDirectory(prefix="balcao-capacity-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with supervisor.start(folder / "data") as running:
            asyncio.run(measure(running.server.url, issuer, folder, citizens, active))
    issuer.close()


if __name__ == "__main__":
    typer.run(main)
