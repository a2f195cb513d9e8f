"""SQL for behaviours, skills and work areas. The three tables have the same columns."""

from collections.abc import Sequence
from typing import NamedTuple

import asyncpg

from balcao.core.database.lookups import lookups
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import STILL_REFERENCED, page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement, statements
from balcao.core.errors import Conflict
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.page import Page
from balcao.employability.skills.kinds import Catalogue
from balcao.employability.skills.schemas import CatalogueEntry

_TABLES = {
    Catalogue.BEHAVIOUR: "employability.behaviour",
    Catalogue.SKILL: "employability.skill",
    Catalogue.WORK_AREA: "employability.work_area",
}
_AREAS = """(
    SELECT coalesce(json_agg(json_build_object(
        'id', area.id, 'nome', area.nome, 'id_area_atuacao_habilidade', link.id) ORDER BY area.folded), '[]')::text
    FROM employability.skill_area AS link JOIN employability.work_area AS area ON area.id = link.area_id
    WHERE link.skill_id = entry.id
) AS areas_atuacao"""
_MEMBERS = {
    each: f"id, nome, created_at, updated_at{f', {_AREAS}' if each is Catalogue.SKILL else ''}" for each in Catalogue
}
# Use `position` instead of LIKE, because names can contain `%` and `_`.
_MATCHES = "(:search::text IS NULL OR position(employability.folded(:search) IN folded) > 0)"
_IN_AREA = """(:area::bigint IS NULL OR EXISTS (
    SELECT FROM employability.skill_area AS link WHERE link.skill_id = entry.id AND link.area_id = :area))"""
_FILTERS = {
    each: f"{_MATCHES} AND {_IN_AREA if each is Catalogue.SKILL else ':area::bigint IS NULL'}" for each in Catalogue
}


@statements(
    {
        each: page_sql(
            f"""SELECT {_MEMBERS[each]} FROM {_TABLES[each]} AS entry WHERE {_FILTERS[each]}
            ORDER BY folded, id LIMIT :limit OFFSET :offset""",
            f"SELECT count(*) FROM {_TABLES[each]} AS entry WHERE {_FILTERS[each]}",
        )
        for each in Catalogue
    }
)
async def select_entries(
    connection: Connection, catalogue: Catalogue, search: str | None, area: int | None, page: Page
) -> Paged[CatalogueEntry]:
    """Return one page of entries, and the total number of matches. Only skills can be filtered by area."""


_READ = {each: f"SELECT {_MEMBERS[each]} FROM {_TABLES[each]} AS entry WHERE id = :id_" for each in Catalogue}


@lookups(_READ)
async def read_entry(source: Source, catalogue: Catalogue, id_: int) -> CatalogueEntry | None: ...


@statements({each: f"{text} FOR UPDATE OF entry" for each, text in _READ.items()})
async def lock_entry(connection: Connection, catalogue: Catalogue, id_: int) -> CatalogueEntry | None:
    """Read an entry and lock it until the transaction ends."""


async def insert_entry(connection: Connection, catalogue: Catalogue, name: str) -> CatalogueEntry:
    """Insert an entry. Raises Conflict if another entry has the same folded name."""
    try:
        return await _insert_entry(connection, catalogue, name)
    except asyncpg.UniqueViolationError:
        raise _taken() from None


@statements(
    {
        each: f"INSERT INTO {_TABLES[each]} AS entry (nome) VALUES (:name) RETURNING {_MEMBERS[each]}"
        for each in Catalogue
    }
)
async def _insert_entry(connection: Connection, catalogue: Catalogue, name: str) -> CatalogueEntry: ...


async def update_entry(connection: Connection, catalogue: Catalogue, id_: int, name: str) -> CatalogueEntry:
    """Update a locked entry. Raises Conflict if another entry has the same folded name."""
    try:
        return await _update_entry(connection, catalogue, id_, name)
    except asyncpg.UniqueViolationError:
        raise _taken() from None


@statements(
    {
        each: f"""UPDATE {_TABLES[each]} AS entry SET nome = :name, updated_at = clock_timestamp()
              WHERE id = :id_ RETURNING {_MEMBERS[each]}"""
        for each in Catalogue
    }
)
async def _update_entry(connection: Connection, catalogue: Catalogue, id_: int, name: str) -> CatalogueEntry: ...


async def delete_entry(connection: Connection, catalogue: Catalogue, id_: int) -> None:
    """Delete a locked entry. Raises Conflict if a resume, or a link between a skill and an area, refers to it."""
    try:
        await _delete_entry(connection, catalogue, id_)
    except STILL_REFERENCED:
        raise Conflict("Este item está em uso e não pode ser excluído.", code="catalogue-in-use") from None


@statements({each: f"DELETE FROM {_TABLES[each]} WHERE id = :id_" for each in Catalogue})
async def _delete_entry(connection: Connection, catalogue: Catalogue, id_: int) -> None: ...


@statement("SELECT count(*) FROM employability.work_area WHERE id = ANY (:ids::bigint[])")
async def count_areas(connection: Connection, ids: Sequence[int]) -> int:
    """Return the number of these areas that exist."""


async def replace_areas(connection: Connection, skill: int, areas: Sequence[int]) -> None:
    """Replace the work areas of a locked skill.

    The links that remain between the skill and its areas keep their ids. Raises Conflict if a resume uses a removed
    link.
    """
    try:
        await _delete_other_areas(connection, skill, areas)
    except STILL_REFERENCED:
        raise Conflict("Há currículos com esta habilidade em uma área retirada.", code="catalogue-in-use") from None
    await _insert_areas(connection, skill, areas)


@statement("DELETE FROM employability.skill_area WHERE skill_id = :skill AND area_id <> ALL (:areas::bigint[])")
async def _delete_other_areas(connection: Connection, skill: int, areas: Sequence[int]) -> None: ...


@statement("""
INSERT INTO employability.skill_area (skill_id, area_id) SELECT :skill, unnest(:areas::bigint[])
ON CONFLICT (skill_id, area_id) DO NOTHING
""")
async def _insert_areas(connection: Connection, skill: int, areas: Sequence[int]) -> None: ...


@statements(
    {
        each: f"""
    INSERT INTO {_TABLES[each]} AS entry (nome) SELECT unnest(:names::text[])
    ON CONFLICT (folded) DO UPDATE SET nome = excluded.nome, updated_at = clock_timestamp()
    WHERE :respell AND entry.nome <> excluded.nome
    RETURNING entry.folded
    """
        for each in Catalogue
    }
)
async def upsert_imported_names(
    connection: Connection, catalogue: Catalogue, names: Sequence[str], *, respell: bool
) -> set[str]:
    """Insert new entries and, if `respell` is set, rename entries that are spelled differently.

    The folded names of `names` must be distinct. Return the folded names of inserted and renamed entries.
    """


@statement("""
SELECT employability.folded(name) AS folded
FROM unnest(:names::text[]) WITH ORDINALITY AS given (name, place) ORDER BY place
""")
async def fold_names(connection: Connection, names: Sequence[str]) -> list[str]:
    """Return the folded names, in the same order."""


class SkillInArea(NamedTuple):
    """A link between a skill and a work area, identified by their folded names."""

    skill: str
    area: str


@statement("""
INSERT INTO employability.skill_area (skill_id, area_id)
SELECT skill.id, area.id
FROM unnest(:links.skill::text[], :links.area::text[]) AS wanted (skill, area)
JOIN employability.skill ON skill.folded = wanted.skill
JOIN employability.work_area AS area ON area.folded = wanted.area
ON CONFLICT (skill_id, area_id) DO NOTHING
RETURNING (SELECT folded FROM employability.skill WHERE id = skill_id) AS skill
""")
async def insert_imported_links(connection: Connection, links: Sequence[SkillInArea]) -> set[str]:
    """Link skills to areas, and return the folded names of the skills that got a new link."""


def _taken() -> Conflict:
    return Conflict("Já existe outro item com este `nome`.", code="nome-taken")


_SKILL = """
to_jsonb(stored) - 'folded' || jsonb_build_object('areas_atuacao', (
    SELECT coalesce(jsonb_agg(area.nome ORDER BY linked.id), '[]')
    FROM employability.skill_area AS linked JOIN employability.work_area AS area ON area.id = linked.area_id
    WHERE linked.skill_id = stored.id))
"""
EXPORTS = Exports(
    [
        Export("behaviours", Rows("employability.behaviour", "to_jsonb(stored) - 'folded'")),
        Export("skills", Rows("employability.skill", _SKILL)),
    ],
    tables=("employability.work_area",),
    derived=("employability.skill_area",),
)
