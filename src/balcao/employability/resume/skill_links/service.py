"""Skills in a resume: links to a skill in one of its areas, at most one for each."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.skill_links import store
from balcao.employability.resume.skill_links.schemas import SkillLink

MAX_LINKS = 50


async def list_links(connection: Connection, cpf: Cpf) -> list[SkillLink]:
    """Return a person's links, newest first."""
    return await store.list_links(connection, cpf)


async def save_links(connection: Connection, cpf: Cpf, pairs: Sequence[int]) -> None:
    """Replace a person's links under the lock of the resume; those that stay keep their id.

    Raises Invalid for a pair that is unknown or repeated, and for too many.
    """
    if len(set(pairs)) < len(pairs) or len(pairs) > MAX_LINKS:
        text = f"O campo `area_atuacao_habilidade_ids` deve ter no máximo {MAX_LINKS} itens, sem repetição."
        raise Invalid(text, code="skill-list")
    if await store.count_known(connection, pairs) < len(pairs):
        text = "O campo `area_atuacao_habilidade_ids` tem um item que não existe no catálogo."
        raise Invalid(text, code="skill-unknown")
    await store.replace(connection, cpf, pairs)
