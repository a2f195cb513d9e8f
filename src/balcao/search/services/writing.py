"""Writes locked services with their slugs and versions, in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.core.values.clock import to_unix_seconds
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import StoredService
from balcao.search.collection.store import encode_service_row
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.services import derived, store
from balcao.search.services.store import Naming, SavedService, ServiceHead
from balcao.search.versions import service as versions
from balcao.search.versions.schemas import ChangeType
from balcao.search.versions.service import VersionAuthor, VersionChange


@dataclass(frozen=True)
class Edit:
    """A service that is locked for a change. The new version stores `author` and `at`."""

    connection: Connection
    author: VersionAuthor
    alias: Alias
    service_id: str
    head: ServiceHead
    stored: StoredService | None
    at: datetime


@dataclass(frozen=True)
class Wanted:
    """The new content of an edited service. Only an import sets `autor` and `slug`."""

    edit: Edit
    content: ServiceContent
    autor: str | None = None
    slug: str | None = None


class _Slugs(TypedDict):
    slug: str
    slug_history: list[str]


async def prepare_services(connection: Connection, wanted: Sequence[Wanted]) -> list[StoredService]:
    """Return the services to store, in the same order, and reserve their slugs.

    Raises Conflict if there is no free slug for a service.
    """
    slugs = await _claim_slugs(connection, wanted)
    return [await _derive(each, slugs[each.edit.service_id]) for each in wanted]


async def save_services(
    connection: Connection, alias: Alias, saved: Sequence[tuple[Edit, StoredService, VersionChange]], trail: str
) -> None:
    """Write the rows, the versions and the audit events in one statement.

    Raises Unavailable if the audit events cannot be written.
    """
    await store.save_services(connection, alias, [_encode(*change) for change in saved], trail)


def _encode(edit: Edit, service: StoredService, change: VersionChange) -> SavedService:
    version = versions.encode_version(edit.author, service.document, change, number=service.version, at=edit.at)
    return SavedService(edit.service_id, service.version, encode_service_row(service), version)


async def _derive(wanted: Wanted, slugs: _Slugs) -> StoredService:
    edit = wanted.edit
    document = derived.derive_document(
        wanted.content,
        service_id=edit.service_id,
        autor=await _find_author(edit, wanted.autor),
        **slugs,
        created_at=to_unix_seconds(edit.head.created_at),
        at=edit.at,
    )
    return StoredService(document, edit.stored.carried if edit.stored else "{}", edit.head.newest_version + 1)


async def _find_author(edit: Edit, given: str | None) -> str:
    """Return the author of the service. This is the person who created it, and it never changes."""
    if edit.stored is not None:
        return edit.stored.document.autor
    first = await versions.read_author(edit.connection, edit.service_id) if edit.head.newest_version else None
    return first or given or edit.author.name


async def _claim_slugs(connection: Connection, wanted: Sequence[Wanted]) -> dict[str, _Slugs]:
    """Return the slug and the history of each service. A service gets a new slug only if its name changed.

    The former slug moves to the history and still belongs to the service. Raises Conflict if a service gets no free
    slug.
    """
    slugs, named = {}, []
    for each in wanted:
        before = _read_before(each)
        if before is not None and before.nome_servico == each.content.nome_servico:
            slugs[each.edit.service_id] = _Slugs(slug=before.slug, slug_history=before.slug_history)
        else:
            named.append(each)
    namings = [Naming(each.edit.service_id, each.content.nome_servico, each.slug) for each in named]
    taken = await store.take_slugs(connection, namings) if namings else []
    for each, (slug, former) in zip(named, taken, strict=True):
        slugs[each.edit.service_id] = _list_slugs(_read_before(each), slug, former)
    return slugs


def _read_before(wanted: Wanted) -> ServiceDocument | None:
    return wanted.edit.stored.document if wanted.edit.stored else None


def _list_slugs(before: ServiceDocument | None, slug: str | None, former: list[str]) -> _Slugs:
    if slug is None:
        raise Conflict("O nome do serviço leva a um endereço que já existe.", code="slug-taken")
    history = [*before.slug_history, before.slug] if before else former
    return _Slugs(slug=slug, slug_history=[old for old in history if old != slug])


def name_change(before: int, after: int) -> ChangeType:
    """Return the kind of a version that changes `status` from `before` to `after`."""
    if before == after:
        return "update"
    return "publish" if after == 1 else "unpublish"
