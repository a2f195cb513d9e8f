"""`python -m bench.mixed`: two hosts under a city's mixed load, first at full speed, then longer at 80 % of it.

At 80 %, calls arrive at a fixed rate, and their latency counts from their planned start. The exit status is 1 in these
cases: a response was not declared, a call was lost or failed with 5xx, a job was dead-lettered or stayed in the queue,
or memory, descriptors, connections or the queue grew.
"""

import asyncio
import contextlib
import itertools
import math
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import asyncpg
import msgspec
import typer
from rich.console import Console

from bench import applications, caller, catalogue, cores, go_programs, mixed_report, search
from bench.caller import Order, Result
from bench.hosts import Installation, installed
from bench.mix import Cast, make_operations, make_streams
from bench.rows import CONFIGS
from bench.samples import Sample, Watch, list_growth, measure_cpu, name_processes
from bench.stage import OURS, Stage, prepared
from tests.support.owner_connection import Owner

STREAMS = 40
SERVICES = 2000
CONFIGS_READ = 200
CITY = applications.City(jobs=2000, people=4000, crowd=500)
SHARE = 0.8
TOKEN_SECONDS = 300.0  # a usual lifetime of tokens; each window gets new ones
EVERY_SECONDS = 5.0
LEAST_MINUTES = 10.0  # the processes' memory still grows until then
DEADLINE_SECONDS = 900.0
_PEOPLE = (
    "INSERT INTO employability.resume (cpf) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
    "INSERT INTO employability.terms_acceptance (cpf, version, aceito_em) SELECT unnest($1::text[]), '1', now() "
    "ON CONFLICT DO NOTHING",
)
_NOTIFICATIONS = "SELECT cnes, id FROM health_units.notifications WHERE status = 'Ativo' ORDER BY cnes"
_OPEN_JOBS = (
    "SELECT id FROM employability.job WHERE status = 'publicado_ativo' AND data_limite > now() AND id = ANY ($1)"
)
_LAST_JOB = "SELECT coalesce(max(id), 0) FROM queue.pgqueuer"
# Counts the jobs that are due. Jobs scheduled for later are not a backlog.
_WAITING = "SELECT count(*) FROM queue.pgqueuer WHERE status <> 'failed' AND execute_after <= now()"
console = Console(width=150)


def bench(
    minutes: Annotated[float, typer.Option(min=0.1, max=50, help="Minutos a 80 % da capacidade.")] = 30,
    capacity_seconds: Annotated[float, typer.Option(min=1, help="Segundos da medida da capacidade.")] = 30,
    processes: Annotated[int, typer.Option(min=1, help="Processos das APIs em cada máquina.")] = 2,
    gateway: Annotated[str, typer.Option(help="haproxy, nginx ou none: as máquinas sem gateway.")] = "haproxy",
    rate: Annotated[float, typer.Option(min=0, help="Chamadas por segundo; 0: 80 % da capacidade medida.")] = 0,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede duas máquinas atrás do gateway, sob a carga mista de uma cidade."""
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        program = go_programs.build(folder, "mixed")
        with prepared(folder, []) as stage, contextlib.closing(Owner(stage.database_url)) as owner:
            cores.move(stage.postmaster, cores.ALL)
            with console.status("Preparando a cidade"):
                asyncio.run(_fill(stage.database_url, list(stage.own)))
                search.prepare(stage.database_url, list(catalogue.make_services(SERVICES)))
            with installed(stage, gateway, processes) as installation:
                faults = _Run(stage, installation, program, owner).measure(minutes, capacity_seconds, rate, as_json)
    for fault in faults:
        console.print(f"[red]{fault}[/red]")
    raise typer.Exit(1 if faults else 0)


async def _fill(url: str, people: Sequence[str]) -> None:
    connection = await asyncpg.connect(url)
    try:
        await applications.fill(connection, CITY)
        for statement in _PEOPLE:
            await connection.execute(statement, people)
    finally:
        await connection.close()


@dataclass(frozen=True)
class Phase:
    """The outcome of an order: its calls, the CPU seconds of each part, and how long its jobs took to finish."""

    result: Result
    shares: Mapping[str, float]
    drained: float

    @property
    def sustained(self) -> float:
        """Return the calls per second. The time includes the wait for the calls' jobs."""
        return self.result.answers / (self.result.seconds + self.drained)


@dataclass
class _Run:
    stage: Stage
    installation: Installation
    program: str
    owner: Owner
    asked: Counter[str] = field(default_factory=Counter)

    def measure(self, minutes: float, capacity_seconds: float, rate: float, as_json: Path | None) -> list[str]:
        """Measure both phases, print the figures, and return descriptions of the problems."""
        cast = self._cast()
        last_job = self.owner.run(_LAST_JOB)[0][0]  # one demo job fails on purpose
        self._call(cast, 0, min(10.0, capacity_seconds))  # warm up memory and statement plans
        full = self._call(cast, 0, capacity_seconds)
        mixed_report.show_capacity(console, full.result, full.drained, full.sustained, full.shares)
        watch = Watch(name_processes(self.installation), self.owner, last_job)
        with watch.running(EVERY_SECONDS):
            long = self._call(cast, rate or math.floor(SHARE * full.sustained), 60 * minutes, streams=True)
        last = watch.look(long.result.seconds)
        mixed_report.show_load(console, long.result, long.drained, long.shares)
        mixed_report.show_samples(console, watch.samples)
        if as_json:
            written = {"capacity": full, "load": long, "samples": watch.samples}
            as_json.write_bytes(msgspec.json.format(msgspec.json.encode(written)) + b"\n")
        faults = mixed_report.list_faults(make_operations(cast), [full.result, long.result]) + self._list_left(last)
        if minutes < LEAST_MINUTES:
            console.print(f"Crescimento não se julga: menos de {LEAST_MINUTES:.0f} minutos.")
            return faults
        return faults + list_growth(watch.samples)

    def _call(self, cast: Cast, rate: float, seconds: float, *, streams: bool = False) -> Phase:
        """Send an order, and wait until the jobs of its calls have run."""
        order = Order(
            self.installation.address,
            self.installation.trust,
            rate,
            seconds,
            TOKEN_SECONDS,
            self._sign(seconds),
            caller.list_parts(make_operations(cast), self.asked),
            make_streams(cast) if streams else (),
        )
        before = measure_cpu(self.installation, self.stage.postmaster)
        result, own_seconds = caller.run(self.program, order)
        self.asked.update({each.name: each.asked for each in result.operations})
        drained = self._drain()
        after = measure_cpu(self.installation, self.stage.postmaster)
        shares = {name: after[name] - before.get(name, 0.0) for name in after}
        return Phase(result, shares | {"quem chama": own_seconds}, drained)

    def _drain(self) -> float:
        """Wait until no job is due, and return the seconds that this took."""
        began = time.monotonic()
        while self.owner.run(_WAITING)[0][0] and time.monotonic() < began + DEADLINE_SECONDS:
            time.sleep(0.1)
        return time.monotonic() - began

    def _cast(self) -> Cast:
        people = {cpf: place for place, cpf in enumerate(self.stage.own)}
        staff = range(len(people), len(people) + len(self.stage.administrators))
        found = self.owner.run(_NOTIFICATIONS)
        known = [applications.job_id(number) for number in range(1, CITY.jobs + 1)]
        jobs = {str(row["id"]) for row in self.owner.run(_OPEN_JOBS, known)}
        return Cast(
            people,
            staff,
            crm=staff.stop,
            runtime=staff.stop + 1,
            panels=range(staff.stop + 2, staff.stop + 2 + STREAMS),
            notifications=[(row["cnes"], str(row["id"])) for row in found],
            configs=[f"00000000-0000-0000-0000-{number:012}" for number in range(1, min(CONFIGS, CONFIGS_READ) + 1)],
            open_jobs=[number for number, job in enumerate(known, 1) if job in jobs],
        )

    def _sign(self, seconds: float) -> list[list[str]]:
        """Return the tokens of all callers, sorted by index. Each person has a token for each time window."""
        windows = range(math.ceil(seconds / TOKEN_SECONDS))
        ends = [int(time.time() + (window + 2) * TOKEN_SECONDS) for window in windows]
        people = [[self.stage.person(cpf, end) for end in ends] for cpf in self.stage.own]
        lasting = [*self.stage.administrators, self.stage.webhook, self.stage.runtime]
        panels = [self.stage.machine("painel-saude", "sms:read", sub=f"painel-{number}") for number in range(STREAMS)]
        return [*people, *([token] for token in itertools.chain(lasting, panels))]

    def _list_left(self, last: Sample) -> list[str]:
        faults = [f"{last.jobs} tarefas ficaram na fila"] if last.jobs else []
        if last.dead:
            environment = OURS.environment(self.stage.folder / "commands", self.stage.database_url, self.stage.issuer)
            command = OURS.command("jobs", "list", "--state", "dead", "--json")
            listed = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
            faults.append(f"{last.dead} tarefas falharam de vez, além de uma da demonstração: {listed}")
        return faults


if __name__ == "__main__":
    typer.run(bench)
