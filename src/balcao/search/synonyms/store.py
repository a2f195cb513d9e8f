"""SQL of the synonyms."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection, Row


class StoredGroup(msgspec.Struct, frozen=True):
    """A group of terms as staff wrote them."""

    id: str
    terms: list[str]
    updated_at: datetime
    updated_by: str


_LIST = """
SELECT id::text, terms, updated_at, updated_by, count(*) OVER ()::int AS found
FROM search.synonyms ORDER BY created_at, id LIMIT $1 OFFSET $2
"""


async def list_groups(connection: Connection, limit: int, offset: int) -> tuple[int, list[StoredGroup]]:
    """Return how many groups there are, and a page of them."""
    rows = await connection.fetch(_LIST, limit, offset)
    return (rows[0]["found"] if rows else 0), [_to_group(row) for row in rows]


_READ = "SELECT id::text, terms, updated_at, updated_by FROM search.synonyms WHERE id = $1"


async def read(connection: Connection, group_id: str) -> StoredGroup | None:
    row = await connection.fetchrow(_READ, group_id)
    return None if row is None else _to_group(row)


_PUT = """
INSERT INTO search.synonyms (id, terms, created_at, updated_at, updated_by) VALUES ($1, $2, now(), now(), $3)
ON CONFLICT (id) DO UPDATE SET terms = excluded.terms, updated_at = now(), updated_by = excluded.updated_by
RETURNING id::text, terms, updated_at, updated_by
"""


async def put(connection: Connection, group_id: str, terms: Sequence[str], author: str) -> StoredGroup:
    row = await connection.fetchrow(_PUT, group_id, terms, author)
    assert row is not None  # an upsert always returns its row
    return _to_group(row)


_REMOVE = "DELETE FROM search.synonyms WHERE id = $1 RETURNING true"


async def remove(connection: Connection, group_id: str) -> bool:
    """Return whether there was such a group."""
    return bool(await connection.fetchval(_REMOVE, group_id))


_COUNT = "SELECT count(*) FROM search.synonyms"


async def count(connection: Connection) -> int:
    return int(await connection.fetchval(_COUNT))


# Whatever changes a row gives it a number of a transaction that is above all earlier ones, so two states with as many
# rows never have the same sum.
_REVISION = "SELECT count(*) AS groups, coalesce(sum(xmin::text::bigint), 0) AS changes FROM search.synonyms"


async def read_revision(connection: Connection) -> tuple[int, int]:
    """Return what is another one after every change of a group."""
    [row] = await connection.fetch(_REVISION)
    return row["groups"], int(row["changes"])


# Each term as the lexemes that a query's words are compared with.
_LEXEMES = """
SELECT synonyms.id::text AS id, term.place, array_agg(words.lexeme ORDER BY words.at) AS lexemes
FROM search.synonyms, unnest(terms) WITH ORDINALITY AS term (text, place),
     search.words_of(ARRAY[term.text]) WITH ORDINALITY AS words (text, folded, lexeme, at)
WHERE words.lexeme IS NOT NULL
GROUP BY synonyms.id, term.place
"""


async def list_lexemes(connection: Connection) -> list[frozenset[tuple[str, ...]]]:
    """Return the groups as sequences of lexemes; a term of stop words only has none and is left out."""
    groups: dict[str, set[tuple[str, ...]]] = {}
    for row in await connection.fetch(_LEXEMES):
        groups.setdefault(row["id"], set()).add(tuple(row["lexemes"]))
    return [frozenset(group) for group in groups.values() if len(group) > 1]


_CHECK = "SELECT bool_and(search.lexemes(term) <> '') FROM unnest($1::text[]) AS term"


async def can_be_searched(connection: Connection, terms: Sequence[str]) -> bool:
    """Return whether each term has a word that is no stop word."""
    return bool(await connection.fetchval(_CHECK, terms))


def _to_group(row: Row) -> StoredGroup:
    return StoredGroup(row["id"], row["terms"], row["updated_at"], row["updated_by"])
