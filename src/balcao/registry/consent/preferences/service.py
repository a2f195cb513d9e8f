"""Reading and changing a citizen's notification preferences; reads never write (rules: registry 4.7)."""

from collections.abc import Callable
from typing import Any

import msgspec

from balcao.core.context.audit import recording
from balcao.core.context.call import Call
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

    def read_wish(held: Preferences) -> Wish:
        require_offered([category], held)
        return of_choice(category, decode(body, ChoiceBody))

    return await _change(call, cpf, read_wish, _all)


def _all(preferences: Preferences) -> Any:
    return preferences


async def fulfil(call: Call, cpf: Cpf, wish: Wish, known: Known = _all) -> Preferences:
    """The state afterwards. Raises Unprocessable for an unknown or inactive category, and PreconditionFailed."""
    return await _change(call, cpf, lambda _: wish, known)


async def _change(call: Call, cpf: Cpf, read_wish: Callable[[Preferences], Wish], known: Known) -> Preferences:
    """Read, decide, and write if nobody has changed the preferences in between; otherwise begin again.

    No lock is held while this process decides. The ledger's end is read before the preferences: a change that comes
    between the two readings moves it, and is noticed. Somebody has always changed them when one has to begin again,
    so this ends.
    """
    while True:
        async with call.platform.database.connection() as connection:
            head = await ledger.head(connection, cpf)
            held = await store.read(connection, cpf)
            wish = read_wish(held)
            changes = wish.changes(held)
            require_match(call.if_match, etag_of(msgspec.json.encode(known(held))))
            after = wish.fulfilled(held)
            if changes:
                after.updated_at = head.moment
            entries = ledger.link_entries(call, cpf, head, changes, wish.channel, wish.reason)
            trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=wish.fields)
            with recording():
                if await store.change(connection, after, wish.choices, behind=head.seq, entries=entries, trail=trail):
                    return after
