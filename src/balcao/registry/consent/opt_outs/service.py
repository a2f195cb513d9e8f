"""Notify senders about opt-outs with signed calls, which name recipients only by references (rules: registry 4.19)."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, Unprocessable
from balcao.core.telemetry import telemetry
from balcao.core.values.addresses import is_web_address
from balcao.core.values.clock import format_rfc3339
from balcao.core.values.text import clean_optional
from balcao.core.webhooks.declaration import Words
from balcao.core.webhooks.events import Event
from balcao.core.webhooks.service import WebhooksOfService
from balcao.registry.consent.categories import service as categories
from balcao.registry.consent.categories.paths import ID
from balcao.registry.consent.opt_outs import store
from balcao.registry.consent.opt_outs.references import make_person_reference, make_phone_reference
from balcao.registry.consent.opt_outs.schemas import (
    OPTED_OUT,
    OptOut,
    OptOutWebhook,
    OptOutWebhookBody,
    OptOutWebhookWithSecret,
)

URL_LENGTH, DESCRIPTION_LENGTH, MOST_CATEGORIES = 500, 200, 100


async def _read_event(connection: Connection, number: int) -> Event | None:
    found = await store.read_opt_out(connection, number)
    if found is None:
        return None
    data = msgspec.convert(
        {"opt_out": found.number, **{name: getattr(found, name) for name in ("scope", "category", "recipients", "at")}},
        OptOut,
    )
    return Event(OPTED_OUT, found.at, data)


WEBHOOKS = WebhooksOfService(
    Words(
        table="registry.opt_out_webhook",
        description="description",
        topics="categories",
        active="active",
        created_at="created_at",
        last_delivery_at="last_delivery_at",
        last_failure_at="last_failure_at",
        last_error="last_error",
        key="secret",
        previous_key="previous_secret",
        previous_until="previous_until",
        number="opt_out",
        test="test",
    ),
    OptOutWebhookBody,
    OptOutWebhook,
    OptOutWebhookWithSecret,
    lambda instant, _: format_rfc3339(instant),
    store.DELIVER_JOB,
    telemetry.counter("balcao_opt_out_webhooks", "Calls of webhooks about opt-outs", "outcome"),
    _read_event,
)


async def add_webhook(call: Call, body: OptOutWebhookBody) -> OptOutWebhookWithSecret:
    """Add a webhook.

    Raises Invalid for an invalid body, Unprocessable for an unknown category, and Conflict if the maximum is reached.
    """
    return await WEBHOOKS.add_webhook(call, await _clean(call, body))


async def replace_webhook(call: Call, id: UUID | None, body: OptOutWebhookBody) -> OptOutWebhook:
    """Replace a webhook but not its secret.

    Raises NotFound if it does not exist, and the same errors as `add_webhook`.
    """
    return await WEBHOOKS.replace_webhook(call, id, await _clean(call, body))


async def _clean(call: Call, body: OptOutWebhookBody) -> OptOutWebhookBody:
    url, wants_tls = body.url.strip(), not call.platform.settings.webhook_private_addresses
    if len(url) > URL_LENGTH or not is_web_address(url, {"https"} if wants_tls else {"https", "http"}):
        raise Invalid(
            f"O campo `url` deve ser um endereço `https://` completo, até {URL_LENGTH} caracteres.", code="url-invalid"
        )
    if len(body.categories) > MOST_CATEGORIES or not all(re.fullmatch(ID, id_) for id_ in body.categories):
        raise Invalid(
            f"O campo `categories` deve ter até {MOST_CATEGORIES} identificadores de categoria.",
            code="categories-invalid",
        )
    if body.categories:
        known = {each.id for each in (await categories.list_consent_categories(call, inactive=True)).categories}
        if not known.issuperset(body.categories):
            raise Unprocessable("Há uma categoria desconhecida.", code="category-unknown")
    description = clean_optional("description", body.description, longest=DESCRIPTION_LENGTH)
    return OptOutWebhookBody(url, description, body.categories, body.active)


async def announce_opt_out(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Enqueue the messages about one withdrawal of consent.

    If the job runs twice, the messages are still enqueued only once.
    """
    key, source = platform.audit.key, payload["entry"]
    async with platform.database.transaction() as connection:
        found = await store.read_withdrawn(connection, source)
        if found is None:
            return  # the retention has already deleted the entry
        hashes = [key.derive("phone-number", number) for number in found.numbers]
        if found.number_hash is not None:
            hashes.append(found.number_hash)
        people = [make_person_reference(key, found.cpf)] if found.cpf is not None else []
        recipients = people + [make_phone_reference(key, hashed) for hashed in hashes]
        await store.announce(connection, source, found, recipients)
