"""`python -m bench.panel`: two hundred people use the panel, with everything that serves them on one core.

The trial runs with its public command, including the database. Each person has a session. A fixed number of people wait
for a page at any time: as soon as a page arrives, another person requests a page. For comparison, the same run measures
the service call behind the page, with the same people's tokens. The difference is the cost of the page itself.
"""

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import psutil
import typer
from rich.console import Console
from rich.table import Table

from balcao_sandbox.identity.demo import people_by_login
from bench import load, servers
from bench.cases import get_request
from bench.processes import cpu_seconds, list_family
from bench.rounds import Ratio
from bench.stage import OURS
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens

# For each person: the page, and the service call that supplies the page's content.
PAGES = {
    "editora": ("/painel/servicos", "/search/api/v1/admin/services?per_page=25"),
    "helio": ("/painel/vagas", "/jobs/api/v1/empregabilidade/vagas?pageSize=25"),
    "rui": ("/painel/saude/risco", "/health-units/notificacoes/ativas"),
    "kleber": ("/painel/operacao/tarefas", "/registry/v1/admin/jobs/dead-letters"),
    "carla": ("/painel/meus-dados", "/registry/v1/citizen/{cpf}"),
}
LOAD = (sys.executable, "-m", "bench.loader")
console = Console(highlight=False, width=120)


@dataclass(frozen=True)
class Taken:
    """One round: responses per second, latencies in ms, and the whole trial's CPU time in ms per response."""

    rate: float
    p50: float
    p95: float
    cpu: float


@dataclass(frozen=True)
class Trial:
    """A running trial."""

    port: int
    process: psutil.Process

    def measure(self, requests: Sequence[bytes], connections: int, seconds: float) -> Taken:
        """Send requests for `seconds` seconds. The connections take the requests in turn.

        Raises WrongAnswers if a response's status is not 200.
        """
        order = load.Order(self.port, connections, seconds, 200, requests, [b""] * len(requests))
        family = list_family(self.process)
        before = cpu_seconds(family)
        result, _ = load.run(LOAD, order)
        if result.wrong:
            raise servers.WrongAnswers(f"{result.wrong} de {result.answers}: {result.example}")
        spent = cpu_seconds(family) - before
        return Taken(result.answers / result.seconds, result.p50, result.p95, 1e3 * spent / result.answers)


@contextlib.contextmanager
def running(folder: Path, **settings: str) -> Iterator[Trial]:
    """Run the trial on one core with these additional settings, and yield it."""
    port = servers.free_port()
    environment = OURS.environment(folder / "data", "", "") | {"BALCAO_PORT": str(port)} | settings
    for unset in ("BALCAO_DATABASE_URL", "BALCAO_AUTH_ISSUER"):
        del environment[unset]
    command = OURS.command("serve")
    with servers.running_command(folder, "balcao", command, environment, port, 1, "/painel/readiness") as process:
        yield Trial(port, process)


def log_in(trial: Trial, people: int) -> dict[str, list[bytes]]:
    """Log this many people in, spread evenly over the pages. Return the page requests by username, one per session."""
    asked: dict[str, list[bytes]] = {username: [] for username in PAGES}
    for username, (page, _) in PAGES.items():
        for _ in range(people // len(PAGES)):
            with PanelClient(f"http://127.0.0.1:{trial.port}") as browser:
                browser.login(username, page).raise_for_status()
                cookies = "; ".join(f"{name}={value}" for name, value in browser.http.cookies.items())
            head = f"GET {page} HTTP/1.1\r\nHost: 127.0.0.1:{trial.port}\r\nAccept: text/html\r\nCookie: {cookies}"
            asked[username].append(f"{head}\r\n\r\n".encode())
    return asked


def list_calls(trial: Trial) -> dict[str, list[bytes]]:
    """Return the service call behind each page, by username."""
    tokens = EmbeddedTokens(f"http://127.0.0.1:{trial.port}/auth/realms/balcao")
    people = people_by_login()
    return {
        username: [get_request(call.format(cpf=people[username].cpf), tokens.person(people[username].cpf))]
        for username, (_, call) in PAGES.items()
    }


def measure(
    trial: Trial, pages: Mapping[str, list[bytes]], at_once: Sequence[int], seconds: float, rounds: int
) -> dict[str, list[tuple[Taken, Taken]]]:
    """Measure pages and calls alternately: each one over one connection, then all of them together over several."""
    calls = list_calls(trial)
    parts = {PAGES[username][0]: (pages[username], calls[username], 1) for username in PAGES}
    for connections in at_once:
        parts[f"todas, {connections} juntas"] = (_join(pages), _join(calls), connections)
    found: dict[str, list[tuple[Taken, Taken]]] = {name: [] for name in parts}
    for _ in range(rounds):
        for name, (page, call, connections) in parts.items():
            shown, told = (trial.measure(requests, connections, seconds) for requests in (page, call))
            found[name].append((shown, told))
    return found


def _join(requests: Mapping[str, list[bytes]]) -> list[bytes]:
    """Interleave the requests, so that each page occurs equally often."""
    return [one for row in zip(*requests.values(), strict=True) for one in row]


def show(found: Mapping[str, Sequence[tuple[Taken, Taken]]]) -> None:
    """Print a row for each page and for all pages together, compared with their calls."""
    table = Table("página", "por s", "p50 ms", "p95 ms", "CPU ms", "p95 da chamada", "CPU ÷ chamada")
    for name, taken in found.items():
        page, call = (sorted(side, key=lambda each: each.p95)[len(side) // 2] for side in zip(*taken, strict=True))
        ratio = Ratio.of([shown.cpu for shown, _ in taken], [told.cpu for _, told in taken])
        figures = (f"{page.rate:,.0f}", f"{page.p50:.1f}", f"{page.p95:.1f}", f"{page.cpu:.1f}", f"{call.p95:.1f}")
        table.add_row(name, *figures, str(ratio))
    console.print(table)


def bench(
    people: Annotated[int, typer.Option(min=len(PAGES), help="Pessoas no painel.")] = 200,
    at_once: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            help="Quantas delas esperam uma página ao mesmo tempo; pode repetir. Sem isto, 20 e todas.",
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.5, help="Segundos de cada rodada.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, help="Rodadas.")] = 3,
) -> None:
    """Mede as páginas do painel, uma de cada vez e todas juntas, e as compara com as chamadas que elas fazem.

    Se alguém não recebe a sua página, por excesso de gente, a medida termina com erro.
    """
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with running(folder) as trial:
            show(measure(trial, log_in(trial, people), at_once or (20, people), seconds, rounds))


if __name__ == "__main__":
    typer.run(bench)
