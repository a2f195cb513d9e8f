"""Writing a locked service: its row, its addresses and its version, in the caller's transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.core.values.clock import to_unix_seconds
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import StoredService
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.services import derived, store
from balcao.search.services.store import ServiceHead
from balcao.search.versions import service as versions
from balcao.search.versions.schemas import ChangeType
from balcao.search.versions.service import VersionAuthor, VersionChange

# Of a write that is no call: an import's.
NO_TRAIL = "[]"


@dataclass(frozen=True)
class Edit:
    """One service locked for its change; `author` makes the version, at the instant `at`."""

    connection: Connection
    author: VersionAuthor
    alias: Alias
    service_id: str
    head: ServiceHead
    stored: StoredService | None
    at: datetime


class _Slugs(TypedDict):
    slug: str
    slug_history: list[str]


async def prepare(
    edit: Edit, content: ServiceContent, *, autor: str | None = None, slug: str | None = None
) -> StoredService:
    """Return what is to be stored, its slug taken; `autor` and `slug` are those that an import brings.

    Raises Conflict when no free slug can be made.
    """
    before = edit.stored.document if edit.stored else None
    document = derived.derive_document(
        content,
        service_id=edit.service_id,
        autor=await _find_author(edit, autor),
        **await _claim_slug(edit.connection, edit.service_id, content.nome_servico, before, slug),
        created_at=to_unix_seconds(edit.head.created_at),
        at=edit.at,
    )
    return StoredService(document, edit.stored.carried if edit.stored else "{}", edit.head.newest_version + 1)


async def save(edit: Edit, saved: StoredService, change: VersionChange, trail: str = NO_TRAIL) -> None:
    """Write row and version, and the events of the audit trail, in one statement. Raises Unavailable."""
    version = versions.encode_version(edit.author, saved.document, change, number=saved.version, at=edit.at)
    await store.save_service(edit.connection, edit.alias, saved, version, trail)


async def _find_author(edit: Edit, given: str | None) -> str:
    """Return who created the service; this never changes."""
    if edit.stored is not None:
        return edit.stored.document.autor
    first = await versions.read_author(edit.connection, edit.service_id) if edit.head.newest_version else None
    return first or given or edit.author.name


async def _claim_slug(
    connection: Connection, service_id: str, name: str, before: ServiceDocument | None, given: str | None
) -> _Slugs:
    """Return slug and history, computed anew only when the name changed.

    The former slug stays the service's and goes to its history. Raises Conflict.
    """
    if before is not None and before.nome_servico == name:
        return _Slugs(slug=before.slug, slug_history=before.slug_history)
    slug, former = await store.take_slug(connection, service_id, name, given)
    if slug is None:
        raise Conflict("O nome do serviço leva a um endereço que já existe.", code="slug-taken")
    history = [*before.slug_history, before.slug] if before else former
    return _Slugs(slug=slug, slug_history=[old for old in history if old != slug])


def name_change(before: int, after: int) -> ChangeType:
    """Return the kind of a version that takes a service from one `status` to another."""
    if before == after:
        return "update"
    return "publish" if after == 1 else "unpublish"
