"""SQL of behaviours, skills and areas of work; the three tables have the same columns."""

from collections.abc import Sequence

import asyncpg
import msgspec
from msgspec import UNSET

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import REFERRED_TO, fetch_count, fetch_page, page_sql
from balcao.core.errors import Conflict
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.employability.skills.kinds import Catalogue
from balcao.employability.skills.schemas import CatalogueEntry, SkillArea

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
    each: f"id, nome, created_at, updated_at, {_AREAS if each is Catalogue.SKILL else 'NULL AS areas_atuacao'}"
    for each in Catalogue
}
# `position` and not LIKE: the signs of a pattern are ordinary characters of a name.
_MATCHES = "($1::text IS NULL OR position(employability.folded($1) IN folded) > 0)"
_IN_AREA = """($2::bigint IS NULL
    OR EXISTS (SELECT FROM employability.skill_area AS link WHERE link.skill_id = entry.id AND link.area_id = $2))"""
_FILTERS = {
    each: f"{_MATCHES} AND {_IN_AREA if each is Catalogue.SKILL else '$2::bigint IS NULL'}" for each in Catalogue
}
_PAGE = {
    each: page_sql(
        f"""SELECT {_MEMBERS[each]} FROM {_TABLES[each]} AS entry WHERE {_FILTERS[each]}
            ORDER BY folded, id LIMIT $3 OFFSET $4""",
        f"SELECT count(*) FROM {_TABLES[each]} AS entry WHERE {_FILTERS[each]}",
    )
    for each in Catalogue
}


async def list_page(
    connection: Connection, catalogue: Catalogue, search: str | None, area: int | None, page: Page
) -> tuple[list[CatalogueEntry], int]:
    """Return the page's entries and how many match in all; only skills are found by their area."""
    rows, total = await fetch_page(connection, _PAGE[catalogue], search, area, page.limit, page.offset)
    return [_to_entry(row) for row in rows], total


_READ = {each: f"SELECT {_MEMBERS[each]} FROM {_TABLES[each]} AS entry WHERE id = $1" for each in Catalogue}


async def read(connection: Connection, catalogue: Catalogue, id_: int) -> CatalogueEntry | None:
    row = await connection.fetchrow(_READ[catalogue], id_)
    return _to_entry(row) if row else None


async def lock(connection: Connection, catalogue: Catalogue, id_: int) -> CatalogueEntry | None:
    """Read an entry and keep others from changing it until the transaction ends."""
    row = await connection.fetchrow(f"{_READ[catalogue]} FOR UPDATE OF entry", id_)
    return _to_entry(row) if row else None


_INSERT = {
    each: f"INSERT INTO {_TABLES[each]} AS entry (nome) VALUES ($1) RETURNING {_MEMBERS[each]}" for each in Catalogue
}


async def insert(connection: Connection, catalogue: Catalogue, name: str) -> CatalogueEntry:
    """Insert an entry. Raises Conflict when another one has the same name, folded."""
    try:
        return _to_entry(await connection.fetchrow(_INSERT[catalogue], name))
    except asyncpg.UniqueViolationError:
        raise _taken() from None


_UPDATE = {
    each: f"""UPDATE {_TABLES[each]} AS entry SET nome = $2, updated_at = clock_timestamp()
              WHERE id = $1 RETURNING {_MEMBERS[each]}"""
    for each in Catalogue
}


async def update(connection: Connection, catalogue: Catalogue, id_: int, name: str) -> CatalogueEntry:
    """Update a locked entry. Raises Conflict when another one has the same name, folded."""
    try:
        return _to_entry(await connection.fetchrow(_UPDATE[catalogue], id_, name))
    except asyncpg.UniqueViolationError:
        raise _taken() from None


async def delete(connection: Connection, catalogue: Catalogue, id_: int) -> None:
    """Delete a locked entry. Raises Conflict while a resume or, of skills and areas, the other refers to it."""
    try:
        await connection.execute(f"DELETE FROM {_TABLES[catalogue]} WHERE id = $1", id_)
    except REFERRED_TO:
        raise Conflict("Este item está em uso e não pode ser excluído.", code="catalogue-in-use") from None


_COUNT_AREAS = "SELECT count(*) FROM employability.work_area WHERE id = ANY ($1::bigint[])"


async def count_areas(connection: Connection, ids: Sequence[int]) -> int:
    """Return how many of these areas there are."""
    return await fetch_count(connection, _COUNT_AREAS, ids)


_LINK = """
INSERT INTO employability.skill_area (skill_id, area_id) SELECT $1, unnest($2::bigint[])
ON CONFLICT (skill_id, area_id) DO NOTHING
"""
_UNLINK = "DELETE FROM employability.skill_area WHERE skill_id = $1 AND area_id <> ALL ($2::bigint[])"


async def replace_areas(connection: Connection, skill: int, areas: Sequence[int]) -> None:
    """Link a locked skill to these areas alone; links that stay keep their id. Raises Conflict for one in use."""
    try:
        await connection.execute(_UNLINK, skill, areas)
    except REFERRED_TO:
        raise Conflict("Há currículos com esta habilidade em uma área retirada.", code="catalogue-in-use") from None
    await connection.execute(_LINK, skill, areas)


_IMPORT = {
    each: f"""
    INSERT INTO {_TABLES[each]} AS entry (nome) SELECT unnest($1::text[])
    ON CONFLICT (folded) DO UPDATE SET nome = excluded.nome, updated_at = clock_timestamp()
    WHERE $2 AND entry.nome <> excluded.nome
    RETURNING entry.folded
    """
    for each in Catalogue
}


async def import_names(
    connection: Connection, catalogue: Catalogue, names: Sequence[str], *, respell: bool
) -> set[str]:
    """Insert the entries that are new and, with `respell`, rename those that are spelled otherwise.

    Return the names of both, folded. No two of the names may be the same, folded.
    """
    return {row["folded"] for row in await connection.fetch(_IMPORT[catalogue], names, respell)}


_FOLD = """
SELECT employability.folded(name) AS folded
FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place) ORDER BY place
"""


async def fold(connection: Connection, names: Sequence[str]) -> list[str]:
    """Return the names as they are compared."""
    return [row["folded"] for row in await connection.fetch(_FOLD, names)]


_IMPORT_LINKS = """
INSERT INTO employability.skill_area (skill_id, area_id)
SELECT skill.id, area.id
FROM unnest($1::text[], $2::text[]) AS wanted (skill, area)
JOIN employability.skill ON skill.folded = wanted.skill
JOIN employability.work_area AS area ON area.folded = wanted.area
ON CONFLICT (skill_id, area_id) DO NOTHING
RETURNING (SELECT folded FROM employability.skill WHERE id = skill_id) AS skill
"""


async def import_links(connection: Connection, links: Sequence[tuple[str, str]]) -> set[str]:
    """Link skills to areas, both by their folded names, and return the skills that got a new link."""
    skills, areas = [skill for skill, _ in links], [area for _, area in links]
    return {row["skill"] for row in await connection.fetch(_IMPORT_LINKS, skills, areas)}


def _taken() -> Conflict:
    return Conflict("Já existe outro item com este `nome`.", code="nome-taken")


def _to_entry(row: Row) -> CatalogueEntry:
    areas = row["areas_atuacao"]
    return CatalogueEntry(
        row["id"],
        row["nome"],
        row["created_at"],
        row["updated_at"],
        UNSET if areas is None else msgspec.json.decode(areas, type=list[SkillArea]),
    )


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
