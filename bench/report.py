"""Shows the figures as a table for people and as JSON for programs."""

import dataclasses
import os
import platform
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bench.rounds import Figures, Ratio, Taken, median

NOTE = "Acima de 1 nas razões, a primeira linha da operação é a melhor; mediana das rodadas (menor-maior)."
RATIOS = ("req/s ÷", "CPU ÷")


def show(results: Mapping[str, Taken], title: str) -> None:
    """Print a table with a row for each operation. If the output is a file, use Markdown.

    The ratios compare the first side with every other side.
    """
    is_terminal = Console().is_terminal
    table = Table("operação", "quem", title=title, box=box.HEAVY_HEAD if is_terminal else box.MARKDOWN)
    for name in ("req/s", "CPU µs/req", "PostgreSQL", "p50 ms", "p99 ms", "MB", *RATIOS):
        table.add_column(name, justify="right", no_wrap=True)
    for key, taken in results.items():
        first = next(iter(taken.values()))
        for place, (who, rounds) in enumerate(taken.items()):
            ratios = ["", ""] if place == 0 else [str(ratio) for ratio in _ratios(first, rounds).values()]
            table.add_row("" if place else key, who, *_cells(median(rounds)), *ratios)
        if is_terminal:
            table.add_section()
    console = Console(width=None if is_terminal else 160)
    console.print(table)
    console.print(NOTE)
    fastest = max(
        (one for taken in results.values() for each in taken.values() for one in each), key=attrgetter("rate")
    )
    console.print(f"Gerador de carga: {fastest.load_cpu:.0f} µs de CPU por requisição na rodada mais rápida.\n")


def _cells(figures: Figures) -> list[str]:
    return [
        f"{figures.rate:,.0f}".replace(",", "."),
        f"{figures.cpu:.0f}",
        f"{figures.database_cpu:.0f}",
        f"{figures.p50:.2f}",
        f"{figures.p99:.2f}",
        f"{figures.memory:.0f}",
    ]


def _ratios(first: Sequence[Figures], other: Sequence[Figures]) -> dict[str, Ratio]:
    """Return the ratios of the rates and of the CPU times. The first side is better if a ratio is above 1."""
    rate = Ratio.of([one.rate for one in first], [one.rate for one in other])
    cpu = Ratio.of([one.cpu for one in other], [one.cpu for one in first])
    return {"rate": rate, "cpu": cpu}


def document(tables: Mapping[str, Mapping[str, Taken]], settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "machine": {"system": platform.system(), "python": platform.python_version(), "cores": os.cpu_count()},
        "settings": dict(settings),
        "tables": {
            title: {key: _document(taken) for key, taken in results.items()} for title, results in tables.items()
        },
    }


def _document(taken: Taken) -> dict[str, Any]:
    first, *others = taken.items()
    return {
        "rounds": {who: [dataclasses.asdict(one) for one in rounds] for who, rounds in taken.items()},
        "ratios": {
            who: {name: dataclasses.asdict(ratio) for name, ratio in _ratios(first[1], rounds).items()}
            for who, rounds in others
        },
    }
