"""Creating, changing, publishing and bringing back services: row, slug, version and audit event commit together."""

import uuid
from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.http.responses import require_match
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.core.values.text import clean
from balcao.search.collection import service as collection
from balcao.search.conventions import require
from balcao.search.document import Content
from balcao.search.services import store
from balcao.search.services.content import MEMBERS, changed, merge, with_state
from balcao.search.services.editing import Edit, audit, existing, locked, staff_form, write
from balcao.search.services.schemas import RollbackBody, Service, ServiceBody
from balcao.search.services.store import Head
from balcao.search.versions import service as versions
from balcao.search.versions.service import Change


async def create(
    call: Call, body: ServiceBody, *, service_id: str | None = None, at: datetime | None = None
) -> Service:
    """`service_id` and `at` are an import's own. Raises Invalid, Forbidden for a published one without the right."""
    at = at or utc_now()
    content = merge(body, None, at)
    if content.status == 1:
        require(call, "service:publish")
        content.published_at = content.published_at or to_unix_seconds(at)
    service_id = service_id or str(uuid.uuid4())
    async with call.platform.database.transaction() as connection:
        alias = await collection.enter(connection)
        await store.add_head(connection, service_id, at)
        edit = Edit(connection, call, alias, service_id, Head(0, at, False), None, at)
        return await write(edit, content, Change("create"))


async def update(call: Call, service_id: str, body: ServiceBody, *, at: datetime | None = None) -> Service:
    """A merge (4.1): what equals the stored content leaves no version. Raises NotFound, Invalid, Forbidden."""
    async with existing(call, service_id, at) as (edit, stored):
        content = merge(body, stored.document, edit.at)
        if 1 in (stored.document.status, content.status):
            require(call, "service:publish")
        require_match(call.if_match, stored.etag)
        if stored.document.status == 0 and content.status == 1 and not isinstance(body.published_at, int):
            content.published_at = to_unix_seconds(edit.at)
        if not changed(stored.document, content):
            return staff_form(stored.document, stored.version)
        return await write(edit, content, Change(_kind(stored.document.status, content.status)))


async def publish(call: Call, service_id: str, *, at: datetime | None = None) -> Service:
    """Publishing a published service changes nothing."""
    return await _set_status(call, service_id, 1, at)


async def unpublish(call: Call, service_id: str, *, at: datetime | None = None) -> Service:
    """Back to awaiting approval; `published_at` is kept."""
    return await _set_status(call, service_id, 0, at)


async def _set_status(call: Call, service_id: str, status: int, at: datetime | None) -> Service:
    require(call, "service:publish")
    async with existing(call, service_id, at) as (edit, stored):
        if stored.document.status == status:
            return staff_form(stored.document, stored.version)
        content = with_state(_content(stored.document), status, awaiting_approval=True)
        if status == 1:
            content.published_at = to_unix_seconds(edit.at)
        return await write(edit, content, Change(_kind(stored.document.status, status)))


async def delete(call: Call, service_id: str, *, at: datetime | None = None) -> None:
    """The row leaves the collection; versions and slugs stay."""
    async with existing(call, service_id, at) as (edit, stored):
        require_match(call.if_match, stored.etag)
        number = await store.next_version(edit.connection, edit.service_id, edit.at)
        await store.remove(edit.connection, edit.alias, edit.service_id)
        await versions.append(edit.connection, call, stored.document, Change("delete"), number=number, at=edit.at)
        await audit(edit, "delete", number, [])


async def rollback(call: Call, service_id: str, order: RollbackBody, *, at: datetime | None = None) -> Service:
    """The content of an older version; also brings back a deleted service. Raises NotFound, Conflict, Forbidden."""
    reason = clean("change_reason", order.change_reason or "", shortest=0, longest=20_000, one_line=False) or None
    async with locked(call, service_id, at) as edit:
        if edit.stored is not None and edit.stored.document.status == 1:
            require(call, "service:publish")
        require_match(call.if_match, store.etag(edit.head.newest_version))
        chosen = await versions.snapshot(edit.connection, edit.service_id, order.to_version)
        if chosen is None:
            raise NotFound("A versão indicada em `to_version` não existe neste serviço.", code="version-unknown")
        if order.to_version == edit.head.newest_version:
            raise Conflict("O campo `to_version` indica a versão atual.", code="version-current")
        change = Change("rollback", reason=reason, rollback_to=order.to_version)
        return await write(edit, await _brought_back(edit, chosen), change)


async def _brought_back(edit: Edit, chosen: Content) -> Content:
    """The editorial state is not part of what comes back; a deleted service returns in edition."""
    last = (
        edit.stored.document
        if edit.stored
        else await versions.snapshot(edit.connection, edit.service_id, edit.head.newest_version)
    )
    content = _content(chosen)
    content.published_at = last.published_at if last else None
    present = edit.stored.document if edit.stored else None
    return with_state(content, present.status if present else 0, present.awaiting_approval if present else False)


async def version_of(call: Call, service_id: str) -> int:
    """The newest version's number, 0 for a service that never existed."""
    async with call.platform.database.connection() as connection:
        return await store.newest_number(connection, service_id)


def _kind(before: int, after: int) -> versions.ChangeType:
    if before == after:
        return "update"
    return "publish" if after == 1 else "unpublish"


def _content(source: Content) -> Content:
    return Content(**{name: getattr(source, name) for name in MEMBERS})
