"""E-mails to candidates, queued in the transaction of what they tell of (rules: employability 4.8)."""

from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.employability.selection.emails.kinds import Email


async def enqueue(connection: Connection, kind: Email, application: UUID, event: int) -> None:
    """Queue the e-mail that tells the candidate of this event of the application's history."""
