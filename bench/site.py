"""`python -m bench.site`: five hundred people open pages of the site, with everything that serves them on one core.

The trial runs with its public command, including the database. Warm pages come from stored answers, as most pages do.
Cold pages contain a text that was never searched before, so the site calls its services for each of them. For
comparison, the same run measures the service call behind a page. Finally, five hundred people wait for a page at any
time: as soon as one arrives, another person requests a page. They all request warm pages, or all cold ones.

The load generator sends as a gateway does: each person has an address of their own, in `X-Forwarded-For`. So the limits
for each address apply with their defaults.
"""

import gzip
import itertools
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple

import httpx
import typer
from rich.console import Console
from rich.table import Table

from balcao_sandbox.demo.request_types import make_service_id
from balcao_sandbox.identity.demo import people_by_login
from bench.cases import get_request
from bench.load import COUNTED
from bench.panel import Taken, Trial, running
from bench.rounds import Ratio
from tests.support.sandbox import EmbeddedTokens

_JOBS = "/jobs/api/public/empregabilidade/vagas?status=publicado_ativo&pageSize=20"
_UNITS = "/health-units/unidades?per_page=200"
_SERVICE = f"segunda-via-do-carne-do-imposto-predial-{make_service_id('Segunda via do carnê do imposto predial')[:8]}"
# For each page, the most important call behind it.
WARM = {
    "/": _UNITS,
    "/servicos": "/search/api/v1/categories",
    f"/servicos/{_SERVICE}": f"/search/api/v1/services/{_SERVICE}",
    "/busca?q=creche": "/search/api/v1/search?q=creche",
    "/vagas": _JOBS,
    "/saude/unidades": _UNITS,
    "/pedidos": "/registry/v1/request-types",
}
_COUNTER = COUNTED.decode()
# The load generator counts from zero in each round, so the texts contain the round, too.
_ROUND = "RRR"
_NEW = f"{_ROUND}{_COUNTER}"
COLD = {
    f"/busca?q=creche%20{_NEW}": f"/search/api/v1/search?q=creche%20{_NEW}",
    f"/vagas?q=auxiliar%20{_NEW}": f"{_JOBS}&titulo=auxiliar%20{_NEW}",
}
# The limits of the rules (site 11), in milliseconds at the 95th percentile.
WARM_LIMIT, COLD_LIMIT = 30.0, 120.0
CALLER = "editora"
# The load generator is the gateway. A trial has wider rates for machines than production, so the run sets production's.
SETTINGS = {"BALCAO_TRUSTED_PROXIES": "127.0.0.1", "BALCAO_MACHINE_READ_RATE": "500/second"}
console = Console(highlight=False, width=130)


class Row(NamedTuple):
    """The rounds of one page and of the call behind it, the page's limit in ms, and its sizes in bytes."""

    pages: Sequence[Taken]
    calls: Sequence[Taken]
    limit: float
    size: int
    packed: int


_rounds = itertools.count(100)


def renew(path: str) -> str:
    """Return the path with a text that no earlier round has used."""
    return path.replace(_ROUND, str(next(_rounds)))


def write_request(trial: Trial, path: str) -> bytes:
    """Return the request of a browser that has no session."""
    host = f"127.0.0.1:{trial.port}"
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n\r\n".encode()


def send_for(request: bytes, people: int) -> list[bytes]:
    """Return the request once for each of this many people, from their own addresses."""
    first = IPv4Address("198.18.0.1")  # RFC 2544 reserves 198.18.0.0/15 for benchmarks
    return [request[:-2] + f"X-Forwarded-For: {first + number}\r\n\r\n".encode() for number in range(people)]


def measure_size(trial: Trial, path: str) -> tuple[int, int]:
    """Return the sizes of a page, uncompressed and compressed."""
    answer = httpx.get(f"http://127.0.0.1:{trial.port}{path}", headers={"Accept": "text/html"}).raise_for_status()
    return len(answer.content), len(gzip.compress(answer.content))


def measure(
    trial: Trial, paths: Mapping[str, str], limit: float, people: int, seconds: float, rounds: int
) -> dict[str, Row]:
    """Measure pages and calls alternately, each over one connection that this many people share."""
    tokens = EmbeddedTokens(f"http://127.0.0.1:{trial.port}/auth/realms/balcao")
    token = tokens.person(people_by_login()[CALLER].cpf)
    taken: dict[str, tuple[list[Taken], list[Taken]]] = {path: ([], []) for path in paths}
    for _ in range(rounds):
        for path, call in paths.items():
            for place, request in enumerate((write_request(trial, renew(path)), get_request(renew(call), token))):
                taken[path][place].append(trial.measure(send_for(request, people), 1, seconds))
    return {path: Row(*taken[path], limit, *measure_size(trial, path)) for path in paths}


def show_pages(rows: Mapping[str, Row]) -> None:
    """Print a row for each page, compared with its call and its limit."""
    table = Table("página", "bytes", "gzip", "por s", "p50 ms", "p95 ms", "limite ms", "p95 ÷ limite", "CPU ÷ chamada")
    for path, row in rows.items():
        p95 = median(each.p95 for each in row.pages)
        ratio = Ratio.of([each.cpu for each in row.pages], [each.cpu for each in row.calls])
        table.add_row(
            path.replace(_NEW, "…"),
            f"{row.size:,}",
            f"{row.packed:,}",
            f"{median(each.rate for each in row.pages):,.0f}",
            f"{median(each.p50 for each in row.pages):.1f}",
            f"{p95:.1f}",
            f"{row.limit:.0f}",
            f"{p95 / row.limit:.2f}",
            str(ratio),
        )
    console.print(table)


def show_crowd(trial: Trial, paths: Iterable[str], people: int, seconds: float, rounds: int) -> None:
    """Request these pages in turn for this many people, and print the rounds. A refusal ends the measurement."""
    table = Table("juntas", "páginas por s", "p50 ms", "p95 ms", "CPU ms por página", "recusadas")
    for _ in range(rounds):
        requests = _interleave([send_for(write_request(trial, renew(path)), people) for path in paths])
        taken = trial.measure(requests, people, seconds)
        figures = (f"{taken.rate:,.0f}", f"{taken.p50:,.0f}", f"{taken.p95:,.0f}", f"{taken.cpu:.2f}")
        table.add_row(str(people), *figures, "0")
    console.print(table)


def _interleave(requests: Sequence[Sequence[bytes]]) -> list[bytes]:
    """Return the requests so that consecutive ones are of different pages."""
    return [one for row in zip(*requests, strict=True) for one in row]


def bench(
    people: Annotated[int, typer.Option(min=1, help="Pessoas que esperam uma página ao mesmo tempo.")] = 500,
    seconds: Annotated[float, typer.Option(min=0.5, help="Segundos de cada rodada.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, help="Rodadas.")] = 3,
) -> None:
    """Mede as páginas do site: prontas, com um texto nunca buscado, e com todas as pessoas ao mesmo tempo.

    Se alguém não recebe a sua página, a medida termina com erro.
    """
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with running(folder, **SETTINGS) as trial:
            warm = measure(trial, WARM, WARM_LIMIT, people, seconds, rounds)
            show_pages(warm | measure(trial, COLD, COLD_LIMIT, people, seconds, rounds))
            for paths in (WARM, COLD):
                show_crowd(trial, paths, people, seconds, rounds)


if __name__ == "__main__":
    typer.run(bench)
