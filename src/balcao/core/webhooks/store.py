"""SQL for webhooks: the same statements for each service, with the service's own table and names."""

from typing import Any, NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statements
from balcao.core.webhooks.declaration import SentWebhook, Words


class Destination(NamedTuple):
    """Where a message is sent: the address to call, and the secrets to sign with."""

    url: str
    secrets: list[bytes]


class WebhookStatements:
    """The statements for a table whose columns have these names.

    `body` is the type of the body that callers send. The first argument of each statement is the table. Webhooks are
    returned without their secrets.
    """

    def __init__(self, words: Words, body: type[SentWebhook]) -> None:
        table, active, secret, error = words.table, words.active, words.key, words.last_error
        shown = ["id", "url", words.description, words.topics, active, words.created_at]
        members = ", ".join([*shown, words.last_delivery_at, words.last_failure_at, error])

        @statements({table: f"SELECT {members} FROM {table} ORDER BY {words.created_at}, id"})
        async def list_webhooks(connection: Connection, table: str) -> list[dict[str, Any]]: ...

        @statements({table: f"SELECT {members} FROM {table} WHERE id = :id"})
        async def read_webhook(connection: Connection, table: str, id: UUID | None) -> dict[str, Any] | None: ...

        # There is no lock, so concurrent additions may exceed the maximum. That does no harm.
        @statements(
            {
                table: f"""
                INSERT INTO {table}
                    (id, url, {words.description}, {words.topics}, {active}, {secret}, {words.created_at})
                SELECT :id, :url, :{words.description}, :{words.topics}, :{active}, :secret, now()
                WHERE (SELECT count(*) FROM {table}) < :most
                RETURNING {members}
                """
            },
            lambda _: {"body": body},
        )
        async def insert_webhook(
            connection: Connection, table: str, id: UUID, body: SentWebhook, secret: bytes, most: int
        ) -> dict[str, Any] | None:
            """Add a webhook. Return None if the maximum is reached."""

        @statements(
            {
                table: f"""
                UPDATE {table} SET
                    url = :url, {words.description} = :{words.description}, {words.topics} = :{words.topics},
                    {active} = :{active}
                WHERE id = :id
                RETURNING {members}
                """
            },
            lambda _: {"body": body},
        )
        async def replace_webhook(
            connection: Connection, table: str, id: UUID | None, body: SentWebhook
        ) -> dict[str, Any] | None: ...

        @statements(
            {
                table: f"""
                UPDATE {table} SET
                    {words.previous_key} = {secret}, {words.previous_until} = now() + interval '24 hours',
                    {secret} = :secret
                WHERE id = :id
                RETURNING {members}
                """
            }
        )
        async def renew_webhook_secret(
            connection: Connection, table: str, id: UUID | None, secret: bytes
        ) -> dict[str, Any] | None:
            """Set a new secret. For a day, calls are signed with the old secret too."""

        @statements({table: f"DELETE FROM {table} WHERE id = :id"})
        async def delete_webhook(connection: Connection, table: str, id: UUID | None) -> bool:
            """Delete a webhook. Return whether it existed."""

        @statements(
            {
                table: f"""
                SELECT url, array_remove(
                    ARRAY[{secret}, CASE WHEN {words.previous_until} > now() THEN {words.previous_key} END], NULL
                ) AS secrets
                FROM {table} WHERE id = :id AND {active}
                """
            }
        )
        async def read_destination(connection: Connection, table: str, id: UUID) -> Destination | None:
            """Return the address and the secrets, or None if the webhook was deleted or is switched off."""

        @statements({table: f"UPDATE {table} SET {words.last_delivery_at} = now(), {error} = NULL WHERE id = :id"})
        async def note_delivery(connection: Connection, table: str, id: UUID) -> None: ...

        @statements(
            {
                table: f"""
                UPDATE {table} SET {words.last_failure_at} = now(), {error} = :error, {active} = {active} AND NOT :gone
                WHERE id = :id
                """
            }
        )
        async def note_failed_delivery(connection: Connection, table: str, id: UUID, error: str, *, gone: bool) -> None:
            """Store the error code of a call. The code `gone` switches the webhook off."""

        self.list_webhooks = list_webhooks
        self.read_webhook = read_webhook
        self.insert_webhook = insert_webhook
        self.replace_webhook = replace_webhook
        self.renew_webhook_secret = renew_webhook_secret
        self.delete_webhook = delete_webhook
        self.read_destination = read_destination
        self.note_delivery = note_delivery
        self.note_failed_delivery = note_failed_delivery
