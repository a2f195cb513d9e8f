"""`make bench`: starts everything, measures in alternating rounds, prints the table."""

import dataclasses
import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from balcao.core import logs
from bench import floor, report, servers
from bench.cases import Case, cases
from bench.servers import Figures
from bench.stage import Stage, prepared

console = Console(stderr=True)
WARM_UP_SECONDS = 1.0

Measure = Callable[[float], Figures]


def bench(
    seconds: Annotated[float, typer.Option(min=0.5, help="Segundos de cada rodada.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="Rodadas de cada operação.")] = 3,
    only: Annotated[list[str] | None, typer.Option(help="Só esta operação; pode repetir.", show_default=False)] = None,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede cinco operações ao lado do mesmo trabalho em FastAPI com SQLAlchemy e dos mesmos comandos por pgbench."""
    logs.configure("warning")
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        Path(name).chmod(0o755)
        if floor.found() is None:
            console.print("pgbench não foi encontrado nesta máquina: falta o segundo parâmetro de comparação.")
        with console.status("Preparando o banco...") as status, prepared(Path(name)) as stage:
            wanted = [case for case in cases(stage) if not only or case.key in only]
            results = {}
            with servers.ours(stage) as ours, servers.yardstick(stage) as yardstick:
                for case in wanted:
                    status.update(f"Medindo: {case.title}")
                    results[case.key] = _compared(stage, case, [ours, yardstick], seconds, rounds)
    report.show(results, {case.key: case.title for case in wanted})
    if as_json:
        settings = {"seconds": seconds, "rounds": rounds, "connections": servers.CONNECTIONS}
        as_json.write_text(json.dumps(report.document(results, settings), indent=2, ensure_ascii=False) + "\n")


def _compared(
    stage: Stage, case: Case, measured: Sequence[servers.Server], seconds: float, rounds: int
) -> dict[str, Figures | None]:
    """In turns, A B C A B C: what disturbs the machine for a while disturbs them all."""
    contestants: dict[str, Measure] = {server.name: partial(server.measure, case) for server in measured}
    if case.script and (tool := floor.found()):
        contestants[floor.NAME] = partial(floor.measure, tool, stage, case)
    for measure in contestants.values():
        measure(WARM_UP_SECONDS)
    taken: dict[str, list[Figures]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, measure in contestants.items():
            if case.writes:
                stage.empty()
            taken[name].append(measure(seconds))
    return {name: _median(figures) for name, figures in taken.items()} | ({} if case.script else {floor.NAME: None})


def _median(figures: Sequence[Figures]) -> Figures:
    return Figures(*(statistics.median(values) for values in zip(*map(dataclasses.astuple, figures), strict=True)))


if __name__ == "__main__":
    typer.run(bench)
