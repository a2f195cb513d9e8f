"""Writing a locked service: its row, its addresses and its version, in the caller's transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.core.values.clock import to_unix_seconds
from balcao.search.collection import service as collection
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import StoredService
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.services import derived, store
from balcao.search.services.store import ServiceHead
from balcao.search.versions import service as versions
from balcao.search.versions.schemas import ChangeType
from balcao.search.versions.service import VersionAuthor, VersionChange

# Of the id, in a slug: the usual part, the part after a collision, and the whole, which no other service has.
_ID_LENGTHS = (8, 13, 36)


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


async def save(
    edit: Edit, content: ServiceContent, change: VersionChange, *, autor: str | None = None, slug: str | None = None
) -> StoredService:
    """Write row, slug and version, and return what is stored; `autor` and `slug` are those that an import brings.

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
    number = await store.take_version_number(edit.connection, edit.service_id, None)
    saved = StoredService(document, edit.stored.carried if edit.stored else "{}", number)
    await collection.write_row(edit.connection, edit.alias, saved)
    await versions.append(edit.connection, edit.author, document, change, number=number, at=edit.at)
    return saved


async def _find_author(edit: Edit, given: str | None) -> str:
    """Return who created the service; this never changes."""
    if edit.stored is not None:
        return edit.stored.document.autor
    return await versions.read_author(edit.connection, edit.service_id) or given or edit.author.name


async def _claim_slug(
    connection: Connection, service_id: str, name: str, before: ServiceDocument | None, given: str | None
) -> _Slugs:
    """Return slug and history, computed anew only when the name changed.

    The former slug stays the service's and goes to its history. Raises Conflict.
    """
    if before is not None and before.nome_servico == name:
        return _Slugs(slug=before.slug, slug_history=before.slug_history)
    slug = await _claim_free_slug(connection, service_id, name, given)
    former = [*before.slug_history, before.slug] if before else await store.list_former_slugs(connection, service_id)
    return _Slugs(slug=slug, slug_history=[old for old in former if old != slug])


async def _claim_free_slug(connection: Connection, service_id: str, name: str, given: str | None) -> str:
    await store.release_slug(connection, service_id)
    if given is not None and await store.claim_slug(connection, given, service_id):
        return given
    for length in _ID_LENGTHS:
        slug = await store.compute_slug(connection, name, service_id, length)
        if await store.claim_slug(connection, slug, service_id):
            return slug
    raise Conflict("O nome do serviço leva a um endereço que já existe.", code="slug-taken")


def name_change(before: int, after: int) -> ChangeType:
    """Return the kind of a version that takes a service from one `status` to another."""
    if before == after:
        return "update"
    return "publish" if after == 1 else "unpublish"
