"""SQL for the synonyms."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.search.synonyms.schemas import SynonymGroup

_COLUMNS = "id::text, terms, floor(extract(epoch FROM updated_at))::bigint AS updated_at, updated_by"


class ListedGroup(NamedTuple):
    """A group, and the total number of groups on all pages."""

    found: int
    group: SynonymGroup


@statement(f"""
SELECT {_COLUMNS}, count(*) OVER ()::int AS found
FROM search.synonyms
WHERE :term::text IS NULL OR EXISTS (
    SELECT FROM unnest(search.fold_labels(terms)) AS label WHERE position(search.fold_label(:term) IN label) > 0)
ORDER BY created_at, id LIMIT :limit OFFSET :offset
""")
async def _list_groups(connection: Connection, term: str | None, limit: int, offset: int) -> list[ListedGroup]: ...


async def list_synonym_groups(
    connection: Connection, term: str | None, limit: int, offset: int
) -> tuple[int, list[SynonymGroup]]:
    """Return the number of groups and one page.

    With `term`, include only groups with a term that contains `term`. The comparison ignores case and accents.
    """
    listed = await _list_groups(connection, term, limit, offset)
    return (listed[0].found if listed else 0), [each.group for each in listed]


_ONE = f"SELECT {_COLUMNS} FROM search.synonyms WHERE id = :group_id::uuid"


@lookup(_ONE)
async def select_synonym_group(source: Source, group_id: str) -> SynonymGroup | None: ...


@statement(f"{_ONE} FOR UPDATE")
async def lock_synonym_group(connection: Connection, group_id: str) -> SynonymGroup | None: ...


@statement(f"""
INSERT INTO search.synonyms (id, terms, created_at, updated_at, updated_by)
VALUES (:group_id, :terms, now(), now(), :author)
ON CONFLICT (id) DO UPDATE SET terms = excluded.terms, updated_at = now(), updated_by = excluded.updated_by
RETURNING {_COLUMNS}
""")
async def upsert_synonym_group(
    connection: Connection, group_id: str, terms: Sequence[str], author: str
) -> SynonymGroup: ...


@statement("DELETE FROM search.synonyms WHERE id = :group_id")
async def delete_synonym_group(connection: Connection, group_id: str) -> None: ...


@statement("SELECT count(*) FROM search.synonyms")
async def count_synonym_groups(connection: Connection) -> int: ...


# `xmin` is the id of the transaction that wrote a row. It increases with each change, so two states with the same
# number of rows have different sums.
@statement("SELECT count(*) AS groups, coalesce(sum(xmin::text::bigint), 0) AS changes FROM search.synonyms")
async def read_synonyms_revision(connection: Connection) -> tuple[int, Decimal]:
    """Return a revision that differs after every change of a group.

    While the revision is unchanged, cached synonyms are current.
    """


@statement("SELECT terms FROM search.synonyms")
async def list_synonym_terms(connection: Connection) -> list[list[str]]:
    """Return the terms of every group."""


OFFERED = (
    list_synonym_terms,
    read_synonyms_revision,
)
