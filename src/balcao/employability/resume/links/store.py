"""SQL for the links between resumes and catalogues. Each kind of link has its own variant of a statement."""

from collections.abc import Sequence
from types import GenericAlias
from typing import Any

from balcao.core.database.lookups import lookups
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statements
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.links.kinds import BEHAVIOURS, LINK_KINDS, SKILLS, LinkKind


@lookups(
    {
        BEHAVIOURS: """
        SELECT link.id, link.cpf, link.created_at, link.updated_at,
            behaviour.id AS behaviour_id, behaviour.nome,
            behaviour.created_at AS behaviour_created_at, behaviour.updated_at AS behaviour_updated_at
        FROM employability.behaviour_link AS link
        JOIN employability.behaviour ON behaviour.id = link.id_comportamento_atitudes
        WHERE link.cpf = :cpf
        ORDER BY link.created_at DESC, link.id DESC
        """,
        SKILLS: """
        SELECT link.id, link.cpf, link.id_area_atuacao_habilidade, skill.id AS id_habilidade, skill.nome AS habilidade,
            area.id AS id_area_atuacao, area.nome AS area_atuacao, link.created_at, link.updated_at
        FROM employability.skill_link AS link
        JOIN employability.skill_area AS pair ON pair.id = link.id_area_atuacao_habilidade
        JOIN employability.skill ON skill.id = pair.skill_id
        JOIN employability.work_area AS area ON area.id = pair.area_id
        WHERE link.cpf = :cpf
        ORDER BY link.created_at DESC, link.id DESC
        """,
    },
    lambda kind: {"return": GenericAlias(list, kind.record)},
)
async def list_links(source: Source, kind: LinkKind, cpf: Cpf) -> list[Any]:
    """Return a person's links, newest first."""


@statements(
    {
        BEHAVIOURS: "SELECT id FROM employability.behaviour WHERE id = :id_comportamento_atitudes",
        # The order of the ids is the order in which areas were added to the skill.
        SKILLS: """
        SELECT id FROM employability.skill_area
        WHERE skill_id = :id_habilidade AND (:id_area_atuacao::bigint IS NULL OR area_id = :id_area_atuacao)
        ORDER BY id LIMIT 1
        """,
    },
    lambda kind: {"body": kind.body},
)
async def find_entry(connection: Connection, kind: LinkKind, body: Any) -> int | None:
    """Return the id of the entry that the body names, or None. Without a work area, use the skill's first area."""


@statements(
    {
        BEHAVIOURS: "SELECT count(*) FROM employability.behaviour WHERE id = ANY (:entries::bigint[])",
        SKILLS: "SELECT count(*) FROM employability.skill_area WHERE id = ANY (:entries::bigint[])",
    }
)
async def count_entries(connection: Connection, kind: LinkKind, entries: Sequence[int]) -> int:
    """Return how many of these entries the catalogue contains."""


@statements(
    {
        each: f"""
        INSERT INTO {each.table} (cpf, {each.column}) SELECT :cpf, unnest(:entries::bigint[])
        ON CONFLICT (cpf, {each.column}) DO NOTHING
        """
        for each in LINK_KINDS
    }
)
async def insert_links(connection: Connection, kind: LinkKind, cpf: Cpf, entries: Sequence[int]) -> None:
    """Link a person to these entries. Existing links are not changed."""


@statements(
    {each: f"DELETE FROM {each.table} WHERE cpf = :cpf AND {each.column} <> ALL (:entries)" for each in LINK_KINDS}
)
async def delete_other_links(connection: Connection, kind: LinkKind, cpf: Cpf, entries: Sequence[int]) -> None:
    """Delete a person's links to all entries except these."""


@statements({each: f"DELETE FROM {each.table} WHERE id = :link AND cpf = :cpf" for each in LINK_KINDS})
async def delete_link(connection: Connection, kind: LinkKind, cpf: Cpf, link: int) -> bool:
    """Delete a citizen's link, and return whether it existed."""
