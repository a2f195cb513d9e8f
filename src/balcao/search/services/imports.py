"""Imports a catalogue from a file with one line of JSON for each service (rules: search 3.3, 2.5)."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.core.values.ids import is_uuid
from balcao.core.values.text import clean_optional
from balcao.search.collection import service as collection
from balcao.search.collection.store import read_service_rows
from balcao.search.document import ServiceContent
from balcao.search.services import store, writing
from balcao.search.services.content import merge_content, says_same
from balcao.search.services.schemas import ServiceBody
from balcao.search.services.writing import Edit, Wanted, name_change
from balcao.search.versions.service import VersionAuthor, VersionChange

# Keep batches small, because other writers of these services wait for a whole batch (rules: search 3.3, 4.4 step 1).
BATCH = 50
NO_TRAIL = "[]"
AUTHOR = VersionAuthor("Importação", "import", None)
_SLUG = re.compile(r"(?=.{1,120}\Z)[a-z0-9]+(-[a-z0-9]+)*")


class ServiceRow(ServiceBody, kw_only=True, dict=True):
    """A service in a file: content, id, and the author, slug and creation time that it had in the former system."""

    id: str
    autor: str | None = None
    slug: str | None = None
    created_at: int | None = None

    def __post_init__(self) -> None:
        try:
            self._check()
        except Invalid as fault:
            raise ValueError(fault.message) from None

    def _check(self) -> None:
        if not is_uuid(self.id):
            raise Invalid("O campo `id` deve ser um UUID.")
        if self.slug and not _SLUG.fullmatch(self.slug):
            raise Invalid("O campo `slug` deve ter letras minúsculas, números e hífens, até 120 caracteres.")
        if self.created_at is not None and not 0 <= self.created_at <= utc_now().timestamp():
            raise Invalid("O campo `created_at` deve ser um instante passado, em segundos.")
        self.id, self.autor = self.id.lower(), clean_optional("autor", self.autor, longest=500)
        _ = self.content

    @cached_property
    def content(self) -> ServiceContent:
        """Return the content of the service. Raises Invalid for a bad member."""
        return merge_content(self, None, utc_now())


async def write_services(connection: Connection, rows: Sequence[ServiceRow]) -> int:
    """Write the new and changed services, and return their number.

    If several rows have the same id, the last one counts. A service that staff have deleted stays deleted.
    """
    at = utc_now()
    alias = await collection.lock_for_write(connection)
    last = {row.id: row for row in rows}
    heads = await store.lock_heads(connection, {id_: _read_created(row, at) for id_, row in last.items()})
    # Read the rows in a new statement. The statement that waited for the locks still sees the rows as they were before
    # its wait.
    present = await read_service_rows(connection, alias, list(last))
    edits = [
        Edit(connection, AUTHOR, alias, id_, heads[id_], present.get(id_), at)
        for id_ in sorted(last)
        if not heads[id_].deleted
    ]
    wanted = [_want(edit, last[edit.service_id]) for edit in edits]
    changed = [each for each in wanted if _is_changed(each)]
    if changed:
        saved = await writing.prepare_services(connection, changed)
        changes = [(each.edit, service, _name(each)) for each, service in zip(changed, saved, strict=True)]
        await writing.save_services(connection, alias, changes, NO_TRAIL)
    return len(changed)


def _read_created(row: ServiceRow, at: datetime) -> datetime:
    return at if row.created_at is None else datetime.fromtimestamp(row.created_at, UTC)


def _want(edit: Edit, row: ServiceRow) -> Wanted:
    content = row.content
    if content.status == 1 and content.published_at is None:
        content = msgspec.structs.replace(content, published_at=to_unix_seconds(edit.head.created_at))
    return Wanted(edit, content, row.autor, row.slug or None)


def _is_changed(wanted: Wanted) -> bool:
    stored = wanted.edit.stored
    return stored is None or not says_same(stored.document, wanted.content)


def _name(wanted: Wanted) -> VersionChange:
    stored = wanted.edit.stored
    return VersionChange("create" if stored is None else name_change(stored.document.status, wanted.content.status))


IMPORTS = [Import("services", ServiceRow, write_services, batch=BATCH, from_table=True)]
