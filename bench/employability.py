"""`python -m bench.employability`: how fast staff and citizens read lists of jobs and applications in a whole city."""

import asyncio
import contextlib
import json
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import asyncpg
import httpx
import psutil
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao_sandbox.postgresql import supervisor
from bench.applications import EACH, City, fill, job_id, person
from bench.processes import cpu_seconds, list_family
from bench.servers import serving
from bench.stage import OURS
from tests.support.issuer import Issuer, bearer

STAFF = "90000030163"
WARM_UP = 7  # PostgreSQL makes five custom plans before a generic one
E, P = "/jobs/api/v1/empregabilidade", "/jobs/api/public/empregabilidade"
console = Console(stderr=True)


@dataclass(frozen=True)
class Call:
    """A measured call. `who` is the caller's CPF, or None for a visitor."""

    name: str
    path: str
    query: dict[str, str]
    who: str | None = STAFF


OWN = person(7)
CALLS = (
    Call("vagas publicadas", f"{P}/vagas", {}, None),
    Call("vagas publicadas, ativas", f"{P}/vagas", {"status": "publicado_ativo"}, None),
    Call("vagas publicadas, título", f"{P}/vagas", {"search": "padeiro 7"}, None),
    Call("vagas da equipe", f"{E}/vagas", {}),
    Call("vagas da equipe, bairro", f"{E}/vagas", {"bairro": "praia grande 17"}),
    Call("candidaturas, todas", f"{E}/candidaturas", {}),
    Call("candidaturas, página 1.000", f"{E}/candidaturas", {"page": "1000"}),
    Call("candidaturas, aprovadas", f"{E}/candidaturas", {"status": "aprovada"}),
    Call("candidaturas, busca", f"{E}/candidaturas", {"search": "nogueira 777"}),
    Call("candidaturas, CPF", f"{E}/candidaturas", {"cpf": OWN}),
    Call("candidatos de uma vaga", f"{E}/candidaturas", {"vagaId": job_id(1)}),
    Call("candidatos de uma vaga, aprovados", f"{E}/candidaturas", {"vagaId": job_id(1), "status": "aprovada"}),
    Call("candidaturas da própria pessoa", f"{E}/candidaturas/usuario/{OWN}", {}, OWN),
    Call("banco de currículos", f"{E}/banco-curriculos", {}),
    Call("banco de currículos, busca", f"{E}/banco-curriculos", {"search": "nogueira 777"}),
)


@dataclass(frozen=True)
class Figures:
    """The latency of a call, and the CPU time that the server and PostgreSQL spend on it, in milliseconds."""

    p50: float
    p95: float
    cpu: float


def bench(
    applications: Annotated[int, typer.Option(min=1000, help="Quantas candidaturas.")] = 1_000_000,
    jobs: Annotated[int, typer.Option(min=100, help="Quantas vagas.")] = 20_000,
    calls: Annotated[int, typer.Option(min=1, help="Vezes que cada lista é pedida.")] = 60,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede as listas de vagas e de candidaturas, uma chamada por vez."""
    crowd = applications // 100
    city = City(jobs, (applications - crowd) // EACH, crowd)
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with supervisor.start(folder) as running, contextlib.closing(Issuer()) as issuer:
            url = running.server.url
            with console.status("Preparando a cidade"):
                app.migrate_now(url)
                asyncio.run(_fill(url, city))
            database = psutil.Process(int((running.server.data_dir / "postmaster.pid").read_text().split()[0]))
            with serving(OURS, folder, url, "employability", "/jobs", issuer.address) as (port, server):
                figures = _measure_all(port, issuer, calls, [server, database])
    _show(figures, city)
    if as_json:
        as_json.write_text(json.dumps({name: vars(each) for name, each in figures.items()}, indent=2) + "\n")


async def _fill(url: str, city: City) -> None:
    connection = await asyncpg.connect(url)
    try:
        await fill(connection, city)
    finally:
        await connection.close()


def _measure_all(port: int, issuer: Issuer, calls: int, parents: list[psutil.Process]) -> dict[str, Figures]:
    ends = int(time.time()) + 24 * 3600
    tokens = {
        STAFF: bearer(issuer.person(STAFF, exp=ends, realm_access={"roles": ["go:admin"]})),
        OWN: bearer(issuer.person(OWN, exp=ends)),
    }
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        return {each.name: _measure(client, each, tokens.get(each.who or "", {}), calls, parents) for each in CALLS}


def _measure(
    client: httpx.Client, call: Call, headers: dict[str, str], calls: int, parents: list[psutil.Process]
) -> Figures:
    def ask() -> float:
        began = time.perf_counter()
        client.get(call.path, params=call.query, headers=headers).raise_for_status()
        return (time.perf_counter() - began) * 1000

    for _ in range(WARM_UP):
        ask()
    before = cpu_seconds(list_family(*parents))
    times = [ask() for _ in range(calls)]
    spent = (cpu_seconds(list_family(*parents)) - before) * 1000 / calls
    return Figures(statistics.median(times), statistics.quantiles(times, n=20)[-1], spent)


def _show(figures: dict[str, Figures], city: City) -> None:
    table = Table("lista", title=f"{city.jobs} vagas, {city.applications} candidaturas")
    for name in ("p50 ms", "p95 ms", "CPU ms/chamada"):
        table.add_column(name, justify="right")
    for name, each in figures.items():
        table.add_row(name, f"{each.p50:.1f}", f"{each.p95:.1f}", f"{each.cpu:.1f}")
    Console().print(table)


if __name__ == "__main__":
    typer.run(bench)
