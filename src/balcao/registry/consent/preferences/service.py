"""Read and change a citizen's notification preferences. Reads never write preferences (rules: registry 4.7)."""

from collections.abc import Callable
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.optimistic import write_optimistically
from balcao.core.database.pool import Connection
from balcao.core.http.decoding import decode
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import etag_of, require_match
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.ledger.store import read_ledger_head
from balcao.registry.consent.preferences import store
from balcao.registry.consent.preferences.changes import (
    RequestedChange,
    parse_preference_choice,
    parse_preferences_body,
    require_active,
)
from balcao.registry.consent.preferences.schemas import ChoiceBody, Preferences, PreferencesBody

# A function that builds, from the preferences, the document whose ETag the caller sends in `If-Match`.
Known = Callable[[Preferences], Any]


async def read_preferences(call: Call, cpf: Cpf) -> Preferences:
    """Return the preferences. A read of another person's preferences is audited."""
    async with call.reading(cpf, ["opt_in", "category_opt_ins"]) as source:
        return await store.select_preferences(source, cpf)


def _whole(preferences: Preferences) -> Any:
    return preferences


async def change_preferences(call: Call, cpf: Cpf, body: PreferencesBody, known: Known = _whole) -> Preferences:
    """Change the members in the body and return the new preferences.

    Raises Invalid for an invalid body, PreconditionFailed if `If-Match` does not match, and Unprocessable for an
    unknown or inactive category.
    """
    return await apply_change(call, cpf, parse_preferences_body(body), known)


async def choose_category(call: Call, cpf: Cpf, category: str, body: bytes, known: Known = _whole) -> Preferences:
    """Set the choice for one category, and return the new preferences.

    An unknown or inactive category raises Unprocessable before the body is parsed.
    """

    def parse_change(current: Preferences) -> RequestedChange:
        require_active([category], current)
        return parse_preference_choice(category, decode(body, ChoiceBody))

    return await _change(call, cpf, parse_change, known)


async def apply_change(call: Call, cpf: Cpf, requested: RequestedChange, known: Known = _whole) -> Preferences:
    """Apply the change and return the new preferences.

    `known` builds the document whose ETag the caller sends in `If-Match`. Raises PreconditionFailed if `If-Match` does
    not match, and Unprocessable for an unknown or inactive category.
    """
    return await _change(call, cpf, lambda _: requested, known)


async def withdraw_category(call: Call, cpf: Cpf, category: str, channel: str, reason: str) -> None:
    """Opt the person out of a category. Do nothing if the person has already opted out.

    The category may be inactive: the opt-out then applies when the category becomes active again.
    """

    async def attempt(connection: Connection) -> bool | None:
        head = await read_ledger_head(connection, cpf)
        choice = await store.read_choice(connection, cpf, category)
        if choice.chosen is False:
            return True
        after = await store.select_preferences(connection, cpf)
        changes = [ledger.Change(category, False)] if choice.opt_in else []
        if changes:
            after.updated_at = head.moment
        entries = ledger.make_entries(call, cpf, head, changes, channel, reason)
        trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=["category_opt_ins"])
        chosen = {category: False}
        return (
            await store.write_preferences(connection, after, chosen, behind=head.seq, entries=entries, trail=trail)
            or None
        )

    await write_optimistically(call.platform.database, attempt)


async def _change(
    call: Call, cpf: Cpf, parse_change: Callable[[Preferences], RequestedChange], known: Known
) -> Preferences:
    """Read the preferences, decide, and write. If another call changed the preferences in the meantime, start again."""

    async def attempt(connection: Connection) -> Preferences | None:
        # Read the end of the ledger before the preferences. If another call appends an entry between the two reads, the
        # write detects the later end.
        head = await read_ledger_head(connection, cpf)
        current = await store.select_preferences(connection, cpf)
        requested = parse_change(current)
        changes = requested.list_changes(current)
        require_match(call.if_match, etag_of(msgspec.json.encode(known(current))))
        after = requested.apply_to(current)
        if changes:
            after.updated_at = head.moment
        entries = ledger.make_entries(call, cpf, head, changes, requested.channel, requested.reason)
        trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=requested.fields)
        is_written = await store.write_preferences(
            connection, after, requested.choices, behind=head.seq, entries=entries, trail=trail
        )
        return after if is_written else None

    return await write_optimistically(call.platform.database, attempt)
