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
from balcao.core.values.clock import unix_seconds, utc_now
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
class Desk:
    """One service locked for its change."""

    connection: Connection
    call: Call
    alias: Alias
    service_id: str
    head: Head
    stored: Stored | None
    at: datetime


@asynccontextmanager
async def at_desk(call: Call, service_id: str, at: datetime | None) -> AsyncIterator[Desk]:
    """Collection, then head, then row: the order of locks of every writer. Raises NotFound."""
    known = path_uuid(service_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        alias = await collection.enter(connection)
        head = await store.lock_head(connection, known)
        if head is None:
            raise NotFound(UNKNOWN)
        stored = await store.read(connection, alias, known)
        yield Desk(connection, call, alias, known, head, stored, at or utc_now())


@asynccontextmanager
async def existing(call: Call, service_id: str, at: datetime | None) -> AsyncIterator[tuple[Desk, Stored]]:
    """As `at_desk`; a deleted service is not found either."""
    async with at_desk(call, service_id, at) as desk:
        if desk.stored is None:
            raise NotFound(UNKNOWN)
        yield desk, desk.stored


async def write(desk: Desk, content: Content, change: Change) -> Service:
    before = desk.stored.document if desk.stored else None
    document = derived.document(
        content,
        service_id=desk.service_id,
        autor=await _author(desk),
        **await claim(desk.connection, desk.service_id, content.nome_servico, before),
        created_at=unix_seconds(desk.head.created_at),
        at=desk.at,
    )
    number = await store.next_version(desk.connection, desk.service_id, None)
    await store.put(desk.connection, desk.alias, document, desk.stored.carried if desk.stored else "{}", number)
    await versions.append(desk.connection, desk.call, document, change, number=number, at=desk.at)
    await audit(desk, "create" if change.kind == "create" else "update", number, changed(before, document))
    return staff_form(document, number)


async def _author(desk: Desk) -> str:
    """Who created it, for ever."""
    if desk.stored is not None:
        return desk.stored.document.autor
    return await versions.author(desk.connection, desk.service_id) or acting(desk.call)


async def audit(desk: Desk, action: Action, number: int, members: list[str]) -> None:
    fields = [*details(service=desk.service_id, version=number), *members]
    await desk.call.platform.audit.record(desk.connection, desk.call, action, fields=fields)


def staff_form(document: Document, version: int) -> Service:
    return Service(**msgspec.structs.asdict(document), version=version)
