"""The numbers of the rules are those of the product: whoever changes one changes the page (rules: search 2 to 5)."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from balcao.search import conventions, public, tallies
from balcao.search.change_feed import schemas as change_feed
from balcao.search.control_queries import service as control_queries
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.popularity import service as popularity
from balcao.search.public_search import (
    conditions_store,
    facets_store,
    highlights,
    matching,
    parameters,
    responses,
    store,
)
from balcao.search.public_search import service as public_search
from balcao.search.public_search import terms as public_terms
from balcao.search.schema_migrations import rehearsal, work
from balcao.search.schema_migrations import service as schema_migrations
from balcao.search.services import api as services
from balcao.search.services import cleaning, content, filters, imports
from balcao.search.synonyms import service as synonyms
from balcao.search.vocabulary import jobs as vocabulary_jobs
from balcao.search.vocabulary import spelling
from balcao.search.vocabulary.service import MOST_CORRECTIONS
from balcao.search.zero_results import service as zero_results
from balcao.settings import Settings
from tests.search.judged import read_citizens
from tests.support.rules import read_numbers

MILLISECOND, HOUR = timedelta(milliseconds=1), timedelta(hours=1)
TUNED, HELD_OUT = len(read_citizens()), len(read_citizens(held_out=True))
BURST, SECONDS = (int(number) for number in re.findall(r"\d+", responses.RATE))


def bounds_of(member: str) -> dict[str, Any]:
    """Return the bounds with which a member of a service is cleaned."""
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
        (r"integers 1\.\.(\d+); the fields stand", [parameters.HEAVIEST]),
        (r"id_servico_antigo \(1\.\.(\d+)\), id_servico_novo", [legacy_mappings.LONGEST_ID]),
        (r"observacoes\? \(0\.\.(\d+)\)", [legacy_mappings.LONGEST_NOTES]),
        (
            r"PUT `\{terms: (\d+)\.\.(\d+) different texts of 1\.\.(\d+)\}`",
            [synonyms.FEWEST_TERMS, synonyms.MOST_TERMS, synonyms.LONGEST_TERM],
        ),
        (r"409 there are ([\d,]+) groups", [synonyms.MOST_GROUPS]),
        (r"at most (\d+) names of published services", [public_search.MOST_NAMES]),
        (r"`limit` 1\.\.(\d+) \((\d+)\) \| 200 change feed", [change_feed.MOST_CHANGES, change_feed.DEFAULT_CHANGES]),
        (
            r"PUT `\{queries\[\]\}`, at most (\d+) of 1\.\.(\d+) characters",
            [control_queries.MOST_QUERIES, parameters.LONGEST_QUERY],
        ),
        (r"Batches hold (\d+) lines", [imports.BATCH]),
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
        (r"Whole body over (\d+) KiB: 413", [services.routes.declared[0].body_limit / 1024]),
        (r"visitor data, flushed every (\d+) s", [tallies.FLUSH_SECONDS]),
        (
            r"begins with (\d+) rows, one above (\d+) ms halves the size \(minimum (\d+)\), below (\d+) ms doubles it "
            r"\(maximum (\d+)\)",
            [
                work.FIRST_CHUNK,
                work.SLOW_CHUNK / MILLISECOND,
                work.SMALLEST_CHUNK,
                work.FAST_CHUNK / MILLISECOND,
                work.LARGEST_CHUNK,
            ],
        ),
        (r"retry each second for up to (\d+) minutes", [work.LOCK_ATTEMPTS_SECONDS / 60]),
        (r"store top-(\d+) overlap", [control_queries.COMPARED]),
        (r"It tries for (\d+) s with the same lock", [schema_migrations.SWITCH_SECONDS]),
        (r"mirror and rollback stay for (\d+) days", [Settings().search_rollback_hours / 24]),
        (r"target dropped after (\d+) h", [work.KEPT_AFTER_FAILURE / HOUR]),
        (r"`BALCAO_SEARCH_MIGRATION_LEASE`, (\d+) s", [Settings().search_migration_lease]),
        (r"After (\d+) resumes without progress", [work.MOST_RESUMES]),
        (r"at the end, within (\d+) s; no run", [rehearsal.BLOCK_SECONDS]),
        (r"failures\[<= (\d+)\]", [rehearsal.MOST_FAILURES]),
        (r"It checks for at most (\d+) s", [rehearsal.LONGEST_SECONDS]),
        (r"at most (\d+) terms; `\"…\"` phrase", [public_terms.MOST_TERMS]),
        (r"last term \(>= (\d+) letters", [matching.SHORTEST_PREFIX]),
        (r"folded query has >= (\d+) characters, `similar`", [matching.SHORTEST_SIMILAR]),
        (r"alternatives whose text rank counts ([\d.]+);", [store.SYNONYM_SHARE]),
        (r"\(`names\.txt`, (\d+)\)", [len(spelling.NAMES)]),
        (
            r"up to (\d) letters never; (\d) and (\d) one slip",
            [spelling.SHORTEST - 1, spelling.SHORTEST, spelling.SHORT],
        ),
        (r"(\d) to (\d) one slip; from (\d) on two", [spelling.SHORT + 1, spelling.LONG - 1, spelling.LONG]),
        (r"Stage 1 collects at most (\d+) candidates", [conditions_store.MOST_CANDIDATES]),
        (r"T = r / \(r \+ ([\d.]+)\)", [store.HALF_RANK]),
        (r"class weights A ([\d.]+), B ([\d.]+), C ([\d.]+), D ([\d.]+),", [*reversed(parameters.RANK_WEIGHTS)]),
        (r"Beside it stand (\d+) queries", [TUNED + HELD_OUT]),
        (r"of (\d+) at least 85 %", [TUNED]),
        (r"of the (\d+) that nothing is tuned on", [HELD_OUT]),
        (r"`total_count` is exact up to ([\d,]+),", [store.MOST_COUNTED]),
        (r"at most (\d+) values per field", [facets_store.MOST_FACET_VALUES]),
        (
            r"fragments of at most (\d+) characters, at most (\d+), taken",
            [highlights.LONGEST_FRAGMENT, highlights.MOST_FRAGMENTS],
        ),
        (r"statement time-out of public search (\d+) s", [conditions_store.BUDGET_SECONDS]),
        (r"shows it only after (\d+) occurrences", [zero_results.FEWEST_TIMES]),
        (r"do not interrupt a run\); kept (\d+) days", [zero_results.KEPT_DAYS]),
        (r"views (\d+) days; failed target", [popularity.KEPT_DAYS]),
        (r"anonymous (\d+) requests/s per address, burst (\d+);", [BURST / SECONDS, BURST]),
    ],
)
def test_the_page_tells_the_numbers_of_the_product(sentence: str, numbers: list[float]) -> None:
    assert read_numbers("search", sentence) == numbers


def test_the_numbers_that_the_page_has_as_words() -> None:
    """A misspelt word has two corrections; four words behind a law are its name; new words come every five minutes."""
    assert (2, 4, timedelta(minutes=5)) == (MOST_CORRECTIONS, spelling.LAW_NAME, vocabulary_jobs.EVERY)
