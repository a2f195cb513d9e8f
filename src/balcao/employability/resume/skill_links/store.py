"""SQL of the links between resumes and skills in their areas."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.skill_links.schemas import SkillLink

_LIST = """
SELECT link.id, link.cpf, link.id_area_atuacao_habilidade, skill.id AS id_habilidade, skill.nome AS habilidade,
       area.id AS id_area_atuacao, area.nome AS area_atuacao, link.created_at, link.updated_at
FROM employability.skill_link AS link
JOIN employability.skill_area AS pair ON pair.id = link.id_area_atuacao_habilidade
JOIN employability.skill ON skill.id = pair.skill_id
JOIN employability.work_area AS area ON area.id = pair.area_id
WHERE link.cpf = $1
ORDER BY link.created_at DESC, link.id DESC
"""


async def list_links(connection: Connection, cpf: Cpf) -> list[SkillLink]:
    """Return a person's links, newest first."""
    return [SkillLink(**dict(row)) for row in await connection.fetch(_LIST, cpf.digits)]


_COUNT_KNOWN = "SELECT count(*) FROM employability.skill_area WHERE id = ANY ($1::bigint[])"


async def count_known(connection: Connection, pairs: Sequence[int]) -> int:
    """Return how many of these pairs of a skill and an area there are."""
    return await fetch_count(connection, _COUNT_KNOWN, pairs)


# A skill stands in its areas in the order in which it was put there.
_FIND_PAIR = """
SELECT id FROM employability.skill_area
WHERE skill_id = $1 AND ($2::bigint IS NULL OR area_id = $2) ORDER BY id LIMIT 1
"""


async def find_pair(connection: Connection, skill: int, area: int | None) -> int | None:
    """Return the id of the skill in this area, or without one in its first; None when it is in none."""
    found: int | None = await connection.fetchval(_FIND_PAIR, skill, area)
    return found


_INSERT = """
INSERT INTO employability.skill_link (cpf, id_area_atuacao_habilidade) SELECT $1, unnest($2::bigint[])
ON CONFLICT (cpf, id_area_atuacao_habilidade) DO NOTHING
"""


async def insert(connection: Connection, cpf: Cpf, pairs: Sequence[int]) -> None:
    """Link a person to these pairs; links that are there stay as they are."""
    await connection.execute(_INSERT, cpf.digits, pairs)


_DELETE_OTHERS = "DELETE FROM employability.skill_link WHERE cpf = $1 AND id_area_atuacao_habilidade <> ALL ($2)"


async def delete_others(connection: Connection, cpf: Cpf, pairs: Sequence[int]) -> None:
    """Delete a person's links to all other pairs."""
    await connection.execute(_DELETE_OTHERS, cpf.digits, pairs)


_DELETE = "DELETE FROM employability.skill_link WHERE id = $1 AND cpf = $2 RETURNING id"


async def delete(connection: Connection, cpf: Cpf, link: int) -> bool:
    """Return whether this citizen had such a link."""
    return await connection.fetchval(_DELETE, link, cpf.digits) is not None
