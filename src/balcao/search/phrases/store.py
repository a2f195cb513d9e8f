"""SQL for the phrases that citizens use to ask for a service."""

from collections.abc import Sequence
from typing import NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.search.phrases.schemas import PhraseProposal, ServicePhrases

_COLUMNS = "floor(extract(epoch FROM said.updated_at))::bigint AS updated_at, said.updated_by"
_ONE = f"""
SELECT head.id::text AS service_id, coalesce(said.phrases, '{{}}') AS phrases, {_COLUMNS}
FROM search.service_head AS head LEFT JOIN search.service_phrases AS said ON said.service_id = head.id
WHERE head.id = :service_id::uuid AND head.deleted_at IS NULL
"""


@lookup(_ONE)
async def select_phrases(source: Source, service_id: str) -> ServicePhrases | None:
    """Return the phrases of a service, or None if the service is unknown or deleted."""


# Two statements, because only a statement that starts after the wait sees what the other writers committed.
@statement("SELECT id FROM search.service_head WHERE id = :service_id::uuid FOR NO KEY UPDATE")
async def _lock_service(connection: Connection, service_id: str) -> str | None: ...


@statement(_ONE)
async def _read_phrases(connection: Connection, service_id: str) -> ServicePhrases | None: ...


async def lock_phrases(connection: Connection, service_id: str) -> ServicePhrases | None:
    """Lock a service until the transaction ends, and return its phrases, or None if it is unknown or deleted."""
    await _lock_service(connection, service_id)
    return await _read_phrases(connection, service_id)


@statement(f"""
INSERT INTO search.service_phrases AS said (service_id, phrases, updated_at, updated_by)
VALUES (:service_id, :phrases, now(), :author)
ON CONFLICT (service_id) DO UPDATE
SET phrases = excluded.phrases, updated_at = excluded.updated_at, updated_by = excluded.updated_by
RETURNING said.service_id::text, said.phrases, {_COLUMNS}
""")
async def upsert_phrases(
    connection: Connection, service_id: str, phrases: Sequence[str], author: str
) -> ServicePhrases: ...


@statement("DELETE FROM search.service_phrases WHERE service_id = :service_id")
async def delete_phrases(connection: Connection, service_id: str) -> None: ...


# The export omits the column `folded`, which PostgreSQL derives from the phrases.
EXPORTS = Exports([Export("service-phrases", Rows("search.service_phrases", "to_jsonb(stored) - 'folded'"))])


class SeededPhrases(NamedTuple):
    """The phrases of one service as a JSON array, because PostgreSQL requires equal lengths in an array of arrays."""

    service_id: str
    phrases: str


@statement("""
INSERT INTO search.service_phrases (service_id, phrases, updated_at, updated_by)
SELECT head.id, ARRAY(SELECT jsonb_array_elements_text(seed.phrases::jsonb)), now(), :author
FROM unnest(:seeds.service_id::uuid[], :seeds.phrases::text[]) AS seed (service_id, phrases)
JOIN search.service_head AS head ON head.id = seed.service_id AND head.deleted_at IS NULL
WHERE NOT EXISTS (SELECT FROM search.service_phrases)
ORDER BY head.id
ON CONFLICT DO NOTHING
""")
async def seed_phrases(connection: Connection, seeds: Sequence[SeededPhrases], author: str) -> int:
    """Insert the phrases of several services if no service has phrases. Return the number of services."""


# This fills forty pages of the panel. More proposals appear when these have become phrases.
MOST_PROPOSALS = 1000


class ListedPhrase(NamedTuple):
    """A proposal, and the number of proposals on all pages."""

    found: int
    proposal: PhraseProposal


# If no opening is stored, the portal does not report openings, so only queries without results are proposed. Only the
# most frequent queries are compared with the phrases, because there may be very many of both.
@statement("""
WITH counted AS (
    SELECT folded AS query, sum(times + answered)::int AS searches, sum(times)::int AS found_nothing,
           sum(opened)::int AS opened, max(day)::text AS last_day
    FROM search.zero_results WHERE char_length(folded) <= :longest GROUP BY folded
    HAVING sum(times + answered) >= :fewest AND sum(opened) * :searches_per_opening < sum(times + answered)
       AND (sum(times) >= :fewest OR EXISTS (SELECT FROM search.zero_results WHERE zero_results.opened > 0))
    ORDER BY searches DESC, query LIMIT :most
)
SELECT counted.*, count(*) OVER ()::int AS found FROM counted
WHERE NOT EXISTS (
    SELECT FROM search.service_phrases AS said JOIN search.service_head AS head ON head.id = said.service_id
    WHERE said.folded @> ARRAY[query] AND head.deleted_at IS NULL
) AND (:has_found_nothing::bool IS NULL OR :has_found_nothing::bool = (found_nothing >= :fewest))
ORDER BY searches DESC, query LIMIT :limit OFFSET :offset
""")
async def _list_proposals(
    connection: Connection,
    longest: int,
    fewest: int,
    searches_per_opening: int,
    has_found_nothing: bool | None,
    most: int,
    limit: int,
    offset: int,
) -> list[ListedPhrase]: ...


async def list_phrase_proposals(
    connection: Connection,
    longest: int,
    fewest: int,
    searches_per_opening: int,
    has_found_nothing: bool | None,
    limit: int,
    offset: int,
) -> tuple[int, list[PhraseProposal]]:
    """Return the number of proposals and one page, most frequent first.

    `has_found_nothing` selects either the queries that found nothing at least `fewest` times or the others.
    """
    listed = await _list_proposals(
        connection, longest, fewest, searches_per_opening, has_found_nothing, MOST_PROPOSALS, limit, offset
    )
    return (listed[0].found if listed else 0), [each.proposal for each in listed]


OFFERED = (select_phrases,)
