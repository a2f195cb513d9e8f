"""The rules page states the same limits and numbers as the code (rules: search 2 to 5)."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from balcao.search import conventions, document, public, tallies
from balcao.search.change_feed import schemas as change_feed
from balcao.search.control_queries import evaluation
from balcao.search.control_queries import service as control_queries
from balcao.search.index import feeding, public_index
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.popularity import service as popularity
from balcao.search.portuguese import analysis, spelling
from balcao.search.public_search import corrections, highlights, parameters, query, ranking, responses, suggestions
from balcao.search.public_search import service as public_search
from balcao.search.public_search.ranking import WEIGHTS
from balcao.search.public_search.synonyms import SYNONYM_WEIGHT
from balcao.search.schema_migrations import rehearsal, work
from balcao.search.schema_migrations import service as schema_migrations
from balcao.search.services import api as services
from balcao.search.services import cleaning, content, costs_and_deadlines, filters, imports
from balcao.search.synonyms import service as synonyms
from balcao.search.zero_results import service as zero_results
from balcao.settings import Settings
from tests.search.judged import AMONG_THREE, AMONG_THREE_OF_SENTENCES, FIRST, FIRST_OF_SENTENCES, UNSEEN_MARGIN
from tests.support.rules import read_numbers

MILLISECOND, HOUR = timedelta(milliseconds=1), timedelta(hours=1)
BURST, SECONDS = (int(number) for number in re.findall(r"\d+", responses.RATE))


def bounds_of(member: str) -> dict[str, Any]:
    """Return the limits for a member of a service."""
    read: Callable[..., Any] = content.MEMBERS[member].read
    return read.keywords if isinstance(read, partial) else {}


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        (
            r"`per_page` \(default (\d+), at most (\d+)\)",
            [parameters.SearchRequest(q="x").per_page, conventions.MOST_PER_PAGE],
        ),
        (r"Public answers: `Cache-Control: public, max-age=(\d+)`", [int(public.CACHE_CONTROL.rpartition("=")[2])]),
        (r"A value of more than (\d+) characters or with control", [filters.LONGEST_VALUE]),
        (r"`q` \(1\.\.(\d+) characters after trimming", [parameters.LONGEST_QUERY]),
        (r"integers 1\.\.(\d+); the fields are", [parameters.HEAVIEST]),
        (r"id_servico_antigo \(1\.\.(\d+)\), id_servico_novo", [legacy_mappings.LONGEST_ID]),
        (r"observacoes\? \(0\.\.(\d+)\)", [legacy_mappings.LONGEST_NOTES]),
        (
            r"PUT `\{terms: (\d+)\.\.(\d+) different texts of 1\.\.(\d+)\}`",
            [synonyms.FEWEST_TERMS, synonyms.MOST_TERMS, synonyms.LONGEST_TERM],
        ),
        (r"409 there are ([\d,]+) groups", [synonyms.MOST_GROUPS]),
        (r"at most (\d+) names of published services", [suggestions.MOST_NAMES]),
        (r"`limit` 1\.\.(\d+) \((\d+)\) \| 200 change feed", [change_feed.MOST_CHANGES, change_feed.DEFAULT_CHANGES]),
        (
            r"at most (\d+) queries of 1\.\.(\d+) characters, which replace the whole list, and for "
            r"each query at most (\d+) ids",
            [control_queries.MOST_QUERIES, parameters.LONGEST_QUERY, control_queries.MOST_EXPECTED],
        ),
        (r"A batch has (\d+) lines", [imports.BATCH]),
        (r"\| `nome_servico` \| string \| required, 1\.\.(\d+)", [bounds_of("nome_servico")["longest"]]),
        (
            r"\| `orgao_gestor` \| string\[\] \| required, 1\.\.(\d+) items of 1\.\.(\d+)",
            [bounds_of("orgao_gestor")["most"], bounds_of("orgao_gestor")["longest"]],
        ),
        (r"\| `resumo` \| string \| required, 1\.\.(\d+)", [cleaning.LONGEST_TEXT]),
        (r"\| `tema_geral` \| string \| required, 1\.\.(\d+)", [bounds_of("tema_geral")["longest"]]),
        (
            r"\| `publico_especifico` \| string\[\] \| required on POST, 1\.\.(\d+) × 1\.\.(\d+)",
            [bounds_of("publico_especifico")["most"], bounds_of("publico_especifico")["longest"]],
        ),
        (r"integer, null \| 0 \.\. now \+ (\d+) s", [content.CLOCK_LEEWAY_SECONDS]),
        (r"serialised <= (\d+) KiB, depth <= (\d+)", [cleaning.LARGEST_EXTRA / 1024, cleaning.DEEPEST_EXTRA]),
        (r"`mailto` or `tel`, <= (\d+)", [cleaning.LONGEST_URL]),
        (r"integers of 0\.\.(\d+) centavos", [document.MOST_CENTS]),
        (r"a line of 0\.\.(\d+) characters: who does not pay", [costs_and_deadlines.LONGEST_EXEMPTION]),
        (r"`quantidade` \(1\.\.(\d+), required", [document.MOST_UNITS]),
        (r"Whole body over (\d+) KiB: 413", [services.routes.declared[0].body_limit / 1024]),
        (r"visitor data, flushed every (\d+) s", [tallies.FLUSH_SECONDS]),
        (
            r"starts with (\d+) rows; a chunk that takes more than (\d+) ms halves it \(minimum (\d+)\), and a chunk "
            r"below (\d+) ms doubles it \(maximum (\d+)\)",
            [
                work.FIRST_CHUNK,
                work.SLOW_CHUNK / MILLISECOND,
                work.SMALLEST_CHUNK,
                work.FAST_CHUNK / MILLISECOND,
                work.LARGEST_CHUNK,
            ],
        ),
        (r"the worker retries each second for up to (\d+) minutes", [work.LOCK_ATTEMPTS_SECONDS / 60]),
        (r"searched up to the (\d+)th", [control_queries.LOOKED_AT]),
        (r"store top-(\d+) overlap", [evaluation.SHOWN]),
        (r"It tries for (\d+) s with the same lock", [schema_migrations.SWITCH_SECONDS]),
        (r"mirror and rollback stay for (\d+) days", [Settings().search_rollback_hours / 24]),
        (r"target dropped after (\d+) h", [work.KEPT_AFTER_FAILURE / HOUR]),
        (r"`BALCAO_SEARCH_MIGRATION_LEASE`, (\d+) s", [Settings().search_migration_lease]),
        (r"After (\d+) resumes without progress", [work.MOST_RESUMES]),
        (r"at the end, within (\d+) s; no run", [rehearsal.BLOCK_SECONDS]),
        (r"failures\[<= (\d+)\]", [rehearsal.MOST_FAILURES]),
        (r"The check stops after (\d+) s", [rehearsal.LONGEST_SECONDS]),
        (r"at most (\d+) terms. `\"…\"` is a phrase", [query.MOST_TERMS]),
        (r"is first completed \(>= (\d+) letters\)", [corrections.SHORTEST_PREFIX]),
        (r"an alternative counts ([\d.]+)\.", [SYNONYM_WEIGHT]),
        (r"compares position, newest change and number of services every (\d+) seconds", [feeding.COMPARE_SECONDS]),
        (r"503 \(`index-missing`\) after (\d+) seconds", [public_index.FIRST_INDEX_SECONDS]),
        (r"The first ([\d,]+) characters of each group of texts", [analysis.LONGEST_TEXT]),
        (r"words of fewer than (\d+) letters", [spelling.SHORTEST_CORRECTED]),
        (r"the two most frequent ones count ([\d.]+)\.", [corrections.CORRECTION_WEIGHT]),
        (r"At most (\d+) words of a query are corrected", [corrections.MOST_CORRECTED]),
        (r"The engine returns at most (\d+) candidates", [public_search.MOST_CANDIDATES]),
        (r"Pages beyond candidate (\d+):", [public_search.MOST_CANDIDATES]),
        (r"The best (\d+) are ranked again", [ranking.RERANKED]),
        (
            r"in the name ([\d.]+), one that only shares the root ([\d.]+), in a phrase ([\d.]+), class B ([\d.]+), "
            r"class C ([\d.]+) if",
            [
                WEIGHTS.name,
                round(WEIGHTS.name * WEIGHTS.related, 2),
                WEIGHTS.phrases,
                WEIGHTS.head,
                WEIGHTS.rest,
            ],
        ),
        (
            r"the part of the name \(up to (\d+) % more\) or of one phrase \(up to (\d+) % more\)",
            [WEIGHTS.fill * 100, WEIGHTS.phrase_fill * 100],
        ),
        (r"([\d.]+) for the engine's score; ([\d.]+) for the popularity", [WEIGHTS.engine, WEIGHTS.popularity]),
        (
            r"multiplies by 1.0 up to (\d+) days after `last_update`, then e\^\(−([\d.]+)·days\), at least ([\d.]+)\.",
            [ranking.FRESH_DAYS, ranking.DECAY_PER_DAY, ranking.LEAST_RECENCY],
        ),
        (
            r"at least (\d+) % first and (\d+) % among the first three on every list, and (\d+) % and "
            r"(\d+) % on sentences",
            [
                FIRST * 100,
                AMONG_THREE * 100,
                FIRST_OF_SENTENCES * 100,
                AMONG_THREE_OF_SENTENCES * 100,
            ],
        ),
        (r"on the further list up to (\d+) points less", [UNSEEN_MARGIN * 100]),
        (r"`total_count` is exact up to ([\d,]+),", [responses.MOST_COUNTED]),
        (r"at most (\d+) values per field", [public_search.MOST_FACET_VALUES]),
        (
            r"at most (\d+) fragments of at most (\d+) characters, from the resumo",
            [highlights.MOST_FRAGMENTS, highlights.LONGEST_FRAGMENT],
        ),
        (r"shows it only after (\d+) occurrences", [zero_results.FEWEST_TIMES]),
        (r"Queries are retained for (\d+) days", [zero_results.KEPT_DAYS]),
        (r"views (\d+) days; failed target", [popularity.KEPT_DAYS]),
        (r"anonymous (\d+) requests/s per address, burst (\d+);", [BURST / SECONDS, BURST]),
    ],
)
def test_the_page_tells_the_numbers_of_the_product(sentence: str, numbers: list[float]) -> None:
    assert read_numbers("search", sentence) == numbers


def test_the_numbers_that_the_page_has_as_words() -> None:
    """The page spells these out: two corrections for a mistyped word, and four words after a word such as `lei`."""
    assert (corrections.MOST_CORRECTIONS, spelling.LAW_NAME) == (2, 4)
