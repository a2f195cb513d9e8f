"""Catalogues as files: a line of JSON for each service, written with its first version (rules: search 3.3, 2.5)."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.core.values.ids import is_uuid
from balcao.core.values.text import clean_optional
from balcao.search.collection import service as collection
from balcao.search.collection.alias import Alias
from balcao.search.services import store, writing
from balcao.search.services.content import list_changes, merge
from balcao.search.services.schemas import ServiceBody
from balcao.search.services.writing import Edit, name_change
from balcao.search.versions.service import VersionAuthor, VersionChange

# Writers wait for a batch of an import as for one another, so it is kept short (rules: search 4.4 step 1).
BATCH = 500
AUTHOR = VersionAuthor("Importação", "import", None)
_SLUG = re.compile(r"(?=.{1,120}\Z)[a-z0-9]+(-[a-z0-9]+)*")


class ServiceRow(ServiceBody, kw_only=True):
    """A service of a file: what an editor sends, with its id and what the former system knows of its history."""

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
        merge(self, None, utc_now())


async def write(connection: Connection, rows: Sequence[ServiceRow]) -> int:
    """Write the services that are new or changed; return how many. Of rows with one id the last counts."""
    alias = await collection.lock_for_write(connection)
    last = {row.id: row for row in rows}
    # In the order of the ids, as every writer of many services takes them.
    return sum([await _write(connection, alias, last[service_id]) for service_id in sorted(last)])


async def _write(connection: Connection, alias: Alias, row: ServiceRow) -> bool:
    """Write one service; return false for one that is as it was, and for one that staff have deleted since."""
    at = utc_now()
    created = at if row.created_at is None else datetime.fromtimestamp(row.created_at, UTC)
    opened = await store.open_service(connection, row.id, created=created)
    head, stored = opened.head, opened.stored
    if head is None or head.deleted:
        return False
    content = merge(row, None, at)
    if content.status == 1 and content.published_at is None:
        content.published_at = to_unix_seconds(head.created_at)
    if stored is not None and not list_changes(stored.document, content):
        return False
    kind = "create" if stored is None else name_change(stored.document.status, content.status)
    edit = Edit(connection, AUTHOR, alias, row.id, head, stored, at)
    saved = await writing.prepare(edit, content, autor=row.autor, slug=row.slug or None)
    await writing.save(edit, saved, VersionChange(kind))
    return True


IMPORTS = [Import("services", ServiceRow, write, batch=BATCH, from_table=True)]
