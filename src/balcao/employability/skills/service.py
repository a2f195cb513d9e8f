"""Reads and changes the catalogues of behaviours, skills and work areas (rules: employability 2.3)."""

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.schemas import Message
from balcao.employability.skills import store
from balcao.employability.skills.kinds import Catalogue
from balcao.employability.skills.schemas import (
    MOST_AREAS,
    CatalogueEntries,
    CatalogueEntry,
    NameBody,
    SkillArea,
    SkillAreas,
    SkillAreasBody,
)
from balcao.employability.texts import clean_line

MAX_LENGTH = 250


async def list_entries(
    call: Call, catalogue: Catalogue, page: Page, search: str | None, area: int | None = None
) -> CatalogueEntries:
    """Return a page of a catalogue, sorted by name.

    Optional filters: a part of the name and, for skills, a work area.
    """
    async with call.reader.connection() as connection:
        entries, total = await store.select_entries(connection, catalogue, search, area, page)
    return CatalogueEntries(entries, ListMeta.of(page, total))


async def read_entry(call: Call, catalogue: Catalogue, id_: int) -> CatalogueEntry:
    """Return an entry. Raises NotFound if it does not exist."""
    return _require(await store.read_entry(call.platform.database, catalogue, id_))


async def create_entry(call: Call, catalogue: Catalogue, body: NameBody) -> bytes:
    """Add an entry and return it as JSON.

    Raises Invalid if the name is not valid. Raises Conflict if another entry has the same name, or if the idempotency
    key was used for another request.
    """
    name = clean_entry_name("nome", body.nome)

    async def insert() -> CatalogueEntry:
        entry = await store.insert_entry(connection, catalogue, name)
        await call.platform.audit.record(connection, call, "create", fields=["nome"])
        return entry

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [catalogue, body], insert)


async def rename_entry(call: Call, catalogue: Catalogue, id_: int, body: NameBody) -> CatalogueEntry:
    """Rename an entry.

    Raises Invalid if the name is not valid, NotFound if the entry does not exist, PreconditionFailed if `If-Match` does
    not match, and Conflict if another entry has the same name.
    """
    name = clean_entry_name("nome", body.nome)
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, catalogue, id_)
        entry = await store.update_entry(connection, catalogue, id_, name)
        await call.platform.audit.record(connection, call, "update", fields=["nome"])
    return entry


async def delete_entry(call: Call, catalogue: Catalogue, id_: int) -> Message:
    """Delete an entry.

    Raises NotFound if it does not exist, PreconditionFailed if `If-Match` does not match, and Conflict if another
    record refers to it.
    """
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, catalogue, id_)
        await store.delete_entry(connection, catalogue, id_)
        await call.platform.audit.record(connection, call, "delete", fields=["nome"])
    return Message("Item excluído.")


async def replace_skill_areas(call: Call, id_: int, body: SkillAreasBody) -> SkillAreas:
    """Replace a skill's work areas.

    Raises Invalid for unknown, repeated or too many areas, NotFound if the skill does not exist, PreconditionFailed if
    `If-Match` does not match, and Conflict if a resume uses an area that would be removed.
    """
    wanted = body.areas_ids
    if len(wanted) > MOST_AREAS or len(set(wanted)) < len(wanted):
        text = f"O campo `areas_ids` deve ter no máximo {MOST_AREAS} áreas, sem repetição."
        raise Invalid(text, code="areas_ids-invalid")
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, Catalogue.SKILL, id_)
        if await store.count_areas(connection, wanted) < len(wanted):
            raise Invalid("O campo `areas_ids` tem uma área que não existe.", code="areas_ids-invalid")
        await store.replace_areas(connection, id_, wanted)
        await call.platform.audit.record(connection, call, "update", fields=["areas_atuacao"])
        areas = _require(await store.read_entry(connection, Catalogue.SKILL, id_)).areas_atuacao
    return SkillAreas(list[SkillArea]() if areas is msgspec.UNSET else areas)


def clean_entry_name(field: str, name: str) -> str:
    """Clean an entry's name for storage. Raises Invalid if it is not valid."""
    return clean_line(field, name, MAX_LENGTH)


async def _lock(connection: Connection, call: Call, catalogue: Catalogue, id_: int) -> None:
    current = _require(await store.lock_entry(connection, catalogue, id_))
    require_match(call.if_match, etag_of(msgspec.json.encode(current)))


def _require(entry: CatalogueEntry | None) -> CatalogueEntry:
    if entry is None:
        raise NotFound("Não há item com este `id`.", code="catalogue-unknown")
    return entry
