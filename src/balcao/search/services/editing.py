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
from balcao.search.collection.alias import Alias
from balcao.search.conventions import describe_event, name_actor, parse_uuid
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.services import derived, store
from balcao.search.services.content import list_changes
from balcao.search.services.schemas import StaffService
from balcao.search.services.slugs import claim_slug
from balcao.search.services.store import ServiceHead, StoredService
from balcao.search.versions import service as versions
from balcao.search.versions.service import VersionChange

UNKNOWN = "Serviço não encontrado."


@dataclass(frozen=True)
class ServiceEdit:
    """One service locked for its change."""

    connection: Connection
    call: Call
    alias: Alias
    service_id: str
    head: ServiceHead
    stored: StoredService | None
    at: datetime


@asynccontextmanager
async def lock_service(call: Call, service_id: str, at: datetime | None) -> AsyncIterator[ServiceEdit]:
    """Lock collection, then head, then row: the order of locks of every writer. Raises NotFound."""
    known = parse_uuid(service_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        alias = await collection.lock_for_write(connection)
        head = await store.lock_head(connection, known)
        if head is None:
            raise NotFound(UNKNOWN)
        stored = await store.read(connection, alias, known)
        yield ServiceEdit(connection, call, alias, known, head, stored, at or utc_now())


@asynccontextmanager
async def lock_existing(
    call: Call, service_id: str, at: datetime | None
) -> AsyncIterator[tuple[ServiceEdit, StoredService]]:
    """Lock as `lock_service`; a deleted service is not found either."""
    async with lock_service(call, service_id, at) as edit:
        if edit.stored is None:
            raise NotFound(UNKNOWN)
        yield edit, edit.stored


async def save(edit: ServiceEdit, content: ServiceContent, change: VersionChange) -> StaffService:
    """Write row, slug, version and audit event of a change, and return the service."""
    before = edit.stored.document if edit.stored else None
    document = derived.derive_document(
        content,
        service_id=edit.service_id,
        autor=await _find_author(edit),
        **await claim_slug(edit.connection, edit.service_id, content.nome_servico, before),
        created_at=unix_seconds(edit.head.created_at),
        at=edit.at,
    )
    number = await store.take_version_number(edit.connection, edit.service_id, None)
    await store.put(edit.connection, edit.alias, document, edit.stored.carried if edit.stored else "{}", number)
    await versions.append(edit.connection, edit.call, document, change, number=number, at=edit.at)
    await record_event(edit, "create" if change.kind == "create" else "update", number, list_changes(before, document))
    return to_staff_service(document, number)


async def _find_author(edit: ServiceEdit) -> str:
    """Return who created the service; this never changes."""
    if edit.stored is not None:
        return edit.stored.document.autor
    return await versions.read_author(edit.connection, edit.service_id) or name_actor(edit.call)


async def record_event(edit: ServiceEdit, action: Action, number: int, members: list[str]) -> None:
    """Record a change of a service in the audit trail."""
    fields = [*describe_event(service=edit.service_id, version=number), *members]
    await edit.call.platform.audit.record(edit.connection, edit.call, action, fields=fields)


def to_staff_service(document: ServiceDocument, version: int) -> StaffService:
    """Return the service in the form for staff."""
    return StaffService(**msgspec.structs.asdict(document), version=version)
