"""`python -m bench.search_migration`: writers at full rate during a schema migration of the search and its rollback.

Print how long the writers waited in each phase, and fail if a write was lost or refused. At the end, both collections
must contain every acknowledged write, and the collections must be equal (rules: search 4.4).
"""

import asyncio
import contextlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import asyncpg
import httpx
import typer
from rich.console import Console
from rich.table import Table

from balcao_sandbox.postgresql import supervisor
from bench.servers import PATIENCE_SECONDS, free_port
from bench.stage import OURS
from tests.support.issuer import Issuer, bearer

console = Console(highlight=False)
TOKEN_SECONDS = 24 * 3600
SERVICES_PATH = "/search/api/v1/admin/services"
MIGRATION_PATH = "/search/api/v1/admin/migration"
POLL_SECONDS = 0.1
BEFORE, AFTER_SWITCH, AFTER_ROLLBACK = "antes", "depois da troca", "depois da reversão"

# Copies of the existing services with new ids.
_FILL = """
WITH first AS (
    SELECT doc, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS places FROM search.{physical}
    WHERE doc ->> 'slug' NOT LIKE 'copia-%'
), copies AS (
    SELECT id, doc || jsonb_build_object('id', id, 'nome_servico', (doc ->> 'nome_servico') || ' ' || number,
                                         'slug', 'copia-' || number, 'slug_history', '[]'::jsonb) AS doc
    FROM (SELECT number, gen_random_uuid() AS id FROM generate_series($1::int, $2::int) AS number) AS numbered
    JOIN first ON first.place = 1 + number % first.places
), heads AS (
    INSERT INTO search.service_head (id, next_version, created_at) SELECT id, 2, now() FROM copies
), slugs AS (
    INSERT INTO search.service_slugs (slug, service_id, current) SELECT doc ->> 'slug', id, true FROM copies
)
INSERT INTO search.{physical} (id, doc, carried, version) SELECT id, doc, '{{}}', 1 FROM copies
"""
_IDS = "SELECT id::text FROM search.{physical} ORDER BY id"
_WRITTEN = "SELECT id::text, version, doc ->> 'nome_servico' AS name FROM search.{table} WHERE id = ANY($1)"
_FIRST_SERVICES = 40
FILLED_AT_ONCE = 1000


@dataclass
class Writes:
    """The acknowledged writes, and how long each write took, by the phase in which it started."""

    phase: str = BEFORE
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    names: dict[str, tuple[int, str]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    ended: bool = False

    def acknowledge(self, service_id: str, version: int, name: str) -> None:
        """Keep only the newest version, because concurrent writers of a service get their responses in any order."""
        self.names[service_id] = max(self.names.get(service_id, (0, "")), (version, name))


async def write(client: httpx.AsyncClient, writes: Writes, ids: list[str], seed: int) -> None:
    """Change random services, and sometimes create or delete one, as fast as the server answers."""
    chance = random.Random(seed)  # noqa: S311 - the same order in every run
    own: list[str] = []
    while not writes.ended:
        draw, name = chance.random(), f"Serviço {uuid.UUID(int=chance.getrandbits(128))}"
        phase, begun = writes.phase, time.perf_counter()
        if draw < 0.05:
            answer = await client.post(SERVICES_PATH, json=make_body(name))
        elif draw < 0.08 and own:
            answer = await client.delete(f"{SERVICES_PATH}/{own[-1]}")
        else:
            answer = await client.put(f"{SERVICES_PATH}/{chance.choice(ids)}", json=make_body(name))
        writes.taken[phase].append(time.perf_counter() - begun)
        if answer.status_code == 204:
            writes.deleted.add(own.pop())
        elif answer.is_success:
            stored = answer.json()
            writes.acknowledge(stored["id"], stored["version"], name)
            if answer.status_code == 201:
                own.append(stored["id"])
        else:
            writes.refused.append(f"{phase}: {answer.status_code} {answer.text[:200]}")


_WORDS = (
    "o pedido é analisado pela equipe responsável e a resposta chega pela sua conta quem mora na cidade pode pedir "
    "sem intermediários prazo começa a contar quando todos os documentos estiverem completos acompanhe andamento "
    "pelo número do protocolo atendimento presencial acontece de segunda a sexta em caso de indeferimento recurso"
).split()


def make_body(name: str) -> dict[str, Any]:
    """Return a service of about 150 words, as a staff portal sends it."""
    chance = random.Random(name)  # noqa: S311 - texts
    return {
        "nome_servico": name,
        "orgao_gestor": ["Secretaria de Conservação"],
        "resumo": " ".join(chance.choices(_WORDS, k=20)),
        "descricao_completa": " ".join(chance.choices(_WORDS, k=130)),
        "documentos_necessarios": ["Documento de identidade com foto", "Comprovante de residência recente"],
        "instrucoes_solicitante": "Faça o pedido com a sua conta e acompanhe pelo número do protocolo.",
        "tema_geral": "Cidade",
        "sub_categoria": "Poda de árvore",
        "publico_especifico": ["Público em geral"],
        "is_free": True,
    }


async def fill(database_url: str, client: httpx.AsyncClient, count: int) -> list[str]:
    """Add services until the catalogue has this many, and return their ids."""
    for number in range(_FIRST_SERVICES):
        (await client.post(SERVICES_PATH, json=make_body(f"Serviço {number}"))).raise_for_status()
    connection = await asyncpg.connect(database_url)
    try:
        physical = await connection.fetchval("SELECT physical FROM search.search_collection")
        for first in range(_FIRST_SERVICES, count, FILLED_AT_ONCE):
            await connection.execute(_FILL.format(physical=physical), first, min(first + FILLED_AT_ONCE, count) - 1)
        await connection.execute("ANALYZE")
        rows = await connection.fetch(_IDS.format(physical=physical))
        return [row["id"] for row in rows]
    finally:
        await connection.close()


async def drive(client: httpx.AsyncClient, writes: Writes, target: str, seconds: float) -> dict[str, float]:
    """Migrate and roll back while the writers run. Return the seconds of each phase and of the rollback's call."""
    await asyncio.sleep(seconds)
    took: dict[str, float] = defaultdict(float)
    writes.phase = "preparing"
    begun = (await client.post(f"{MIGRATION_PATH}/start", json={"schema_version": target})).raise_for_status().json()
    last = time.perf_counter()
    while True:
        shown = (await client.get(f"{MIGRATION_PATH}/runs/{begun['migration_id']}")).raise_for_status().json()
        now = time.perf_counter()
        took[writes.phase] += now - last
        last = now
        if shown["status"] != "in_progress":
            break
        writes.phase = shown["phase"]
        await asyncio.sleep(POLL_SECONDS)
    if shown["status"] != "completed":
        raise RuntimeError(shown["error_message"])
    writes.phase = AFTER_SWITCH
    await asyncio.sleep(seconds)
    writes.phase = "rollback"
    before = time.perf_counter()
    (await client.post(f"{MIGRATION_PATH}/rollback")).raise_for_status()
    took["rollback"] = time.perf_counter() - before
    writes.phase = AFTER_ROLLBACK
    await asyncio.sleep(seconds)
    return dict(took)


async def find_lost(database_url: str, writes: Writes) -> list[str]:
    """Describe each difference between a collection and the acknowledged writes, and between the two collections."""
    connection = await asyncpg.connect(database_url)
    try:
        physical, mirror = await connection.fetchrow("SELECT physical, mirror FROM search.search_collection")
        wanted = {one: written for one, written in writes.names.items() if one not in writes.deleted}
        lost = []
        for table in (physical, mirror):
            rows = await connection.fetch(_WRITTEN.format(table=table), list(writes.names))
            found = {row["id"]: (row["version"], row["name"]) for row in rows}
            lost += [f"{table} {one}" for one in wanted.keys() | found.keys() if wanted.get(one) != found.get(one)]
        after: Any = None
        while True:
            compare = "SELECT differing, last FROM search.compare_chunk($1, $2, $3, 2000)"
            differing, after = await connection.fetchrow(compare, physical, mirror, after)
            lost += [f"differs {one}" for one in differing]
            if after is None:
                return lost
    finally:
        await connection.close()


async def run(
    database_url: str, port: int, issuer: Issuer, *, services: int, writers: int, seconds: float, target: str
) -> bool:
    """Return whether every acknowledged write is stored, and no write was refused."""
    headers = bearer(issuer.admin(exp=int(time.time()) + TOKEN_SECONDS))
    limits = httpx.Limits(max_connections=writers + 2)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=PATIENCE_SECONDS, limits=limits
    ) as client:
        begun = time.perf_counter()
        ids = await fill(database_url, client, services)
        console.print(f"{len(ids)} serviços em {time.perf_counter() - begun:.0f} s")
        writes = Writes()
        async with asyncio.TaskGroup() as group:
            for seed in range(writers):
                group.create_task(write(client, writes, ids, seed))
            took = await drive(client, writes, target, seconds)
            writes.ended = True
    lost = await find_lost(database_url, writes)
    show(writes, took, lost)
    return not lost and not writes.refused


def show(writes: Writes, took: dict[str, float], lost: list[str]) -> None:
    table = Table("fase", "segundos", "gravações", "p50 ms", "p99 ms", "mais longa ms")
    for phase, taken in writes.taken.items():
        ordered = sorted(taken)
        table.add_row(
            phase,
            f"{took[phase]:.2f}" if phase in took else "",
            str(len(ordered)),
            f"{1000 * statistics.median(ordered):.1f}",
            f"{1000 * ordered[int(0.99 * (len(ordered) - 1))]:.1f}",
            f"{1000 * ordered[-1]:.0f}",
        )
    console.print(table)
    count = sum(map(len, writes.taken.values()))
    console.print(f"{count} gravações, {len(writes.refused)} recusadas, {len(lost)} perdidas ou diferentes")
    for line in [*writes.refused, *lost][:10]:
        console.print(line, markup=False)


@contextlib.contextmanager
def running(folder: Path, environment: dict[str, str], *words: str) -> Iterator[None]:
    """Run one of the platform's commands as a process, and write its log to a file."""
    with (folder / f"{words[0]}.log").open("wb") as log:
        process = subprocess.Popen(OURS.command(*words), env=environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def main(
    services: Annotated[int, typer.Option(min=100, help="Serviços no catálogo.")] = 100_000,
    writers: Annotated[int, typer.Option(min=1, max=64, help="Quantos gravam ao mesmo tempo.")] = 4,
    seconds: Annotated[float, typer.Option(help="De gravações antes, depois da troca e depois da reversão.")] = 3,
    target: Annotated[str, typer.Option(help="Versão de esquema da migração.")] = "v2",
) -> None:
    """Migra a busca e desfaz a migração, com gravações sem parar, e diz quanto esperou quem gravava."""
    folder = Path(tempfile.mkdtemp(prefix="balcao-bench-"))
    folder.chmod(0o755)
    try:
        passed = measure(folder, services, writers, seconds, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    raise typer.Exit(0 if passed else 1)


def measure(folder: Path, services: int, writers: int, seconds: float, target: str) -> bool:
    """Return whether the run passed. All processes that it starts end with it."""
    with supervisor.start(folder) as embedded, contextlib.closing(Issuer()) as issuer:
        port = free_port()
        environment = OURS.environment(folder / "data", embedded.server.url, issuer.address)
        environment["BALCAO_PORT"] = str(port)
        subprocess.run(OURS.command("migrate"), env=environment, check=True, stdout=subprocess.DEVNULL)
        with running(folder, environment, "serve", "search", "access"), running(folder, environment, "worker"):
            wait_for(port)
            order = run(
                embedded.server.url, port, issuer, services=services, writers=writers, seconds=seconds, target=target
            )
            return asyncio.run(order)


def wait_for(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"http://127.0.0.1:{port}/search/readiness", timeout=PATIENCE_SECONDS).is_success:
                return
        time.sleep(0.1)
    raise RuntimeError("o servidor não iniciou")


if __name__ == "__main__":
    typer.run(main)
