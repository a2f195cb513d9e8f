"""SQL of the links between resumes and skills in their areas."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.skill_links.schemas import SkillLink


@statement("""
SELECT link.id, link.cpf, link.id_area_atuacao_habilidade, skill.id AS id_habilidade, skill.nome AS habilidade,
       area.id AS id_area_atuacao, area.nome AS area_atuacao, link.created_at, link.updated_at
FROM employability.skill_link AS link
JOIN employability.skill_area AS pair ON pair.id = link.id_area_atuacao_habilidade
JOIN employability.skill ON skill.id = pair.skill_id
JOIN employability.work_area AS area ON area.id = pair.area_id
WHERE link.cpf = :cpf
ORDER BY link.created_at DESC, link.id DESC
""")
async def list_skill_links(connection: Connection, cpf: Cpf) -> list[SkillLink]:
    """Return a person's links, newest first."""


@statement("SELECT count(*) FROM employability.skill_area WHERE id = ANY (:pairs::bigint[])")
async def count_skills_in_areas(connection: Connection, pairs: Sequence[int]) -> int:
    """Return how many of these pairs of a skill and an area there are."""


# A skill stands in its areas in the order in which it was put there.
@statement("""
SELECT id FROM employability.skill_area
WHERE skill_id = :skill AND (:area::bigint IS NULL OR area_id = :area) ORDER BY id LIMIT 1
""")
async def find_skill_in_area(connection: Connection, skill: int, area: int | None) -> int | None:
    """Return the id of the skill in this area, or without one in its first; None when it is in none."""


@statement("""
INSERT INTO employability.skill_link (cpf, id_area_atuacao_habilidade) SELECT :cpf, unnest(:pairs::bigint[])
ON CONFLICT (cpf, id_area_atuacao_habilidade) DO NOTHING
""")
async def insert_skill_links(connection: Connection, cpf: Cpf, pairs: Sequence[int]) -> None:
    """Link a person to these pairs; links that are there stay as they are."""


@statement("DELETE FROM employability.skill_link WHERE cpf = :cpf AND id_area_atuacao_habilidade <> ALL (:pairs)")
async def delete_other_skill_links(connection: Connection, cpf: Cpf, pairs: Sequence[int]) -> None:
    """Delete a person's links to all other pairs."""


@statement("DELETE FROM employability.skill_link WHERE id = :link AND cpf = :cpf")
async def delete_skill_link(connection: Connection, cpf: Cpf, link: int) -> bool:
    """Return whether this citizen had such a link."""
