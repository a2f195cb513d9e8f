"""Services for staff. Each change commits the row, the slug, the version and the audit event together."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from balcao.core.context.audit import Action
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.context.platform import Platform
from balcao.core.context.reasons import refuse_personal_data
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.offloading import run_in_thread
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.core.values.etags import require_match
from balcao.core.values.text import clean_text
from balcao.search.collection import service as collection
from balcao.search.collection.row import StoredService
from balcao.search.collection.store import delete_service_row, read_alias
from balcao.search.conventions import (
    PUBLISH,
    clean_change_reason,
    describe_event,
    format_etag,
    parse_uuid_parameter,
    require_action,
)
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.legacy_mappings.service import OldService
from balcao.search.legacy_mappings.store import delete_mappings_of_service
from balcao.search.services import listing_store, store, writing
from balcao.search.services.content import MEMBERS, list_content_changes, merge_content, replace_state
from balcao.search.services.filters import ServiceFilters
from balcao.search.services.schemas import (
    RolledBackService,
    ServiceBody,
    ServiceChangeBody,
    ServiceRollbackBody,
    ServiceSummaries,
    StaffService,
    StaffServices,
)
from balcao.search.services.store import ServiceHead
from balcao.search.services.writing import Edit, Wanted, name_change
from balcao.search.versions import service as versions
from balcao.search.versions.service import VersionAuthor, VersionChange
from balcao.search.versions.store import append_version

UNKNOWN = "Serviço não encontrado."
FIRST_ID = "00000000-0000-0000-0000-000000000000"
EXPORTED_AT_ONCE = 250


async def list_services(call: Call, filters: ServiceFilters, page: int, per_page: int) -> StaffServices:
    """Return a page of the services that match the filters. A page beyond the end is empty."""
    async with call.platform.database.connection() as connection:
        alias = await read_alias(connection)
        found = await listing_store.list_services(connection, alias, filters, page, per_page)
    services = [to_staff_service(stored.document, stored.version) for stored in found.services]
    return StaffServices(found=found.found, out_of=found.out_of, page=page, per_page=per_page, services=services)


async def list_summaries(call: Call, filters: ServiceFilters, page: int, per_page: int) -> ServiceSummaries:
    """Return the same page as `list_services` without the texts, with the counts of states and waiting proposals."""
    async with call.platform.database.connection() as connection:
        alias = await read_alias(connection)
        found = await listing_store.list_summaries(connection, alias, filters, page, per_page)
    return ServiceSummaries(
        found.found, found.out_of, page, per_page, found.states, found.awaiting_proposals, found.services
    )


async def export_services(platform: Platform) -> AsyncIterator[ServiceDocument]:
    """Yield every service, in any editorial state, in the order of the ids. An import accepts them in this form."""
    after = FIRST_ID
    while True:
        async with platform.database.connection() as connection:
            alias = await read_alias(connection)
            found = await listing_store.list_services_after(connection, alias, after, EXPORTED_AT_ONCE)
        if not found:
            return
        for stored in found:
            yield stored.document
        after = found[-1].document.id


async def read_service(call: Call, service_id: str) -> StaffService:
    """Return a service in any editorial state. Raises NotFound if it does not exist or was deleted."""
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.platform.database.connection() as connection:
        stored = await collection.read_row(connection, await read_alias(connection), known)
    if stored is None:
        raise NotFound(UNKNOWN)
    return to_staff_service(stored.document, stored.version)


async def create_service(
    call: Call, body: ServiceBody, *, service_id: str | None = None, at: datetime | None = None
) -> StaffService:
    """Create a service. Seed data sets `service_id` and `at`.

    Raises Invalid for a bad member, and Forbidden if the caller may not publish but sends `status` 1.
    """
    at = at or utc_now()
    content = _check_new(call, body, at)
    async with call.platform.database.transaction() as connection:
        return await _create(connection, call, content, service_id or str(uuid.uuid4()), at)


async def create_service_once(call: Call, body: ServiceBody) -> bytes:
    """Do the same as `create_service`, but only once for each `Idempotency-Key`, and return JSON."""
    at = utc_now()
    content = _check_new(call, body, at)
    async with call.platform.database.transaction() as connection:
        return await run_once(
            connection, call, None, [body], lambda: _create(connection, call, content, str(uuid.uuid4()), at)
        )


def _check_new(call: Call, body: ServiceBody, at: datetime) -> ServiceContent:
    content = merge_content(body, None, at)
    if content.status == 1:
        require_action(call, PUBLISH)
        content.published_at = content.published_at or to_unix_seconds(at)
    return content


async def _create(
    connection: Connection, call: Call, content: ServiceContent, service_id: str, at: datetime
) -> StaffService:
    alias = collection.require_known((await store.open_service(connection, service_id, created=at)).alias)
    edit = Edit(connection, VersionAuthor.of(call), alias, service_id, ServiceHead(0, at, False), None, at)
    return await save_service(call, edit, content, VersionChange("create"))


async def update_service(
    call: Call, service_id: str, body: ServiceChangeBody, *, at: datetime | None = None
) -> StaffService:
    """Merge a body into a service. If nothing differs, write no version (rules: search 4.1).

    Raises NotFound if the service does not exist, Invalid for a bad member, Forbidden if the service is or would be
    published and the caller may not publish, and PreconditionFailed if `If-Match` does not match.
    """
    reason = clean_change_reason(body.change_reason)
    async with lock_service(call, service_id, at) as (edit, stored):
        content = merge_content(body, stored.document, edit.at)
        if 1 in (stored.document.status, content.status):
            require_action(call, PUBLISH)
        require_match(call.if_match, format_etag(stored.version))
        if stored.document.status == 0 and content.status == 1 and not isinstance(body.published_at, int):
            content.published_at = to_unix_seconds(edit.at)
        if not list_content_changes(stored.document, content):
            return to_staff_service(stored.document, stored.version)
        change = VersionChange(name_change(stored.document.status, content.status), reason=reason)
        return await save_service(call, edit, content, change)


async def publish_service(
    call: Call, service_id: str, *, old: OldService | None = None, at: datetime | None = None
) -> StaffService:
    """Publish a service, and map the old number `old` to it. A published service gets no new version.

    Raises NotFound if the service does not exist, Forbidden if the caller may not publish, PreconditionFailed if
    `If-Match` does not match, and MappingTaken if the number is mapped to another service. After an exception, nothing
    has changed.
    """
    return await _set_status(call, service_id, 1, at, old)


async def unpublish_service(call: Call, service_id: str, *, at: datetime | None = None) -> StaffService:
    """Take a service offline. It awaits approval again and keeps `published_at`."""
    return await _set_status(call, service_id, 0, at)


async def _set_status(
    call: Call, service_id: str, status: int, at: datetime | None, old: OldService | None = None
) -> StaffService:
    require_action(call, PUBLISH)
    async with lock_service(call, service_id, at) as (edit, stored):
        require_match(call.if_match, format_etag(stored.version))
        if old is not None:
            await legacy_mappings.map_with_publication(edit.connection, call, old, edit.service_id)
        if stored.document.status == status:
            return to_staff_service(stored.document, stored.version)
        content = replace_state(_copy_content(stored.document), status, awaiting_approval=True)
        if status == 1:
            content.published_at = to_unix_seconds(edit.at)
        return await save_service(call, edit, content, VersionChange(name_change(stored.document.status, status)))


async def delete_service(call: Call, service_id: str, *, at: datetime | None = None) -> None:
    """Delete the row of a service and the legacy mappings to it. The versions and slugs are retained."""
    async with lock_service(call, service_id, at) as (edit, stored):
        require_match(call.if_match, format_etag(stored.version))
        # Retain the head, so that a restored service continues with the next version number.
        number = await store.mark_deleted(edit.connection, edit.service_id, edit.at)
        await delete_service_row(edit.connection, edit.alias, edit.service_id)
        change = VersionChange("delete")
        version = versions.encode_version(edit.author, stored.document, change, number=number, at=edit.at)
        await append_version(edit.connection, version)
        removed = await delete_mappings_of_service(edit.connection, edit.service_id)
        fields = describe_event(service=edit.service_id, version=number)
        fields += describe_event(mappings=removed) if removed else []
        await call.platform.audit.record(edit.connection, call, "delete", fields=fields)


async def roll_back_service(
    call: Call, service_id: str, body: ServiceRollbackBody, *, at: datetime | None = None
) -> RolledBackService:
    """Save the content of an older version as a new version. This also restores a deleted service.

    Raises Invalid for a bad reason, NotFound for an unknown service or version, Forbidden if the service is published
    and the caller may not publish, PreconditionFailed if `If-Match` does not match, and Conflict for the current
    version.
    """
    words = clean_text("change_reason", body.change_reason or "", shortest=0, longest=20_000, one_line=False)
    reason = await run_in_thread(refuse_personal_data, "change_reason", words, size=len(words)) or None
    async with _open_service(call, service_id, at) as edit:
        if edit.stored is not None and edit.stored.document.status == 1:
            require_action(call, PUBLISH)
        require_match(call.if_match, format_etag(edit.head.newest_version))
        chosen = await versions.read_snapshot(edit.connection, edit.service_id, body.to_version)
        if chosen is None:
            raise NotFound("A versão indicada em `to_version` não existe neste serviço.", code="version-unknown")
        if body.to_version == edit.head.newest_version:
            raise Conflict("O campo `to_version` indica a versão atual.", code="version-current")
        change = VersionChange("rollback", reason=reason, rollback_to=body.to_version)
        saved = await save_service(call, edit, await _restore_content(edit, chosen), change)
    return RolledBackService(
        **msgspec.structs.asdict(saved),
        message=f"O serviço voltou ao conteúdo da versão {body.to_version}.",
        rolled_back_to=body.to_version,
        previous_version=edit.head.newest_version,
        service=saved,
    )


async def _restore_content(edit: Edit, chosen: ServiceContent) -> ServiceContent:
    """Return the chosen content with the current editorial state.

    A deleted service is restored in the state "in edition".
    """
    last = (
        edit.stored.document
        if edit.stored
        else await versions.read_snapshot(edit.connection, edit.service_id, edit.head.newest_version)
    )
    content = _copy_content(chosen)
    content.published_at = last.published_at if last else None
    present = edit.stored.document if edit.stored else None
    return replace_state(content, present.status if present else 0, present.awaiting_approval if present else False)


async def read_newest_version(call: Call, service_id: str) -> int:
    """Return the number of the newest version, or 0 if the service never existed."""
    return await store.select_newest_version(call.platform.database, service_id) or 0


def _copy_content(source: ServiceContent) -> ServiceContent:
    return ServiceContent(**{name: getattr(source, name) for name in MEMBERS})


@asynccontextmanager
async def _open_service(call: Call, service_id: str, at: datetime | None) -> AsyncIterator[Edit]:
    """Lock the collection and then the head of a service, like every writer. Raises NotFound if it never existed."""
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        opened = await store.open_service(connection, known)
        alias = collection.require_known(opened.alias)
        if opened.head is None:
            raise NotFound(UNKNOWN)
        yield Edit(connection, VersionAuthor.of(call), alias, known, opened.head, opened.stored, at or utc_now())


@asynccontextmanager
async def lock_service(
    call: Call, service_id: str, at: datetime | None = None
) -> AsyncIterator[tuple[Edit, StoredService]]:
    """Lock the collection and an existing service for the block.

    Raises NotFound if there is no such service.
    """
    async with _open_service(call, service_id, at) as edit:
        if edit.stored is None:
            raise NotFound(UNKNOWN)
        yield edit, edit.stored


async def save_service(call: Call, edit: Edit, content: ServiceContent, change: VersionChange) -> StaffService:
    """Write a change, its version and its audit event, and return the service."""
    [saved] = await writing.prepare_services(edit.connection, [Wanted(edit, content)])
    action: Action = "create" if change.kind == "create" else "update"
    members = list_content_changes(edit.stored.document if edit.stored else None, saved.document)
    fields = [*describe_event(service=edit.service_id, version=saved.version), *members]
    trail = call.platform.audit.encode_event(call, action, fields=fields)
    await writing.save_services(edit.connection, edit.alias, [(edit, saved, change)], trail)
    return to_staff_service(saved.document, saved.version)


def to_staff_service(document: ServiceDocument, version: int) -> StaffService:
    """Convert the service to the form for staff."""
    return StaffService(**msgspec.structs.asdict(document), version=version)
