"""SQL for the feedback on services' pages."""

from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.feedback.schemas import Comment, RatedService


# The row of the day counts the comments, so the row decides whether another comment is accepted. The lock on the row
# makes concurrent calls wait. A call without a comment changes only the counts.
@statement("""
WITH counted AS (
    INSERT INTO search.service_feedback_days AS kept (service_id, day, helpful, not_helpful, comments)
    VALUES (:service_id, current_date, :helpful::boolean::int, (NOT :helpful::boolean)::int,
            (:comment::text IS NOT NULL)::int)
    ON CONFLICT (service_id, day) DO UPDATE SET
        helpful = kept.helpful + excluded.helpful, not_helpful = kept.not_helpful + excluded.not_helpful,
        comments = kept.comments + excluded.comments
    WHERE :comment IS NULL OR kept.comments < :most
    RETURNING true
), added AS (
    INSERT INTO search.service_feedback (service_id, helpful, comment)
    SELECT :service_id, :helpful, :comment FROM counted WHERE :comment IS NOT NULL
)
SELECT EXISTS (SELECT FROM counted)
""")
async def add_feedback(connection: Connection, service_id: str, helpful: bool, comment: str | None, most: int) -> bool:
    """Count a visitor's answer and store the comment.

    Return False if the service has the maximum number of comments for the day.
    """


class FeedbackCounts(NamedTuple):
    """How often a page helped and did not help, and the number of stored comments.

    `is_known` is whether the service exists.
    """

    is_known: bool
    helpful: int
    not_helpful: int
    comments: int


@statement("""
SELECT EXISTS (SELECT FROM search.service_head WHERE id = :service_id::uuid AND deleted_at IS NULL) AS is_known,
       coalesce(sum(helpful), 0)::int AS helpful, coalesce(sum(not_helpful), 0)::int AS not_helpful,
       (SELECT count(*)::int FROM search.service_feedback AS said
        WHERE said.service_id = :service_id
          AND (:only_helpful::boolean IS NULL OR said.helpful = :only_helpful)) AS comments
FROM search.service_feedback_days WHERE service_id = :service_id
""")
async def count_feedback(connection: Connection, service_id: str, only_helpful: bool | None) -> FeedbackCounts: ...


@statement("""
SELECT id::text AS id, extract(epoch FROM at)::bigint AS at, helpful, comment
FROM search.service_feedback
WHERE service_id = :service_id::uuid AND (:only_helpful::boolean IS NULL OR helpful = :only_helpful)
ORDER BY service_feedback.at DESC, service_feedback.id DESC LIMIT :limit OFFSET :offset
""")
async def list_comments(
    connection: Connection, service_id: str, only_helpful: bool | None, limit: int, offset: int
) -> list[Comment]: ...


@statement("DELETE FROM search.service_feedback WHERE id = :comment_id::uuid AND service_id = :service_id::uuid")
async def delete_comment(connection: Connection, service_id: str, comment_id: str) -> int:
    """Delete a comment, and return the number of deleted comments."""


class ListedRating(NamedTuple):
    """A service's counts, and the number of services on all pages."""

    found: int
    rated: RatedService


# Take the name from the newest version, because every service has one.
@statement("""
SELECT days.service_id::text AS service_id,
       (SELECT version.snapshot ->> 'nome_servico' FROM search.service_versions AS version
        WHERE version.service_id = days.service_id ORDER BY version.version_number DESC LIMIT 1) AS nome_servico,
       sum(days.helpful)::int AS helpful,
       sum(days.not_helpful)::int AS not_helpful, sum(days.comments)::int AS comments, count(*) OVER ()::int AS found
FROM search.service_feedback_days AS days
JOIN search.service_head AS head ON head.id = days.service_id AND head.deleted_at IS NULL
WHERE days.day > current_date - 90 GROUP BY days.service_id
ORDER BY not_helpful DESC, helpful, service_id LIMIT :limit OFFSET :offset
""")
async def list_rated_services(connection: Connection, limit: int, offset: int) -> list[ListedRating]: ...


@statement("SELECT count(*) FROM search.service_feedback")
async def count_comments(connection: Connection) -> int: ...


@statement("DELETE FROM search.service_feedback WHERE at < current_date - :days::int")
async def delete_old_comments(connection: Connection, days: int) -> int:
    """Delete the comments older than `days`, and return the number of deleted rows."""


@statement("SELECT count(*) FROM search.service_feedback_days")
async def count_feedback_days(connection: Connection) -> int: ...


@statement("DELETE FROM search.service_feedback_days WHERE day < current_date - :days::int")
async def delete_old_feedback_days(connection: Connection, days: int) -> int:
    """Delete the daily counts older than `days`, and return the number of deleted rows."""
