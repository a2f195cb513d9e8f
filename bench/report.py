"""The figures as a table for people and as JSON for programs."""

import dataclasses
import os
import platform
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.servers import Figures

# By case, then by who was measured; None where a yardstick does not apply.
Results = Mapping[str, Mapping[str, Figures | None]]


def show(results: Results, titles: Mapping[str, str]) -> None:
    table = Table(title="Balcão ao lado de dois parâmetros de comparação (medianas das rodadas)")
    table.add_column("operação")
    table.add_column("quem")
    for name in ("req/s", "p50 ms", "p99 ms", "CPU µs/req", "memória MB", "req/s: Balcão ÷", "CPU: Balcão ÷"):
        table.add_column(name, justify="right")
    for key, measured in results.items():
        (ours, *_) = measured.values()
        for place, (who, figures) in enumerate(measured.items()):
            table.add_row("" if place else titles[key], who, *_cells(figures, None if place == 0 else ours))
        table.add_section()
    Console(width=None if Console().is_terminal else 140).print(table)


def show_growth(sizes: Mapping[int, Figures]) -> None:
    """The ratio is that of the requests a second to those among the fewest citizens."""
    table = Table("cidadãos", title="Leitura de preferências, pelo tamanho da cidade (medianas das rodadas)")
    for name in ("req/s", "p50 ms", "p99 ms", "CPU µs/req", "memória MB", "req/s ÷"):
        table.add_column(name, justify="right")
    fewest = sizes[min(sizes)]
    for size, figures in sizes.items():
        table.add_row(f"{size:,}".replace(",", "."), *_cells(figures, None)[:5], f"{figures.rate / fewest.rate:.2f}")
    Console(width=None if Console().is_terminal else 140).print(table)


def _cells(figures: Figures | None, ours: Figures | None) -> list[str]:
    if figures is None:
        return ["não usa o banco"]
    cells = [
        f"{figures.rate:,.0f}".replace(",", "."),
        f"{figures.p50:.2f}",
        f"{figures.p99:.2f}",
        f"{figures.cpu:.0f}",
        f"{figures.memory:.0f}",
    ]
    return cells + ([f"{ours.rate / figures.rate:.2f}", f"{ours.cpu / figures.cpu:.2f}"] if ours else ["", ""])


def document(results: Results, settings: Mapping[str, Any], sizes: Mapping[int, Figures]) -> dict[str, Any]:
    """Ratios are ours divided by the yardstick's."""
    return {
        "machine": {"system": platform.system(), "python": platform.python_version(), "cores": os.cpu_count()},
        "settings": dict(settings),
        "figures": {
            key: {who: figures and dataclasses.asdict(figures) for who, figures in measured.items()}
            for key, measured in results.items()
        },
        "growth": {str(size): dataclasses.asdict(figures) for size, figures in sizes.items()},
        "ratios": {key: _ratios(measured) for key, measured in results.items()},
    }


def _ratios(measured: Mapping[str, Figures | None]) -> dict[str, dict[str, float]]:
    (ours, *_) = measured.values()
    assert ours
    others = {who: figures for who, figures in list(measured.items())[1:] if figures}
    return {
        who: {"rate": round(ours.rate / figures.rate, 3), "cpu": round(ours.cpu / figures.cpu, 3)}
        for who, figures in others.items()
    }
