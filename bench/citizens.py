"""`python -m bench.citizens`: the share of citizens' queries that find their service, compared with Tantivy.

Tantivy stems Portuguese and removes accents. It is measured without and with fuzzy matching of one letter.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import httpx
import typer
from rich.console import Console
from rich.table import Table

from balcao_sandbox.postgresql import supervisor
from bench import other_engine
from bench.search import prepare
from bench.servers import serving
from bench.stage import OURS
from tests.search.judged import list_city, rate, read_citizens

# Returns the names of the best services for a query.
Find = Callable[[str], list[str]]


def bench() -> None:
    """Mede quantas buscas de cidadãos acham o serviço procurado, aqui e em outro motor."""
    city = list_city()
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        table = Table("quem", "buscas", "em 1º", "entre 3", title=f"Buscas de cidadãos em {len(city)} serviços")
        with supervisor.start(folder) as running:
            prepare(running.server.url, folder, city)
            with serving(OURS, folder, running.server.url, "search", "/search") as (port, _), httpx.Client() as client:
                _show(table, "Balcão", _ask_over_http(client, f"http://127.0.0.1:{port}/search/api/v1/search"))
        if other_engine.is_installed():
            _show(table, "Tantivy", other_engine.open_index(folder / "exact", city))
            _show(
                table, "Tantivy, uma letra de diferença", other_engine.open_index(folder / "fuzzy", city, is_fuzzy=True)
            )
        Console().print(table)


def _ask_over_http(client: httpx.Client, address: str) -> Find:
    def find(query: str) -> list[str]:
        answer = client.get(address, params={"q": query, "highlight": "false"}).raise_for_status()
        return [hit["title"] for hit in answer.json()["results"]]

    return find


def _show(table: Table, who: str, find: Find) -> None:
    for kind, queries in (("", read_citizens()), (" (não usadas no ajuste)", read_citizens(held_out=True))):
        first, among_three = rate(find, queries)
        table.add_row(who, f"{len(queries)}{kind}", f"{first:.1%}", f"{among_three:.1%}")


if __name__ == "__main__":
    typer.run(bench)
