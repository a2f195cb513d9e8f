"""Imports behaviours, and skills with their work areas."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.employability.skills import store
from balcao.employability.skills.kinds import Catalogue
from balcao.employability.skills.schemas import MOST_AREAS
from balcao.employability.skills.service import clean_entry_name


class BehaviourRow(msgspec.Struct):
    """A behaviour from the former system, identified by name."""

    nome: str

    def __post_init__(self) -> None:
        """Validate the row like a request body. Raises Invalid if a member is not valid."""
        self.nome = clean_entry_name("nome", self.nome)


class SkillRow(BehaviourRow):
    """A skill from the former system, with the names of its work areas. Skills and areas are identified by name."""

    areas_atuacao: Annotated[list[str], Meta(max_length=MOST_AREAS)] = []

    def __post_init__(self) -> None:
        """Validate the row like a request body. Raises Invalid if a member is not valid."""
        super().__post_init__()
        self.areas_atuacao = [clean_entry_name("areas_atuacao", name) for name in self.areas_atuacao]


async def write_behaviours(connection: Connection, rows: Sequence[BehaviourRow]) -> int:
    """Insert new behaviours and update spellings. Return the number of written behaviours.

    If several rows have the same name, the last one counts.
    """
    return len(await _write_names(connection, Catalogue.BEHAVIOUR, [row.nome for row in rows]))


async def write_skills(connection: Connection, rows: Sequence[SkillRow]) -> int:
    """Insert new skills, update spellings, and link skills to additional work areas.

    Links are never removed. Return the number of new and changed skills.
    """
    areas = [area for row in rows for area in row.areas_atuacao]
    linked = [row.nome for row in rows for _ in row.areas_atuacao]
    await _write_names(connection, Catalogue.WORK_AREA, areas, respell=False)
    written = await _write_names(connection, Catalogue.SKILL, [row.nome for row in rows])
    pairs = zip(await store.fold_names(connection, linked), await store.fold_names(connection, areas), strict=True)
    links = [store.SkillInArea(skill, area) for skill, area in pairs]
    return len(written | await store.insert_imported_links(connection, links))


async def _write_names(
    connection: Connection, catalogue: Catalogue, names: Sequence[str], *, respell: bool = True
) -> set[str]:
    last = dict(zip(await store.fold_names(connection, names), names, strict=True))
    return await store.upsert_imported_names(connection, catalogue, list(last.values()), respell=respell)


IMPORTS = [
    Import("behaviours", BehaviourRow, write_behaviours, from_table=True),
    Import("skills", SkillRow, write_skills, from_table=True),
]
