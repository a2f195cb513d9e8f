"""Anonymous feedback from visitors about the pages of services (rules: search 2.7)."""

from balcao.core.context.call import Call
from balcao.core.context.reasons import refuse_personal_data
from balcao.core.errors import NotFound, TooMany
from balcao.core.values.ids import is_uuid
from balcao.core.values.text import clean_optional
from balcao.search.catalogue.service import UNKNOWN, find_published
from balcao.search.conventions import describe_event, parse_uuid_parameter
from balcao.search.feedback import store
from balcao.search.feedback.schemas import FeedbackBody, RatedServices, ServiceFeedback

KEPT_DAYS = 365
LONGEST_COMMENT = 300
# If one page gets more comments in one day, this is probably abuse, and no editor would read them all.
MOST_COMMENTS_A_DAY = 200
_SECONDS_OF_AN_HOUR = 3600


async def give_feedback(call: Call, slug: str, body: FeedbackBody) -> None:
    """Count whether the page helped, and store the comment.

    Raises NotFound if the service is not published, Invalid for a long comment or personal data in the comment, and
    TooMany if the service already has the maximum number of comments for the day.
    """
    comment = clean_optional("comment", body.comment, longest=LONGEST_COMMENT, one_line=False)
    if comment is not None:
        refuse_personal_data("comment", comment)
    found = await find_published(call, slug)
    async with call.platform.database.connection() as connection:
        if not await store.add_feedback(connection, found.id, body.helpful, comment, MOST_COMMENTS_A_DAY):
            text = "Hoje esta página já recebeu muitos comentários. Responda sem comentário, ou volte amanhã."
            raise TooMany(text, code="feedback-full", retry_after=_SECONDS_OF_AN_HOUR)


async def read_feedback(
    call: Call, service_id: str, page: int, per_page: int, *, helpful: bool | None
) -> ServiceFeedback:
    """Return a page of the comments on a service, and how often its page helped.

    With `helpful`, only the comments of visitors whom the page helped, or did not help, are returned and counted.
    Raises NotFound if the service does not exist.
    """
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.platform.database.connection() as connection:
        counts = await store.count_feedback(connection, known, helpful)
        if not counts.is_known:
            raise NotFound(UNKNOWN)
        comments = await store.list_comments(connection, known, helpful, per_page, (page - 1) * per_page)
    return ServiceFeedback(known, counts.helpful, counts.not_helpful, counts.comments, page, per_page, comments)


async def list_rated_services(call: Call, page: int, per_page: int) -> RatedServices:
    """Return a page of the services with feedback in the last 90 days.

    The service whose page most often did not help comes first.
    """
    async with call.platform.database.connection() as connection:
        listed = await store.list_rated_services(connection, per_page, (page - 1) * per_page)
    found = listed[0].found if listed else 0
    return RatedServices(found, page, per_page, [each.rated for each in listed])


async def delete_comment(call: Call, service_id: str, comment_id: str) -> None:
    """Delete a comment that should not be kept. The counts do not change. Raises NotFound if it does not exist."""
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        if not is_uuid(comment_id) or not await store.delete_comment(connection, known, comment_id):
            raise NotFound("Comentário não encontrado.", code="comment-unknown")
        fields = describe_event(service=known, comment=comment_id)
        await call.platform.audit.record(connection, call, "delete", fields=fields)
