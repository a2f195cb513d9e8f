"""`python -m bench.citizens`: the share of citizens' queries that find their service, compared with Tantivy.

Both engines search an index in this process. Tantivy stems Portuguese and removes accents. It is measured once without
and once with fuzzy matching of one letter. With `--misses`, the command also lists the missed queries of the lists for
tuning, and why they were missed.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import asyncpg
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.search.control_queries.evaluation import Rating, judge
from balcao.search.public_search.service import Found, read_synonyms
from balcao.search.public_search.synonyms import Synonyms
from balcao_sandbox.postgresql import supervisor
from bench import other_engine
from tests.search.judged import LISTS, SENTENCE_WORDS, City, Judged, list_city, list_names, rate

# Returns the names of the services that match a query best.
Find = Callable[[str], list[str]]
# This is more than the number of services in the city, so that one page shows all matches.
ALL_MATCHES = 1000


def bench(
    misses: Annotated[bool, typer.Option("--misses", help="Lista também os erros das listas de ajuste.")] = False,
) -> None:
    """Mede quantas buscas de cidadãos acham o seu serviço, aqui e em outro motor."""
    documents = list_city()
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, the embedded database runs as another user
        city = City(_read_seeds(folder))
        engines: dict[str, Find] = {
            "Balcão": city.find,
            "Tantivy": other_engine.open_index(folder / "exact", documents),
            "Tantivy, 1 letra": other_engine.open_index(folder / "fuzzy", documents, is_fuzzy=True),
        }
        console = Console()
        console.print(_compare(engines, len(documents)))
    if misses:
        console.print(_list_misses(city))


def _read_seeds(folder: Path) -> Synonyms:
    """Return the synonyms of a new installation."""
    with supervisor.start(folder) as running:
        url = running.server.url
        app.migrate_now(url)
        return asyncio.run(_read_synonyms(url))


async def _read_synonyms(url: str) -> Synonyms:
    connection = await asyncpg.connect(url)
    try:
        return await read_synonyms(connection)
    finally:
        await connection.close()


def _compare(engines: dict[str, Find], count: int) -> Table:
    table = Table("lista", "quem", title=f"Buscas de cidadãos em {count} serviços")
    for part in ("buscas", "frases*"):
        for title in (part, "em 1º", "entre 3", "nDCG@10"):
            table.add_column(title, justify="right", no_wrap=True)
    table.caption = f"* de {SENTENCE_WORDS} palavras ou mais"
    for judged in LISTS:
        queries = judged.queries
        sentences = [each for each in queries if each.is_sentence]
        for at, (who, find) in enumerate(engines.items()):
            figures = (*_write(rate(find, queries)), *_write(rate(find, sentences)))
            table.add_row("" if at else judged.name, who, *figures, end_section=at == len(engines) - 1)
    return table


def _write(rating: Rating) -> tuple[str, str, str, str]:
    return str(rating.count), f"{rating.first:.1%}", f"{rating.among_three:.1%}", f"{rating.ndcg:.1%}"


def _list_misses(city: City) -> Table:
    table = Table("lista", "busca", "certo", "achado", "causa", title="Erros das listas de ajuste", show_lines=True)
    for judged in LISTS:
        if judged.is_held_out:
            continue
        for each, found in _find_misses(city, judged.queries):
            names = "\n".join(list_names(found)[:3])
            table.add_row(judged.name, each.query, "\n".join(sorted(each.right)), names, explain_miss(each, found))
    return table


def _find_misses(city: City, queries: list[Judged]) -> Iterator[tuple[Judged, Found]]:
    for each in queries:
        found = city.search(each.query, ALL_MATCHES)
        if each.right.isdisjoint(list_names(found)[:1]):
            yield each, found


def explain_miss(judged: Judged, found: Found) -> str:
    """Return the reason, in Portuguese, why no right service came first."""
    names = list_names(found)
    judgement = judge(names, judged.right)
    texts = {
        "found_nothing": "nenhum candidato",
        "not_found": f"o passo {found.match} respondeu sem o serviço certo",
        "ranked_lower": f"ordem: {judgement.rank}º de {len(names)} do passo {found.match}",
    }
    corrected = f"corrigida para “{found.suggestion}”; " if found.suggestion else ""
    return corrected + texts[judgement.find_cause(len(names)) or "ranked_lower"]


if __name__ == "__main__":
    typer.run(bench)
