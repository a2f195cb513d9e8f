"""`make bench`: start all servers, compare their responses, measure them in alternating rounds, and print tables."""

import contextlib
import importlib.util
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench import agreement, cores, go_programs, growth, report, servers
from bench.access import access_cases
from bench.agents import agent_cases
from bench.cases import Case, cases
from bench.go_programs import Programs
from bench.rounds import Taken, in_turns
from bench.servers import Server
from bench.stage import OURS, Checkout, Stage, prepared

console = Console(stderr=True)
OURS_NAME = "Balcão"
GO_NAME = "Go"
FRAMEWORK_NAME = "FastAPI"
SHARING_NAME = "FastAPI, comandos em lote"
UVICORN_NAME = "Balcão no uvicorn"
HAS_FRAMEWORK = importlib.util.find_spec("fastapi") is not None
GROWTH = "growth"
# The cases that are also measured on two cores: one is answered from memory, the other runs a statement.
TWICE = ("token", "preferences")
# Cases that the FastAPI program supports. The cases with statements are measured with and without shared statements.
WITH_STATEMENTS = frozenset({"preferences_1", "preferences_4", "preferences", "webhook"})
IN_FRAMEWORK = WITH_STATEMENTS | {"token"}


@dataclass(frozen=True)
class Bench:
    """A benchmark run on a prepared stage. Each table gets `rounds` rounds of `seconds` seconds."""

    stage: Stage
    programs: Programs
    others: Sequence[Checkout]
    seconds: float
    rounds: int

    def on_one_core(self, chosen: Sequence[Case]) -> dict[str, Taken]:
        """Measure our server, the Go and FastAPI programs and the other checkouts, one at a time on the first core."""
        with contextlib.ExitStack() as held:
            same = [held.enter_context(server) for server in self._one_core_sides()]
            older = [held.enter_context(server) for server in self._other_sides()]
            return self._measured(chosen, same, older)

    def without_peer(self, chosen: Sequence[Case]) -> dict[str, Taken]:
        """Measure our server and the other checkouts, one at a time on the first core.

        Go does not have these operations.
        """
        with contextlib.ExitStack() as held:
            ours = held.enter_context(
                servers.balcao(self.stage, self.programs, OURS_NAME, self.stage.database_url, OURS)
            )
            older = [held.enter_context(server) for server in self._other_sides()]
            return self._measured(chosen, [ours], older)

    def on_two_cores(self, chosen: Sequence[Case]) -> dict[str, Taken]:
        """Measure our server with two processes and with one process, and the Go program with two threads.

        The load generator and the database share the cores with the server.
        """
        cores.move(self.stage.postmaster, cores.ALL)
        with contextlib.ExitStack() as held:
            sides = [held.enter_context(server) for server in self._two_core_sides()]
            return self._measured(chosen, sides)

    def growth(self) -> dict[str, Taken]:
        """Measure the same reads in a town and in a city. Both are filled with the operator's import command."""
        taken, settled = growth.measured(self.stage, self.programs, self.seconds, self.rounds)
        for one in settled:
            console.print(str(one))
        return taken

    def _one_core_sides(self) -> Iterator[contextlib.AbstractContextManager[Server]]:
        yield servers.balcao(self.stage, self.programs, OURS_NAME, self.stage.database_url, OURS)
        if self.programs.yardstick:
            yield servers.yardstick(self.stage, self.programs, GO_NAME)
        if HAS_FRAMEWORK:
            framework = partial(servers.framework, self.stage, self.programs)
            yield framework(FRAMEWORK_NAME, "app", IN_FRAMEWORK)
            yield framework(SHARING_NAME, "app", WITH_STATEMENTS, BENCH_SHARED="1")
            yield framework(UVICORN_NAME, "endpoints", IN_FRAMEWORK)

    def _other_sides(self) -> Iterator[contextlib.AbstractContextManager[Server]]:
        for url, checkout in zip(self.stage.databases[1:], self.others, strict=True):
            yield servers.balcao(self.stage, self.programs, checkout.root.name, url, checkout)

    def _two_core_sides(self) -> Iterator[contextlib.AbstractContextManager[Server]]:
        url = self.stage.database_url
        yield servers.balcao(self.stage, self.programs, f"{OURS_NAME}, 2 processos", url, OURS, processes=2)
        yield servers.balcao(self.stage, self.programs, f"{OURS_NAME}, 1 processo", url, OURS)
        if self.programs.yardstick:
            yield servers.yardstick(self.stage, self.programs, f"{GO_NAME}, 2 threads", threads=2)

    def _measured(
        self, chosen: Sequence[Case], same: Sequence[Server], others: Sequence[Server] = ()
    ) -> dict[str, Taken]:
        """Measure all servers. The servers in `same` use one database, and their responses must be equal."""
        results = {}
        with console.status("") as status:
            for case in chosen:
                status.update(f"Medindo: {case.key}")
                able = [server for server in same if server.takes(case)]
                agreement.require(case, able)
                contestants = {server.name: partial(server.measure, case) for server in [*able, *others]}
                empty = self.stage.empty if case.writes else None
                results[case.key] = in_turns(contestants, self.seconds, self.rounds, empty)
        return results


def bench(
    seconds: Annotated[float, typer.Option(min=0.5, help="Segundos de cada rodada.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, envvar="BENCH_ROUNDS", help="Rodadas de cada operação.")] = 3,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Só esta operação; pode repetir. `growth` só se mede assim.", show_default=False),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(exists=True, help="Mede também o Balcão desta outra cópia; pode repetir.", show_default=False),
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Compara as operações com as mesmas em Go, e algumas em FastAPI, com o servidor em um núcleo e depois em dois.

    Com `--only growth`, mede leituras entre dez mil cidadãos e entre um milhão (BENCH_CITIZENS), importados de verdade.
    """
    others = [Checkout(path.resolve()) for path in against or []]
    tables: dict[str, dict[str, Taken]] = {}
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        programs = go_programs.programs(folder)
        if programs.yardstick is None:
            console.print("O parâmetro em Go fica de fora: não há Go nesta máquina.")
        if not HAS_FRAMEWORK:
            console.print("O parâmetro em FastAPI fica de fora: o FastAPI não está instalado.")
        with prepared(folder, others) as stage:
            run = Bench(stage, programs, others, seconds, rounds)
            chosen = [case for case in cases(stage) if not only or case.key in only]
            if chosen:
                tables["Um núcleo para o servidor"] = run.on_one_core(chosen)
            alone = [case for case in [*access_cases(stage), *agent_cases(stage)] if not only or case.key in only]
            if alone:
                tables["Acessos e agentes, um núcleo para o servidor"] = run.without_peer(alone)
            if (twice := [case for case in chosen if case.key in TWICE]) and _can_run_twice():
                tables["Dois núcleos para todos"] = run.on_two_cores(twice)
            if GROWTH in (only or ()):
                tables["As leituras do cidadão, pelo tamanho da cidade"] = run.growth()
    for title, results in tables.items():
        report.show(results, title)
    if as_json:
        settings = {"seconds": seconds, "rounds": rounds}
        as_json.write_text(json.dumps(report.document(tables, settings), indent=2, ensure_ascii=False) + "\n")


def _can_run_twice() -> bool:
    if len(cores.TWO) < 2:
        console.print("A medida com dois processos fica de fora: esta máquina tem um núcleo.")
        return False
    if not OURS.takes_processes:
        console.print("A medida com dois processos fica de fora: este `balcao serve` não conhece `--processes`.")
        return False
    return True


if __name__ == "__main__":
    typer.run(bench)
