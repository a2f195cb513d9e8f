"""Webhooks of a service: store them, and send them the service's events in signed calls.

A service declares its names, its wire types and its events. Everything else about webhooks is the same for all
services.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs import queue
from balcao.core.jobs.worker import JobKind, encode_payload, enqueue
from balcao.core.telemetry import Counter
from balcao.core.values.ids import new_id, new_uuid
from balcao.core.webhooks import sending
from balcao.core.webhooks.declaration import SentWebhook, Words
from balcao.core.webhooks.events import Event, encode_event, make_test
from balcao.core.webhooks.sending import DELAYS, MOST_CONCURRENT, MOST_WEBHOOKS, SECRET_BYTES, format_secret
from balcao.core.webhooks.store import WebhookStatements

W = TypeVar("W", bound=msgspec.Struct)
S = TypeVar("S", bound=msgspec.Struct)


class Try(NamedTuple):
    """A call to a webhook: the message, the event's number (None for a test), and the error (None for a success)."""

    webhook: UUID
    message: str
    number: int | None
    error: str | None


def allow(_: Call) -> None:
    """Allow every change. This is for services in which only the operation's rule decides who may change a webhook."""


@dataclass
class WebhooksOfService(Generic[W, S]):
    """The webhooks of one service.

    - `shown`: a webhook without its secret. `with_secret`: a webhook that was just created or got a new secret.
    - `read_event`: return the event with this number, or None if it is no longer stored.
    - `require_right`: raise if the caller may not change any webhook.
    - `note_try`: store the result of a call, if the service displays it.
    """

    words: Words
    body: type[SentWebhook]
    shown: type[W]
    with_secret: type[S]
    format_instant: Callable[[datetime, ZoneInfo], str]
    job: str
    calls: Counter
    read_event: Callable[[Connection, int], Awaitable[Event | None]]
    require_right: Callable[[Call], None] = allow
    note_try: Callable[[Connection, Try], Awaitable[None]] | None = None
    store: WebhookStatements = field(init=False)

    def __post_init__(self) -> None:
        """Create the statements now, because statements must be created when modules are imported."""
        self.store = WebhookStatements(self.words, self.body)

    @property
    def job_kind(self) -> JobKind:
        """The job that calls a webhook. Its payload contains the webhook's id, and an event's number or a test's id."""
        return JobKind(self.job, self.deliver, delays=DELAYS, max_concurrent=MOST_CONCURRENT)

    async def list_webhooks(self, call: Call) -> list[W]:
        """Return all webhooks, oldest first."""
        async with call.platform.database.connection() as connection:
            return [self._show(call, found) for found in await self.store.list_webhooks(connection, self.words.table)]

    async def read_webhook(self, call: Call, id: UUID | None) -> W:
        """Return a webhook. Like every method with an `id`, this raises NotFound if the webhook does not exist."""
        async with call.platform.database.connection() as connection:
            return self._show(call, await self.store.read_webhook(connection, self.words.table, id))

    async def add_webhook(self, call: Call, body: SentWebhook) -> S:
        """Add a webhook.

        Raises Forbidden if the caller may not change webhooks, Unprocessable if the address is not allowed, or Conflict
        if the maximum is reached. A repetition with the same `Idempotency-Key` returns the first response, including
        the secret.
        """
        self.require_right(call)
        sending.require_allowed(call.platform, body.url)

        async def make() -> S:
            secret = secrets.token_bytes(SECRET_BYTES)
            added = await self.store.insert_webhook(
                connection, self.words.table, new_uuid(), body, secret, MOST_WEBHOOKS
            )
            if added is None:
                raise Conflict(f"Já há {MOST_WEBHOOKS} avisos cadastrados: apague um.", code="too-many-webhooks")
            await call.platform.audit.record(connection, call, "create", fields=sorted(body.model_fields_set))
            return self._show_secret(call, added, secret)

        async with call.platform.database.transaction() as connection:
            made = await run_once(connection, call, None, [body.model_dump(mode="json")], make, is_secret=True)
        return msgspec.json.decode(made, type=self.with_secret)

    async def replace_webhook(self, call: Call, id: UUID | None, body: SentWebhook) -> W:
        """Replace the members of a webhook, but not its secret.

        Raises Forbidden and Unprocessable for the same reasons as `add_webhook`.
        """
        self.require_right(call)
        sending.require_allowed(call.platform, body.url)
        async with call.platform.database.transaction() as connection:
            replaced = self._show(call, await self.store.replace_webhook(connection, self.words.table, id, body))
            await call.platform.audit.record(connection, call, "update", fields=sorted(body.model_fields_set))
        return replaced

    async def renew_secret(self, call: Call, id: UUID | None) -> S:
        """Create a new secret for a webhook.

        For 24 hours, calls are signed with the old secret too. Raises Forbidden for the same reason as `add_webhook`. A
        repetition returns the first response, as for `add_webhook`. Otherwise a second new secret would replace the old
        one, which receivers still use.
        """
        self.require_right(call)

        async def make() -> S:
            secret = secrets.token_bytes(SECRET_BYTES)
            found = await self.store.renew_webhook_secret(connection, self.words.table, id, secret)
            renewed = self._show_secret(call, found, secret)
            await call.platform.audit.record(connection, call, "update", fields=[self.words.key])
            return renewed

        async with call.platform.database.transaction() as connection:
            made = await run_once(connection, call, None, [str(id)], make, is_secret=True)
        return msgspec.json.decode(made, type=self.with_secret)

    async def delete_webhook(self, call: Call, id: UUID | None) -> None:
        """Delete a webhook.

        Its pending messages are no longer sent. Raises Forbidden for the same reason as `add_webhook`.
        """
        self.require_right(call)
        async with call.platform.database.transaction() as connection:
            if not await self.store.delete_webhook(connection, self.words.table, id):
                raise _make_unknown()
            await call.platform.audit.record(connection, call, "delete")

    async def send_test(self, call: Call, id: UUID | None) -> None:
        """Enqueue a test of a webhook. A repetition with the same `Idempotency-Key` enqueues nothing.

        Raises Forbidden for the same reason as `add_webhook`, or Conflict if the webhook is switched off.
        """
        self.require_right(call)

        async def make() -> None:
            found = await self.store.read_webhook(connection, self.words.table, id)
            if found is None:
                raise _make_unknown()
            if not found[self.words.active]:
                raise make_switched_off()
            await enqueue(connection, self.job, {"webhook": str(id), self.words.test: new_id()})
            await call.platform.audit.record(connection, call, "update", fields=[self.words.test])

        async with call.platform.database.transaction() as connection:
            await run_once(connection, call, None, [str(id)], make)

    async def replay(self, connection: Connection, id: UUID, message: str, number: int | None) -> None:
        """Send a message again: retry its dead-lettered job, with a new count of attempts, or enqueue a new job.

        The message has the same id as before, so the receiver recognises it.
        """
        told = {self.words.test: message.rpartition("_")[2]} if number is None else {self.words.number: number}
        payload = {"webhook": str(id), **told}
        dead = await queue.lock_dead_job_of(connection, self.job, encode_payload(payload))
        if dead is None:
            await enqueue(connection, self.job, payload)
        else:
            await queue.retry_jobs(connection, [dead])

    async def deliver(self, platform: Platform, payload: Mapping[str, Any]) -> None:
        """Send an event or a test to a webhook. A repeated message has the same id, so the receiver recognises it.

        Raises Retry if the call failed and the receiver accepts further attempts.
        """
        words, id = self.words, UUID(payload["webhook"])
        number, test = payload.get(words.number), payload.get(words.test)
        async with platform.database.connection() as connection:
            destination = await self.store.read_destination(connection, words.table, id)
            event = make_test(str(id)) if number is None else await self.read_event(connection, number)
        if destination is None or event is None:
            return  # the webhook is switched off, or it or the event was deleted
        message_id, content = f"msg_{id.hex}_{number or test}", encode_event(event)
        delivery = await sending.send_message(platform, destination.url, destination.secrets, message_id, content)
        async with platform.database.connection() as connection:
            if delivery.error is None:
                await self.store.note_delivery(connection, words.table, id)
            else:
                await self.store.note_failed_delivery(
                    connection, words.table, id, delivery.error, gone=delivery.is_gone
                )
            if self.note_try is not None:
                await self.note_try(connection, Try(id, message_id, number, delivery.error))
        self.calls.inc(delivery.outcome)
        delivery.require_taken()

    def _show(self, call: Call, found: Mapping[str, Any] | None) -> W:
        return msgspec.convert(self._format(call, found), self.shown)

    def _show_secret(self, call: Call, found: Mapping[str, Any] | None, secret: bytes) -> S:
        members = {**self._format(call, found), self.words.key: format_secret(secret)}
        return msgspec.convert(members, self.with_secret)

    def _format(self, call: Call, found: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the webhook's members in wire format. Raises NotFound if `found` is None."""
        if found is None:
            raise _make_unknown()
        shown = dict(found) | {"id": str(found["id"])}
        for name in (self.words.created_at, self.words.last_delivery_at, self.words.last_failure_at):
            shown[name] = found[name] and self.format_instant(found[name], call.zone)
        return shown


def make_switched_off() -> Conflict:
    """Return the error for a request to send to a webhook that is switched off."""
    return Conflict("O aviso está desligado: ligue-o para enviar.", code="webhook-off")


def _make_unknown() -> NotFound:
    return NotFound("Aviso não encontrado.", code="webhook-not-found")
