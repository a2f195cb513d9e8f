"""Links from a resume to catalogue entries. Each entry is linked at most once (rules: employability 2.11)."""

from collections.abc import Sequence
from typing import Any

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.links import store
from balcao.employability.resume.links.kinds import LIST_REFUSALS, MAX_LINKS, Linking, LinkKind
from balcao.employability.resume.profiles.store import touch_resume
from balcao.employability.schemas import Message


async def read_links(call: Call, kind: LinkKind, cpf: Cpf) -> list[Any]:
    """Return a person's links, newest first."""
    async with call.reading(cpf, [kind.member]) as source:
        return await store.list_links(source, kind, cpf)


async def add_link(call: Call, linking: Linking, cpf: Cpf, body: Any) -> tuple[Any, bool]:
    """Add a link if it does not exist. Return the link, and whether it is new.

    Raises Invalid if the entry is not in the catalogue, and Conflict if the resume has MAX_LINKS links of the kind.
    """
    kind = linking.kind
    async with call.platform.database.transaction() as connection:
        # This locks the resume, so that two concurrent calls can neither add the same link nor exceed the limit.
        await touch_resume(connection, cpf)
        present = await store.list_links(connection, kind, cpf)
        if found := next((link for link in present if linking.is_asked_for(link, body)), None):
            return found, False
        entry = await store.find_entry(connection, kind, body)
        if entry is None:
            raise linking.refuse_unknown()
        if len(present) >= MAX_LINKS:
            raise linking.refuse_more()
        await store.insert_links(connection, kind, cpf, [entry])
        await call.platform.audit.record(connection, call, "create", subject=cpf, fields=[kind.member])
        links = await store.list_links(connection, kind, cpf)
    return next(link for link in links if getattr(link, kind.column) == entry), True


async def save_links(connection: Connection, kind: LinkKind, cpf: Cpf, entries: Sequence[int] | None) -> list[Any]:
    """Replace a person's links unless `entries` is None, and return the links, newest first.

    The caller has locked the resume. Remaining links keep their ids. Raises Invalid for unknown, repeated or too many
    entries.
    """
    if entries is not None:
        if len(set(entries)) < len(entries) or len(entries) > MAX_LINKS:
            raise LIST_REFUSALS[kind].repeated()
        if await store.count_entries(connection, kind, entries) < len(entries):
            raise LIST_REFUSALS[kind].unknown()
        await store.delete_other_links(connection, kind, cpf, entries)
        await store.insert_links(connection, kind, cpf, entries)
    return await store.list_links(connection, kind, cpf)


async def remove_link(call: Call, kind: LinkKind, cpf: Cpf, link: int) -> Message:
    """Remove a link, but not its catalogue entry. Raises NotFound if this citizen has no such link."""
    async with call.platform.database.transaction() as connection:
        if not await store.delete_link(connection, kind, cpf, link):
            noun = kind.one.partition(" ")[2]
            raise NotFound(f"Não há {noun} com este `id` no seu currículo.", code="link-unknown")
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=[kind.member])
    return Message(kind.removed)
