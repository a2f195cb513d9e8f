"""SQL for the proposals."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.proposals.schemas import ProposalEntry


class ProposedText(msgspec.Struct, frozen=True):
    """The text of a proposal. `content` is jsonb text."""

    base_version: int
    awaiting_approval: bool
    content: str
    changed_fields: Sequence[str]
    change_reason: str | None


# The proposals of a deleted service are hidden until the service is restored.
_COLUMNS = """
    proposal.id::text, proposal.service_id::text, proposal.content ->> 'nome_servico' AS nome_servico,
    proposal.base_version, proposal.base_version < head.next_version - 1 AS outdated, proposal.revision,
    proposal.awaiting_approval, proposal.change_reason, proposal.changed_fields,
    floor(extract(epoch FROM proposal.created_at))::bigint AS created_at, proposal.created_by,
    floor(extract(epoch FROM proposal.updated_at))::bigint AS updated_at, proposal.updated_by,
    floor(extract(epoch FROM proposal.returned_at))::bigint AS returned_at, proposal.returned_by,
    proposal.returned_reason
"""
_LIVING = """
FROM search.service_proposals AS proposal
JOIN search.service_head AS head ON head.id = proposal.service_id AND head.deleted_at IS NULL
"""


class ListedProposal(NamedTuple):
    """A proposal on a page, and the number of proposals on all pages.

    If the page is empty, the only row has no proposal.
    """

    found: int
    entry: ProposalEntry | None


_MATCHING = f"""
{_LIVING} WHERE (:service_id::uuid IS NULL OR proposal.service_id = :service_id)
            AND (:awaiting::boolean IS NULL OR proposal.awaiting_approval = :awaiting)
"""


@statement(f"""
SELECT (SELECT count(*) {_MATCHING})::int AS found, page.*
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT row_number() OVER (ORDER BY proposal.updated_at, proposal.id) AS place, {_COLUMNS}
    {_MATCHING} ORDER BY place LIMIT :limit OFFSET :offset
) AS page ON true
ORDER BY page.place
""")
async def _list_proposals(
    connection: Connection, service_id: str | None, awaiting: bool | None, limit: int, offset: int
) -> list[ListedProposal]: ...


async def list_proposals(
    connection: Connection, service_id: str | None, awaiting: bool | None, limit: int, offset: int
) -> tuple[int, list[ProposalEntry]]:
    """Return the number of matching proposals and one page, least recently changed first."""
    listed = await _list_proposals(connection, service_id, awaiting, limit, offset)
    return listed[0].found, [each.entry for each in listed if each.entry is not None]


class StoredProposal(NamedTuple):
    """A proposal, its content as jsonb text, and the subject of its author."""

    entry: ProposalEntry
    content: str
    author: str


_ONE = f"""
SELECT {_COLUMNS}, proposal.content::text AS content, proposal.created_by_sub AS author
{_LIVING} WHERE proposal.id = :proposal_id::uuid AND proposal.service_id = :service_id::uuid
"""


@statement(_ONE)
async def select_proposal(connection: Connection, service_id: str, proposal_id: str) -> StoredProposal | None: ...


@statement(f"{_ONE} FOR UPDATE OF proposal")
async def lock_proposal(connection: Connection, service_id: str, proposal_id: str) -> StoredProposal | None:
    """Lock a proposal until the transaction ends. The caller has locked its service."""


class ProposalCounts(NamedTuple):
    """The numbers of proposals: for the service, by the author for the service, and by the author for all services."""

    of_service: int
    of_author_here: int
    of_author: int


@statement("SELECT pg_advisory_xact_lock(hashtextextended('search.service_proposals ' || :author, 0))")
async def lock_author(connection: Connection, author: str) -> None:
    """Make other new proposals of this author wait until the transaction ends."""


@statement("""
SELECT count(*) FILTER (WHERE service_id = :service_id)::int AS of_service,
       count(*) FILTER (WHERE service_id = :service_id AND created_by_sub = :author)::int AS of_author_here,
       count(*) FILTER (WHERE created_by_sub = :author)::int AS of_author
FROM search.service_proposals WHERE service_id = :service_id OR created_by_sub = :author
""")
async def count_proposals_near(connection: Connection, service_id: str, author: str) -> ProposalCounts: ...


@statement("""
INSERT INTO search.service_proposals
    (id, service_id, base_version, awaiting_approval, content, changed_fields, change_reason, created_by,
     created_by_sub, updated_by)
VALUES (:proposal_id, :service_id, :text.base_version, :text.awaiting_approval, :text.content::jsonb,
        :text.changed_fields, :text.change_reason, :name, :author, :name)
""")
async def insert_proposal(
    connection: Connection, proposal_id: str, service_id: str, text: ProposedText, name: str, author: str
) -> None: ...


@statement("""
UPDATE search.service_proposals
SET base_version = :text.base_version, awaiting_approval = :text.awaiting_approval, content = :text.content::jsonb,
    changed_fields = :text.changed_fields, change_reason = :text.change_reason, revision = revision + 1,
    updated_at = now(), updated_by = :name
WHERE id = :proposal_id
""")
async def change_proposal(connection: Connection, proposal_id: str, text: ProposedText, name: str) -> None: ...


@statement("""
UPDATE search.service_proposals
SET awaiting_approval = false, revision = revision + 1, updated_at = now(), updated_by = :name,
    returned_at = now(), returned_by = :name, returned_reason = :reason
WHERE id = :proposal_id
""")
async def return_proposal(connection: Connection, proposal_id: str, name: str, reason: str) -> None: ...


@statement("DELETE FROM search.service_proposals WHERE id = :proposal_id")
async def delete_proposal(connection: Connection, proposal_id: str) -> None: ...


@statement("SELECT count(*) FROM search.service_proposals")
async def count_proposals(connection: Connection) -> int: ...


@statement("DELETE FROM search.service_proposals WHERE updated_at <= now() - :age::interval")
async def delete_old_proposals(connection: Connection, age: timedelta) -> int:
    """Delete the proposals that have not changed for `age`, and return their number."""
