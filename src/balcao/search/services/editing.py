"""One service locked for its change, and everything that a change writes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import msgspec

from balcao.core.context.audit import Action
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.search.collection import service as collection
from balcao.search.collection.records import Alias
from balcao.search.conventions import acting, details, path_uuid
from balcao.search.document import Content, Document
from balcao.search.services import derived, store
from balcao.search.services.content import changed
from balcao.search.services.schemas import Service
from balcao.search.services.slugs import claim
from balcao.search.services.store import Head, Stored
from balcao.search.versions import service as versions
from balcao.search.versions.service import Change

UNKNOWN = "Serviço não encontrado."


@dataclass(frozen=True)
class Edit:
    """One service locked for its change."""

    connection: Connection
    call: Call
    alias: Alias
    service_id: str
    head: Head
    stored: Stored | None
    at: datetime


@asynccontextmanager
async def locked(call: Call, service_id: str, at: datetime | None) -> AsyncIterator[Edit]:
    """Collection, then head, then row: the order of locks of every writer. Raises NotFound."""
    known = path_uuid(service_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        alias = await collection.enter(connection)
        head = await store.lock_head(connection, known)
        if head is None:
            raise NotFound(UNKNOWN)
        stored = await store.read(connection, alias, known)
        yield Edit(connection, call, alias, known, head, stored, at or utc_now())


@asynccontextmanager
async def existing(call: Call, service_id: str, at: datetime | None) -> AsyncIterator[tuple[Edit, Stored]]:
    """As `locked`; a deleted service is not found either."""
    async with locked(call, service_id, at) as edit:
        if edit.stored is None:
            raise NotFound(UNKNOWN)
        yield edit, edit.stored


async def write(edit: Edit, content: Content, change: Change) -> Service:
    before = edit.stored.document if edit.stored else None
    document = derived.document(
        content,
        service_id=edit.service_id,
        autor=await _author(edit),
        **await claim(edit.connection, edit.service_id, content.nome_servico, before),
        created_at=to_unix_seconds(edit.head.created_at),
        at=edit.at,
    )
    number = await store.next_version(edit.connection, edit.service_id, None)
    await store.put(edit.connection, edit.alias, document, edit.stored.carried if edit.stored else "{}", number)
    await versions.append(edit.connection, edit.call, document, change, number=number, at=edit.at)
    await audit(edit, "create" if change.kind == "create" else "update", number, changed(before, document))
    return staff_form(document, number)


async def _author(edit: Edit) -> str:
    """Who created it, for ever."""
    if edit.stored is not None:
        return edit.stored.document.autor
    return await versions.author(edit.connection, edit.service_id) or acting(edit.call)


async def audit(edit: Edit, action: Action, number: int, members: list[str]) -> None:
    fields = [*details(service=edit.service_id, version=number), *members]
    await edit.call.platform.audit.record(edit.connection, edit.call, action, fields=fields)


def staff_form(document: Document, version: int) -> Service:
    return Service(**msgspec.structs.asdict(document), version=version)
