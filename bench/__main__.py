"""`make bench`: starts everything, measures in alternating rounds, prints the table."""

import json
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from balcao.core import logs
from bench import floor, growth, report, servers
from bench.cases import Case, cases
from bench.rounds import Measure, in_turns
from bench.servers import Figures
from bench.stage import Stage, prepared

console = Console(stderr=True)
GROWTH = "growth"


def bench(
    seconds: Annotated[float, typer.Option(min=0.5, help="Segundos de cada rodada.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="Rodadas de cada operação.")] = 3,
    only: Annotated[list[str] | None, typer.Option(help="Só esta operação; pode repetir.", show_default=False)] = None,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede as operações ao lado do mesmo trabalho em FastAPI com SQLAlchemy e dos mesmos comandos por pgbench.

    Por fim, `growth`: a leitura de preferências entre dez mil cidadãos e entre um milhão (BENCH_CITIZENS).
    """
    logs.configure("warning")
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        Path(name).chmod(0o755)
        if floor.found() is None:
            console.print("pgbench não foi encontrado nesta máquina: falta o segundo parâmetro de comparação.")
        with console.status("Preparando o banco...") as status, prepared(Path(name)) as stage:
            wanted = [case for case in cases(stage) if not only or case.key in only]
            results = {}
            sizes = {}
            if wanted:
                with servers.ours(stage) as ours, servers.yardstick(stage) as yardstick:
                    for case in wanted:
                        status.update(f"Medindo: {case.title}")
                        results[case.key] = _compared(stage, case, [ours, yardstick], seconds, rounds)
            if not only or GROWTH in only:
                status.update(f"Medindo: leitura de preferências entre {growth.city_size()} cidadãos")
                sizes = growth.measured(stage, seconds, rounds)
    if results:
        report.show(results, {case.key: case.title for case in wanted})
    if sizes:
        report.show_growth(sizes)
    if as_json:
        settings = {"seconds": seconds, "rounds": rounds, "connections": servers.CONNECTIONS}
        as_json.write_text(json.dumps(report.document(results, settings, sizes), indent=2, ensure_ascii=False) + "\n")


def _compared(
    stage: Stage, case: Case, measured: Sequence[servers.Server], seconds: float, rounds: int
) -> dict[str, Figures | None]:
    """Balcão, the yardstick and, where there are statements to run alone, pgbench."""
    contestants: dict[str, Measure] = {server.name: partial(server.measure, case) for server in measured}
    if case.script and (tool := floor.found()):
        contestants[floor.NAME] = partial(floor.measure, tool, stage, case)
    found = in_turns(contestants, seconds, rounds, stage.empty if case.writes else None)
    return {**found, **({} if case.script else {floor.NAME: None})}


if __name__ == "__main__":
    typer.run(bench)
