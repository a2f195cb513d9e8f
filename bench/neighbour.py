"""`python -m bench.neighbour`: how one caller's hundred connections slow down another caller.

A person reads their own preferences over one connection, first without other load. Then another caller sends as many
requests as possible over a hundred connections. It requests its own data below and above its rate limit, the public
search, or anything with an unsigned token.
"""

import contextlib
import statistics
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench import go_programs, load, servers, stage
from bench.cases import get_request, preferences_case
from bench.rounds import Ratio
from bench.servers import Server
from bench.stage import OURS, Stage

ALONE = "sozinho"
CONNECTIONS = 100
UNBOUNDED = "1000000/second"
console = Console(highlight=False, width=120)

# The reader's latencies in each round, by load: p50 and p95 in milliseconds.
Rounds = dict[str, list[tuple[float, float]]]
# The other caller's responses per second in each round, by load.
Answered = dict[str, list[float]]


def disturbances(made: Stage) -> Mapping[str, Sequence[bytes]]:
    """Return the other caller's requests by the name of the load."""
    cpf, token = next(iter(made.own.items()))
    own = f"/registry/v1/citizen/{cpf}/notification-preferences"
    return {
        "os próprios dados": [get_request(own, token)],
        "a busca pública": [b"GET /search/api/v1/search?q=iptu HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
        "um token sem assinatura": [get_request(own, token[:-8] + "AAAAAAAA")],
    }


def measure(
    server: Server, made: Stage, others: Mapping[str, Sequence[bytes]], seconds: float, rounds: int
) -> tuple[Rounds, Answered]:
    """Measure the reader in turn: without load, and with each kind of load from the other caller.

    Also return the other caller's rates.
    """
    modest = preferences_case(dict(list(made.own.items())[1:]))
    order = load.Order(server.port, 1, seconds, modest.status, modest.requests, modest.expected)
    found: Rounds = {name: [] for name in (ALONE, *others)}
    answered: Answered = {name: [] for name in others}
    for _ in range(rounds):
        for name, latencies in found.items():
            with _disturbed(server, others.get(name), seconds + 1, answered.get(name, [])):
                result, _ = load.run(server.load, order)
            if result.wrong:
                raise servers.WrongAnswers(f"{server.name}: {result.wrong} de {result.answers}: {result.example}")
            latencies.append((result.p50, result.p95))
    return found, answered


@contextlib.contextmanager
def _disturbed(
    server: Server, requests: Sequence[bytes] | None, seconds: float, answered: list[float]
) -> Iterator[None]:
    """Run the other caller during the block. Record its responses per second, whatever their status."""
    if requests is None:
        yield
        return
    order = load.Order(server.port, CONNECTIONS, seconds, 0, requests, [b""] * len(requests))

    def ask() -> None:
        result, _ = load.run(server.load, order)
        answered.append(result.answers / result.seconds)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield
    finally:
        asking.join()


def show(taken: Mapping[str, tuple[Rounds, Answered]]) -> None:
    """Print a row for each server and load. Each load is compared with the reader's figures without load."""
    table = Table("quem", "enquanto outro pede", "p50 ms", "p95 ms", "p50 ÷", "p95 ÷", "req/s do outro")
    for who, (found, answered) in taken.items():
        for name, latencies in found.items():
            middle = [sorted(column)[len(column) // 2] for column in zip(*latencies, strict=True)]
            ratios = [
                str(Ratio.of(column, alone))
                for column, alone in zip(zip(*latencies, strict=True), zip(*found[ALONE], strict=True), strict=True)
            ]
            beside = [] if name == ALONE else [*ratios, f"{statistics.median(answered[name]):,.0f}"]
            table.add_row(who, name, *(f"{value:.2f}" for value in middle), *beside)
        table.add_section()
    console.print(table)


def bench(
    seconds: Annotated[float, typer.Option(min=0.5, help="Segundos de cada rodada.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, help="Rodadas.")] = 3,
) -> None:
    """Mede quanto cem conexões de um chamador atrasam outro, com o Balcão e com as mesmas operações em Go."""
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name, contextlib.ExitStack() as held:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        programs = go_programs.programs(folder)
        made = held.enter_context(stage.prepared(folder, []))
        others = disturbances(made)
        taken = {}
        rates = {"além do limite": "50/second", "aquém do limite": UNBOUNDED}
        for which, rate in rates.items():
            with servers.balcao(made, programs, "balcao", made.database_url, OURS, BALCAO_READ_RATE=rate) as server:
                taken[f"Balcão, {which}"] = measure(server, made, others, seconds, rounds)
        if programs.yardstick:
            with servers.yardstick(made, programs, "go") as server:
                known = {name: requests for name, requests in others.items() if b"/search/" not in requests[0]}
                taken["Go"] = measure(server, made, known, seconds, rounds)
        show(taken)


if __name__ == "__main__":
    typer.run(bench)
