"""Reading and changing a citizen's notification preferences; reads never write (rules: registry 4.7)."""

from collections.abc import Callable
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.http.decoding import decode
from balcao.core.http.responses import etag_of, require_match
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.preferences import store
from balcao.registry.consent.preferences.changes import Wish, of_body, of_choice, require_offered
from balcao.registry.consent.preferences.schemas import ChoiceBody, Preferences, PreferencesBody

# What a caller knows of the preferences, whose ETag `If-Match` names.
Known = Callable[[Preferences], Any]


async def read_preferences(call: Call, cpf: Cpf) -> Preferences:
    """A read of somebody else's preferences leaves an audit event first."""
    if call.reads_unrecorded:
        return await store.find(call.platform.database, cpf)
    async with call.reading(cpf, ["opt_in", "category_opt_ins"]) as connection:
        return await store.read(connection, cpf)


async def change_preferences(call: Call, cpf: Cpf, body: PreferencesBody) -> Preferences:
    """The state afterwards; key by key, and an empty change is none. Raises Invalid, Unprocessable for a category."""
    return await fulfil(call, cpf, of_body(body))


async def choose_category(call: Call, cpf: Cpf, category: str, body: bytes) -> Preferences:
    """The state afterwards. Raises Unprocessable for the category before anything that is wrong with the body."""
    async with call.platform.database.transaction() as connection:
        held = await _held(connection, cpf)
        require_offered([category], held)
        return await _fulfilled(connection, call, cpf, held, of_choice(category, decode(body, ChoiceBody)), _all)


def _all(preferences: Preferences) -> Any:
    return preferences


async def fulfil(call: Call, cpf: Cpf, wish: Wish, known: Known = _all) -> Preferences:
    """The state afterwards. Raises Unprocessable for an unknown or inactive category, and PreconditionFailed."""
    async with call.platform.database.transaction() as connection:
        return await _fulfilled(connection, call, cpf, await _held(connection, cpf), wish, known)


async def _held(connection: Connection, cpf: Cpf) -> Preferences:
    """The present state; nobody changes it until the transaction ends."""
    await store.lock(connection, cpf)
    return await store.read(connection, cpf)


async def _fulfilled(
    connection: Connection, call: Call, cpf: Cpf, held: Preferences, wish: Wish, known: Known
) -> Preferences:
    changes = wish.changes(held)
    require_match(call.if_match, etag_of(msgspec.json.encode(known(held))))
    after = wish.fulfilled(held)
    if changes:
        after.updated_at = await ledger.append(connection, call, cpf, changes, wish.channel, wish.reason)
        await store.keep(connection, cpf, after)
    await store.keep_choices(connection, cpf, wish.choices)
    await call.platform.audit.record(connection, call, "update", subject=cpf, fields=wish.fields)
    return after
