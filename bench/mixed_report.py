"""The report of `bench.mixed`: tables for people, and the responses that count as faults."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.caller import Latencies, Measured, Result
from bench.mix import Operation
from bench.samples import Sample

OPENAPI = Path(__file__).parent.parent / "openapi"
LOST = "0"


def show_capacity(
    console: Console, result: Result, drained: float, sustained: float, shares: Mapping[str, float]
) -> None:
    console.print(
        f"Capacidade: {result.answers / result.seconds:,.0f} chamadas/s respondidas durante {result.seconds:.0f} s, e "
        f"as tarefas delas feitas {drained:.1f} s depois: {sustained:,.0f} chamadas/s com tudo o que causam"
    )
    console.print(_format_shares(shares))


def show_load(console: Console, result: Result, drained: float, shares: Mapping[str, float]) -> None:
    table = _table("operação", "chamadas", "p50 ms", "p95 ms", "p99 ms", "máximo ms", "respostas")
    for each in result.operations:
        table.add_row(each.name, f"{each.asked:,}", *_cells(each.latencies), _format_statuses(each.statuses))
    table.add_row("todas", f"{result.answers:,}", *_cells(result.all), "")
    table.add_row("atraso de quem chama", "", *_cells(result.late), "")
    console.print(table)
    minutes = ", ".join(f"{minute:.0f}" for minute in result.minutes)
    console.print(
        f"{result.answers / result.seconds:,.0f} chamadas/s durante {result.seconds:.0f} s, por {result.connections} "
        f"conexões; p99 de cada minuto, em ms: {minutes}. Últimas tarefas feitas {drained:.1f} s depois."
    )
    streams = result.streams
    console.print(
        f"Fluxos: {streams.open} abertos no fim, {streams.opened} aberturas, {streams.ended} encerrados antes, "
        f"{streams.events} eventos{f'; recusa: {streams.refused}' if streams.refused else ''}"
    )
    console.print(_format_shares(shares))


def show_samples(console: Console, samples: Sequence[Sample]) -> None:
    """Print the samples from the start, the middle and the end."""
    chosen = samples[0], samples[len(samples) // 2], samples[-1]
    table = _table("MB; descritores", *(f"{each.second:.0f} s" for each in chosen))
    for name in samples[0].memory:
        table.add_row(name, *(f"{each.memory[name]:.0f}; {each.descriptors[name]}" for each in chosen))
    table.add_row("conexões do banco", *(str(each.connections) for each in chosen))
    table.add_row("tarefas em fila", *(str(each.jobs) for each in chosen))
    table.add_row("banco, MB", *(f"{each.database:.0f}" for each in chosen))
    console.print(table)
    console.print(f"No máximo {max(each.jobs for each in samples)} tarefas em fila.")


def list_faults(operations: Sequence[Operation], results: Sequence[Result]) -> list[str]:
    """Return the responses that the operation does not declare or that report a failure of the server."""
    faults = []
    expected = {each.key: str(each.status) for each in operations}
    for result in results:
        for each in result.operations:
            faults += [
                f"{each.name}: {count} vezes {_name(status)}: {each.examples.get(status, '')}"
                for status, count in each.statuses.items()
                if status != expected[each.name] and _is_fault(each, status)
            ]
        if result.streams.refused:
            faults.append(f"fluxo recusado: {result.streams.refused}")
    return faults


def _is_fault(measured: Measured, status: str) -> bool:
    return status == LOST or status.startswith("5") or status not in _declared(measured.name)


@cache
def _declared(key: str) -> frozenset[str]:
    """Return the statuses that the committed OpenAPI document declares for an operation."""
    service = key.split(".")[0]
    paths = json.loads((OPENAPI / f"{service}.json").read_text("utf-8"))["paths"].values()
    wanted = key.replace(".", "_")
    (found,) = (
        operation["responses"]
        for path in paths
        for operation in path.values()
        if isinstance(operation, dict) and operation.get("operationId") == wanted
    )
    return frozenset(found)


def _name(status: str) -> str:
    return "sem resposta" if status == LOST else status


def _table(*columns: str) -> Table:
    table = Table(columns[0], box=box.MARKDOWN)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def _cells(found: Latencies) -> list[str]:
    return [f"{value:.1f}" for value in (found.p50, found.p95, found.p99, found.max)]


def _format_statuses(statuses: Mapping[str, int]) -> str:
    return ", ".join(f"{_name(status)}: {count:,}" for status, count in sorted(statuses.items()))


def _format_shares(shares: Mapping[str, float]) -> str:
    total = sum(shares.values()) or 1.0
    parts = [f"{name} {100 * used / total:.0f} %" for name, used in sorted(shares.items(), key=lambda each: -each[1])]
    return f"Quem usou o processador: {', '.join(parts)}"
